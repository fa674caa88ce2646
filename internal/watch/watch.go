// Package watch asks a question on a schedule, each time as a run of an agent, and reports what is new since the time
// before.
//
// Flow: Add → a row with the time of the next round → Serve begins a run for it, in any process → the run is executed
// like every run → News compares its report with that of the round before.
// Durability: the row is the truth. The id of a round's run follows from the watch and the round, so a process that
// dies between the run and the row costs nothing, and two that begin one round at once begin one run.
// Limits: a round is not begun while the one before it is in progress; missed rounds are not repeated. A tenant has at
// most runstore.MaxWatches; an interval is at least runstore.MinWatchEvery.
// Ownership: a watch and its rounds belong to, and are charged to, whoever added it; others do not see it. Once its
// token is gone, no further round begins.
// Errors: not_found, invalid_argument, run_exists, the refusals of job.Desk.Start, and the store's.
// Concurrency: a Desk serves many goroutines and processes.
package watch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
)

// How often Serve looks for rounds that are due, and when it tries one again that could not be begun.
const (
	lookEvery  = 5 * time.Second
	againAfter = 5 * time.Minute
)

// Asked is what is asked in each round, and how. Agent is a name once the watch is kept.
type Asked struct {
	Question string      `json:"question"`
	Agent    string      `json:"agent"`
	Budget   job.Budget  `json:"budget"` // of each round, at most the agent's
	Choices  job.Choices `json:"choices,omitzero"`
}

// A Watch is a question that is asked again and again.
type Watch struct {
	ID string `json:"id"`
	Asked
	EverySeconds int64     `json:"every_seconds"`
	Rounds       int64     `json:"rounds"` // that were begun
	CreatedAt    time.Time `json:"created_at"`
	NextAt       time.Time `json:"next_at"` // when the next round is due

	owner string // as job.OwnerOf
}

// Runs is what a Desk needs of runs; *job.Desk is one.
type Runs interface {
	Agent(name string) (job.Definition, error)
	StartFor(ctx context.Context, owner string, s job.Start) (runstore.Run, error)
	Run(ctx context.Context, id string) (runstore.Run, error)
	Result(ctx context.Context, id string) (agent.Result, error)
}

// A Desk is where watches are kept, begun and read.
type Desk struct {
	runs Runs
	kept runstore.Watches
	log  *slog.Logger
	who  func(context.Context) job.Caller
	told *told

	// Stands says whether who owns a watch may still have it asked; nil is always. The operator
	// at the machine, whose owner is empty, may.
	Stands func(owner string) bool
}

// New returns the Desk of the operator, to whom all watches are there; a nil log drops what is told to it.
func New(runs Runs, kept runstore.Watches, log *slog.Logger) *Desk {
	log = cmp.Or(log, slog.New(slog.DiscardHandler))
	return &Desk{runs: runs, kept: kept, log: log, who: func(context.Context) job.Caller {
		return job.Caller{}
	}, told: &told{byRun: map[string]News{}}}
}

// ForCallers gives the watches of a desk to those who added them, as job.ForCallers gives runs.
func (d *Desk) ForCallers(who func(context.Context) job.Caller) *Desk {
	other := *d
	other.who = who
	return &other
}

// Add keeps a watch and begins its first round. What the agent refuses is refused, and nothing
// is kept. Where the caller has added the same by the same key before, that is the watch, and where it
// was something else it is run_exists; an empty key is another each time.
func (d *Desk) Add(ctx context.Context, key string, asked Asked, every time.Duration) (Watch, error) {
	if !job.HasWords(asked.Question) { // round after round would come to nothing
		return Watch{}, job.NoWords()
	}
	definition, err := d.runs.Agent(asked.Agent)
	if err != nil {
		return Watch{}, err
	}
	asked.Agent = definition.Name // the default may be another by the next round
	request, err := json.Marshal(asked)
	if err != nil {
		return Watch{}, fmt.Errorf("watch: %w", err)
	}
	owner := d.who(ctx).Owner
	id := sha256.Sum256(fmt.Appendf(nil, "%q %q", owner, key))
	if key == "" {
		rand.Read(id[:]) // never fails: crypto/rand ends the program first
	}
	asks := runstore.Watch{ID: idOf(id), Caller: owner, Request: request, Every: every}
	if had, err := d.added(ctx, asks); citewell.CodeOf(err) != citewell.CodeNotFound {
		return had, err
	}
	row, err := d.kept.PutWatch(ctx, asks)
	if citewell.CodeOf(err) == citewell.CodeRunExists { // by the same key, a moment ago
		return d.added(ctx, asks)
	}
	if err != nil {
		return Watch{}, err
	}
	begun, err := d.begin(ctx, row)
	if err != nil {
		return Watch{}, errors.Join(err, d.kept.DeleteWatch(context.WithoutCancel(ctx), row.ID))
	}
	return asWatch(begun)
}

// added is the watch that was added before under an id, where it asks the same; not_found where
// there is none, and run_exists where it asks something else.
func (d *Desk) added(ctx context.Context, asks runstore.Watch) (Watch, error) {
	had, err := d.kept.Watch(ctx, asks.ID)
	if err != nil {
		return Watch{}, err
	}
	if had.Caller == asks.Caller && had.Every == asks.Every && bytes.Equal(had.Request, asks.Request) {
		return asWatch(had)
	}
	return Watch{}, &citewell.Error{Code: citewell.CodeRunExists, Op: "watch",
		Message: "a watch was added by that key already, with another question, interval, agent, budget or " +
			"place to look",
		Hint: "leave the key out, or choose another"}
}

