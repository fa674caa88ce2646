package search_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

// Two searches that know nothing of each other, and a call that is no search, share
// the limits of one process.
func TestGatesShareLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var gates search.Gates
		limits := search.Limits{Rate: 1, Burst: 1}
		p := script(found("https://a.example/"))
		started := time.Now()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := gates.Of("papers", limits).Guard(p).Search(t.Context(), question); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		called := false
		err := gates.Of("papers", limits).Do(t.Context(), func(context.Context) error { called = true; return nil })
		if took := time.Since(started); err != nil || !called || took != 2*time.Second {
			t.Errorf("three calls at 1/s took %v, want 2s; %v", took, err)
		}
		if err := gates.Of("others", limits).Do(t.Context(), func(context.Context) error { return nil }); err != nil ||
			time.Since(started) != 2*time.Second {
			t.Errorf("another service was made to wait: %v", err)
		}
	})
}

func TestGateDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := search.NewGate("papers", search.Limits{Tries: 3})
		calls := 0
		err := g.Do(t.Context(), func(context.Context) error {
			if calls++; calls < 3 {
				return coded(citewell.CodeTimeout, 0)
			}
			return nil
		})
		if err != nil || calls != 3 {
			t.Errorf("%d calls, %v; want the third to be the good one", calls, err)
		}
		err = g.Do(t.Context(), func(context.Context) error { panic("index out of range") })
		if citewell.CodeOf(err) != citewell.CodeInternal {
			t.Errorf("a panic became %v", err)
		}
	})
}

// What is said of an earlier failure names one time alone, and no word that the service did not say.
func TestGateNamesOneTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(g *search.Gate, wait time.Duration) *citewell.Error {
			e, _ := errors.AsType[*citewell.Error](g.Do(t.Context(), func(context.Context) error {
				return coded(citewell.CodeRateLimited, wait)
			}))
			return e
		}
		g := search.NewGate("papers", search.Limits{Tries: 1, BreakAfter: 2, BreakFor: time.Minute})
		for _, want := range []struct {
			after         time.Duration
			hint, message string
		}{
			{0, "it asked for a pause; it is asked again at 00:00:10 UTC", "it said rate_limited"},
			{5 * time.Second, "it asked for a pause", "because it asked us to wait (next try in 5s, at 00:00:10 UTC)"},
			// the breaker opens
			{15 * time.Second, "it asked for a pause; it is asked again at 00:01:20 UTC", "it said rate_limited"},
			{20 * time.Second, "it asked for a pause", "because its last calls all failed (next try in 40s, at " +
				"00:01:20 UTC)"},
		} {
			time.Sleep(want.after)
			if e := ask(g, 10*time.Second); e == nil || e.Hint != want.hint ||
				!strings.Contains(e.Message, want.message) {
				t.Errorf("%s later: %+v, want %+v", want.after, e, want)
			}
		}
		slow := search.NewGate("papers", search.Limits{Tries: 1, CoolDown: time.Hour, MaxCooldown: 10 * time.Minute})
		if e := ask(slow, 0); e == nil || e.RetryAfter != 10*time.Minute ||
			e.Hint != "it did not say for how long; it is asked again at 00:10:40 UTC" {
			t.Errorf("who named no pause: %#v", e)
		}
	})
}

// A wait that a reader may wonder about is told of; a short one is not.
func TestGateTellsOfLongWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := search.NewGate("papers", search.Limits{Rate: 0.5, Burst: 1})
		var said []string
		ctx := searchcall.WithNotes(t.Context(), func(note string) { said = append(said, note) })
		for _, after := range []time.Duration{0, 0, 1500 * time.Millisecond} {
			time.Sleep(after)
			if err := g.Do(ctx, func(context.Context) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		if want := []string{"waited 2s, since at most 0.5 calls a second are made"}; !slices.Equal(said, want) {
			t.Errorf("said %q, want %q", said, want)
		}
	})
}

// Who watches hears of each call and of who is left alone, and of nobody once that is over.
func TestGatesTell(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		gates := search.Gates{Heard: func(_ context.Context, x search.Exchange) {
			heard = append(heard, strings.TrimRight(fmt.Sprintf("%s %s %s %d %s %s", x.Provider, x.Outcome,
				citewell.CodeOf(x.Err), x.Results, x.Took, x.Query), " "))
		}}
		limits := search.Limits{Tries: 1, BreakAfter: 1, BreakFor: time.Minute}
		ask := func(name string, err error) {
			_ = gates.Of(name, limits).Do(t.Context(), func(context.Context) error {
				time.Sleep(time.Second)
				return err
			})
		}
		ask("well", nil)
		ask("broken", coded(citewell.CodeHTTPStatus, 0))
		ask("waits", coded(citewell.CodeRateLimited, 10*time.Second))
		if alone := gates.LeftAlone(); len(alone) != 3 || alone["well"] || !alone["broken"] || !alone["waits"] {
			t.Errorf("left alone: %v", alone)
		}
		ask("broken", nil) // is not made
		time.Sleep(time.Hour)
		if alone := gates.LeftAlone(); len(alone) != 3 || alone["well"] || alone["broken"] || alone["waits"] {
			t.Errorf("left alone after an hour: %v", alone)
		}
		for _, p := range []search.Provider{script(found()), script(found("https://a.example/"))} {
			if _, err := gates.Of("papers", limits).Guard(p).Search(t.Context(), question); err != nil {
				t.Error(err)
			}
		}
		if want := []string{"well ok  -1 1s", "broken failed http_status -1 1s",
			"waits rate_limited rate_limited -1 1s", "broken failed http_status -1 0s",
			"papers empty  0 0s tidal power", "papers ok  1 0s tidal power"}; !slices.Equal(heard, want) {
			t.Errorf("heard %q, want %q", heard, want)
		}
	})
}
