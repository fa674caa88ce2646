package runstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// Limits of a run's log, held by every backend.
const (
	MaxEventData     = 1 << 20  // bytes of JSON
	MaxEventBatch    = 1000     // events of one append
	MaxEventPage     = 10_000   // events of one read
	MaxRunMessage    = 64 << 10 // bytes of JSON
	MaxUnread        = 100      // messages that wait in one inbox
	defaultEventPage = 1000
)

// RunEvents is the log of a run, and what follows from it.
type RunEvents interface {
	// AppendEvents adds events to the log, all or none, and returns their numbers, which follow each other. Type and
	// Data are read, the rest is given by the store.
	AppendEvents(ctx context.Context, lease Lease, events []RunEvent) ([]int64, error)
	// Events returns up to limit events (1000 when 0) after the one with number after, in order.
	Events(ctx context.Context, id string, after int64, limit int) ([]RunEvent, error)
	// FollowEvents yields the events after number after, and waits for more, whichever process writes them. It ends by
	// itself when the run has ended and everything was yielded; an error, also of ctx, is the last thing it yields.
	FollowEvents(ctx context.Context, id string, after int64) iter.Seq2[RunEvent, error]
	// ChangeState brings the run into another state and appends events before the
	// change, in one transaction. A state after which nothing comes ends the lease.
	ChangeState(ctx context.Context, lease Lease, change RunChange, events []RunEvent) error
	// TakeMessages returns the messages that came since the last time, and notes them in the log as delivered in the
	// same transaction: an executor that dies after it leaves them there for the next, and nobody is given one twice.
	TakeMessages(ctx context.Context, lease Lease) ([]RunMessage, error)
}

// A RunEvent is one entry of a run's log.
type RunEvent struct {
	V    int             `json:"v"`
	Run  string          `json:"run"`
	Seq  int64           `json:"seq"` // from 1, without gaps
	Type string          `json:"type"`
	Time time.Time       `json:"time"`
	Data json.RawMessage `json:"data"`
}

// Events that the store writes itself, in the transaction of what they tell. All
// their types begin with "run."; no other's may.
const (
	EventCreated         = "run.created"          // RunCreated
	EventAcquired        = "run.acquired"         // RunAcquired
	EventState           = "run.state"            // RunChange
	EventCancelRequested = "run.cancel_requested" // null
	EventMessage         = "run.message"          // RunMessage, when it came
	EventDelivered       = "run.delivered"        // RunDelivered, when an executor took it
)

const ownEvents = "run."

// OwnEvent says whether events of a type are the store's.
func OwnEvent(kind string) bool { return strings.HasPrefix(kind, ownEvents) }

// RunCreated is the data of EventCreated.
type RunCreated struct {
	Agent   string          `json:"agent"`
	Caller  string          `json:"caller,omitempty"`
	Request json.RawMessage `json:"request"`
	Budget  json.RawMessage `json:"budget"`
}

// RunAcquired is the data of EventAcquired.
type RunAcquired struct {
	Token     int64  `json:"token"`
	Owner     string `json:"owner"`
	TakenOver bool   `json:"taken_over,omitempty"` // from an executor that did not release it
}

// A RunChange is a change of state, and the data of EventState. From is given by the store.
type RunChange struct {
	From    RunState   `json:"from"`
	State   RunState   `json:"state"`
	Outcome RunOutcome `json:"outcome,omitempty"` // of states after which nothing comes, only
	Detail  string     `json:"detail,omitempty"`
}

// RunDelivered is the data of EventDelivered.
type RunDelivered struct {
	Messages []RunMessage `json:"messages"`
}

// An EventSchema is the version in which events are written and how older ones are read. One number stands for the
// whole log: it rises when the data of any type changes its meaning. The zero value is version 1.
type EventSchema struct {
	Version int
	// Upcast brings an event from one version to the next: Upcast[0] from 1 to 2.
	// It may change Type and Data. There is one for each version before Version.
	Upcast []func(RunEvent) (RunEvent, error)
}

// Check says what is wrong with a schema, and makes 1 of version 0.
func (s *EventSchema) Check(op string) error {
	s.Version = cmp.Or(s.Version, 1)
	if s.Version < 1 || len(s.Upcast) != s.Version-1 || slices.ContainsFunc(s.Upcast,
		func(f func(RunEvent) (RunEvent, error)) bool { return f == nil }) {
		return fault.Invalid(op, "events have version %d and there are %d upcasts; each older version needs one",
			s.Version, len(s.Upcast))
	}
	return nil
}

