// Package turns shares places among callers: in turns if they wait for one, in shares if they do not.
//
// Turns give the next free place to the waiting caller that holds fewest, and among equals to the one served longest
// ago; within a caller, in the order of asking. Shares let a caller hold at most as many as leave room for others.
// Concurrency: everything here may be used from many goroutines.
// Why: doc/decision/0049-turns.md
package turns

import (
	"context"
	"slices"
	"sync"
)

type whoKey struct{}

type who struct{ tenant, caller string }

// As is a context of work for a tenant, whose turns it takes, and a caller, whose shares it takes (empty: the
// operator).
func As(ctx context.Context, tenant, caller string) context.Context {
	return context.WithValue(ctx, whoKey{}, who{tenant, caller})
}

func whoOf(ctx context.Context) who {
	w, _ := ctx.Value(whoKey{}).(who)
	return w
}

// Caller is the caller whom ctx is for.
func Caller(ctx context.Context) string { return whoOf(ctx).caller }

// Turns are places that are waited for.
type Turns struct {
	places int

	mu      sync.Mutex
	free    int
	waiting int
	given   int // so many times so far
	all     map[string]*party
}

// A party is one of those who ask.
type party struct {
	held   int
	last   int // which of all that were given it was given last
	asking []*Turn
}

// A Turn is a place that is waited for, and then held.
type Turn struct {
	Given <-chan struct{} // closed when the place is there

	turns *Turns
	party *party
	given chan struct{}
	ended bool
}

// New returns Turns of so many places.
func New(places int) *Turns {
	return &Turns{places: places, free: places, all: map[string]*party{}}
}

// Places is how many there are.
func (t *Turns) Places() int { return t.places }

// Ask asks for a place for the tenant that ctx is for. End gives it back, or no longer waits for it.
func (t *Turns) Ask(ctx context.Context) *Turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	who := whoOf(ctx).tenant
	p := t.all[who]
	if p == nil {
		p = &party{}
		t.all[who] = p
	}
	given := make(chan struct{})
	turn := &Turn{Given: given, turns: t, party: p, given: given}
	p.asking = append(p.asking, turn)
	t.waiting++
	t.give()
	return turn
}

// Enter asks for a place and waits for it until ctx ends. leave gives it back.
func (t *Turns) Enter(ctx context.Context) (leave func(), err error) {
	turn := t.Ask(ctx)
	select {
	case <-turn.Given:
		return turn.End, nil
	case <-ctx.Done():
		turn.End()
		return nil, ctx.Err()
	}
}

// give gives what is free.
func (t *Turns) give() {
	for t.free > 0 && t.waiting > 0 {
		var next *party
		for _, p := range t.all {
			if len(p.asking) > 0 && (next == nil || p.held < next.held || p.held == next.held && p.last < next.last) {
				next = p
			}
		}
		turn := next.asking[0]
		next.asking = next.asking[1:]
		next.held++
		t.given++
		next.last = t.given
		t.free--
		t.waiting--
		close(turn.given)
	}
	if t.waiting > 0 {
		return
	}
	for who, p := range t.all { // nobody waits, so nobody's turn is to be remembered
		if p.held == 0 {
			delete(t.all, who)
		}
	}
}

// IsGiven says whether the place is there.
func (turn *Turn) IsGiven() bool {
	select {
	case <-turn.given:
		return true
	default:
		return false
	}
}

// End gives the place back, or no longer waits for it. Only the first call counts.
func (turn *Turn) End() {
	t := turn.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if turn.ended {
		return
	}
	turn.ended = true
	if turn.IsGiven() {
		turn.party.held--
		t.free++
	} else {
		i := slices.Index(turn.party.asking, turn)
		turn.party.asking = slices.Delete(turn.party.asking, i, i+1)
		t.waiting--
	}
	t.give()
}

// Ahead is how many get a place before a new one, if all places are held and nobody else comes.
func (t *Turns) Ahead(ctx context.Context) (ahead int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	who := whoOf(ctx).tenant
	own := 0
	if p := t.all[who]; p != nil {
		own = len(p.asking)
	}
	for other, p := range t.all {
		if other == who {
			ahead += own
		} else {
			ahead += min(len(p.asking), own+1)
		}
	}
	return ahead
}
