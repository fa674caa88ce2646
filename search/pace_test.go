package search_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/search"
)

// ofProcess is the gate of one more process that shares a pace.
func ofProcess(p runstore.Pace, l search.Limits) *search.Gate {
	l.Shared = true
	return (&search.Gates{Pace: p}).Of("papers", l)
}

// Two processes call one service at its pace and one at a time.
func TestProcessesShareAPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pace, limits := &storesuite.Pace{}, search.Limits{Rate: 1, Parallel: 1}
		var begun []time.Duration
		var mu sync.Mutex
		under := 0
		started := time.Now()
		var all sync.WaitGroup
		for range 2 {
			gate := ofProcess(pace, limits)
			for range 2 {
				all.Go(func() {
					err := gate.Do(t.Context(), func(context.Context) error {
						mu.Lock()
						begun = append(begun, time.Since(started))
						if under++; under > 1 {
							t.Error("two calls at once")
						}
						mu.Unlock()
						time.Sleep(1500 * time.Millisecond)
						mu.Lock()
						under--
						mu.Unlock()
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		for i := 1; i < len(begun); i++ {
			if gap := begun[i] - begun[i-1]; gap < 1500*time.Millisecond || gap > 1700*time.Millisecond {
				t.Errorf("calls began at %v", begun)
			}
		}
		if len(begun) != 4 || pace.Held() != 0 {
			t.Errorf("%d calls, %d under way at the end", len(begun), pace.Held())
		}
	})
}

// A caller who gives up while a turn is given to it does not keep it from other processes.
func TestATurnOfOneWhoGaveUpIsEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	shared := &storesuite.Pace{}
	err := ofProcess(&storesuite.Process{Pace: shared, Begun: cancel}, search.Limits{Parallel: 1}).Do(ctx,
		func(context.Context) error {
			t.Error("it was called")
			return nil
		})
	if citewell.CodeOf(err) != citewell.CodeCanceled || shared.Held() != 0 {
		t.Errorf("%v, and %d calls are under way", err, shared.Held())
	}
}

// A call counts among those of all processes for as long as it lasts, and of a process that was killed
// for three seconds: within a search's own five the next one still has its answer.
func TestACallThatLastsAndOneThatIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, limits := &storesuite.Pace{}, search.Limits{Parallel: 1}
		killed := &storesuite.Process{Pace: shared}
		began := time.Now()
		calls := func(p runstore.Pace, timeout, takes time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			return ofProcess(p, limits).Do(ctx, func(context.Context) error { time.Sleep(takes); return nil })
		}
		var all sync.WaitGroup
		all.Go(func() {
			if err := calls(shared, 2*time.Minute, time.Minute); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if err := calls(shared, 2*time.Minute, 0); err != nil || time.Since(began) < time.Minute ||
			time.Since(began) > time.Minute+time.Second {
			t.Errorf("beside a call that takes a minute: %v after %v", err, time.Since(began))
		}
		all.Go(func() { _ = calls(killed, 2*time.Minute, time.Minute) })
		synctest.Wait()
		time.Sleep(10 * time.Second)
		killed.Kill()
		if err := calls(shared, search.DefaultTimeout, 0); err != nil {
			t.Errorf("after a process was killed: %v", err)
		}
		all.Wait()
	})
}

// A rate of the service's terms is held from the end of a call to the beginning of the next: a
// call that has to connect first arrives late.
func TestARateOfTheTermsIsHeldFromTheEnd(t *testing.T) {
	for fixed, want := range map[bool]time.Duration{true: 5 * time.Second, false: 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			pace, limits := &storesuite.Pace{}, search.Limits{Rate: 0.25, RateFixed: fixed, Parallel: 1}
			var begun []time.Time
			for range 2 {
				if err := ofProcess(pace, limits).Do(t.Context(), func(context.Context) error {
					begun = append(begun, time.Now())
					time.Sleep(time.Second)
					return nil
				}); err != nil {
					t.Fatal(err)
				}
			}
			if gap := begun[1].Sub(begun[0]); gap != want {
				t.Errorf("fixed %t: the second call began %v after the first, want %v", fixed, gap, want)
			}
		})
	}
}

