package runstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// Limits of runs, held by every backend.
const (
	MaxRunRequest  = 1 << 20 // bytes of JSON, of the request and of the budget
	MaxRunDetail   = 4 << 10 // bytes of the words that go with a state
	MaxRunPage     = 1000    // runs of one page of a list
	MaxRunCaller   = 256     // bytes
	MaxRunWords    = 1 << 10 // bytes of the words of a query
	defaultRunPage = 50
)

// Runs keeps research runs: what was asked, the log of what happened, the journal
// of paid calls, and who executes the run.
//
// One process at a time executes a run, by a Lease. What an executor writes is refused with lease_lost in the same
// transaction when another has taken the run over, so two can never both write. Whoever has no lease may ask for the
// run to be cancelled, send it a message, and read all of it.
//
// The log is the truth: every change of what a Run says is an event as well, in one transaction.
type Runs interface {
	RunLeases
	RunEvents
	RunCalls

	// CreateRun keeps a new run in state inited. The ID of a run that is there already gives that run when agent,
	// request and budget are the same, so that creating may be tried again; run_exists when they or the caller differ.
	CreateRun(ctx context.Context, run NewRun) (Run, error)
	// Run returns a run. not_found where there is none.
	Run(ctx context.Context, id string) (Run, error)
	// ListRuns returns runs, newest first, and the cursor of the next page, empty
	// after the last. not_found where there is no run that SameTask names.
	ListRuns(ctx context.Context, q RunQuery) (runs []Run, next string, err error)
	// CountRuns returns how many runs of a caller, of all where it is empty, are in each state; states without any are
	// left out.
	CountRuns(ctx context.Context, caller string) (map[RunState]int, error)
	// DeleteRun removes a run with its log, journal, messages and ledger, and the contents that nothing else names.
	// run_leased while somebody executes it. Snapshots of pages are not the run's and stay.
	DeleteRun(ctx context.Context, id string) error

	// NoteAnswer keeps that a text with this hash was published as what the run came to,
	// by which ListRuns finds the run again. Noting it again changes nothing.
	NoteAnswer(ctx context.Context, id, sha256 string) error

	// CancelRun asks for the run to end. A run that nobody executes is cancelled at once; the executor of another reads
	// the request within a second (HoldLease). It returns the run as it is then; a run that has ended stays as it is.
	CancelRun(ctx context.Context, id string) (Run, error)
	// SendMessage puts a message into the run's inbox: an answer to its question, a change of the budget. A message
	// whose ID is there already is not kept twice. run_finished when the run has ended.
	SendMessage(ctx context.Context, id string, message RunMessage) error
}

// A RunState is where a run stands.
type RunState string

// The states. Of the last four, nothing comes after.
const (
	RunInited      RunState = "inited"
	RunResearching RunState = "researching"
	RunWaiting     RunState = "waiting_for_clarification"
	RunCompleted   RunState = "completed"
	RunFailed      RunState = "failed" // the research came to nothing
	RunError       RunState = "error"  // something broke
	RunCancelled   RunState = "cancelled"
)

// RunStates are all states, in order.
var RunStates = []RunState{RunInited, RunResearching, RunWaiting, RunCompleted, RunFailed, RunError, RunCancelled}

// Ended says whether nothing comes after s.
func (s RunState) Ended() bool {
	return s == RunCompleted || s == RunFailed || s == RunError || s == RunCancelled
}

// CanBecome says whether an executor may bring a run from s to next. A state may be
// set again, by an executor that does not know how far the one before it came.
func (s RunState) CanBecome(next RunState) bool {
	switch s {
	case RunInited:
		return next != RunWaiting && next != RunCompleted && slices.Contains(RunStates, next)
	case RunResearching:
		return next != RunInited && slices.Contains(RunStates, next)
	case RunWaiting:
		return next != RunInited && next != RunCompleted && slices.Contains(RunStates, next)
	}
	return false
}

// A RunOutcome says how a run ended.
type RunOutcome string

// The outcomes.
const (
	RunAnswered         RunOutcome = "answered"
	RunPartial          RunOutcome = "partial"
	RunOverBudget       RunOutcome = "budget"
	RunNoSources        RunOutcome = "no_sources"
	RunModelFailed      RunOutcome = "model_failed"
	RunOutcomeCancelled RunOutcome = "cancelled"
)

