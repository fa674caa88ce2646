package agent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/retraction"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// A run is one task on its way. Its fields belong to the goroutine of Run; calls that
// are made at once only touch what they bring back, the clock and the journal.
type run struct {
	*Agent
	id, task string
	lens     string // as of its Task
	wishes   Wishes
	began    time.Time
	door     *door.Door
	outside  bool         // no run: a session, whose caller makes the calls
	tools    []*tool.Tool // all that it has, in a fixed order
	offers   map[*tool.Tool]Function
	noTools  bool // the endpoint takes none for the model
	clock    clock
	told     outbox
	live     atomic.Int64 // outside calls that were made, and not played from the journal

	state     runstore.RunState
	iteration int // as the model's steps are counted
	turn      int // passes of the loop, for the keys of the journal
	key       string
	reasoning *Reasoning

	talk
	spending
	ending
	shelf
	conclusion

	clarifications int
	question       *Question
	planned        bool
	approved       bool // the user has answered to the plan

	made       map[string]int // searching calls that succeeded, and in which iteration
	incomplete bool           // what was settled last may be called again
	rejections map[string]int
	nudged     bool              // words were sent back
	bars       map[string]string // settings by which a call was refused, with the tool
}

// A shelf are the sources of a run, and what may become one.
type shelf struct {
	sources *sources
	seen    map[string]bool    // canonical URLs that may be fetched without asking
	named   map[string]bool    // hosts of the URLs in the user's words
	said    []string           // strings that the model gave to tools that are not its own
	checks  map[string]checked // of statements, by their words and what they cite
	works   retraction.Desk    // what registers say of those that are cited
	judged  standing
}

// A conclusion is what a run came to.
type conclusion struct {
	report   *citewell.Report
	reported bool // a report was accepted, in a session also one that is kept by now
	path     string
	answer   string
	outcome  runstore.RunOutcome
	reason   string
}

// ErrWaiting is what Options.Ask returns when the answer comes later.
var ErrWaiting = errors.New("the user is being asked")

func waiting(err error) bool { return errors.Is(err, ErrWaiting) }

func isOverQuota(err error) bool {
	_, ok := errors.AsType[*overQuota](err)
	return ok
}

// A brokenError is a journal or an archive that failed: the run cannot go on, since
// what it does next would not be kept.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

func isBroken(err error) bool {
	_, ok := errors.AsType[*brokenError](err)
	return ok
}

func (r *run) tell(kind, id, name, text string) {
	r.told.say(Event{Kind: kind, Iteration: r.iteration, CallID: id, Name: name, Text: text})
}

// tellSpent tells what the run has spent until now.
func (r *run) tellSpent() {
	spent := r.usage
	spent.ActiveMS = r.clock.active().Milliseconds()
	r.told.say(Event{Kind: "spent", Iteration: r.iteration, Spent: &spent})
}

// sync returns when every call that was finished is on disk: nothing leaves the process that leans on one that is not.
func (r *run) sync(ctx context.Context) error {
	if err := r.o.Journal.Sync(ctx); err != nil {
		return &brokenError{fmt.Errorf("agent: journal: %w", err)}
	}
	r.told.release()
	return nil
}

func (r *run) become(s runstore.RunState) {
	if r.state != s {
		r.state = s
		r.tell("state", "", string(s), r.reason)
	}
}

// callsLeft is for how many calls of the model the budget must have room: the one that is
// made, and one in which the run comes to its end.
func (r *run) callsLeft() int {
	if r.closed {
		return 1
	}
	return 2
}

// Bounds of the loop.
const (
	overtime = 4  // at MaxIterations and so many code writes the answer
	maxCalls = 16 // of one answer
)