// A refusal for too many calls that names no wait has the wait of the limits: nobody asks before
// it is over, and one that names its own keeps it.
func TestCoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, asked := search.NewGate("papers", search.Limits{CoolDown: 10 * time.Minute}), 0
		ask := func(err error) error {
			return gate.Do(t.Context(), func(context.Context) error { asked++; return err })
		}
		if err := ask(coded(citewell.CodeRateLimited, 0)); citewell.CodeOf(err) != citewell.CodeRateLimited ||
			asked != 1 {
			t.Errorf("%v after %d calls, want one", err, asked)
		}
		time.Sleep(9 * time.Minute)
		if err := ask(nil); citewell.CodeOf(err) != citewell.CodeRateLimited || asked != 1 {
			t.Errorf("%v after %d calls: it was asked while it rests", err, asked)
		}
		time.Sleep(2 * time.Minute)
		if err := ask(coded(citewell.CodeRateLimited, time.Minute)); citewell.CodeOf(err) != citewell.CodeRateLimited ||
			asked != 2 {
			t.Errorf("%v after %d calls", err, asked)
		}
		time.Sleep(2 * time.Minute)
		if err := ask(nil); err != nil || asked != 3 {
			t.Errorf("%v after %d calls", err, asked)
		}
	})
}

// The calls of a day are those of all processes, or of this one alone; when they are spent
// nothing is asked until midnight, and the service is no failing one.
func TestCallsOfADay(t *testing.T) {
	for name, pace := range map[string]runstore.Pace{"shared": &storesuite.Pace{}, "alone": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(18 * time.Hour) // the fake clock begins at midnight
				limits, asked := search.Limits{PerDay: 3}, 0
				gates := []*search.Gate{ofProcess(pace, limits), ofProcess(pace, limits)}
				if pace == nil {
					gates[1] = gates[0]
				}
				ask := func(i int) error {
					return gates[i%2].Do(t.Context(), func(context.Context) error { asked++; return nil })
				}
				for i := range 20 {
					err := ask(i)
					if i < 3 {
						if err != nil {
							t.Fatal(err)
						}
						continue
					}
					e, ok := errors.AsType[*citewell.Error](err)
					if !ok || e.Code != citewell.CodeQuotaExhausted || e.RetryAfter != 6*time.Hour ||
						!strings.Contains(e.Message, "asked 3 times today") || !strings.Contains(e.Hint, "6h0m0s") {
						t.Fatalf("call %d: %#v", i, err)
					}
				}
				if time.Sleep(6 * time.Hour); ask(0) != nil || asked != 4 {
					t.Errorf("asked %d times; on the next day it is asked again", asked)
				}
			})
		})
	}
}

// Look-ups may be free of the calls of a day, in one process and in several. An identifier that a
// provider does not look up frees nothing: it is asked for the words.
func TestLookupsAreFree(t *testing.T) {
	doi, other := citewell.Identifier{Scheme: citewell.SchemeDOI, Value: "10.5555/x"},
		citewell.Identifier{Scheme: citewell.SchemeArXiv, Value: "2401.00001"}
	for name, pace := range map[string]runstore.Pace{"shared": &storesuite.Pace{}, "alone": nil} {
		var seen []citewell.Identifier
		p := &profiled{scripted{name: "papers"}, search.Profile{Lookups: []string{citewell.SchemeDOI}}}
		asking := providerFunc(func(q citewell.Query) { seen = append(seen, q.Identifier) })
		gate := ofProcess(pace, search.Limits{PerDay: 2, FreeLookups: true})
		guarded := gate.Guard(struct {
			search.Provider
			search.Profiled
		}{asking, p})
		for i, test := range []struct {
			id   citewell.Identifier
			code citewell.Code
		}{{doi, ""}, {doi, ""}, {doi, ""}, {other, ""}, {citewell.Identifier{}, ""},
			{other, citewell.CodeQuotaExhausted}, {doi, ""}} {
			if _, err := guarded.Search(t.Context(), citewell.Query{Text: "x", Identifier: test.id}); citewell.CodeOf(
				err) != test.code {
				t.Errorf("%s: call %d is %v, want %q", name, i, err, test.code)
			}
		}
		if want := []citewell.Identifier{doi, doi, doi, {}, {}, doi}; !slices.Equal(seen, want) {
			t.Errorf("%s: it was asked for %v, want %v", name, seen, want)
		}
	}
}

