package storesuite

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// paceStep asks for a call at a time and says what must come of it.
type paceStep struct {
	after  time.Duration // since the first step
	begins bool
	wait   time.Duration // where it does not begin
	today  int
}

func tryPace(t *testing.T, s runstore.Pace, service string, start time.Time, rule runstore.PaceRule, steps []paceStep) {
	t.Helper()
	for i, step := range steps {
		turn, err := s.TakeTurn(t.Context(), service, start.Add(step.after), rule)
		must(t, err)
		if (turn.ID != "") != step.begins || turn.Wait != step.wait || turn.Today != step.today {
			t.Errorf("step %d of %s: %+v, want %+v", i, service, turn, step)
		}
	}
}

// pace is kept for a service of a tenant, over a new opening of the store.
func pace(t *testing.T, b RunBackend) {
	ctx, night := t.Context(), time.Date(2026, 3, 4, 23, 59, 0, 0, time.UTC)
	s := b.Tenant("a")
	tryPace(t, s, "slow", night, runstore.PaceRule{Every: 3 * time.Second}, []paceStep{
		{0, true, 0, 1}, {time.Second, false, 2 * time.Second, 1}, {2 * time.Second, false, time.Second, 1},
		{3 * time.Second, true, 0, 2}, {10 * time.Second, true, 0, 3}, {12 * time.Second, false, time.Second, 3},
	})
	tryPace(t, s, "bursts", night, runstore.PaceRule{Every: time.Second, Burst: 3}, []paceStep{
		{0, true, 0, 1}, {0, true, 0, 2}, {0, true, 0, 3}, {0, false, time.Second, 3}, {time.Second, true, 0, 4},
		{time.Second, false, time.Second, 4},
		{-time.Hour, false, time.Second, 4}, // a clock that was set back is no hour's wait
	})
	budget := runstore.PaceRule{PerDay: 2}
	tryPace(t, s, "rationed", night, budget, []paceStep{{0, true, 0, 1}, {0, true, 0, 2},
		{30 * time.Second, false, 30 * time.Second, 2}})
	tryPace(t, s, "rationed", night, runstore.PaceRule{PerDay: 2, Free: true},
		[]paceStep{{0, true, 0, 2}, {0, true, 0, 2}})
	b = b.Reopen(t)
	s = b.Tenant("a")
	turn, err := s.TakeTurn(ctx, "rationed", night, budget)
	must(t, err)
	if !turn.UsedUp || turn.Wait != time.Minute {
		t.Errorf("after a new opening: %+v", turn)
	}
	for name, at := range map[string]time.Time{"a": night, "b": night.Add(time.Minute)} {
		calls, err := b.Tenant(name).TurnsOn(ctx, "rationed", at)
		must(t, err)
		if want := map[string]int{"a": 2}[name]; calls != want {
			t.Errorf("%s made %d calls at %v, want %d", name, calls, at, want)
		}
	}
	tryPace(t, s, "rationed", night.Add(time.Minute).In(time.FixedZone("west", -8*3600)), budget,
		[]paceStep{{0, true, 0, 1}})
	tryPace(t, b.Tenant("b"), "slow", night, runstore.PaceRule{Every: 3 * time.Second}, []paceStep{{0, true, 0, 1}})
	for _, service := range []string{"", strings.Repeat("s", 101)} {
		if _, err := s.TakeTurn(ctx, service, night, runstore.PaceRule{}); citewell.CodeOf(
			err) != citewell.CodeInvalidArgument {
			t.Errorf("a service of %d bytes: %v", len(service), err)
		}
	}
}

// pacePlaces are taken by calls until they end, or are believed no longer; a rest holds all.
func pacePlaces(t *testing.T, b RunBackend) {
	ctx, s, rule := t.Context(), b.Tenant("a"), runstore.PaceRule{AtOnce: 2, Hold: 20 * time.Second}
	begin := func(after time.Duration) runstore.Turn {
		t.Helper()
		turn, err := s.TakeTurn(ctx, "one", noon.Add(after), rule)
		must(t, err)
		return turn
	}
	first, second := begin(0), begin(5*time.Second)
	if first.ID == "" || second.ID == "" || first.ID == second.ID {
		t.Fatalf("%+v and %+v", first, second)
	}
	if third := begin(6 * time.Second); third.ID != "" || third.Wait != 14*time.Second || third.UsedUp || !third.Held {
		t.Errorf("a third at once: %+v", third)
	}
	for range 2 { // ending twice is ending
		must(t, s.EndTurn(ctx, "one", second.ID, noon.Add(7*time.Second), 0))
	}
	if third := begin(7 * time.Second); third.ID == "" {
		t.Errorf("after one has ended: %+v", third)
	}
	if fourth := begin(20 * time.Second); fourth.ID == "" {
		t.Errorf("after one is believed no longer: %+v", fourth)
	}
	must(t, s.EndTurn(ctx, "one", first.ID, noon.Add(20*time.Second), time.Minute))
	if rested := begin(50 * time.Second); rested.ID != "" || rested.Wait != 30*time.Second ||
		rested.Rest != rested.Wait || rested.Held {
		t.Errorf("during a rest: %+v", rested)
	}
	if rested := begin(80 * time.Second); rested.ID == "" {
		t.Errorf("after a rest: %+v", rested)
	}
}

