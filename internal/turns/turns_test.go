package turns_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/turns"
)

// Whoever holds fewest is next, however many others asked before; of one's own the first.
func TestFewestHeldIsNext(t *testing.T) {
	p := turns.New(4)
	ask := func(who string) *turns.Turn { return p.Ask(turns.As(t.Context(), who, "")) }
	var crowd []*turns.Turn
	for range 100 {
		crowd = append(crowd, ask("crowd"))
	}
	if n := p.Ahead(turns.As(t.Context(), "one", "")); n != 1 {
		t.Errorf("%d get a place before who comes now, want one of the crowd's 96", n)
	}
	if n := p.Ahead(turns.As(t.Context(), "crowd", "")); n != 96 {
		t.Errorf("%d get a place before one more of the crowd, want 96", n)
	}
	one := []*turns.Turn{ask("one"), ask("one"), ask("one")}
	given := func() (n int, first bool) {
		first = true
		for i, turn := range crowd {
			if turn.IsGiven() {
				n++
				first = first && (i == 0 || crowd[i-1].IsGiven())
			}
		}
		return n, first
	}
	for i, want := range []struct{ crowd, one int }{{4, 1}, {4, 2}, {5, 2}, {6, 2}} {
		crowd[i].End()
		n, first := given()
		ones := 0
		for _, turn := range one {
			if turn.IsGiven() {
				ones++
			}
		}
		if n != want.crowd || ones != want.one || !first {
			t.Errorf("after %d ends the crowd was given %d and one %d, in order: %v; want %+v", i+1, n, ones,
				first, want)
		}
	}
}

// A place that is given back by nobody who held it, or twice, is no place.
func TestEndCountsOnce(t *testing.T) {
	p := turns.New(1)
	first, second, third := p.Ask(t.Context()), p.Ask(t.Context()), p.Ask(t.Context())
	second.End()
	second.End()
	if third.IsGiven() {
		t.Error("who gave up gave a place")
	}
	first.End()
	first.End()
	if !third.IsGiven() || p.Ask(t.Context()).IsGiven() {
		t.Error("one place was given to two, or to nobody")
	}
}

// Who no longer waits holds nothing.
func TestEnterEnds(t *testing.T) {
	p := turns.New(1)
	leave, err := p.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Enter(ctx); err != context.Canceled {
		t.Errorf("%v", err)
	}
	leave()
	if _, err := p.Enter(t.Context()); err != nil {
		t.Error(err)
	}
}

// Whatever happens at once, no more hold a place than there are, every place comes back, and
// of parties that always want more each has its share of the time.
func TestManyTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places, rounds = 3, 2000
		p := turns.New(places)
		var mu sync.Mutex
		held, most, served := 0, 0, map[string]int{}
		var all sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), rounds*time.Millisecond)
		defer cancel()
		for i, callers := range []int{1, 5, 200} {
			who := fmt.Sprint(i)
			for range callers {
				all.Go(func() {
					for ctx.Err() == nil {
						wait, cancel := context.WithTimeout(ctx, time.Duration(1+rand.N(500))*time.Millisecond)
						leave, err := p.Enter(turns.As(wait, who, ""))
						cancel()
						if err != nil {
							continue
						}
						mu.Lock()
						held++
						most = max(most, held)
						served[who]++
						mu.Unlock()
						time.Sleep(time.Millisecond)
						mu.Lock()
						held--
						mu.Unlock()
						leave()
					}
				})
			}
		}
		all.Wait()
		if most != places {
			t.Errorf("%d held one of %d places", most, places)
		}
		for who, n := range served {
			if n < rounds/2 {
				t.Errorf("%s was served %d times in %d rounds of %d places: %v", who, n, rounds, places, served)
			}
		}
		var back []*turns.Turn
		for range places {
			back = append(back, p.Ask(t.Context()))
		}
		if slices.ContainsFunc(back, func(turn *turns.Turn) bool { return !turn.IsGiven() }) {
			t.Error("a place is lost")
		}
	})
}

// A caller holds at most as many as are left free, however many callers there are; the
// operator at the machine may have all.
func TestShares(t *testing.T) {
	as := func(caller string) context.Context { return turns.As(t.Context(), "tenant", caller) }
	s := turns.NewShares(100)
	take := func(who string) (n int) {
		for {
			if _, ok := s.Take(as(who)); !ok {
				return n
			}
			n++
		}
	}
	got := []int{take("a"), take("b"), take("c"), take("a")}
	if want := []int{50, 25, 13, 0}; !slices.Equal(got, want) {
		t.Errorf("%v were taken, want %v", got, want)
	}
	if n := take(""); n != 12 {
		t.Errorf("the operator took %d, want the rest", n)
	}
	one := turns.NewShares(1)
	release, ok := one.Take(as("a"))
	if !ok {
		t.Fatal("the only place is nobody's")
	}
	if _, ok := one.Take(as("b")); ok {
		t.Error("the only place was given twice")
	}
	release()
	release()
	if _, ok := one.Take(as("b")); !ok {
		t.Error("the place did not come back")
	}
	if _, ok := one.Take(as("")); ok {
		t.Error("a place came back twice")
	}
}
