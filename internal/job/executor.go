package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/store"
)

// DefaultParallel is how many runs an Executor plays at once: one that waits for its model holds about 130 KiB.
const DefaultParallel = 256

const (
	defaultTTL = 30 * time.Second       // of a lease
	pollEvery  = 500 * time.Millisecond // for runs that other processes began
	// maxTakeovers is how many executors may die of one run before it is given up.
	maxTakeovers = 100
)

// Ties bind an agent to the run that it is to play.
type Ties struct {
	Budget  Budget
	Choices Choices
	Journal agent.Journal
	Ask     func(context.Context, agent.Question) (string, error)
	Tell    func(agent.Event)
}

// An Agent plays a run, as *agent.Agent does: run again over the same journal it comes to the same.
type Agent interface {
	Run(ctx context.Context, t agent.Task) (agent.Result, error)
}

// A Builder makes the agent of a definition. model_not_configured and invalid_config say what keeps it from that.
type Builder func(ctx context.Context, d Definition, t Ties) (Agent, error)

// An Executor plays runs.
type Executor struct {
	o     ExecutorOptions
	owner string
	wake  chan struct{} // has room for one
	at    atomic.Int32  // calls of Serve that are under way

	put    sync.Mutex
	putOff map[string]time.Time // runs whose agents cannot be made here, and when it is tried again
	served map[string]bool      // runs that Serve took up and that have not been let go of
}

// ExecutorOptions are what an Executor works with.
type ExecutorOptions struct {
	Runs  runstore.Runs
	Kept  store.Snapshots // texts of the sources that runs go on from; nil has none, and they are read again
	Build Builder
	// Warnings says what speaks against relying on runs of an agent. It may take its time,
	// and is asked beside the run; nil says nothing.
	Warnings func(ctx context.Context, d Definition) []string
	// Places are as many as runs that Serve plays at once, those of other executors that have them too among them, in
	// turns by whom Serve's context is for (turns.As); nil is DefaultParallel of its own.
	Places *turns.Turns
	// LeaseTTL is how long a run of a process that died is let be where the store cannot know of
	// its death; 30 s when 0.
	LeaseTTL time.Duration
	Log      *slog.Logger // nil drops it
	// Ended hears of each run that this Executor brought to its end, before it is told to be over, and what its agent
	// told from the run's beginning, but for the pieces of answers; nil hears nothing.
	Ended func(ctx context.Context, run runstore.Run, told []agent.Event, result agent.Result)
	// Within gives the context that a run is played in; nil leaves it as it is.
	Within func(ctx context.Context, run runstore.Run) context.Context
	// Taken hears of each run that this Executor takes up, Left of each that it lets go or
	// that is over, as it is then; nil hears nothing. Several goroutines call them.
	Taken, Left func(run runstore.Run)
}

// NewExecutor returns an Executor.
func NewExecutor(o ExecutorOptions) *Executor {
	o.Places = cmp.Or(o.Places, turns.New(DefaultParallel))
	o.LeaseTTL = cmp.Or(o.LeaseTTL, defaultTTL)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &Executor{o: o, owner: fmt.Sprintf("%.100s/%d/%.8s", host, os.Getpid(), citewell.NewID()),
		wake: make(chan struct{}, 1), putOff: map[string]time.Time{}, served: map[string]bool{}}
}

// Serving says whether this Executor takes up whatever runs want one.
func (x *Executor) Serving() bool { return x.at.Load() > 0 }

// Wake makes Serve look for runs now.
func (x *Executor) Wake() { signal(x.wake) }

