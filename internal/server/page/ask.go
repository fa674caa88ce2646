package page

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/access"
)

// A askPage is the first page: one box, and what was asked before.
type askPage struct {
	frame
	Form    askForm
	Before  []listed
	Samples []string
	Lacks   []Lack
}

// An askForm is what begins a run.
type askForm struct {
	Key      string // by which a form that is sent twice begins one run
	Question string
	Agents   []job.Definition
	Agent    string
	From     string // the run that it goes on from
	Choices  choices
	Typed    map[string]string // the bounds that were sent
	Longest  int               // bytes of a question
	Wrong    string            // what cannot be of what was sent
}

// bounds are the fields of a form that bound what a run may spend.
var bounds = []string{"searches", "pages", "minutes", "usd"}

// fill has the form show what was sent with it.
func (f *askForm) fill(given url.Values) {
	f.Question, f.From, f.Agent = given.Get("question"), given.Get("from"), cmp.Or(given.Get("agent"), f.Agent)
	for _, name := range bounds {
		if v := strings.TrimSpace(given.Get(name)); v != "" {
			if f.Typed == nil {
				f.Typed = map[string]string{}
			}
			f.Typed[name] = v
		}
	}
}

// before is how many runs the first page shows.
const before = 5

func (s *Site) askForm(ctx context.Context) (askForm, error) {
	_, key, _ := strings.Cut(runstore.NewRunID("run"), "_")
	f := askForm{Key: key, Agents: s.o.Desk.Agents(), Longest: job.MaxTask}
	if len(f.Agents) > 0 {
		f.Agent = f.Agents[0].Name
	}
	offer, err := s.o.Desk.Offer(ctx, f.Agent)
	if citewell.CategoryOf(err) == citewell.CategoryInvalid { // there is no agent to ask
		err = nil
	}
	f.Choices = choicesOf(offer)
	return f, err
}

// ask is GET /.
func (s *Site) ask(w http.ResponseWriter, r *http.Request) error {
	form, err := s.askForm(r.Context())
	if err != nil {
		return err
	}
	form.Question = r.URL.Query().Get("q")
	return s.showAsk(w, r, http.StatusOK, form)
}

func (s *Site) showAsk(w http.ResponseWriter, r *http.Request, status int, form askForm) error {
	runs, _, err := s.o.Desk.List(r.Context(), runstore.RunQuery{Limit: before})
	if err != nil {
		return err
	}
	p := askPage{frame: s.frame(r, "Ask", "ask"), Form: form, Samples: s.o.Samples, Lacks: s.o.Lacks}
	if p.Before, err = s.listed(r.Context(), runs); err != nil {
		return err
	}
	return show(w, status, "ask.html", p)
}

var keyForm = lazyregexp.New(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// begin is POST /runs. A form that is sent again leads to the run that it began. One that
// cannot be taken is shown again with its words.
func (s *Site) begin(w http.ResponseWriter, r *http.Request) error {
	given, release, err := s.form(w, r)
	if err != nil {
		return err
	}
	defer release()
	form, err := s.askForm(r.Context())
	if err != nil {
		return err
	}
	form.fill(given)
	start := job.Start{Task: strings.TrimSpace(form.Question), From: form.From}
	if start.Choices, err = form.Choices.take(given); err == nil {
		err = s.budget(&start, given)
	}
	if err == nil && !job.HasWords(start.Task) {
		err = job.NoWords()
	}
	if err == nil {
		start.Agent, err = s.o.Desk.AgentFor(r.Context(), given.Get("agent"), start.From)
	}
	if err == nil {
		start.ID = job.IDOf(start.Agent, access.CallerOf(r.Context()).Name, given.Get("key"))
		var run runstore.Run
		if run, err = s.o.Desk.Start(r.Context(), start); err == nil {
			seeOther(w, "/runs/"+run.ID)
			return nil
		}
	}
	if category := citewell.CategoryOf(err); category != citewell.CategoryInvalid {
		return err
	}
	form.Wrong = citewell.View(err).Line()
	if _, begun := s.o.Desk.Status(r.Context(), start.ID); start.ID != "" && begun == nil {
		form.Wrong = "This form has begun another run already. Send it once more to ask this as well."
	}
	return s.showAsk(w, r, http.StatusUnprocessableEntity, form)
}

// budget reads the bounds that are behind the disclosure of the form.
func (s *Site) budget(start *job.Start, given url.Values) error {
	get := func(name string) string { return strings.TrimSpace(given.Get(name)) }
	if !keyForm.MatchString(get("key")) {
		return invalid("the form has no key of its own", "reload the page, and ask again")
	}
	var minutes int
	for name, to := range map[string]*int{"searches": &start.Budget.Searches, "pages": &start.Budget.Fetches,
		"minutes": &minutes} {
		if get(name) == "" {
			continue
		}
		n, err := strconv.Atoi(get(name))
		if err != nil || n < 1 || n > 1_000_000 {
			return invalid(fmt.Sprintf("%s must be a number from 1 to 1,000,000; it is %.30q", name, get(name)),
				"leave it empty for what the agent may do by itself")
		}
		*to = n
	}
	start.Budget.WallMS = int64(minutes) * 60_000
	if get("usd") != "" {
		usd, err := strconv.ParseFloat(get("usd"), 64)
		if err != nil || usd <= 0 || usd > 1_000_000 {
			return invalid(fmt.Sprintf("the money must be a number of dollars above 0; it is %.30q", get("usd")),
				"leave it empty for what the agent may spend by itself")
		}
		start.Budget.USD = usd
	}
	return nil
}
