package builtin

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
	"github.com/citewell/citewell/tool"
)

// Runs are research runs: begun, told of, answered and ended. Whether this process
// executes them is another matter.
type Runs interface {
	// Agents are the names that runs can be begun with, the default first.
	Agents() []string
	// Executed says whether this process takes up runs.
	Executed() bool
	// IDOf is the id of the run that a caller's key stands for.
	IDOf(agent, caller, key string) string
	Start(ctx context.Context, s RunStart) (store.Run, error)
	Status(ctx context.Context, id string) (RunStatus, error)
	// Events are up to limit entries of the log after the one of number after.
	Events(ctx context.Context, id string, after int64, limit int) ([]RunEvent, error)
	// Follow yields the entries after that, and waits for more until the run has ended.
	Follow(ctx context.Context, id string, after int64) iter.Seq2[RunEvent, error]
	Answer(ctx context.Context, id, text string) error
	Cancel(ctx context.Context, id string) (store.Run, error)
	// Result is what a run came to; invalid_argument while it has not ended.
	Result(ctx context.Context, id string) (RunResult, error)
	// Newest are the newest runs, with their tasks.
	Newest(ctx context.Context, limit int) ([]RunStatus, error)
}

// A RunStart asks for a run.
type RunStart struct {
	ID     string // to begin it once; minted when empty
	Agent  string // the default when empty
	Task   string
	From   string // id of the ended run that it goes on from; empty begins anew
	Budget RunBudget
}

// A RunBudget is what a run may spend; 0 leaves it at what its agent may.
type RunBudget struct {
	Tokens   int     `json:"tokens,omitempty" jsonschema:"of the model, in and out" bounds:"0..1000000000"`
	USD      float64 `json:"usd,omitempty" jsonschema:"where prices are configured" bounds:"0..1000000"`
	WallMS   int64   `json:"wall_ms,omitempty" jsonschema:"without waiting for an answer" bounds:"0..604800000"`
	Searches int     `json:"searches,omitempty" bounds:"0..1000000"`
	Fetches  int     `json:"fetches,omitempty" bounds:"0..1000000"`
}

// A RunStatus is how far a run is.
type RunStatus struct {
	store.Run
	Task           string
	Iteration      int
	Searches       int
	Clarifications int
	Sources        int
	Question       *RunQuestion // of a run that waits
}

// A RunQuestion is what a run asks.
type RunQuestion struct {
	Key       string   `json:"-"` // unique within the run
	Text      string   `json:"text" jsonschema:"as a person reads it"`
	Questions []string `json:"questions" jsonschema:"one by one; empty where the run shows an answer and waits for what follows it"`
}

// A RunEvent is an entry of a run's log in words.
type RunEvent struct {
	Seq  int64     `json:"seq"`
	Time time.Time `json:"time"`
	Text string    `json:"text"`
	// Turns says that the run is in another state now.
	Turns bool `json:"-"`
}

// A RunResult is what a run came to.
type RunResult struct {
	store.Run
	Answer   string           // where there is no report
	Report   *citewell.Report // nil where no source was read and nothing was written
	Warnings []string         // what speaks against relying on it
	Usage    RunUsage
}

// A RunUsage is what a run has spent.
type RunUsage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	USD          float64 `json:"usd"`
	Searches     int     `json:"searches"`
	Fetches      int     `json:"fetches"`
	ActiveMS     int64   `json:"active_ms" jsonschema:"milliseconds, without waiting for a person"`
}

// asks says whether a run waits for an answer that nobody has given.
func (s RunStatus) asks() bool {
	return s.State == store.RunWaiting && s.Unread == 0 && s.Question != nil
}

// next says what a caller does now.
func (s RunStatus) next(executed bool) string {
	switch {
	case s.State.Ended():
		return "call research_result with this id"
	case s.asks():
		return "the run waits: ask the user, then call research_answer with this id and the answer"
	case s.State == store.RunWaiting:
		return "the answer is on its way to the run: call research_status with this id and wait_seconds 50"
	case s.CancelRequested:
		return "it is ending: call research_status with this id"
	case s.Executor == "" && !executed:
		return "no process executes it now: it is taken up by the next citewell serve, worker or mcp over the same store, or by `citewell runs resume " + s.ID +
			"`; then call research_status with this id"
	}
	return fmt.Sprintf("call research_status with this id, wait_seconds 50 and after %d, until it asks or has ended", s.Seq)
}

// withoutRuns is why the tools of runs are not offered.
func (d Deps) withoutRuns() string {
	if d.Runs == nil {
		return "a research run needs a store to be kept in: set store.url; web_research needs none"
	}
	return ""
}

// runsNamed is how many runs are named to who asks for one that is not there.
const runsNamed = 5

// ofRun says in an error what the caller of these tools can do about it.
func (d Deps) ofRun(ctx context.Context, id string, err error) error {
	if err == nil {
		return nil
	}
	v := citewell.View(err)
	switch v.Code {
	case citewell.CodeNotFound:
		v.Message = fmt.Sprintf("there is no run %.100q", id)
		v.Hint = "research_start gives an id; there is no run yet"
		if newest, listErr := d.Runs.Newest(ctx, runsNamed); listErr == nil && len(newest) > 0 {
			var list []string
			for _, s := range newest {
				list = append(list, fmt.Sprintf("%s (%s: %s)", s.ID, s.State, tool.Shorten(text.OneLine(s.Task), 60)))
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
