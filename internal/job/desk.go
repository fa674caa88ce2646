package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"sync"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// MaxTask bounds a task in bytes, whoever asks. Forms that count characters take as many, and
// what has more bytes is refused by Start.
const MaxTask = 256 << 10

// A Service is what servers need of a Desk; *Desk is one.
type Service interface {
	Agents() []Definition
	AgentFor(ctx context.Context, name, from string) (string, error)
	Offer(ctx context.Context, agent string) (Offer, error)
	Start(ctx context.Context, s Start) (runstore.Run, error)
	Status(ctx context.Context, id string) (Status, error)
	Answer(ctx context.Context, id, text string) error
	AnswerTo(ctx context.Context, id, question, text string) error
	Cancel(ctx context.Context, id string) (runstore.Run, error)
	Delete(ctx context.Context, id string) error
	Result(ctx context.Context, id string) (agent.Result, error)
	List(ctx context.Context, q runstore.RunQuery) (runs []runstore.Run, next string, err error)
	Events(ctx context.Context, id string, after int64, limit int) ([]runstore.RunEvent, error)
	Follow(ctx context.Context, id string, after int64) iter.Seq2[runstore.RunEvent, error]
	NoteAnswer(ctx context.Context, id, text string) error
	WhoSaid(ctx context.Context, text string) (string, error)
}

// A Desk is where runs are begun, watched, answered and cancelled. Whether anybody executes them is not its business.
type Desk struct {
	runs   runstore.Runs
	agents []Definition
	begun  func()

	// Origin says where a run that is begun in ctx came from, for those who trace it; it is
	// kept with the run. Nil, and what it returns empty, keeps nothing.
	Origin func(ctx context.Context) string
	// MayBegin says whether a caller, as OwnerOf, may begin one more run, one caller after the
	// other; a run that is there already is given whatever it says. Nil lets all be begun.
	MayBegin func(ctx context.Context, owner string) error
	// Offers says what the runs of an agent can choose from; with nil nothing can be chosen.
	Offers func(ctx context.Context, d Definition) (Offer, error)
	begins sync.Mutex
}

// NewDesk returns a Desk over a store. The first agent is the default; there may be none, then nothing can be begun.
// begun hears that a run may want an executor; nil hears nothing.
func NewDesk(runs runstore.Runs, agents []Definition, begun func()) *Desk {
	if begun == nil {
		begun = func() {}
	}
	return &Desk{runs: runs, agents: agents, begun: begun}
}

// Agents are those that runs can be begun with, the default first.
func (d *Desk) Agents() []Definition { return offered(d.agents) }

