package llm

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/pace"
	"github.com/citewell/citewell/internal/turns"
)

// placeHold is how long a call is believed to be under way of which nothing more is heard.
const placeHold = 10 * time.Second

// How often it is asked whether a call of another process has ended. Part of each pause is by chance, so that no
// process is always the first.
const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = 100 * time.Millisecond
)

// places are those for calls at one endpoint: of this process, or of all that share a Pace.
type places struct {
	own    *turns.Turns // in this process
	o      *EndpointsOptions
	asking *turns.Turns // one, for whoever asks the Pace: the next is whose turn it is in this process
	keeper *pace.Keeper
	alone  *sync.Once
}

func newPlaces(base string, o *EndpointsOptions, alone *sync.Once) *places {
	p := &places{own: turns.New(o.Parallel), o: o, asking: turns.New(1), alone: alone}
	service := "model " + citewell.SHA256([]byte(base))
	p.keeper = &pace.Keeper{Turns: o.Pace, Service: service, Hold: placeHold, Failed: p.tellAlone}
	return p
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
	id, err := p.takeTurn(ctx)
	next()
	switch {
	case ctx.Err() != nil:
		if id != "" {
			p.keeper.Begin(ctx, id)(0)
		}
		return nil, ctx.Err()
	case err != nil: // the bound of this process holds still
		p.tellAlone(ctx, err)
		return p.own.Enter(ctx)
	}
	end := p.keeper.Begin(ctx, id)
	return sync.OnceFunc(func() { end(0) }), nil
}

// takeTurn takes a turn among all processes.
func (p *places) takeTurn(ctx context.Context) (id string, err error) {
	rule := pace.Rule{AtOnce: p.o.Parallel, Free: true, Hold: placeHold}
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		turn, err := p.o.Pace.TakeTurn(ctx, p.keeper.Service, time.Now(), rule)
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

func (p *places) tellAlone(ctx context.Context, err error) {
	if p.o.Alone != nil {
		p.alone.Do(func() { p.o.Alone(ctx, err) })
	}
}
