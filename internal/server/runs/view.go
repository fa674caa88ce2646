package runs

import (
	"net/http"
	"net/url"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/intake"
)

// shown is a run as it can be told of at any time.
type shown struct {
	job.Shown
	Spent  agent.Usage `json:"spent"`
	Events int64       `json:"events"`
}

func (a *API) status(r *http.Request, id string) (shown, error) {
	s, err := a.o.Desk.Status(r.Context(), id)
	if err != nil {
		return shown{}, ofRun(err)
	}
	told, err := s.Shown()
	return shown{told, s.Spent, s.Seq}, err
}

func (a *API) respondStatus(w http.ResponseWriter, r *http.Request, status int, id string) error {
	s, err := a.status(r, id)
	if err == nil {
		intake.Respond(w, status, s)
	}
	return err
}

// show is GET /v1/runs/{id}.
func (a *API) show(w http.ResponseWriter, r *http.Request) error {
	return a.respondStatus(w, r, http.StatusOK, r.PathValue("id"))
}

// The parameters of a list.
var listParameters = []intake.Parameter{
	manyOf("state", runstore.RunStates), manyOf("outcome", runstore.RunOutcomes),
	{Name: "agent", Form: lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`), Must: "the name of an agent",
		Many: true},
	{Name: "q", Form: lazyregexp.New(`^[\s\S]{1,256}$`), Must: "1 to 256 characters"},
	{Name: "since", Form: momentForm, Must: momentMust},
	{Name: "until", Form: momentForm, Must: momentMust},
	{Name: "same_task", Form: runID, Must: "the id of a run"},
	{Name: "limit", Form: intake.Digits, Must: "a number"},
	{Name: "cursor", Form: lazyregexp.New(`^[1-9][0-9]{0,17}$`), Must: "what a list gave as next"},
}

// What since and until are; job.ReadMoment says of what has the form whether it is a time.
var momentForm = lazyregexp.New(`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$`)

const momentMust = "a day, such as 2026-03-31, or a time of RFC 3339, such as 2026-03-31T12:00:00Z, in which a + is " +
	"written %2B"

// manyOf is a parameter that has values of a list.
func manyOf[T ~string](name string, list []T) intake.Parameter {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	p := oneOf(name, words)
	p.Many = true
	return p
}

// defaultListed is how many runs a page has where nobody says.
const defaultListed = 50

// list is GET /v1/runs.
func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	values, err := intake.Query(r, listParameters...)
	if err != nil {
		return err
	}
	limit, err := intake.Number(values, "limit", defaultListed, 1, runstore.MaxRunPage)
	if err != nil {
		return err
	}
	q := runstore.RunQuery{Agents: values["agent"], Words: values.Get("q"), SameTask: values.Get("same_task"),
		Limit: int(limit), Cursor: values.Get("cursor")}
	for _, state := range values["state"] {
		q.States = append(q.States, runstore.RunState(state))
	}
	for _, outcome := range values["outcome"] {
		q.Outcomes = append(q.Outcomes, runstore.RunOutcome(outcome))
	}
	if q.Since, err = moment(values, "since"); err != nil {
		return err
	}
	if q.Until, err = moment(values, "until"); err != nil {
		return err
	}
	runs, next, err := a.o.Desk.List(r.Context(), q)
	if err != nil {
		return intake.Instead(err, unknownRun("same_task"))
	}
	page := struct {
		Runs []job.Listed `json:"runs"`
		Next string       `json:"next,omitempty"`
	}{make([]job.Listed, len(runs)), next}
	for i, run := range runs {
		page.Runs[i] = job.ListedOf(run)
	}
	return intake.Answer(w, page, nil)
}

// moment reads a time that query has seen; the zero time where there is none. A day is one of UTC.
func moment(values url.Values, name string) (time.Time, error) {
	if !values.Has(name) {
		return time.Time{}, nil
	}
	return job.ReadMoment(name, values.Get(name), time.UTC)
}

// unknownRun is the error of a field of a request that names a run which is not there for the caller.
func unknownRun(field string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "runs", Message: field + " names an unknown run",
		Hint: "GET /v1/runs lists those of the caller"}
}

// answer is POST /v1/runs/{id}/answer.
func (a *API) answer(w http.ResponseWriter, r *http.Request) error {
	given, release, err := intake.Read(a.bodies, w, r, replyForm)
	if err != nil {
		return err
	}
	defer release()
	id := r.PathValue("id")
	err = a.o.Desk.AnswerTo(r.Context(), id, given.Question, given.Text)
	switch code := citewell.CodeOf(err); {
	case code == "":
		return a.respondStatus(w, r, http.StatusOK, id)
	case code == citewell.CodeInvalidArgument && given.Question == "": // the text is not what it could be of
		view := citewell.View(err)
		return notReady(view.Message, view.Hint)
	default:
		return ofRun(err)
	}
}

// cancel is POST /v1/runs/{id}/cancel. Its body says nothing.
func (a *API) cancel(w http.ResponseWriter, r *http.Request) error {
	run, err := a.o.Desk.Cancel(r.Context(), r.PathValue("id"))
	if err != nil {
		return ofRun(err)
	}
	return a.respondStatus(w, r, http.StatusOK, run.ID)
}

// remove is DELETE /v1/runs/{id}.
func (a *API) remove(w http.ResponseWriter, r *http.Request) error {
	err := a.o.Desk.Delete(r.Context(), r.PathValue("id"))
	switch citewell.CodeOf(err) {
	case "":
		return intake.Gone(w, nil)
	case citewell.CodeRunLeased:
		return &citewell.Error{Code: citewell.CodeRunLeased, Op: "runs", Message: "the run is being executed",
			Hint: "cancel it, and delete it when it has ended", Err: err}
	}
	return ofRun(err)
}
