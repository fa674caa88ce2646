package codec

import (
	"bytes"
	"time"

	"github.com/citewell/citewell/internal/runstore"
)

// MicroTime is a time as rows have it: microseconds since 1970.
func MicroTime(t int64) time.Time { return time.UnixMicro(t).UTC() }

// CeilMicro is the first microsecond that is not before t, for comparison with times that are kept in microseconds.
func CeilMicro(t time.Time) int64 { return t.Add(time.Microsecond - 1).UnixMicro() }

// A RunRow is what the row of a run has beside what a Run takes as it is.
type RunRow struct {
	Created, Updated, Ended, Cancel, Expires int64
	Behind                                   int64
	Request, Budget                          []byte
}

// Read fills in of a run what its row has in another form.
func (row RunRow) Read(op string, r *runstore.Run) (err error) {
	r.CreatedAt, r.UpdatedAt = MicroTime(row.Created), MicroTime(row.Updated)
	if row.Ended != 0 {
		r.EndedAt = MicroTime(row.Ended)
	}
	if r.CancelRequested = row.Cancel != 0; r.Executor != "" {
		r.LeaseExpires = MicroTime(row.Expires)
	}
	switch {
	case row.Behind < 0:
		r.Priority = runstore.PriorityHigh
	case row.Behind > 0:
		r.Priority = runstore.PriorityLow
	}
	if r.Request, err = Unpack(op, row.Request); err == nil {
		r.Budget, err = Unpack(op, row.Budget)
	}
	return err
}

// A NewRun is a run that is to be kept, as its rows have it.
type NewRun struct {
	runstore.NewRun
	Created          Event
	Requested, Spend []byte // records of request and budget
	Hash, Folded     string // of the task
}

// PackRun checks a new run and makes its rows.
func PackRun(op string, run runstore.NewRun) (NewRun, error) {
	if err := run.Check(op); err != nil {
		return NewRun{}, err
	}
	created, err := NewEvent(runstore.EventCreated, runstore.RunCreated{
		Agent: run.Agent, Caller: run.Caller, Request: run.Request, Budget: run.Budget})
	return NewRun{run, created, Pack(run.Request), Pack(run.Budget), runstore.TaskHash(run.Task),
		runstore.FoldTask(run.Task)}, err
}

// Same says by its error that the run which has the id already was begun with something else.
func (r NewRun) Same(op string, kept runstore.Run) error {
	if kept.Agent != r.Agent || kept.Caller != r.Caller || !bytes.Equal(kept.Request, r.Request) ||
		!bytes.Equal(kept.Budget, r.Budget) {
		return runstore.RunExists(op)
	}
	return nil
}

// StateEvent is the event of a change of state, whose From is set.
func StateEvent(from runstore.RunState, change *runstore.RunChange) (Event, error) {
	change.From = from
	return NewEvent(runstore.EventState, change)
}

// CancelledIdle is the change of a run that nobody executes when it is cancelled.
var CancelledIdle = runstore.RunChange{State: runstore.RunCancelled, Outcome: runstore.RunOutcomeCancelled,
	Detail: "cancelled while nobody executed it"}
