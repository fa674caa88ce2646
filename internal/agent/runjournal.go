package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// A RunJournal is a Journal in a store of runs, written under a lease: when another executor has taken the run over,
// nothing can be written and the run stops. It belongs to one executor of one run.
//
// What became of a call is written together with the call that is begun next, in one transaction, and calls that are
// begun at once are too: why, and why nothing is lost by it, is in doc/decision/0024-one-commit-a-call.md.
type RunJournal struct {
	Calls runstore.RunCalls
	Lease runstore.Lease

	turn sync.Mutex // of whoever writes: what is finished is on disk before what is begun after it

	mu       sync.Mutex
	finished map[string]bool // calls that the store has with their result, by its keys; nil before they were read
	under    int             // calls begun and not finished
	done     []runstore.CallEntry
	next     *callBatch
}

// A callBatch are calls that are begun in one transaction.
type callBatch struct {
	begun   []runstore.CallEntry
	written bool
	err     error
}

// callKinds are the store's kinds of ours. It has none for a person and the clock, which cost nothing.
var callKinds = map[string]runstore.CallKind{CallModel: runstore.CallModel, CallSearch: runstore.CallProvider,
	CallPage: runstore.CallPage,
	CallTool: runstore.CallTool, CallAnswer: runstore.CallTool, CallLocal: runstore.CallTool}

// free says whether a call buys nothing and may be begun by one lease twice: the run
// stops while a person is waited for. It is written when it is finished.
func free(c Call) bool { return c.Kind == CallAnswer || c.Kind == CallLocal }

// stored is a call as the store knows it; its key there follows from it.
func stored(c Call) runstore.Call {
	s := runstore.Call{Kind: callKinds[c.Kind], Name: text.Prefix(c.Name, runstore.MaxCallName)}
	fmt.Sscanf(c.Key, "t%d/", &s.Step) // what belongs to no turn is of step 0
	s.Input = tool.MustMarshal(struct {
		Key     string          `json:"key"`
		Kind    string          `json:"kind"`
		Request json.RawMessage `json:"request,omitempty"`
	}{c.Key, c.Kind, c.Request})
	return s
}

// A spent is what the store keeps of an entry beside its result.
type spent struct {
	ActiveMS int64 `json:"active_ms"`
}

// Lookup implements Journal. What is finished is read once: nobody else can write while the lease is good.
func (j *RunJournal) Lookup(ctx context.Context, c Call) (Entry, bool, error) {
	key := stored(c).Key()
	if known, err := j.has(ctx, key); err != nil || !known {
		return Entry{}, false, err
	}
	record, err := j.Calls.LookupCall(ctx, j.Lease.Run, key)
	if err != nil {
		return Entry{}, false, err
	}
	var cost spent
	if err := json.Unmarshal(record.Cost, &cost); err != nil {
		return Entry{}, false, fmt.Errorf("cost of call %s: %w", c.Key, err)
	}
	return Entry{Result: record.Result, Error: record.Err, ActiveMS: cost.ActiveMS}, true, nil
}

func (j *RunJournal) has(ctx context.Context, key string) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.finished == nil {
		calls, err := j.Calls.Calls(ctx, j.Lease.Run)
		if err != nil {
			return false, err
		}
		j.finished = map[string]bool{}
		for _, c := range calls {
			if c.State == runstore.CallDone || c.State == runstore.CallFailed {
				j.finished[c.Key] = true
			}
		}
	}
	return j.finished[key], nil
}

// Begin implements Journal.
func (j *RunJournal) Begin(ctx context.Context, c Call) error {
	j.mu.Lock()
	j.under++
	j.mu.Unlock()
	if free(c) {
		return j.write(ctx)
	}
	return j.write(ctx, runstore.CallEntry{Call: stored(c)})
}

// Finish implements Journal.
func (j *RunJournal) Finish(ctx context.Context, c Call, e Entry) error {
	s := stored(c)
	entry := runstore.CallEntry{Call: s, Result: &runstore.CallResult{
		Data: e.Result, Cost: tool.MustMarshal(spent{e.ActiveMS}), Err: e.Error}}
	j.mu.Lock()
	if free(c) {
		j.done = append(j.done, runstore.CallEntry{Call: s})
	}
	j.done = append(j.done, entry)
	j.under--
	alone := j.under == 0
	j.mu.Unlock()
	if alone {
		return nil
	}
	return j.write(ctx)
}

// Sync implements Journal.
func (j *RunJournal) Sync(ctx context.Context) error { return j.write(ctx) }

// write writes what was finished and then what is begun, with whatever else waits for its turn. Where that fails, what
// was finished stays to be written, and what was to be begun is not made.
func (j *RunJournal) write(ctx context.Context, begin ...runstore.CallEntry) error {
	j.mu.Lock()
	if j.next == nil {
		j.next = &callBatch{}
	}
	batch := j.next
	batch.begun = append(batch.begun, begin...)
	j.mu.Unlock()

	j.turn.Lock()
	defer j.turn.Unlock()
	j.mu.Lock()
	if batch.written { // by another, who had the turn before
		defer j.mu.Unlock()
		return batch.err
	}
	done := j.done
	j.done, j.next = nil, nil
	j.mu.Unlock()

	batch.written, batch.err = true, j.writeNow(ctx, done, batch.begun)
	j.mu.Lock()
	defer j.mu.Unlock()
	if batch.err != nil {
		j.done = append(done, j.done...)
		return batch.err
	}
	for _, e := range done {
		if e.Result != nil && j.finished != nil {
			j.finished[e.Call.Key()] = true
		}
	}
	return nil
}

func (j *RunJournal) writeNow(ctx context.Context, done, begun []runstore.CallEntry) error {
	if len(done)+len(begun) == 0 {
		return nil
	}
	records, err := j.Calls.WriteCalls(ctx, j.Lease, slices.Concat(done, begun))
	if err != nil {
		return err
	}
	for _, record := range records[len(done):] {
		if record.State != runstore.CallInFlight {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "agent.journal",
				Message: fmt.Sprintf("call %s has its result already", record.Key),
				Hint:    "run the run again: a journal belongs to one executor"}
		}
	}
	return nil
}