// A call that is kept counts for as long as it is kept; one that is over does not come back.
func paceKept(t *testing.T, b RunBackend) {
	ctx, s, rule := t.Context(), b.Tenant("a"), runstore.PaceRule{AtOnce: 2, Free: true, Hold: 10 * time.Second}
	begin := func(after time.Duration) runstore.Turn {
		t.Helper()
		turn, err := s.TakeTurn(ctx, "model", noon.Add(after), rule)
		must(t, err)
		return turn
	}
	keep := func(after time.Duration, ids ...string) {
		t.Helper()
		must(t, s.KeepTurns(ctx, "model", ids, noon.Add(after), 10*time.Second))
	}
	first, second := begin(0), begin(0)
	must(t, b.Tenant("b").KeepTurns(ctx, "model", []string{second.ID}, noon.Add(time.Hour), 0)) // another's
	must(t, s.KeepTurns(ctx, "other", []string{second.ID}, noon.Add(time.Hour), 0))
	keep(8*time.Second, first.ID)
	third := begin(11 * time.Second)
	if third.ID == "" {
		t.Fatalf("after one was not kept: %+v", third)
	}
	if got := begin(12 * time.Second); got.ID != "" || got.Wait != 6*time.Second || !got.Held {
		t.Errorf("beside one that was kept: %+v, want to wait 6 s", got)
	}
	must(t, s.EndTurn(ctx, "model", first.ID, noon.Add(13*time.Second), 0))
	keep(14*time.Second, first.ID, second.ID) // of which the one has ended, and the other is believed no longer
	if got := begin(14 * time.Second); got.ID == "" {
		t.Errorf("after one has ended: %+v", got)
	}
	keep(15*time.Second, third.ID)
	keep(16 * time.Second) // none
	if got := begin(24500 * time.Millisecond); got.ID == "" {
		t.Errorf("when one is believed no longer: %+v", got)
	}
	if got := begin(24600 * time.Millisecond); got.ID != "" || got.Wait != 400*time.Millisecond {
		t.Errorf("beside one that is kept: %+v, want to wait 0.4 s", got)
	}
}

// paceOfMany never lets more begin than the rule has, whoever asks at once.
func paceOfMany(t *testing.T, b RunBackend) {
	rule := runstore.PaceRule{PerDay: 40, AtOnce: 3}
	var begun, under, most atomic.Int32
	var asking sync.WaitGroup
	for range 8 {
		s := b.Tenant("a")
		asking.Go(func() {
			for range 30 {
				turn, err := s.TakeTurn(t.Context(), "many", noon, rule)
				if err != nil {
					t.Error(err)
					return
				}
				if turn.ID == "" {
					continue
				}
				begun.Add(1)
				now := under.Add(1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				under.Add(-1)
				if err := s.EndTurn(t.Context(), "many", turn.ID, noon, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	asking.Wait()
	if calls, err := b.Tenant("a").TurnsOn(t.Context(), "many", noon); err != nil || calls != 40 ||
		begun.Load() != 40 || most.Load() > 3 {
		t.Errorf("%d calls counted, %d begun, %d at once (%v), want 40, 40 and at most 3", calls, begun.Load(),
			most.Load(), err)
	}
}

// A call that is unspaced waits for a place alone; those that are spaced keep away from it.
func paceUnspaced(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	take := func(at time.Duration, rule runstore.PaceRule) runstore.Turn {
		t.Helper()
		turn, err := s.TakeTurn(ctx, "host", noon.Add(at), rule)
		must(t, err)
		return turn
	}
	spaced := runstore.PaceRule{Every: time.Second, AtOnce: 1, Free: true}
	unspaced, aside := spaced, runstore.PaceRule{AtOnce: 1, Free: true, Unspaced: true}
	unspaced.Unspaced = true
	first := take(0, spaced)
	if got := take(time.Millisecond, unspaced); got.ID != "" || !got.Held {
		t.Errorf("two are under way at once: %+v", got)
	}
	must(t, s.EndTurn(ctx, "host", first.ID, noon.Add(100*time.Millisecond), time.Second))
	second := take(100*time.Millisecond, unspaced)
	if second.ID == "" {
		t.Errorf("an unspaced call waits: %+v", second)
	}
	must(t, s.EndTurn(ctx, "host", second.ID, noon.Add(200*time.Millisecond), 0))
	third := take(200*time.Millisecond, aside)
	if third.ID == "" {
		t.Errorf("a call that stands aside waits: %+v", third)
	}
	must(t, s.EndTurn(ctx, "host", third.ID, noon.Add(300*time.Millisecond), 0))
	if got := take(1050*time.Millisecond, spaced); got.ID != "" || got.Wait != 50*time.Millisecond {
		t.Errorf("a spaced call is told %+v, want to wait until a second after the one before", got)
	}
	if got := take(1100*time.Millisecond, spaced); got.ID == "" {
		t.Errorf("a spaced call is told %+v a second after the one before", got)
	}
	if n, err := s.TurnsOn(ctx, "host", noon); n != 0 || err != nil {
		t.Errorf("%d calls count (%v), and all were free", n, err)
	}
}