// idOf is the id of a watch: eight characters are enough to tell a thousand apart.
func idOf(of [sha256.Size]byte) string { return fmt.Sprintf("%x", of[:4]) }

func asWatch(row runstore.Watch) (Watch, error) {
	w := Watch{owner: row.Caller, ID: row.ID, EverySeconds: int64(row.Every / time.Second), Rounds: row.Rounds,
		CreatedAt: row.CreatedAt, NextAt: row.NextAt}
	if err := json.Unmarshal(row.Request, &w.Asked); err != nil {
		return w, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "watch",
			Message: "what the watch " + row.ID + " asks cannot be read", Err: err}
	}
	return w, nil
}

// List returns all watches that are there for who calls, the oldest first.
func (d *Desk) List(ctx context.Context) ([]Watch, error) {
	rows, err := d.kept.ListWatches(ctx, d.who(ctx).Only())
	if err != nil {
		return nil, err
	}
	all := make([]Watch, len(rows))
	for i, row := range rows {
		if all[i], err = asWatch(row); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Watch returns one; not_found where there is none.
func (d *Desk) Watch(ctx context.Context, id string) (Watch, error) {
	row, err := d.row(ctx, id)
	if err != nil {
		return Watch{}, err
	}
	return asWatch(row)
}

// row is what is kept of a watch that is there for who calls.
func (d *Desk) row(ctx context.Context, id string) (runstore.Watch, error) {
	row, err := d.kept.Watch(ctx, id)
	if err == nil && d.who(ctx).Has(row.Caller) {
		return row, nil
	}
	if err == nil || citewell.CodeOf(err) == citewell.CodeNotFound {
		err = &citewell.Error{Code: citewell.CodeNotFound, Op: "watch", Message: "there is no watch with that id"}
	}
	return runstore.Watch{}, err
}

// Remove ends a watch; its runs stay.
func (d *Desk) Remove(ctx context.Context, id string) error {
	if _, err := d.Watch(ctx, id); err != nil {
		return err
	}
	return d.kept.DeleteWatch(ctx, id)
}

// Begin begins a round now, whenever the next one is due, and returns the id of its run. Where
// the round before it is under way, that is it, and the next one is due when it was.
func (d *Desk) Begin(ctx context.Context, id string) (run string, err error) {
	row, err := d.row(ctx, id)
	if err != nil {
		return "", err
	}
	w, err := asWatch(row)
	if err != nil {
		return "", err
	}
	busy, err := d.underWay(ctx, w)
	if err == nil && !busy { // due, so that Serve takes it up where this process dies before it is begun
		if row, err = d.kept.HurryWatch(ctx, id, w.Rounds); err == nil {
			row, err = d.begin(ctx, row)
		}
	}
	if err != nil {
		return "", err
	}
	return w.run(row.Rounds - 1), nil
}

// run is the id of the run of a round, the first of which is 0. A watch that was removed had the same id
// where it was added by the same key, and keeps its runs.
func (w Watch) run(round int64) string {
	return job.IDOf(w.Agent, "watch "+w.ID, fmt.Sprint(w.CreatedAt.UnixMicro(), " ", round))
}

// underWay says whether the last round that was begun has not ended.
func (d *Desk) underWay(ctx context.Context, w Watch) (bool, error) {
	if w.Rounds == 0 {
		return false, nil
	}
	last, err := d.runs.Run(ctx, w.run(w.Rounds-1))
	if citewell.CodeOf(err) == citewell.CodeNotFound { // it was let go of
		return false, nil
	}
	return err == nil && !last.State.Ended(), err
}

// begin begins the next round, unless the one before it has not ended.
func (d *Desk) begin(ctx context.Context, row runstore.Watch) (runstore.Watch, error) {
	w, err := asWatch(row)
	if err != nil {
		return row, err
	}
	if busy, err := d.underWay(ctx, w); err != nil || busy {
		return row, err
	}
	_, err = d.runs.StartFor(ctx, row.Caller, job.Start{ID: w.run(w.Rounds), Agent: w.Agent, Task: w.Question,
		Budget: w.Budget, Choices: w.Choices, Fresh: true, Priority: runstore.PriorityLow})
	if err != nil && citewell.CodeOf(err) != citewell.CodeRunExists { // begun, with what the agent was then
		return row, err
	}
	return d.kept.RoundBegun(ctx, w.ID, w.Rounds)
}

// Serve begins the rounds that are due until ctx ends. A round that cannot be begun is tried again after some minutes.
func (d *Desk) Serve(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	failed := map[string]time.Time{}
	for {
		due, err := d.kept.DueWatches(ctx)
		if err != nil && ctx.Err() == nil {
			d.log.Error("nobody knows which watches are due", "error", err)
		}
		for _, row := range due {
			if at, ok := failed[row.ID]; ok && time.Since(at) < againAfter {
				continue
			}
			delete(failed, row.ID)
			if row.Caller != "" && d.Stands != nil && !d.Stands(row.Caller) {
				failed[row.ID] = time.Now()
				d.log.Info("a round of a watch is not begun: its token is not known here", "watch", row.ID,
					"again_in", againAfter)
				continue
			}
			if _, err := d.begin(ctx, row); err != nil && ctx.Err() == nil {
				failed[row.ID] = time.Now()
				d.log.Warn("a round of a watch was not begun", "watch", row.ID, "again_in", againAfter, "error", err)
			}
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}
