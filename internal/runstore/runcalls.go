package runstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
)

// Limits of the journal, held by every backend.
const (
	MaxCallBody = 64 << 20 // bytes of JSON, of an input and of a result
	MaxCallName = 256      // bytes
)

// RunCalls is the journal of what a run pays for: calls to models, providers, pages and tools. The intent is on disk
// before the call is made and the result before anything depends on it, so that whoever takes the run over buys nothing
// twice but what was in flight.
type RunCalls interface {
	// WriteCalls writes all of entries in one transaction: when it returns, all of it is on disk, and when it fails,
	// nothing of it was written, whatever the entry that was refused. What became of one call then costs no wait of its
	// own where the next is begun at once. The lease is checked always.
	//
	// An entry without a Result notes that its call is about to be made, and records has the
	// call in its place. One that is in the journal already, as its key says, comes back as
	// it is there: when its State is CallDone or CallFailed, it must not be made again.
	// CallInFlight means: make it; Attempts above 1 say that an executor before this one was
	// killed while it waited for it. A call that this same lease began and did not finish is
	// refused with invalid_argument: it would be bought twice.
	//
	// A Result is what became of a call that this lease began; records has nothing in its
	// place. The same again changes nothing; another result for it is an invalid_argument.
	WriteCalls(ctx context.Context, lease Lease, entries []CallEntry) (records []CallRecord, err error)
	// LookupCall returns a call by its key, with its State CallUnknown when there is none.
	LookupCall(ctx context.Context, id, key string) (CallRecord, error)
	// Calls returns the journal of a run in the order in which calls were begun, without Input and Result.
	Calls(ctx context.Context, id string) ([]CallRecord, error)
}

// A CallKind says what was called.
type CallKind string

// The kinds of call.
const (
	CallModel    CallKind = "model"
	CallProvider CallKind = "provider"
	CallPage     CallKind = "page"
	CallTool     CallKind = "tool"
)

var callKinds = []CallKind{CallModel, CallProvider, CallPage, CallTool}

// A CallState is how far a call came.
type CallState string

// The states of a call.
const (
	CallUnknown  CallState = ""
	CallInFlight CallState = "in_flight" // begun; nobody knows what became of it
	CallDone     CallState = "done"
	CallFailed   CallState = "failed"
)

// A Call is something about to be bought. An executor that replays a run names the same calls the same way.
type Call struct {
	Step  int // of the run, from 0
	Kind  CallKind
	Name  string // the model's, provider's or tool's
	Try   int    // which of several calls that are otherwise the same, from 0
	Input json.RawMessage
}

// Key names a call within its run: two calls with one key are the same call.
func (c Call) Key() string {
	return fmt.Sprintf("%d.%d/%s/%s/%s", c.Step, c.Try, c.Kind, c.Name, citewell.SHA256(c.Input))
}

// Check says what of a call cannot be kept. An input that is empty becomes null.
func (c *Call) Check(op string) error {
	switch {
	case c.Step < 0 || c.Try < 0:
		return fault.Invalid(op, "step and try are counted from 0")
	case !slices.Contains(callKinds, c.Kind):
		return fault.Invalid(op, "%q is no kind of call; those are %v", c.Kind, callKinds)
	case len(c.Name) > MaxCallName || !utf8.ValidString(c.Name):
		return fault.Invalid(op, "a call's name must be at most %d bytes of UTF-8", MaxCallName)
	}
	return checkJSON(op, "the input of a call", &c.Input, MaxCallBody)
}

// A CallResult is what became of a call. Data and Cost are JSON that the store does not read.
type CallResult struct {
	Data json.RawMessage
	Cost json.RawMessage     // tokens, money, time: as the caller counts them
	Err  *citewell.ErrorView // not nil when the call failed
}

// Check says what of a result cannot be kept. What is empty becomes null.
func (r *CallResult) Check(op string) error {
	if r.Err != nil && r.Err.Code == "" {
		return fault.Invalid(op, "the error of a call needs its code")
	}
	if err := checkJSON(op, "the cost of a call", &r.Cost, MaxEventData); err != nil {
		return err
	}
	return checkJSON(op, "the result of a call", &r.Data, MaxCallBody)
}

// A CallEntry is one line of the journal: that Call is about to be made, or with a Result what became of it.
type CallEntry struct {
	Call   Call
	Result *CallResult
}

// Check says what of an entry cannot be kept, and fills in what may be left out, in a Result of its own.
func (e *CallEntry) Check(op string) error {
	if err := e.Call.Check(op); err != nil || e.Result == nil {
		return err
	}
	result := *e.Result
	e.Result = &result
	return result.Check(op)
}

// A CallRecord is a call as the journal has it.
type CallRecord struct {
	Key      string    `json:"key"`
	Step     int       `json:"step"`
	Try      int       `json:"try,omitempty"`
	Kind     CallKind  `json:"kind"`
	Name     string    `json:"name"`
	State    CallState `json:"state"`
	Token    int64     `json:"token"`    // of the lease that began it last
	Attempts int       `json:"attempts"` // how often it was begun
	BegunAt  time.Time `json:"begun_at"`
	EndedAt  time.Time `json:"ended_at,omitzero"`

	Input  json.RawMessage     `json:"input,omitempty"`
	Result json.RawMessage     `json:"result,omitempty"`
	Cost   json.RawMessage     `json:"cost,omitempty"`
	Err    *citewell.ErrorView `json:"error,omitempty"`
}
