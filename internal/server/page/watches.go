package page

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/citewell/citewell/internal/watch"
)

// Bounds of what pages of watches show at once.
const (
	watchesListed = 20
	newsShown     = 5 // rounds of a watch
)

// A listedWatch is a watch with what its last round found.
type listedWatch struct {
	watch.Watch
	Last *watch.News // nil where no run of it is kept
}

// A watchForm is what adds a watch: a question as it is asked, and how often.
type watchForm struct {
	askForm
	Every string
}

// A watchesPage lists what is asked again and again.
type watchesPage struct {
	frame
	Watches []listedWatch
	Form    watchForm
	Before  string // the address of the watches before these
	After   string
}

// watches is GET /watches. With run, the form has the question of that run, and where it looked.
func (s *Site) watches(w http.ResponseWriter, r *http.Request) error {
	form, err := s.watchForm(r.Context())
	if err != nil {
		return err
	}
	if id := r.URL.Query().Get("run"); id != "" {
		status, err := s.o.Desk.Status(r.Context(), id)
		if err != nil {
			return ofRun(err)
		}
		form.Question, form.Agent = status.Task, status.Agent
		form.Choices.show(job.ChoicesOf(status.Run))
	}
	return s.showWatches(w, r, http.StatusOK, form)
}

func (s *Site) watchForm(ctx context.Context) (watchForm, error) {
	form, err := s.askForm(ctx)
	return watchForm{form, watch.DefaultEvery}, err
}

func (s *Site) showWatches(w http.ResponseWriter, r *http.Request, status int, form watchForm) error {
	all, err := s.o.Watches.List(r.Context())
	if err != nil {
		return err
	}
	p := watchesPage{frame: s.frame(r, "Watches", "watches"), Form: form}
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	from = min(max(from, 0), len(all))
	if from > 0 {
		p.Before = "/watches?from=" + strconv.Itoa(max(0, from-watchesListed))
	}
	if len(all) > from+watchesListed {
		p.After = "/watches?from=" + strconv.Itoa(from+watchesListed)
	}
	for _, one := range all[from:min(len(all), from+watchesListed)] {
		listed := listedWatch{Watch: one}
		news, err := s.o.Watches.News(r.Context(), one, 1)
		if err != nil {
			return err
		}
		if len(news) > 0 {
			listed.Last = &news[0]
		}
		p.Watches = append(p.Watches, listed)
	}
	return show(w, status, "watches.html", p)
}

// addWatch is POST /watches. A form that is sent again leads to the watch that it added; one that
// cannot be taken is shown again with its words.
func (s *Site) addWatch(w http.ResponseWriter, r *http.Request) error {
	given, release, err := s.form(w, r)
	if err != nil {
		return err
	}
	defer release()
	form, err := s.watchForm(r.Context())
	if err != nil {
		return err
	}
	form.fill(given)
	form.Every = strings.TrimSpace(given.Get("every"))
	start := job.Start{Agent: form.Agent}
	if start.Choices, err = form.Choices.take(given); err == nil {
		err = s.budget(&start, given)
	}
	if err == nil {
		every, wrong := watch.ParseEvery(form.Every)
		if err = wrong; err == nil {
			var added watch.Watch
			added, err = s.o.Watches.Add(r.Context(), given.Get("key"),
				watch.Asked{Question: strings.TrimSpace(form.Question), Agent: form.Agent, Budget: start.Budget,
					Choices: start.Choices}, every)
			if err == nil {
				seeOther(w, "/watches/"+added.ID)
				return nil
			}
		}
	}
	if citewell.CategoryOf(err) != citewell.CategoryInvalid {
		return err
	}
	form.Wrong = citewell.View(err).Line()
	return s.showWatches(w, r, http.StatusUnprocessableEntity, form)
}

// A watchPage is one watch, with what its last rounds found.
type watchPage struct {
	frame
	Watch  watch.Watch
	Rounds int
	News   []watch.News
	Feed   string // its address
	Key    bool   // which opens it to whoever has it
}

// watch is GET /watches/{watch}.
func (s *Site) watch(w http.ResponseWriter, r *http.Request) error {
	one, err := s.o.Watches.Watch(r.Context(), r.PathValue("watch"))
	if err != nil {
		return ofWatch(err)
	}
	p := watchPage{frame: s.frame(r, titleOf(one.Question), "watches"), Watch: one, Rounds: int(one.Rounds),
		Feed: runs.FeedAddress(r, one.ID)}
	p.Key = strings.Contains(p.Feed, "?")
	if p.News, err = s.o.Watches.News(r.Context(), one, newsShown); err != nil {
		return err
	}
	p.Refresh = len(p.News) > 0 && !p.News[0].Ended()
	return show(w, http.StatusOK, "watch.html", p)
}

// runWatch is POST /watches/{watch}/run: it leads to the run of the round.
func (s *Site) runWatch(w http.ResponseWriter, r *http.Request) error {
	run, err := s.o.Watches.Begin(r.Context(), r.PathValue("watch"))
	if err != nil {
		return ofWatch(err)
	}
	seeOther(w, "/runs/"+run)
	return nil
}

// removeWatch is POST /watches/{watch}/delete.
func (s *Site) removeWatch(w http.ResponseWriter, r *http.Request) error {
	if err := s.o.Watches.Remove(r.Context(), r.PathValue("watch")); err != nil {
		return ofWatch(err)
	}
	seeOther(w, "/watches")
	return nil
}

// ofWatch is an error of what was asked of a watch: it may not be there for who asks.
func ofWatch(err error) error {
	return intake.Instead(err, notFound("there is no such watch",
		"it was removed, or it is another's; yours are in the list of watches"))
}
