package codec

import (
	"bytes"
	"time"

	"github.com/citewell/citewell/store"
)

// MicroTime is a time as rows have it: microseconds since 1970.
func MicroTime(t int64) time.Time { return time.UnixMicro(t).UTC() }

// CeilMicro is the first microsecond that is not before t: times are kept in microseconds,
// and one that is before t in nanoseconds is not since t.
func CeilMicro(t time.Time) int64 { return t.Add(time.Microsecond - 1).UnixMicro() }

// A RunRow is what the row of a run has beside what a Run takes as it is.
type RunRow struct {
	Created, Updated, Ended, Cancel, Expires int64
	Behind                                   int64
	Request, Budget                          []byte
}

// Read fills in of a run what its row has in another form.
func (row RunRow) Read(op string, r *store.Run) (err error) {
	r.CreatedAt, r.UpdatedAt = MicroTime(row.Created), MicroTime(row.Updated)
	if row.Ended != 0 {
		r.EndedAt = MicroTime(row.Ended)
	}
	if r.CancelRequested = row.Cancel != 0; r.Executor != "" {
		r.LeaseExpires = MicroTime(row.Expires)
	}
	switch {
	case row.Behind < 0:
		r.Priority = store.PriorityHigh
	case row.Behind > 0:
		r.Priority = store.PriorityLow
	}
	if r.Request, err = Unpack(op, row.Request); err == nil {
		r.Budget, err = Unpack(op, row.Budget)
	}
	return err
}

// A NewRun is a run that is to be kept, as its rows have it.
type NewRun struct {
	store.NewRun
	Created          Event
	Requested, Spend []byte // records of request and budget
	Hash, Folded     string // of the task
}

// PackRun checks a new run and makes its rows.
func PackRun(op string, run store.NewRun) (NewRun, error) {
	if err := run.Check(op); err != nil {
		return NewRun{}, err
	}
	created, err := NewEvent(store.EventCreated, store.RunCreated{Agent: run.Agent, Caller: run.Caller, Request: run.Request, Budget: run.Budget})
	return NewRun{run, created, Pack(run.Request), Pack(run.Budget), store.TaskHash(run.Task), store.FoldTask(run.Task)}, err
}

// Same says by its error that the run which has the id already was begun with something else.
func (r NewRun) Same(op string, kept store.Run) error {
	if kept.Agent != r.Agent || kept.Caller != r.Caller || !bytes.Equal(kept.Request, r.Request) || !bytes.Equal(kept.Budget, r.Budget) {
		return store.RunExists(op)
	}
	return nil
}

// StateEvent is the event of a change of state, whose From is set.
func StateEvent(from store.RunState, change *store.RunChange) (Event, error) {
	change.From = from
	return NewEvent(store.EventState, change)
}

// CancelledIdle is the change of a run that nobody executes when it is cancelled.
var CancelledIdle = store.RunChange{State: store.RunCancelled, Outcome: store.RunOutcomeCancelled, Detail: "cancelled while nobody executed it"}