// A providerFunc hears what it is asked, and finds nothing.
type providerFunc func(citewell.Query)

func (f providerFunc) Name() string { return "papers" }

func (f providerFunc) Search(_ context.Context, q citewell.Query) ([]citewell.Result, error) {
	f(q)
	return nil, nil
}

// What a service asks for holds all processes: with a refusal, and with an answer.
func TestARestIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pace := &storesuite.Pace{}
		one, other := ofProcess(pace, search.Limits{}), ofProcess(pace, search.Limits{})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := one.Do(ctx, func(ctx context.Context) error {
			searchcall.Rest(ctx, 10*time.Second)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for name, gate := range map[string]*search.Gate{"the one that heard it": one, "another process": other} {
			err := gate.Do(ctx, func(context.Context) error { t.Error("asked within the rest"); return nil })
			if e, ok := errors.AsType[*citewell.Error](err); !ok || e.Code != citewell.CodeRateLimited ||
				e.RetryAfter != 10*time.Second ||
				!strings.Contains(e.Message, "papers was not asked, because it asked us to wait (next try in 10s, at "+
					"00:00:10 UTC)") {
				t.Errorf("%s: %#v", name, err)
			}
		}
		time.Sleep(11 * time.Second)
		if err := one.Do(t.Context(), func(context.Context) error {
			return coded(citewell.CodeRateLimited, time.Minute)
		}); err == nil {
			t.Fatal("no error")
		}
		ctx, cancel = context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := other.Do(ctx, func(context.Context) error { return nil }); citewell.CodeOf(
			err) != citewell.CodeRateLimited {
			t.Errorf("a refusal that one process met: %v", err)
		}
	})
}

// A pause that nobody can mean is believed for a quarter of an hour, and said with whose word it is.
func TestAnAbsurdPauseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pace, absurd := &storesuite.Pace{}, httpwire.RetryAfter(http.Header{"Retry-After": {"900000000"}}, time.Now())
		one, other := ofProcess(pace, search.Limits{}), ofProcess(pace, search.Limits{})
		ask := func(gate *search.Gate, call func(context.Context) error) *citewell.Error {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			e, _ := errors.AsType[*citewell.Error](gate.Do(ctx, call))
			return e
		}
		refused := ask(one, func(context.Context) error { return coded(citewell.CodeRateLimited, absurd) })
		if refused == nil || refused.RetryAfter != 15*time.Minute ||
			refused.Hint != "it asked for a pause; no more than 15m0s of the pause that it asked for is believed; it "+
				"is asked again at 00:15:00 UTC" {
			t.Errorf("%#v", refused)
		}
		time.Sleep(14 * time.Minute)
		for name, gate := range map[string]*search.Gate{"the one that heard it": one, "another process": other} {
			if e := ask(gate, nil); e == nil || e.Code != citewell.CodeRateLimited || e.RetryAfter != time.Minute ||
				!strings.Contains(e.Message, "it asked us to wait (next try in 1m0s, at 00:15:00 UTC)") {
				t.Errorf("%s: %#v", name, e)
			}
		}
		time.Sleep(time.Minute)
		if e := ask(other, func(ctx context.Context) error { searchcall.Rest(ctx, absurd); return nil }); e != nil {
			t.Error(e)
		}
		time.Sleep(15 * time.Minute)
		if e := ask(one, func(context.Context) error { return nil }); e != nil {
			t.Errorf("a pause that came with an answer holds on: %v", e)
		}
	})
}

// Where the pace cannot be kept the call is made within this process's own limits, and said.
func TestABrokenPaceIsSaid(t *testing.T) {
	pace := &storesuite.Pace{}
	pace.Break(&citewell.Error{Code: citewell.CodeStoreFailed, Message: "the disk is full"})
	var said []string
	called := false
	err := ofProcess(pace, search.Limits{Rate: 1}).Do(searchcall.WithNotes(t.Context(), func(note string) {
		said = append(said, note)
	}),
		func(context.Context) error { called = true; return nil })
	if err != nil || !called || len(said) != 1 || !strings.Contains(said[0], "the disk is full") {
		t.Errorf("called: %t, %v; said %q", called, err, said)
	}
}
