package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citewell/citewell/store"
)

// A RunJournal is a Journal in a store of runs, written under a lease: when another
// executor has taken the run over, nothing can be written and the run stops.
type RunJournal struct {
	Calls store.RunCalls
	Lease store.Lease
}

// callKinds are the store's kinds of ours. It has none for a person and the clock,
// which cost nothing.
var callKinds = map[string]store.CallKind{CallModel: store.CallModel, CallSearch: store.CallProvider, CallPage: store.CallPage,
	CallTool: store.CallTool, CallAnswer: store.CallTool, CallLocal: store.CallTool}

// free says whether a call buys nothing and may be begun by one lease twice: the run
// stops while a person is waited for.
func free(c Call) bool { return c.Kind == CallAnswer || c.Kind == CallLocal }

// stored is a call as the store knows it; its key there follows from it.
func stored(c Call) store.Call {
	s := store.Call{Kind: callKinds[c.Kind], Name: strings.ToValidUTF8(c.Name[:min(len(c.Name), store.MaxCallName)], "")}
	fmt.Sscanf(c.Key, "t%d/", &s.Step) // what belongs to no turn is of step 0
	s.Input = marshal(struct {
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

// Lookup implements Journal.
func (j RunJournal) Lookup(ctx context.Context, c Call) (Entry, bool, error) {
	record, err := j.Calls.LookupCall(ctx, j.Lease.Run, stored(c).Key())
	if err != nil || record.State != store.CallDone && record.State != store.CallFailed {
		return Entry{}, false, err
	}
	var cost spent
	if err := json.Unmarshal(record.Cost, &cost); err != nil {
		return Entry{}, false, fmt.Errorf("cost of call %s: %w", c.Key, err)
	}
	return Entry{Result: record.Result, Error: record.Err, ActiveMS: cost.ActiveMS}, true, nil
}

// Begin implements Journal.
func (j RunJournal) Begin(ctx context.Context, c Call) error {
	if free(c) {
		return nil
	}
	_, err := j.Calls.BeginCall(ctx, j.Lease, stored(c))
	return err
}

// Finish implements Journal.
func (j RunJournal) Finish(ctx context.Context, c Call, e Entry) error {
	s := stored(c)
	if free(c) {
		if _, err := j.Calls.BeginCall(ctx, j.Lease, s); err != nil {
			return err
		}
	}
	return j.Calls.FinishCall(ctx, j.Lease, s.Key(), store.CallResult{Data: e.Result, Cost: marshal(spent{e.ActiveMS}), Err: e.Error})
}
