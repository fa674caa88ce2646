package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

// The kinds of outside calls.
const (
	CallModel  = "model"
	CallSearch = "search"
	CallPage   = "page"
	CallTool   = "tool"   // one that is not the agent's own
	CallAnswer = "answer" // a person's
	CallLocal  = "local"  // the clock, a file: nothing bought, but not the same twice
)

// A Call is the intent of one outside call. Key is the same whenever the run is
// replayed: it comes from the place of the call in the run.
type Call struct {
	Key     string          `json:"key"`
	Kind    string          `json:"kind"`
	Name    string          `json:"name"` // of the model or the tool, or the URL
	Request json.RawMessage `json:"request,omitempty"`
}

// keepsFailed says whether the journal has a result of such a call beside its error: what
// an answer of the model cost all the same, what each provider did, how long a page took.
func (c Call) keepsFailed() bool {
	return c.Kind == CallModel || c.Kind == CallSearch || c.Kind == CallPage
}

// An Entry is what became of a call.
type Entry struct {
	Result   json.RawMessage     `json:"result,omitempty"`
	Error    *citewell.ErrorView `json:"error,omitempty"`
	ActiveMS int64               `json:"active_ms"` // of the run by then, without waiting for a person
}

// A Journal makes a run's calls durable. Begin is on disk before the call is made, and Finish before anything outside
// the process depends on its result: a journal may keep what is finished in memory until the next Begin or Sync, with
// which it is written. A run that is run again over its journal makes no call that was finished. Every method may be
// called from many goroutines.
type Journal interface {
	// Lookup returns the entry of a finished call; false where it was never finished.
	Lookup(ctx context.Context, c Call) (Entry, bool, error)
	// Begin notes that c is about to be made. When it returns, that and all that was finished before is on disk.
	Begin(ctx context.Context, c Call) error
	// Finish notes what became of c. Where other calls are still on their way it is on disk when it returns; else the
	// run goes on at once, and the next Begin or Sync brings it there.
	Finish(ctx context.Context, c Call, e Entry) error
	// Sync returns when all that was finished is on disk. It costs nothing where it is.
	Sync(ctx context.Context) error
}

// A MemoryJournal keeps a journal as long as the process runs.
type MemoryJournal struct {
	mu      sync.Mutex
	entries map[string]Entry
}

// NewMemoryJournal returns an empty journal.
func NewMemoryJournal() *MemoryJournal { return &MemoryJournal{entries: map[string]Entry{}} }

// Lookup implements Journal.
func (j *MemoryJournal) Lookup(_ context.Context, c Call) (Entry, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	e, ok := j.entries[c.Key]
	return e, ok, nil
}

// Begin implements Journal. What was begun and not finished is as good as never begun.
func (j *MemoryJournal) Begin(context.Context, Call) error { return nil }

// Finish implements Journal.
func (j *MemoryJournal) Finish(_ context.Context, c Call, e Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries[c.Key] = e
	return nil
}

// Sync implements Journal.
func (j *MemoryJournal) Sync(context.Context) error { return nil }

// outside makes one call through the journal: what was finished before is taken from
// there. A call that the end of ctx cut off is not finished, and is made again when
// the run goes on. An answer of the model that came whole as ctx ended is paid for, and kept: a
// model's answer is whole or an error, while what a tool or a search gives may lack what was cut off.
func outside[T any](ctx context.Context, r *run, c Call, f func(context.Context) (T, error)) (T, error) {
	var value T
	entry, ok, err := r.o.Journal.Lookup(ctx, c)
	if err != nil {
		return value, &brokenError{fmt.Errorf("agent: journal: %w", err)}
	}
	if ok {
		r.clock.replayed(entry.ActiveMS)
		if entry.Error == nil || c.keepsFailed() && len(entry.Result) > 0 {
			if err := json.Unmarshal(entry.Result, &value); err != nil {
				return value, &brokenError{fmt.Errorf("agent: journal entry %s: %w", c.Key, err)}
			}
		}
		if entry.Error != nil {
			return value, &citewell.Error{Code: entry.Error.Code, Message: entry.Error.Message, Hint: entry.Error.Hint}
		}
		return value, nil
	}
	if err := r.o.Journal.Begin(ctx, c); err != nil {
		return value, &brokenError{fmt.Errorf("agent: journal: %w", err)}
	}
	r.told.release()
	r.live.Add(1)
	value, err = f(ctx)
	ended := ctx.Err()
	if ended != nil && (err != nil || c.Kind != CallModel) {
		return value, fmt.Errorf("agent: %w", ended)
	}
	entry = Entry{ActiveMS: r.clock.active().Milliseconds()}
	if err != nil {
		if isBroken(err) || waiting(err) {
			return value, err
		}
		view := citewell.View(err)
		entry.Error = &view
		if c.keepsFailed() {
			entry.Result = tool.MustMarshal(value)
		}
	} else if entry.Result, err = json.Marshal(value); err != nil {
		return value, &brokenError{fmt.Errorf("agent: result of %s: %w", c.Key, err)}
	}
	r.told.hold()
	if ferr := r.o.Journal.Finish(context.WithoutCancel(ctx), c, entry); ferr != nil {
		return value, &brokenError{fmt.Errorf("agent: journal: %w", ferr)}
	}
	if ended != nil {
		return value, fmt.Errorf("agent: %w", ended)
	}
	return value, err
}

// A clock measures how long a run was active, over all its processes: what the journal knows of, and what came since.
type clock struct {
	mu      sync.Mutex
	base    time.Duration
	running time.Time // zero while a person is waited for
}

func (c *clock) active() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running.IsZero() {
		return c.base
	}
	return c.base + time.Since(c.running)
}

func (c *clock) replayed(ms int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = max(c.base, time.Duration(ms)*time.Millisecond)
	if !c.running.IsZero() {
		c.running = time.Now()
	}
}

func (c *clock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = time.Now()
}

func (c *clock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running.IsZero() {
		c.base, c.running = c.base+time.Since(c.running), time.Time{}
	}
}
