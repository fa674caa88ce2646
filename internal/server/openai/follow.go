package openai

import (
	"context"
	"encoding/json"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
)

// A followed is a run that a request follows.
type followed struct {
	id, agent string
	from      job.Status // when the request came
	after     int64      // the entry of the log after which is told
	answered  string     // key of the question that the request answered
	before    agent.Usage
}

// An ending is where following a run has come to: a question, or where that is nil the run's end.
type ending struct {
	question *agent.Question
	spent    agent.Usage // until the question
}

// errEnds is told to those who follow a run when the server ends.
var errEnds = &citewell.Error{Code: citewell.CodeConnectFailed, Op: "openai", Message: "the server is stopping",
	Hint: "the run goes on: send its id as model to follow it again"}

// follow yields the entries of a run's log to tell until the run asks something or has
// ended. beat is called every keepAlive, and soon where the run waits to be taken up.
func (a *API) follow(ctx context.Context, f followed, beat func(job.Beat) error,
	tell func(runstore.RunEvent) error) (ending, error) {
	entries, stop := job.Tell(ctx, a.o.Desk, f.id, f.after, 0)
	defer stop()
	beats := time.NewTicker(keepAlive) // also where entries come: not each of them is told
	defer beats.Stop()
	soon, now := time.After(job.FirstBeat), job.BeatAfter(f.after)
	var end ending
	for {
		select {
		case <-a.o.Ends:
			return end, errEnds
		case <-ctx.Done():
			return end, ctx.Err()
		case <-soon:
			if !now.Queued() {
				continue
			}
			if err := beat(now); err != nil {
				return end, err
			}
		case <-beats.C:
			if err := beat(now); err != nil {
				return end, err
			}
		case e, more := <-entries:
			switch {
			case !more:
				return ending{}, ctx.Err()
			case e.Err != nil:
				return end, e.Err
			}
			was := now
			if now = now.After(e.RunEvent); now != was && now.Queued() {
				if err := beat(now); err != nil {
					return end, err
				}
			}
			if f.asks(e.RunEvent, &end) {
				return end, nil
			}
			if err := tell(e.RunEvent); err != nil {
				return end, err
			}
		}
	}
}

// asks says whether the run now waits for an answer to a question that nobody had answered when the request came.
func (f followed) asks(e runstore.RunEvent, end *ending) bool {
	switch e.Type {
	case job.EventQuestion:
		var q agent.Question
		if json.Unmarshal(e.Data, &q) == nil {
			end.question = &q
		}
	case job.EventSpent:
		_ = json.Unmarshal(e.Data, &end.spent) // nothing then
	case runstore.EventState:
		var change runstore.RunChange
		if json.Unmarshal(e.Data, &change) != nil || change.State != runstore.RunWaiting || end.question == nil ||
			end.question.Key == f.answered {
			return false
		}
		open := f.from.Question != nil && f.from.Question.Key == end.question.Key
		return open || e.Seq > f.from.Seq
	}
	return false
}

// minus is what was spent since.
func minus(u, before agent.Usage) agent.Usage {
	return agent.Usage{InputTokens: u.InputTokens - before.InputTokens,
		OutputTokens: u.OutputTokens - before.OutputTokens, USD: u.USD - before.USD,
		Searches: u.Searches - before.Searches, Fetches: u.Fetches - before.Fetches,
		ActiveMS: u.ActiveMS - before.ActiveMS}
}
