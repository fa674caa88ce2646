package page

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
)

// perPage is how many runs a page of history has.
const perPage = 30

// A listed is a run in a list.
type listed struct {
	runstore.Run
	Task   string
	Counts []report.Count
	All    int // citations
	Sites  int
	Usage  agent.Usage
	Marked int // sentences that are not verified
}

// Supported is how many citations hold.
func (l listed) Supported() (n int) {
	for _, c := range l.Counts {
		if c.Verdict == citewell.VerdictSupported || c.Verdict == report.ByJudge {
			n += c.Number
		}
	}
	return n
}

// listed gives runs with what they came to.
func (s *Site) listed(ctx context.Context, runs []runstore.Run) ([]listed, error) {
	var all []listed
	for _, run := range runs {
		l := listed{Run: run, Task: job.Task(run)}
		if run.State.Ended() {
			result, err := s.o.Desk.Result(ctx, run.ID)
			if err != nil && citewell.CodeOf(err) != citewell.CodeNotFound { // it was deleted meanwhile
				return nil, err
			}
			l.Usage = result.Usage
			if result.Report != nil {
				l.Counts, l.All = report.Counts(*result.Report)
				l.Sites, l.Marked = len(report.Sites(*result.Report)), len(result.Report.Unverified)
			}
		}
		all = append(all, l)
	}
	return all, nil
}

type historyPage struct {
	frame
	Runs   []listed
	Agents []job.Definition
	States []stateChoice
	Agent  string
	Words  string
	Since  string // a day
	Until  string
	Wrong  string // what cannot be of what was asked
	Older  string // the address of the next page
	Newest bool
	Asked  bool // something is filtered
}

type stateChoice struct {
	Value, Word string
	Chosen      bool
}

// history is GET /runs.
func (s *Site) history(w http.ResponseWriter, r *http.Request) error {
	asked := r.URL.Query()
	q := runstore.RunQuery{Limit: perPage, Cursor: asked.Get("cursor")}
	p := historyPage{frame: s.frame(r, "Runs", "runs"), Agents: s.o.Desk.Agents(), Agent: asked.Get("agent"),
		Newest: q.Cursor == ""}
	if p.Agent != "" {
		q.Agents = []string{p.Agent}
	}
	for _, choice := range []struct {
		value, word string
		states      []runstore.RunState
		outcomes    []runstore.RunOutcome
	}{
		{"going", "Under way", []runstore.RunState{runstore.RunInited, runstore.RunResearching}, nil},
		{"waiting", "Waiting for an answer", []runstore.RunState{runstore.RunWaiting}, nil},
		{"answered", "Answered", nil, []runstore.RunOutcome{runstore.RunAnswered}},
		{"partial", "Answered in part", nil, []runstore.RunOutcome{runstore.RunPartial, runstore.RunOverBudget}},
		{"failed", "Failed, or no source answers", []runstore.RunState{runstore.RunFailed, runstore.RunError}, nil},
		{"cancelled", "Cancelled", []runstore.RunState{runstore.RunCancelled}, nil},
	} {
		chosen := asked.Get("state") == choice.value
		if chosen {
			q.States, q.Outcomes = choice.states, choice.outcomes
		}
		p.States = append(p.States, stateChoice{choice.value, choice.word, chosen})
	}
	p.Words, p.Since, p.Until = strings.TrimSpace(asked.Get("q")), asked.Get("since"), asked.Get("until")
	q.Words = p.Words
	for name, to := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		if given := asked.Get(name); given != "" {
			at, err := job.ReadMoment(name, given, time.UTC)
			if err != nil {
				p.Wrong = citewell.View(err).Line()
			}
			*to = at
		}
	}
	if !q.Until.IsZero() && len(p.Until) == len(time.DateOnly) {
		q.Until = q.Until.AddDate(0, 0, 1) // a reader means the whole day
	}
	p.Asked = p.Agent+p.Words+p.Since+p.Until != "" || len(q.States)+len(q.Outcomes) > 0
	runs, next, err := s.o.Desk.List(r.Context(), q)
	if err != nil {
		return err
	}
	if next != "" {
		values := url.Values{"cursor": {next}}
		for _, name := range []string{"state", "agent", "q", "since", "until"} {
			if v := asked.Get(name); v != "" {
				values.Set(name, v)
			}
		}
		p.Older = "/runs?" + values.Encode()
	}
	if p.Runs, err = s.listed(r.Context(), runs); err != nil {
		return err
	}
	return show(w, http.StatusOK, "history.html", p)
}