// ErrNewer marks, as the Err of a *citewell.Error, what a newer program wrote and this one
// cannot read: another executor may be able to.
var ErrNewer = errors.New("a newer program wrote it")

// Read brings an event as it was kept to the version of s. One of a newer version
// is refused: what it means is not known here.
func (s EventSchema) Read(op string, e RunEvent) (RunEvent, error) {
	failed := func(message, hint string, err error) (RunEvent, error) {
		return RunEvent{}, &citewell.Error{Code: citewell.CodeStoreFailed, Op: op, Message: message,
			Hint: hint, Err: err}
	}
	switch {
	case e.V > s.Version:
		return failed(fmt.Sprintf("event %d of the run has version %d and this program knows up to %d", e.Seq,
			e.V, s.Version),
			"use the newer citewell that wrote it", ErrNewer)
	case e.V < 1 || e.Seq < 1 || !json.Valid(e.Data):
		return failed(fmt.Sprintf("event %d of the run is damaged", e.Seq), "restore the store from a backup", nil)
	}
	for e.V < s.Version {
		next, err := s.Upcast[e.V-1](e)
		if err == nil && !json.Valid(next.Data) {
			err = fmt.Errorf("data is not JSON after the upcast from version %d", e.V)
		}
		if err != nil {
			return failed(fmt.Sprintf("event %d of the run has version %d, which could not be read", e.Seq, e.V), "",
				err)
		}
		e.V, e.Type, e.Data = e.V+1, next.Type, next.Data
	}
	return e, nil
}

var eventType = lazyregexp.New(`^[a-z][a-z0-9_.-]{0,63}$`)

// CheckEvents says what of new events cannot be kept. Data that is empty becomes null.
func CheckEvents(op string, events []RunEvent) error {
	if len(events) > MaxEventBatch {
		return fault.Invalid(op, "%d events are given and %d are taken at once", len(events), MaxEventBatch)
	}
	for i := range events {
		e := &events[i]
		switch {
		case !eventType.MatchString(e.Type):
			return fault.Invalid(op, "an event's type must be 1 to 64 lower-case letters, digits, _ . or -, the "+
				"first a letter")
		case OwnEvent(e.Type):
			return fault.Invalid(op, "type %s is written by the store alone", e.Type)
		}
		if err := checkJSON(op, "the data of event "+e.Type, &e.Data, MaxEventData); err != nil {
			return err
		}
	}
	return nil
}

// CheckEventPage says whether a page of a log can be read, and returns its limit.
func CheckEventPage(op string, after int64, limit int) (int, error) {
	limit = cmp.Or(limit, defaultEventPage)
	if after < 0 {
		return 0, fault.Invalid(op, "after is %d; events are numbered from 1", after)
	}
	if limit < 1 || limit > MaxEventPage {
		return 0, fault.Invalid(op, "limit is %d and must be 1 to %d", limit, MaxEventPage)
	}
	return limit, nil
}

// Check says what of a change cannot be.
func (c RunChange) Check(op string) error {
	switch {
	case !slices.Contains(RunStates, c.State):
		return fault.Invalid(op, "%q is no state of a run; those are %v", c.State, RunStates)
	case c.Outcome != "" && !slices.Contains(RunOutcomes, c.Outcome):
		return fault.Invalid(op, "%q is no outcome of a run; those are %v", c.Outcome, RunOutcomes)
	case c.State.Ended() != (c.Outcome != "") && c.State != RunError:
		return fault.Invalid(op, "an outcome goes with a run that has ended, and no other; state %s has outcome %q",
			c.State, c.Outcome)
	case len(c.Detail) > MaxRunDetail:
		return fault.Invalid(op, "detail has %d bytes and may have %d", len(c.Detail), MaxRunDetail)
	}
	return nil
}

// Check says what of a message cannot be kept, and fills in what may be left out.
func (m *RunMessage) Check(op string) error {
	if m.ID == "" {
		m.ID = citewell.NewID()
	}
	if len(m.ID) > 128 || !eventType.MatchString(m.Kind) {
		return fault.Invalid(op, "a message needs a kind of 1 to 64 lower-case letters, digits, _ . or -, and an id "+
			"of at most 128 bytes")
	}
	return checkJSON(op, "the message", &m.Data, MaxRunMessage)
}