// signal wakes who waits on a channel with room for one, unless a signal is in it already.
func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Serve executes whatever runs want an executor, until ctx ends. Runs that are under
// way then are let go, and go on elsewhere or later.
func (x *Executor) Serve(ctx context.Context) {
	x.at.Add(1)
	defer x.at.Add(-1)
	var all sync.WaitGroup
	defer all.Wait()
	look := time.NewTicker(pollEvery)
	defer look.Stop()
	for {
		leave, err := x.o.Places.Enter(ctx)
		if err != nil {
			return
		}
		lease, ok, err := x.o.Runs.AcquireNext(ctx, x.owner, x.o.LeaseTTL, x.notYet()...)
		if err == nil && ok {
			x.serve(lease.Run, true)
			all.Go(func() {
				defer func() { x.serve(lease.Run, false); leave(); x.Wake() }()
				x.execute(ctx, lease, false) // whose error is nobody's here
			})
			continue
		}
		leave()
		if err != nil && ctx.Err() == nil {
			x.o.Log.Error("no run could be taken up", "error", err)
		}
		select {
		case <-x.wake:
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

// Execute brings one run to its end, or to where it waits for an answer, and returns it as it is then. Where another
// executes it, Execute waits, and takes it over when that one is gone. A run whose agent cannot be made here stays as
// it is, and so does one that cannot be written down, on a full disk say.
func (x *Executor) Execute(ctx context.Context, id string) (runstore.Run, error) {
	look := time.NewTicker(pollEvery)
	defer look.Stop()
	for {
		run, err := x.o.Runs.Run(ctx, id)
		if err != nil || run.State.Ended() || run.State == runstore.RunWaiting && run.Unread == 0 &&
			run.Executor == "" {
			return run, err
		}
		lease, err := x.o.Runs.AcquireRun(ctx, id, x.owner, x.o.LeaseTTL)
		switch code := citewell.CodeOf(err); {
		case err == nil:
			err := x.execute(ctx, lease, true)
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if err != nil {
				return run, err
			}
			continue
		case code != citewell.CodeRunLeased && code != citewell.CodeRunFinished:
			return run, err
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return run, ctx.Err()
		}
	}
}

// execute plays a run under its lease. Its error is why the agent of a run that was
// asked for could not be made, or what the store said where it failed: the run is then let
// go, to be tried again when that is mended. One that nobody asked for is put off.
func (x *Executor) execute(ctx context.Context, lease runstore.Lease, askedFor bool) error {
	log := x.o.Log.With("run", lease.Run)
	x.tell(ctx, lease.Run, x.o.Taken)
	defer x.tell(ctx, lease.Run, x.o.Left)
	held, stop := runstore.HoldLease(ctx, x.o.Runs, lease)
	defer stop()
	after := context.WithoutCancel(ctx) // for what must be written when the work has ended
	p := &playing{Executor: x, lease: lease}
	result, err := p.play(held, after)
	cause, newer := context.Cause(held), errors.Is(err, runstore.ErrNewer)
	p.unbuilt = p.unbuilt || newer
	switch code := citewell.CodeOf(cause); {
	case err == nil:
	case code == citewell.CodeLeaseLost, code == citewell.CodeRunFinished, code == citewell.CodeNotFound:
		log.Warn("the run is another's now", "error", cause)
		return nil
	case errors.Is(cause, runstore.ErrRunCancelled), errors.Is(err, runstore.ErrRunCancelled):
		result.State, result.Outcome, result.Reason, err = runstore.RunCancelled, runstore.RunOutcomeCancelled,
			"it was cancelled", nil
	case ctx.Err() != nil, p.unbuilt && askedFor: // this process ends, or cannot, and the run does not end
		if err := x.o.Runs.ReleaseLease(after, lease); err != nil {
			log.Warn("the lease was not released", "error", err)
		}
		return err
	case newer || p.unbuilt && !p.overdue():
		if err := p.letGo(after, err); err != nil {
			log.Error("the run could not be put off", "error", err)
		}
		return nil
	case p.unbuilt:
		result.State, result.Reason, err = runstore.RunError, fmt.Sprintf("for %v nobody could make its agent: %s",
			patience, citewell.View(err).Message), nil
	case p.dead:
		result.State, result.Reason, err = runstore.RunError, citewell.View(err).Message, nil
	}
	if err == nil {
		err = p.keep(after, result)
	}
	switch code := citewell.CodeOf(err); {
	// another's, or over
	case err == nil, code == citewell.CodeLeaseLost, code == citewell.CodeRunFinished, code == citewell.CodeNotFound:
	case askedFor: // who asked hears of it at once
		if failed := x.o.Runs.ReleaseLease(after, lease); failed != nil {
			log.Warn("the lease was not released", "error", failed)
		}
		return err
	default: // the lease runs out, and the run is tried again then
		log.Error("the run could not be gone on with", "error", err)
	}
	return nil
}

// tell says how a run is now.
func (x *Executor) tell(ctx context.Context, id string, hears func(runstore.Run)) {
	if hears == nil {
		return
	}
	if run, err := x.o.Runs.Run(context.WithoutCancel(ctx), id); err == nil {
		hears(run)
	}
}

// playing is one run under one lease.
type playing struct {
	*Executor
	lease    runstore.Lease
	run      runstore.Run
	events   []runstore.RunEvent // when it was taken up
	question string              // key of the newest one in the log
	hearing  sync.Mutex
	told     []agent.Event // whole, where the log may be shortened; nil where nobody wants it
	dead     bool          // no executor can play it
	unbuilt  bool          // its agent cannot be made here
	puts     []time.Time   // when it was put off, since an agent of it last did something
}

// play runs the agent. Its error is of the store, of held, or of a run that is dead.
func (p *playing) play(held, after context.Context) (result agent.Result, err error) {
	result.ID = p.lease.Run
	if p.run, err = p.o.Runs.Run(held, p.lease.Run); err != nil {
		return result, err
	}
	// else it would ask again before anybody has looked
	if p.run.CancelRequested && p.run.State == runstore.RunWaiting {
		return result, runstore.ErrRunCancelled
	}
	if p.events, err = AllEvents(held, p.o.Runs, p.lease.Run); err != nil {
		return result, err
	}
	q, err := requestOf(p.run)
	if q.V > requestVersion {
		return result, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "runs", Message: "a newer citewell began it",
			Hint: "use the newer citewell that began it", Err: runstore.ErrNewer}
	}
	if err != nil {
		p.dead = true
		return result, fmt.Errorf("its request cannot be read: %w", err)
	}
	if q.Fresh {
		held = httpwire.Afresh(searchcall.WithMaxAge(held, 0))
	}
	var b Budget
	if err := json.Unmarshal(p.run.Budget, &b); err != nil {
		p.dead = true
		return result, fmt.Errorf("its budget cannot be read: %w", err)
	}
	if died := p.look(); died > maxTakeovers {
		p.dead = true
		return result, fmt.Errorf("%d executors died of it", died)
	}
	if err := p.o.Runs.ChangeState(held, p.lease, runstore.RunChange{State: runstore.RunResearching}, nil); err != nil {
		return result, err
	}
	notes := takeNotes(after, p.o.Runs, p.lease, p.events)
	defer func() {
		if ended := notes.end(after); err == nil {
			err = ended
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			p.o.Log.Error("a run broke", "run", p.lease.Run, "error", v, "stack", string(debug.Stack()))
			p.dead, err = true, &citewell.Error{Code: citewell.CodeInternal, Op: "runs",
				Message: "a bug in Citewell broke the run", Hint: "report it with the log"}
		}
	}()
	tell := notes.tell
	if p.o.Ended != nil {
		tell = func(e agent.Event) {
			if notes.tell(e); e.Kind != "delta" {
				p.hearing.Lock()
				defer p.hearing.Unlock()
				p.told = append(p.told, e)
			}
		}
	}
	warnings := p.warn(held, q, tell)
	defer func() { result.Warnings = warnings() }()
	if p.o.Within != nil {
		held = p.o.Within(held, p.run)
	}
	a, err := p.o.Build(held, q.Agent, Ties{Budget: b, Choices: q.Choices,
		Journal: &agent.RunJournal{Calls: p.o.Runs, Lease: p.lease}, Ask: p.ask, Tell: tell})
	if err != nil {
		p.unbuilt = held.Err() == nil
		return result, err
	}
	task := agent.Task{ID: p.lease.Run, Text: q.Task, Images: q.Images, History: q.History, Wishes: q.Wishes,
		Private: q.Private, Lens: q.Choices.Lens()}
	if q.From != "" || len(q.Files) > 0 {
		task.From = func(ctx context.Context) ([]agent.Former, error) { return p.known(ctx, p.run, q) }
	}
	return a.Run(held, task)
}

// look reads what the log says of questions, of executors that died and of those that could not make the agent.
func (p *playing) look() (died int) {
	for _, e := range p.events {
		if e.Type == EventPutOff {
			p.puts = append(p.puts, e.Time)
		} else if !runstore.OwnEvent(e.Type) {
			p.puts = nil
		}
		switch e.Type {
		case EventQuestion:
			var q agent.Question
			if json.Unmarshal(e.Data, &q) == nil {
				p.question = q.Key
			}
		case runstore.EventAcquired:
			var a runstore.RunAcquired
			if json.Unmarshal(e.Data, &a) == nil && a.TakenOver {
				died++
			}
		}
	}
	return died
}

// ask is an agent's Ask: the answer that was sent to this question, taken now or by
// an executor that died before the agent had it.
func (p *playing) ask(ctx context.Context, q agent.Question) (string, error) {
	messages, err := p.o.Runs.TakeMessages(ctx, p.lease)
	if err != nil {
		return "", err
	}
	for _, e := range p.events {
		var d runstore.RunDelivered
		if e.Type == runstore.EventDelivered && json.Unmarshal(e.Data, &d) == nil {
			messages = append(messages, d.Messages...)
		}
	}
	for _, m := range messages {
		var a answer
		if m.Kind == answerKind && m.ID == answerID(q.Key) && json.Unmarshal(m.Data, &a) == nil {
			return a.Text, nil
		}
	}
	return "", agent.ErrWaiting
}

// resultCall is where the journal has what a run came to.
var resultCall = runstore.Call{Kind: runstore.CallTool, Name: "result", Input: json.RawMessage("null")}

// keep writes what became of a run: first the result, then the state that tells it.
func (p *playing) keep(ctx context.Context, r agent.Result) error {
	change := runstore.RunChange{State: r.State, Outcome: r.Outcome,
		Detail: tool.Shorten(r.Reason, runstore.MaxRunDetail)}
	if r.State == runstore.RunWaiting && r.Question != nil {
		change.Detail = tool.Shorten(r.Question.Text, runstore.MaxRunDetail)
		var events []runstore.RunEvent
		if r.Question.Key != p.question {
			events = []runstore.RunEvent{{Type: EventQuestion, Data: tool.MustMarshal(r.Question)},
				{Type: EventSpent, Data: tool.MustMarshal(r.Usage)}}
		}
		if err := p.o.Runs.ChangeState(ctx, p.lease, change, events); err != nil {
			return err
		}
		return p.o.Runs.ReleaseLease(ctx, p.lease)
	}
	if !r.State.Ended() {
		return fmt.Errorf("job: an agent left its run in the state %q", r.State)
	}
	if p.o.Ended != nil {
		p.o.Ended(ctx, p.run, p.told, r)
	}
	record, err := p.o.Runs.LookupCall(ctx, p.lease.Run, resultCall.Key())
	if err == nil && record.State != runstore.CallDone {
		_, err = p.o.Runs.WriteCalls(ctx, p.lease, []runstore.CallEntry{
			{Call: resultCall}, {Call: resultCall, Result: &runstore.CallResult{Data: tool.MustMarshal(r)}}})
	}
	if err != nil {
		return err
	}
	return p.o.Runs.ChangeState(ctx, p.lease, change, nil)
}
