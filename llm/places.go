package llm

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/store"
)

// A Pace counts calls for all processes that share it; store.Pace is one.
type Pace interface {
	TakeTurn(ctx context.Context, service string, at time.Time, rule store.PaceRule) (store.Turn, error)
	KeepTurns(ctx context.Context, service string, ids []string, at time.Time, hold time.Duration) error
	EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error
}

// How long a call is believed to be under way of which nothing more is heard, and how often
// those of a process are told of: one that was killed frees its places after the first.
const (
	placeHold = 10 * time.Second
	placeKeep = 2 * time.Second
)

// How often it is asked whether a call of another process has ended: soon at first. Part of each pause is
// by chance, so that no process is always the first.
const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = 100 * time.Millisecond
)

// places are those for calls at one endpoint: of this process, or of all that share a Pace.
type places struct {
	own     *turns.Turns // in this process
	service string       // by which other processes know the endpoint
	o       *EndpointsOptions
	asking  *turns.Turns // one, for whoever asks the Pace: the next is whose turn it is in this process
	alone   *sync.Once

	mu   sync.Mutex
	held map[string]bool // turns of calls that are under way
	stop chan struct{}   // ends the keeping of those that are held
}

func newPlaces(base string, o *EndpointsOptions, alone *sync.Once) *places {
	return &places{own: turns.New(o.Parallel), service: "model " + citewell.SHA256([]byte(base)), o: o, asking: turns.New(1), alone: alone, held: map[string]bool{}}
}

// enter waits for a place until ctx ends. leave gives it back.
func (p *places) enter(ctx context.Context) (leave func(), err error) {
	if p.o.Pace == nil {
		return p.own.Enter(ctx)
	}
	next, err := p.asking.Enter(ctx)
	if err != nil {
		return nil, err
	}
	id, err := p.take(ctx)
	next()
	switch {
	case ctx.Err() != nil:
		if id != "" {
			p.end(ctx, id)
		}
		return nil, ctx.Err()
	case err != nil: // the bound of this process holds still
		p.tellAlone(ctx, err)
		return p.own.Enter(ctx)
	}
	p.begin(ctx, id)
	return sync.OnceFunc(func() { p.end(ctx, id) }), nil
}

// take takes a turn among all processes.
func (p *places) take(ctx context.Context) (id string, err error) {
	rule := store.PaceRule{AtOnce: p.o.Parallel, Free: true, Hold: placeHold}
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		turn, err := p.o.Pace.TakeTurn(ctx, p.service, time.Now(), rule)
		if err != nil || turn.ID != "" {
			return turn.ID, err
		}
		select {
		case <-time.After(min(turn.Wait, pause/2+rand.N(pause/2))):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// begin has a turn kept while its call is under way.
func (p *places) begin(ctx context.Context, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held[id] = true
	if p.stop == nil {
		p.stop = make(chan struct{})
		go p.keep(context.WithoutCancel(ctx), p.stop)
	}
}

// keep tells the other processes of the calls that are under way, all at once.
func (p *places) keep(ctx context.Context, stop <-chan struct{}) {
	again := time.NewTicker(placeKeep)
	defer again.Stop()
	for {
		select {
		case <-stop:
			return
		case <-again.C:
		}
		p.mu.Lock()
		ids := make([]string, 0, len(p.held))
		for id := range p.held {
			ids = append(ids, id)
		}
		p.mu.Unlock()
		if err := p.o.Pace.KeepTurns(ctx, p.service, ids, time.Now(), placeHold); err != nil {
			p.tellAlone(ctx, err)
		}
	}
}

// end tells the other processes that a call has ended, whether anybody still waits for it or
// not. Where it cannot, the turn ends by itself.
func (p *places) end(ctx context.Context, id string) {
	p.mu.Lock()
	delete(p.held, id)
	if len(p.held) == 0 && p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	p.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	if err := p.o.Pace.EndTurn(ctx, p.service, id, time.Now(), 0); err != nil {
		p.tellAlone(ctx, err)
	}
}

func (p *places) tellAlone(ctx context.Context, err error) {
	if p.o.Alone != nil {
		p.alone.Do(func() { p.o.Alone(ctx, err) })
	}
}