// RunOutcomes are all outcomes.
var RunOutcomes = []RunOutcome{RunAnswered, RunPartial, RunOverBudget, RunNoSources, RunModelFailed,
	RunOutcomeCancelled}

// A RunPriority says whether a run waits for its executor behind others or before them.
type RunPriority string

// The priorities. An empty one is PriorityNormal.
const (
	PriorityHigh   RunPriority = "high" // somebody waits for it
	PriorityNormal RunPriority = "normal"
	PriorityLow    RunPriority = "low" // nobody waits for it
)

// RunPriorities are all priorities, the first to be taken up first.
var RunPriorities = []RunPriority{PriorityHigh, PriorityNormal, PriorityLow}

// PriorityLead is by how much earlier a run is taken to have been begun than one of the next
// lower priority. So it comes before those that wait, and none waits for ever.
const PriorityLead = time.Hour

// Behind is by how much later than it was begun a run takes its turn.
func (p RunPriority) Behind() time.Duration {
	switch p {
	case PriorityHigh:
		return -PriorityLead
	case PriorityLow:
		return PriorityLead
	}
	return 0
}

// A NewRun is what a run is made of. Request and Budget are JSON that the store does not read.
type NewRun struct {
	ID      string // as NewRunID makes it; minted when empty
	Agent   string
	Caller  string // whose run it is: a name or a hash of one, at most MaxRunCaller bytes; empty is nobody's
	Task    string // the user's words, by which ListRuns finds the run; at most MaxRunRequest bytes
	Request json.RawMessage
	Budget  json.RawMessage // null when empty
	// Priority is when its turn comes among those of its tenant that wait; PriorityNormal when
	// empty. It is nothing that a run is known by.
	Priority RunPriority
	// OwnTurns says that PriorityHigh comes before runs of the same caller alone.
	OwnTurns bool
}

// Behind is by how many microseconds later than now a run counts as begun, where the last run of another
// caller that has not ended counts as begun at last, which is 0 where there is none.
func (r NewRun) Behind(now, last int64) int64 {
	behind := r.Priority.Behind().Microseconds()
	if r.Overtakes() {
		return behind
	}
	return min(max(behind, last+1-now), 0)
}

// Overtakes says whether Behind looks at no other caller's runs.
func (r NewRun) Overtakes() bool { return r.Priority != PriorityHigh || !r.OwnTurns }

// A Run is what is known of a run without its log.
type Run struct {
	ID        string          `json:"id"`
	Agent     string          `json:"agent"`
	Caller    string          `json:"caller,omitempty"`
	State     RunState        `json:"state"`
	Outcome   RunOutcome      `json:"outcome,omitempty"`
	Detail    string          `json:"detail,omitempty"` // why it is in that state, for people
	Request   json.RawMessage `json:"request"`
	Budget    json.RawMessage `json:"budget"`
	CreatedAt time.Time       `json:"created_at"`
	UpdatedAt time.Time       `json:"updated_at"` // when an executor or a message last wrote to it
	EndedAt   time.Time       `json:"ended_at,omitzero"`
	Seq       int64           `json:"seq"` // of the newest event

	CancelRequested bool      `json:"cancel_requested,omitempty"`
	Unread          int       `json:"unread,omitempty"`   // messages that no executor has taken
	Executor        string    `json:"executor,omitempty"` // owner of the lease; empty when nobody executes it
	LeaseExpires    time.Time `json:"lease_expires,omitzero"`
	Token           int64     `json:"token"` // of the newest lease: how often it was taken up

	Priority RunPriority `json:"priority,omitempty"` // empty where it is PriorityNormal
}

// A RunQuery chooses runs of a list: those that all of its fields choose. An empty field chooses all.
type RunQuery struct {
	States   []RunState
	Outcomes []RunOutcome // a run that has not ended has none
	Agents   []string
	Caller   string    // only runs of this caller
	Answer   string    // only runs that published a text of this hash (NoteAnswer)
	Words    string    // only runs whose task has each of these words, as TaskWords has them; at most MaxRunWords bytes
	SameTask string    // only runs with the task of the run of this ID, as TaskHash has it, and that run itself
	Since    time.Time // only runs that were created then or later
	Until    time.Time // only runs that were created before
	Limit    int       // 50 when 0, at most MaxRunPage
	Cursor   string    // of the page before; the first page when empty
}

