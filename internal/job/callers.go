package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

// OwnerOf is what is kept with a run of who began it: a hash of the name of a token, and nothing where none was needed.
func OwnerOf(name string) string {
	if name == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("citewell caller " + name))
	return hex.EncodeToString(sum[:16])
}

// A Caller is who wants something of runs.
type Caller struct {
	Owner string // of what it begins, as OwnerOf; empty is the operator at the machine
	All   bool   // the runs of others are there for it, too
}

// Only is whose runs and watches are there for c; empty is everybody's.
func (c Caller) Only() string {
	if c.All {
		return ""
	}
	return c.Owner
}

// Has says whether what somebody began is there for c.
func (c Caller) Has(owner string) bool { return c.Only() == "" || owner == c.Only() }

// Sees says whether a run is there for c.
func (c Caller) Sees(run runstore.Run) bool { return c.Has(run.Caller) }

// callers is a Service in which each caller has the runs that it began itself.
type callers struct {
	*Desk
	who func(context.Context) Caller
}

// ForCallers gives the runs of a desk to those who began them. who says who calls: runs that somebody else began are
// not found then, and neither are those that nobody's token began. To the operator at the machine, and to a caller of
// All, all are there; what such a one begins is its own.
func ForCallers(d *Desk, who func(context.Context) Caller) Service { return callers{d, who} }

// checkOwner returns not_found if a run is not there for who calls. An empty id, which is no run, is no error.
func (c callers) checkOwner(ctx context.Context, id string) error {
	who := c.who(ctx)
	if id == "" || who.Only() == "" {
		return nil
	}
	run, err := c.runs.Run(ctx, id)
	if err == nil && !who.Sees(run) {
		err = &citewell.Error{Code: citewell.CodeNotFound, Op: "runs", Message: "no run with that id is kept"}
	}
	return err
}

// with does something with a run that is there for who calls.
func (c callers) with(ctx context.Context, id string, do func() error) error {
	if err := c.checkOwner(ctx, id); err != nil {
		return err
	}
	return do()
}

// askOf asks something of a run that is there for who calls.
func askOf[T any](ctx context.Context, c callers, id string, do func(context.Context, string) (T, error)) (T, error) {
	if err := c.checkOwner(ctx, id); err != nil {
		var none T
		return none, err
	}
	return do(ctx, id)
}

// Start begins a run. PriorityHigh of a caller comes before its own runs alone.
func (c callers) Start(ctx context.Context, s Start) (runstore.Run, error) {
	if err := c.checkOwner(ctx, s.From); err != nil {
		return runstore.Run{}, err
	}
	who := c.who(ctx)
	s.ownTurns = who.Only() != "" // who sees the runs of others may also put one before them
	return c.StartFor(ctx, who.Owner, s)
}

func (c callers) AgentFor(ctx context.Context, name, from string) (string, error) {
	if err := c.checkOwner(ctx, from); err != nil {
		return "", err
	}
	return c.Desk.AgentFor(ctx, name, from)
}

func (c callers) Status(ctx context.Context, id string) (Status, error) {
	return askOf(ctx, c, id, c.Desk.Status)
}

func (c callers) Cancel(ctx context.Context, id string) (runstore.Run, error) {
	return askOf(ctx, c, id, c.Desk.Cancel)
}

func (c callers) Result(ctx context.Context, id string) (agent.Result, error) {
	return askOf(ctx, c, id, c.Desk.Result)
}

func (c callers) Answer(ctx context.Context, id, text string) error {
	return c.with(ctx, id, func() error { return c.Desk.Answer(ctx, id, text) })
}

func (c callers) AnswerTo(ctx context.Context, id, question, text string) error {
	return c.with(ctx, id, func() error { return c.Desk.AnswerTo(ctx, id, question, text) })
}

func (c callers) Delete(ctx context.Context, id string) error {
	return c.with(ctx, id, func() error { return c.Desk.Delete(ctx, id) })
}

func (c callers) NoteAnswer(ctx context.Context, id, text string) error {
	return c.with(ctx, id, func() error { return c.Desk.NoteAnswer(ctx, id, text) })
}

// WhoSaid finds runs of the caller alone. A conversation is with oneself: the runs of others are not
// looked through for a caller of All either.
func (c callers) WhoSaid(ctx context.Context, text string) (string, error) {
	return c.Desk.whoSaid(ctx, text, c.who(ctx).Owner)
}

// List lists the runs that are there for who calls. Neither the runs of others are listed, nor those that were begun
// with the task of one of theirs.
func (c callers) List(ctx context.Context, q runstore.RunQuery) (runs []runstore.Run, next string, err error) {
	if err := c.checkOwner(ctx, q.SameTask); err != nil {
		return nil, "", err
	}
	q.Caller = c.who(ctx).Only()
	return c.Desk.List(ctx, q)
}

func (c callers) Events(ctx context.Context, id string, after int64, limit int) ([]runstore.RunEvent, error) {
	if err := c.checkOwner(ctx, id); err != nil {
		return nil, err
	}
	return c.Desk.Events(ctx, id, after, limit)
}

func (c callers) Follow(ctx context.Context, id string, after int64) iter.Seq2[runstore.RunEvent, error] {
	if err := c.checkOwner(ctx, id); err != nil {
		return func(yield func(runstore.RunEvent, error) bool) { yield(runstore.RunEvent{}, err) }
	}
	return c.Desk.Follow(ctx, id, after)
}
