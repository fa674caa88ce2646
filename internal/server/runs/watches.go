package runs

import (
	"net/http"
	"net/url"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/watch"
)

// A newWatch is the body of POST /v1/watches.
type newWatch struct {
	Question     string     `json:"question" jsonschema:"what to ask in each round, with a letter or a digit; at most 262,144 bytes" bounds:"1..262144"`
	EverySeconds int64      `json:"every_seconds,omitempty" jsonschema:"from one round to the next" bounds:"60..31622400" default:"86400"`
	Agent        string     `json:"agent,omitempty" jsonschema:"the name of one of GET /v1/agents; the first of them when absent" bounds:"1..64"`
	Budget       job.Budget `json:"budget,omitzero" jsonschema:"what each round may spend; what is absent is as the agent has it, and none may be more than that"`
	Sources      []string   `json:"sources,omitempty" jsonschema:"as of a new run: kinds of sources to ask, or one lens, alone" bounds:"..9"`
	Providers    []string   `json:"providers,omitempty" jsonschema:"as of a new run: to ask, by name, all of them and no others" bounds:"..64"`
	Documents    *bool      `json:"documents,omitempty" jsonschema:"as of a new run: whether the caller's own documents are searched too"`
}

var watchForm = tool.NewForm[newWatch]("watches.add")

// A shownWatch is a watch with the address of its feed.
type shownWatch struct {
	watch.Watch
	Feed string `json:"feed"`
}

func shownWatchOf(r *http.Request, w watch.Watch) shownWatch {
	return shownWatch{w, FeedAddress(r, w.ID)}
}

// FeedAddress is where a feed reader finds the feed of a watch: with a key of who asks, where a token is needed.
func FeedAddress(r *http.Request, id string) string {
	address := "/v1/watches/" + id + "/feed"
	if key := access.CallerOf(r.Context()).FeedKey(id); key != "" {
		address += "?" + url.Values{access.FeedKey: {key}}.Encode()
	}
	return address
}

// watches is GET /v1/watches.
func (a *API) watches(w http.ResponseWriter, r *http.Request) error {
	all, err := a.o.Watches.List(r.Context())
	if err != nil {
		return err
	}
	list := make([]shownWatch, len(all))
	for i, one := range all {
		list[i] = shownWatchOf(r, one)
	}
	return intake.Answer(w, map[string]any{"watches": list}, nil)
}

// addWatch is POST /v1/watches. The same Idempotency-Key of the same caller gives the same watch.
func (a *API) addWatch(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	given, release, err := intake.Read(a.starts, w, r, watchForm)
	if err != nil {
		return err
	}
	defer release()
	added, err := a.o.Watches.Add(r.Context(), key, watch.Asked{
		Question: given.Question, Agent: given.Agent, Budget: given.Budget,
		Choices: job.Choices{Sources: given.Sources, Providers: given.Providers, Documents: given.Documents}},
		time.Duration(given.EverySeconds)*time.Second)
	if err != nil {
		return noLens(err)
	}
	w.Header().Set("Location", "/v1/watches/"+added.ID)
	intake.Respond(w, http.StatusCreated, shownWatchOf(r, added))
	return nil
}

var watchID = lazyregexp.New(`^[0-9a-f]{8}$`)

// watchOf is the watch of a path, which must be there for who asks.
func (a *API) watchOf(r *http.Request) (w watch.Watch, err error) {
	id := r.PathValue("watch")
	if watchID.MatchString(id) {
		if w, err = a.o.Watches.Watch(r.Context(), id); err == nil || citewell.CodeOf(err) != citewell.CodeNotFound {
			return w, err
		}
	}
	return w, &citewell.Error{Code: citewell.CodeNotFound, Op: "watches", Message: "there is no watch with that id",
		Hint: "GET /v1/watches lists them"}
}

// showWatch is GET /v1/watches/{watch}.
func (a *API) showWatch(w http.ResponseWriter, r *http.Request) error {
	one, err := a.watchOf(r)
	if err == nil {
		intake.Respond(w, http.StatusOK, shownWatchOf(r, one))
	}
	return err
}

// removeWatch is DELETE /v1/watches/{watch}.
func (a *API) removeWatch(w http.ResponseWriter, r *http.Request) error {
	one, err := a.watchOf(r)
	if err == nil {
		err = a.o.Watches.Remove(r.Context(), one.ID)
	}
	return intake.Gone(w, err)
}

// runWatch is POST /v1/watches/{watch}/run. Its body says nothing.
func (a *API) runWatch(w http.ResponseWriter, r *http.Request) error {
	one, err := a.watchOf(r)
	if err != nil {
		return err
	}
	run, err := a.o.Watches.Begin(r.Context(), one.ID)
	if err != nil {
		return err
	}
	return a.respondStatus(w, r, http.StatusOK, run)
}

var newsParameters = []intake.Parameter{{Name: "limit", Form: intake.Digits, Must: "a number"}}

// news is GET /v1/watches/{watch}/news.
func (a *API) news(w http.ResponseWriter, r *http.Request) error {
	values, err := intake.Query(r, newsParameters...)
	if err != nil {
		return err
	}
	limit, err := intake.Number(values, "limit", watch.FeedRounds, 1, watch.FeedRounds)
	if err != nil {
		return err
	}
	_, all, err := a.newsOf(r, int(limit))
	if err != nil {
		return err
	}
	if all == nil {
		all = []watch.News{}
	}
	return intake.Answer(w, map[string]any{"news": all}, nil)
}

// newsOf is what the last rounds of a watch found: few are read at once, each has many reports.
func (a *API) newsOf(r *http.Request, limit int) (one watch.Watch, all []watch.News, err error) {
	if one, err = a.watchOf(r); err != nil {
		return one, nil, err
	}
	leave, err := a.exports.Enter(r.Context())
	if err != nil {
		return one, nil, err
	}
	defer leave()
	all, err = a.o.Watches.News(r.Context(), one, limit)
	return one, all, err
}

// The key of a feed has the form that the door has seen to.
var feedParameters = []intake.Parameter{{Name: access.FeedKey, Form: lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`),
	Must: "the key that the address of the feed was given with"}}

// feed is GET /v1/watches/{watch}/feed.
func (a *API) feed(w http.ResponseWriter, r *http.Request) error {
	if _, err := intake.Query(r, feedParameters...); err != nil {
		return err
	}
	one, all, err := a.newsOf(r, watch.FeedRounds)
	if err != nil {
		return err
	}
	atom, err := watch.Feed(one, all, watch.Links{Self: FeedAddress(r, one.ID), Page: "/watches/" + one.ID,
		RunAt: "/runs/"})
	if err != nil {
		return err
	}
	intake.Guard(w, watch.FeedType+"; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address has the key
	_, _ = w.Write(atom)                             // the client is gone where this fails
	return nil
}
