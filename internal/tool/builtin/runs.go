package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// Runs are research runs as the research tools begin, follow and end them.
type Runs struct {
	Desk     job.Service // nil where none can be begun
	Executed func() bool // says whether this process takes up runs; asked where there is a Desk
}

// A runBudget is what a run may spend; 0 leaves it at what its agent may.
type runBudget struct {
	Tokens   int     `json:"tokens,omitempty" jsonschema:"of the model, in and out" bounds:"0..1000000000"`
	USD      float64 `json:"usd,omitempty" jsonschema:"where prices are configured" bounds:"0..1000000"`
	WallMS   int64   `json:"wall_ms,omitempty" jsonschema:"without waiting for an answer" bounds:"0..604800000"`
	Searches int     `json:"searches,omitempty" bounds:"0..1000000"`
	Fetches  int     `json:"fetches,omitempty" bounds:"0..1000000"`
}

// A runQuestion is what a run asks.
type runQuestion struct {
	Text      string   `json:"text" jsonschema:"as a person reads it"`
	Questions []string `json:"questions" jsonschema:"one by one; empty where the run shows an answer and waits for what follows it"`
}

// questionOf is the question of a run without what only a machine or a terminal would obey.
func questionOf(q *agent.Question) *runQuestion {
	asked := &runQuestion{Text: envelope.Neutralize(q.Text), Questions: []string{}}
	for _, each := range q.Questions {
		asked.Questions = append(asked.Questions, envelope.Neutralize(each))
	}
	return asked
}

// A runEvent is an entry of a run's log in words.
type runEvent struct {
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Text string    `json:"text"`
}

// A runUsage is what a run has spent.
type runUsage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	USD          float64 `json:"usd"`
	Searches     int     `json:"searches"`
	Fetches      int     `json:"fetches"`
	ActiveMS     int64   `json:"active_ms" jsonschema:"milliseconds, without waiting for a person"`
}

// asks says whether a run waits for an answer that nobody has given.
func asks(s job.Status) bool {
	return s.State == runstore.RunWaiting && s.Unread == 0 && s.Question != nil
}

// next says what a caller does now.
func (runs Runs) next(s job.Status) string {
	switch {
	case s.State.Ended():
		return "call research_result with this id"
	case asks(s):
		return "the run waits: ask the user, then call research_answer with this id and the answer"
	case s.State == runstore.RunWaiting:
		return "the answer is on its way to the run: call research_status with this id and wait_seconds 50"
	case s.CancelRequested:
		return "it is ending: call research_status with this id"
	case s.Executor == "" && !runs.Executed():
		return "no process executes it now: it is taken up by the next citewell serve, worker or mcp over the same " +
			"store, or by `citewell runs resume " + s.ID +
			"`; then call research_status with this id"
	}
	return fmt.Sprintf("call research_status with this id, wait_seconds 50 and after %d, until it asks or has ended",
		s.Seq)
}

// withoutRuns is why the tools of runs are not offered.
func (runs Runs) withoutRuns() string {
	if runs.Desk == nil {
		return "a research run needs a store to be kept in: set store.url; web_research needs none"
	}
	return ""
}

// runsNamed is how many runs are named to who asks for one that is not there.
const runsNamed = 5

// ofRun says in an error what the caller of these tools can do about it.
func (runs Runs) ofRun(ctx context.Context, id string, err error) error {
	if err == nil {
		return nil
	}
	v := citewell.View(err)
	switch v.Code {
	case citewell.CodeNotFound:
		v.Message = fmt.Sprintf("there is no run %.100q", id)
		v.Hint = "research_start gives an id; there is no run yet"
		if newest, _, listErr := runs.Desk.List(ctx, runstore.RunQuery{Limit: runsNamed}); listErr == nil &&
			len(newest) > 0 {
			var list []string
			for _, run := range newest {
				list = append(list, fmt.Sprintf("%s (%s: %s)", run.ID, run.State,
					tool.Shorten(text.OneLine(job.Task(run)), 60)))
			}
			v.Hint = "the newest runs are " + strings.Join(list, "; ")
		}
	case citewell.CodeRunFinished:
		v.Hint = "call research_result with this id, or start a new run"
	default:
		return err
	}
	return &citewell.Error{Code: v.Code, Op: "runs", Message: v.Message, Hint: v.Hint, Err: err}
}
