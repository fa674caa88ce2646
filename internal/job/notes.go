package job

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

// notes writes to a run's log what its agent tells, without keeping the agent waiting:
// what comes while a write is under way goes with the next.
type notes struct {
	runs  runstore.Runs
	lease runstore.Lease

	mu      sync.Mutex
	had     map[string]int // entries that are in the log already, by key: how many
	spent   agent.Usage    // as was told last
	waiting []runstore.RunEvent
	wake    chan struct{} // has room for one
	err     error
	done    chan struct{}
}

// takeNotes begins to write. had are the run's events so far.
func takeNotes(ctx context.Context, runs runstore.Runs, lease runstore.Lease, had []runstore.RunEvent) *notes {
	n := &notes{runs: runs, lease: lease, had: map[string]int{}, wake: make(chan struct{}, 1),
		done: make(chan struct{})}
	for _, e := range had {
		if e.Type == EventSpent {
			_ = json.Unmarshal(e.Data, &n.spent) // what came before it then
			continue
		}
		n.had[key(e)]++
	}
	go n.write(ctx)
	return n
}

// tell is an agent's Tell. What a run tells again while it is played again is dropped.
func (n *notes) tell(e agent.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if e.Kind == EventSpent {
		most, more := spentMore(n.spent, *e.Spent)
		if !more {
			return
		}
		n.spent, e.Spent = most, &most
	}
	event, ok := logged(e)
	if !ok {
		return
	}
	if k := key(event); e.Kind != EventSpent && n.had[k] > 0 {
		n.had[k]--
		return
	}
	n.waiting = append(n.waiting, event)
	signal(n.wake)
}

// write appends what waits until wake is closed, or the store refuses.
func (n *notes) write(ctx context.Context) {
	defer close(n.done)
	for range n.wake {
		n.mu.Lock()
		batch := n.waiting[:min(len(n.waiting), runstore.MaxEventBatch)]
		n.waiting = n.waiting[len(batch):]
		more, failed := len(n.waiting) > 0, n.err != nil
		n.mu.Unlock()
		if failed || len(batch) == 0 {
			continue
		}
		if _, err := n.runs.AppendEvents(ctx, n.lease, batch); err != nil {
			n.mu.Lock()
			n.err = err
			n.mu.Unlock()
		} else if more {
			signal(n.wake)
		}
	}
}

// end writes what is left, and says whether all was written. Nothing is told after it.
func (n *notes) end(ctx context.Context) error {
	close(n.wake)
	<-n.done
	for n.err == nil && len(n.waiting) > 0 {
		batch := n.waiting[:min(len(n.waiting), runstore.MaxEventBatch)]
		n.waiting = n.waiting[len(batch):]
		_, n.err = n.runs.AppendEvents(ctx, n.lease, batch)
	}
	return n.err
}
