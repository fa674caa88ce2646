package storesuite

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell/internal/pacing"
	"github.com/citewell/citewell/internal/runstore"
)

var _ runstore.Pace = (*Pace)(nil)

// A Pace is a runstore.Pace in memory, for tests of those who take turns. The zero value is ready.
type Pace struct {
	mu       sync.Mutex
	services map[string]*pacedService
	looks    int
	broken   error
}

type pacedService struct {
	kept  pacing.State
	until map[string]int64 // of calls that have begun and not ended, by their IDs
}

// Break makes every call fail with err from now on.
func (p *Pace) Break(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = err
}

// Looks returns how often a turn was asked for.
func (p *Pace) Looks() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks
}

// Held returns how many calls to all services have begun and were not ended, dead ones among them.
func (p *Pace) Held() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.services {
		n += len(s.until)
	}
	return n
}

func (p *Pace) of(service string) *pacedService {
	if p.services == nil {
		p.services = map[string]*pacedService{}
	}
	if p.services[service] == nil {
		p.services[service] = &pacedService{until: map[string]int64{}}
	}
	return p.services[service]
}

// A Process is a process that shares a Pace with others.
type Process struct {
	runstore.Pace
	Begun func() // may be nil; hears of each turn that the process was given, before it does

	killed atomic.Bool
	kept   atomic.Int32
}

// Kill has the others hear nothing more of the process, which itself is to notice nothing.
func (p *Process) Kill() { p.killed.Store(true) }

// Kept returns how often the process has renewed turns.
func (p *Process) Kept() int { return int(p.kept.Load()) }

// TakeTurn implements runstore.Pace.
func (p *Process) TakeTurn(ctx context.Context, service string, at time.Time,
	rule runstore.PaceRule) (runstore.Turn, error) {
	turn, err := p.Pace.TakeTurn(ctx, service, at, rule)
	if turn.ID != "" && p.Begun != nil {
		p.Begun()
	}
	return turn, err
}

// EndTurn implements runstore.Pace.
func (p *Process) EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error {
	if p.killed.Load() {
		return nil
	}
	return p.Pace.EndTurn(ctx, service, id, at, rest)
}

// KeepTurns implements runstore.Pace.
func (p *Process) KeepTurns(ctx context.Context, service string, ids []string, at time.Time, hold time.Duration) error {
	if p.killed.Load() {
		return nil
	}
	p.kept.Add(1)
	return p.Pace.KeepTurns(ctx, service, ids, at, hold)
}

// TakeTurn implements runstore.Pace.
func (p *Pace) TakeTurn(_ context.Context, service string, at time.Time,
	rule runstore.PaceRule) (runstore.Turn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	if err := cmp.Or(p.broken, pacing.CheckService("store.take_turn", service)); err != nil {
		return runstore.Turn{}, err
	}
	s := p.of(service)
	turn, after, err := pacing.Take(s.kept, rule, at, func() (int64, error) {
		var ends []int64
		for id, until := range s.until {
			if until <= at.UnixMicro() {
				delete(s.until, id)
				continue
			}
			ends = append(ends, until)
		}
		if len(ends) < rule.AtOnce {
			return 0, nil
		}
		slices.Sort(ends)
		return ends[len(ends)-rule.AtOnce], nil
	})
	if err == nil && turn.ID != "" {
		s.kept = after
		if rule.AtOnce > 0 {
			s.until[turn.ID] = pacing.Until(rule, at)
		}
	}
	return turn, err
}

// EndTurn implements runstore.Pace.
func (p *Pace) EndTurn(_ context.Context, service, id string, at time.Time, rest time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return p.broken
	}
	s := p.of(service)
	delete(s.until, id)
	if rest > 0 {
		s.kept.Rest = max(s.kept.Rest, at.Add(rest).UnixMicro())
	}
	return nil
}

// KeepTurns implements runstore.Pace.
func (p *Pace) KeepTurns(_ context.Context, service string, ids []string, at time.Time, hold time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return p.broken
	}
	s := p.of(service)
	for _, id := range ids {
		if _, held := s.until[id]; held {
			s.until[id] = pacing.Until(runstore.PaceRule{Hold: hold}, at)
		}
	}
	return nil
}

// TurnsOn implements runstore.Pace.
func (p *Pace) TurnsOn(_ context.Context, service string, at time.Time) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.of(service)
	if s.kept.Day != pacing.Day(at) {
		return 0, p.broken
	}
	return s.kept.Calls, p.broken
}