// A RunMessage is something that a run is told from outside.
type RunMessage struct {
	ID   string          `json:"id"` // unique within the run; minted when empty
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
	At   time.Time       `json:"at"` // given by the store
}

// NewRunID returns a fresh public id for a run of agent: {agent}_{uuid}, the uuid being random (RFC 9562, version 4).
func NewRunID(agent string) string {
	var id [16]byte
	rand.Read(id[:]) // never fails: crypto/rand ends the program first
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%s_%x-%x-%x-%x-%x", agent, id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

var (
	agentName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	runName   = lazyregexp.New(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
)

// Check says what of a new run cannot be, and fills in what may be left out.
func (r *NewRun) Check(op string) error {
	if !agentName.MatchString(r.Agent) {
		return fault.Invalid(op, "agent must be 1 to 64 letters, digits, _ . or -, the first a letter or digit")
	}
	if r.ID == "" {
		r.ID = NewRunID(r.Agent)
	}
	if n := len(r.Agent) + 1; len(r.ID) <= n || r.ID[:n] != r.Agent+"_" || !runName.MatchString(r.ID[n:]) {
		return fault.Invalid(op, "id must be the agent's name, _ and a lower-case UUID")
	}
	if len(r.Caller) > MaxRunCaller {
		return fault.Invalid(op, "caller has %d bytes and may have %d", len(r.Caller), MaxRunCaller)
	}
	if len(r.Task) > MaxRunRequest {
		return fault.Invalid(op, "task has %d bytes and may have %d", len(r.Task), MaxRunRequest)
	}
	if r.Priority != "" && !slices.Contains(RunPriorities, r.Priority) {
		return fault.Invalid(op, "priority is %q and must be one of %v", r.Priority, RunPriorities)
	}
	if len(r.Request) == 0 {
		return fault.Invalid(op, "request is required")
	}
	if err := checkJSON(op, "request", &r.Request, MaxRunRequest); err != nil {
		return err
	}
	return checkJSON(op, "budget", &r.Budget, MaxRunRequest)
}

// Check says what of a query cannot be, and fills in what may be left out.
func (q *RunQuery) Check(op string) error {
	q.Limit = cmp.Or(q.Limit, defaultRunPage)
	if q.Limit < 1 || q.Limit > MaxRunPage {
		return fault.Invalid(op, "limit is %d and must be 1 to %d", q.Limit, MaxRunPage)
	}
	for _, state := range q.States {
		if !slices.Contains(RunStates, state) {
			return fault.Invalid(op, "%q is no state of a run; those are %v", state, RunStates)
		}
	}
	for _, outcome := range q.Outcomes {
		if !slices.Contains(RunOutcomes, outcome) {
			return fault.Invalid(op, "%q is no outcome of a run; those are %v", outcome, RunOutcomes)
		}
	}
	if len(q.Words) > MaxRunWords {
		return fault.Invalid(op, "the words have %d bytes and may have %d", len(q.Words), MaxRunWords)
	}
	return nil
}

// checkJSON sees to it that data is one JSON value of at most limit bytes, null when empty.
func checkJSON(op, field string, data *json.RawMessage, limit int) error {
	switch {
	case len(*data) == 0:
		*data = json.RawMessage("null")
	case len(*data) > limit:
		return fault.Invalid(op, "%s has %d bytes and may have %d", field, len(*data), limit)
	case !json.Valid(*data):
		return fault.Invalid(op, "%s is not JSON", field)
	}
	return nil
}

// RunFinished is the error of asking something of a run that has ended.
func RunFinished(op string, state RunState) error {
	return &citewell.Error{Code: citewell.CodeRunFinished, Op: op,
		Message: fmt.Sprintf("the run has ended: it is %s", state), Hint: "read its report, or start a new run"}
}

// RunExists is the error of creating a run whose id another has.
func RunExists(op string) error {
	return &citewell.Error{Code: citewell.CodeRunExists, Op: op,
		Message: "a run with that id was begun already, with another task, agent or budget",
		Hint:    "leave the id out, or choose another"}
}
