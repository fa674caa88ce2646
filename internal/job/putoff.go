package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// A run whose agent cannot be made by an executor is put off: another may have the configuration or reach the service
// that is missing, and what is missing may be mended. Others may take it up at once; this one tries again after pauses
// that double. One that a newer program began waits for such a program, however long.
const (
	firstPutOff = 5 * time.Second
	mostPutOff  = 5 * time.Minute
	// patience is for how long a run is put off, from the first time on and over all executors, before it ends with an
	// error. An agent that did something in between begins it anew.
	patience = time.Hour
)

// overdue says whether the run was put off for long enough.
func (p *playing) overdue() bool { return len(p.puts) > 0 && time.Since(p.puts[0]) >= patience }

// letGo puts the run off, and says so in its log and its state.
func (p *playing) letGo(ctx context.Context, cause error) error {
	pause := firstPutOff
	for range p.puts {
		pause = min(2*pause, mostPutOff)
	}
	if errors.Is(cause, runstore.ErrNewer) { // this program grows no newer
		pause = mostPutOff
	}
	why := citewell.View(cause).Message
	p.o.Log.Warn("the agent of a run cannot be made here; the run is put off", "run", p.lease.Run, "why", why, "times",
		len(p.puts)+1, "again_in", pause)
	p.put.Lock()
	p.putOff[p.lease.Run] = time.Now().Add(pause)
	p.put.Unlock()
	entry := Entry{Text: tool.Shorten(why, MaxShown)}
	change := runstore.RunChange{State: runstore.RunResearching,
		Detail: tool.Shorten(PutOff(entry), runstore.MaxRunDetail)}
	if err := p.o.Runs.ChangeState(ctx, p.lease, change, []runstore.RunEvent{
		{Type: EventPutOff, Data: tool.MustMarshal(entry)}}); err != nil {
		return err
	}
	return p.o.Runs.ReleaseLease(ctx, p.lease)
}

// PutOff tells an entry of EventPutOff.
func PutOff(entry Entry) string {
	return "waits for an executor that can make its agent; one could not: " + entry.Text
}

// serve notes whether a run is one that Serve plays.
func (x *Executor) serve(name string, on bool) {
	x.put.Lock()
	defer x.put.Unlock()
	if on {
		x.served[name] = true
	} else {
		delete(x.served, name)
	}
}

// notYet are the runs that this executor is not to try again yet: those that were put off,
// and those it plays, which may be put off before the store is asked for the next.
func (x *Executor) notYet() (names []string) {
	x.put.Lock()
	defer x.put.Unlock()
	names = slices.Collect(maps.Keys(x.served))
	for name, until := range x.putOff {
		if time.Now().Before(until) {
			names = append(names, name)
		} else {
			delete(x.putOff, name)
		}
	}
	return names
}