// IDOf is the id of the run of an agent that a caller's key stands for: the same each
// time, so that what was asked for may be asked for again.
func IDOf(agent, caller, key string) string {
	id := sha256.Sum256(fmt.Appendf(nil, "%q %q", caller, key))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // RFC 9562, version 8
	return fmt.Sprintf("%s_%x-%x-%x-%x-%x", agent, id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

// Agent gives the definition that runs are begun with by a name, the default where the name is empty.
func (d *Desk) Agent(name string) (Definition, error) {
	usable := d.Agents()
	if name == "" && len(usable) == 0 || len(d.agents) == 0 {
		return Definition{}, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "runs",
			Message: "an agent needs a chat model",
			Hint:    "set llm.base_url and llm.model, or use web_research, which needs none"}
	}
	if name == "" {
		name = usable[0].Name
	}
	return find(d.agents, name)
}

// Start begins a run. A Start with the ID of a run that is there gives that run where it
// asks for the same, and run_exists where not.
func (d *Desk) Start(ctx context.Context, s Start) (runstore.Run, error) {
	if strings.TrimSpace(s.Task) == "" {
		return runstore.Run{}, invalid("the task is empty", "say what to find out")
	}
	if len(s.Task) > MaxTask {
		return runstore.Run{}, invalid(fmt.Sprintf("the task has %d bytes; at most %d are taken", len(s.Task), MaxTask),
			"")
	}
	if err := s.Wishes.Check(); err != nil {
		return runstore.Run{}, err
	}
	definition, err := Definition{}, error(nil)
	if s.From != "" {
		definition, err = d.goOn(ctx, &s)
	} else {
		definition, err = d.Agent(s.Agent)
	}
	if err != nil {
		return runstore.Run{}, err
	}
	if err := d.choose(ctx, definition, &s.Choices); err != nil {
		return runstore.Run{}, err
	}
	budget, err := definition.Budget.Within(s.Budget)
	if err != nil {
		return runstore.Run{}, err
	}
	q := request{requestVersion, s.Task, s.Images, s.History, s.Files, s.From, definition, s.Wishes, s.Choices,
		s.private, "", s.Fresh}
	if d.Origin != nil {
		q.Origin = d.Origin(ctx)
	}
	run, err := d.create(ctx, runstore.NewRun{ID: s.ID, Agent: definition.Name, Caller: s.caller, Task: s.Task,
		Request: tool.MustMarshal(q), Budget: tool.MustMarshal(budget), Priority: s.Priority, OwnTurns: s.ownTurns})
	if citewell.CodeOf(err) == citewell.CodeRunExists { // maybe only the configuration of the agent has changed since
		if kept, found := d.runs.Run(ctx, s.ID); found == nil && kept.Caller == s.caller && asksFor(kept, q, budget) {
			return kept, nil
		}
	}
	if err == nil {
		d.begun()
	}
	return run, err
}

// StartFor begins a run as Start does, for an owner as OwnerOf has it: the run is that one's, and counts for that one.
func (d *Desk) StartFor(ctx context.Context, owner string, s Start) (runstore.Run, error) {
	s.caller = owner
	return d.Start(ctx, s)
}

// create keeps a new run, where its caller may begin one.
func (d *Desk) create(ctx context.Context, run runstore.NewRun) (runstore.Run, error) {
	if d.MayBegin == nil {
		return d.runs.CreateRun(ctx, run)
	}
	d.begins.Lock() // so that those who come at once are counted one by one
	defer d.begins.Unlock()
	if run.ID != "" {
		if _, err := d.runs.Run(ctx, run.ID); citewell.CodeOf(err) != citewell.CodeNotFound {
			return d.runs.CreateRun(ctx, run)
		}
	}
	if err := d.MayBegin(ctx, run.Caller); err != nil {
		return runstore.Run{}, err
	}
	return d.runs.CreateRun(ctx, run)
}

// asksFor says whether a run was begun with these words and this budget.
func asksFor(kept runstore.Run, asked request, budget Budget) bool {
	had, err := requestOf(kept)
	had.Agent, asked.Agent = Definition{}, Definition{}
	had.Origin, asked.Origin = "", ""
	had.V, asked.V = 0, 0
	return err == nil && bytes.Equal(kept.Budget, tool.MustMarshal(budget)) &&
		bytes.Equal(tool.MustMarshal(had), tool.MustMarshal(asked))
}

// A Status is a run as it can be told of at any time.
type Status struct {
	runstore.Run
	Task           string           `json:"task"`
	Iteration      int              `json:"iteration"`
	Searches       int              `json:"searches_used"`
	Clarifications int              `json:"clarifications_used"`
	Sources        int              `json:"sources_count"`
	Question       *agent.Question  `json:"question,omitempty"` // of a run that waits for its answer
	Reasoning      *agent.Reasoning `json:"current_step_reasoning,omitempty"`
	Spent          agent.Usage      `json:"spent"` // in all; of a run that has not ended, until its newest EventSpent
}

// Status tells how far a run is. not_found where there is none.
func (d *Desk) Status(ctx context.Context, id string) (Status, error) {
	run, err := d.runs.Run(ctx, id)
	if err != nil {
		return Status{}, err
	}
	events, err := AllEvents(ctx, d.runs, id)
	if err != nil {
		return Status{}, err
	}
	s := Status{Run: run, Task: Task(run)}
	for _, e := range events {
		s.take(e)
	}
	if run.State != runstore.RunWaiting {
		s.Question = nil
	}
	if run.State.Ended() {
		result, err := resultOf(ctx, d.runs, run)
		if err != nil {
			return Status{}, err
		}
		if result.Usage != (agent.Usage{}) { // else it ended without an executor that could say
			s.Spent = result.Usage
		}
	}
	return s, nil
}

// Task gives the words that a run was begun with.
func Task(run runstore.Run) string { return readableRequest(run).Task }

// ChoicesOf gives where a run was made to look: as it was begun, or as the run was that it goes on from.
func ChoicesOf(run runstore.Run) Choices { return readableRequest(run).Choices }

// HasWords says whether a task has a letter or a digit: what has none is found nowhere.
func HasWords(task string) bool {
	return strings.ContainsFunc(task, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// NoWords is the error of a task without words where it is asked as it stands.
func NoWords() error {
	return invalid("the question has no words", "say in words what to find out")
}

// Granted gives the budget that a run was begun with.
func Granted(run runstore.Run) (Budget, error) {
	var b Budget
	if err := json.Unmarshal(run.Budget, &b); err != nil {
		return b, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "runs",
			Message: "the budget of the run cannot be read", Err: err}
	}
	return b, nil
}

func (s *Status) take(e runstore.RunEvent) {
	var entry Entry
	if e.Type != EventQuestion && e.Type != EventSpent && json.Unmarshal(e.Data, &entry) == nil {
		s.Iteration = max(s.Iteration, entry.Iteration)
	}
	switch e.Type {
	case EventQuestion:
		var q agent.Question
		if json.Unmarshal(e.Data, &q) == nil {
			s.Question = &q
			if q.Number > 0 {
				s.Clarifications++
			}
		}
	case EventSpent:
		_ = json.Unmarshal(e.Data, &s.Spent) // nothing then, as before the first step
	case "call":
		if entry.Name == agent.WebSearchTool {
			s.Searches++
		}
	case "source":
		s.Sources++
	case "reasoning":
		var r agent.Reasoning
		if json.Unmarshal([]byte(entry.Text), &r) == nil {
			s.Reasoning = &r
		}
	}
}

// Run is a run as the store has it. not_found where there is none.
func (d *Desk) Run(ctx context.Context, id string) (runstore.Run, error) { return d.runs.Run(ctx, id) }

// List lists runs, newest first. not_found where there is no run that q.SameTask names.
func (d *Desk) List(ctx context.Context, q runstore.RunQuery) (runs []runstore.Run, next string, err error) {
	return d.runs.ListRuns(ctx, q)
}

// Cancel asks for a run to end, and returns it as it is then. A run that is executed ends within two seconds.
func (d *Desk) Cancel(ctx context.Context, id string) (runstore.Run, error) {
	run, err := d.runs.CancelRun(ctx, id)
	if err == nil {
		d.begun()
	}
	return run, err
}

// Delete removes a run that nobody executes, with everything that was kept of it alone. run_leased while somebody does.
func (d *Desk) Delete(ctx context.Context, id string) error { return d.runs.DeleteRun(ctx, id) }

// Result is what a run came to. A run that was cancelled before anybody took it up,
// has one without an answer. invalid_argument where it has not ended.
func (d *Desk) Result(ctx context.Context, id string) (agent.Result, error) {
	run, err := d.runs.Run(ctx, id)
	if err != nil {
		return agent.Result{}, err
	}
	if !run.State.Ended() {
		return agent.Result{}, invalid("the run has not ended: it is "+string(run.State),
			"wait for it, or follow its events")
	}
	return resultOf(ctx, d.runs, run)
}

// resultOf is what a run that has ended came to.
func resultOf(ctx context.Context, runs runstore.Runs, run runstore.Run) (agent.Result, error) {
	record, err := runs.LookupCall(ctx, run.ID, resultCall.Key())
	if err != nil {
		return agent.Result{}, err
	}
	result := agent.Result{ID: run.ID, State: run.State, Outcome: run.Outcome, Reason: run.Detail,
		Sources: []citewell.Source{}}
	if record.State == runstore.CallDone {
		if err := json.Unmarshal(record.Result, &result); err != nil {
			return agent.Result{}, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "runs",
				Message: "the result of the run cannot be read", Err: err}
		}
	}
	return result, nil
}

// Events returns entries of a run's log after the one of number after, in order; up to limit, 1000 when 0.
func (d *Desk) Events(ctx context.Context, id string, after int64, limit int) ([]runstore.RunEvent, error) {
	return d.runs.Events(ctx, id, after, limit)
}

// Follow yields the entries of a run's log after the one of number after, and waits
// for more, whichever process writes them, until the run has ended.
func (d *Desk) Follow(ctx context.Context, id string, after int64) iter.Seq2[runstore.RunEvent, error] {
	return d.runs.FollowEvents(ctx, id, after)
}

// AllEvents reads a log whole, from a store of runs, a Desk or a Service.
func AllEvents(ctx context.Context, runs interface {
	Events(ctx context.Context, id string, after int64, limit int) ([]runstore.RunEvent, error)
}, id string) (all []runstore.RunEvent, err error) {
	for {
		after := int64(0)
		if len(all) > 0 {
			after = all[len(all)-1].Seq
		}
		page, err := runs.Events(ctx, id, after, runstore.MaxEventPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < runstore.MaxEventPage {
			return all, nil
		}
	}
}

// A Told is an entry of a followed log, or why no more comes.
type Told struct {
	runstore.RunEvent
	Err error
}

// Tell follows a log in a goroutine of its own, for who waits for other things beside it. The channel has room for so
// many entries and is closed behind the last. stop ends the goroutine; it must be called.
func Tell(ctx context.Context, runs Service, id string, after int64, room int) (entries <-chan Told, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	told, done := make(chan Told, room), make(chan struct{})
	go func() {
		defer close(done)
		defer close(told)
		for e, err := range runs.Follow(ctx, id, after) {
			select {
			case told <- Told{e, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return told, func() { cancel(); <-done }
}
