package sqlite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/storesuite"
)

func benchRun(b *testing.B, s *Store) runstore.Lease {
	b.Helper()
	run, err := s.CreateRun(b.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`{"query":"x"}`)})
	if err != nil {
		b.Fatal(err)
	}
	lease, err := s.AcquireRun(b.Context(), run.ID, "w", time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	return lease
}

// BenchmarkSync is what no durable write can be faster than alone: 4 KiB and fsync.
func BenchmarkSync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "f"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	for b.Loop() {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendEvents appends one event at a time: alone, and as 64 runs do.
func BenchmarkAppendEvents(b *testing.B) {
	event := []runstore.RunEvent{{Type: "step", Data: json.RawMessage(
		`{"tool":"web_search","query":"high water at Hollow Point","results":10}`)}}
	b.Run("alone", func(b *testing.B) {
		s := benchStore(b).Tenant("t")
		lease := benchRun(b, s)
		for b.Loop() {
			if _, err := s.AppendEvents(b.Context(), lease, event); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("crowd", func(b *testing.B) {
		s := benchStore(b).Tenant("t")
		crowd(b, s, func(_ int, lease runstore.Lease) error {
			_, err := s.AppendEvents(b.Context(), lease, event)
			return err
		})
	})
}

// crowd has 64 runs do something side by side.
func crowd(b *testing.B, s *Store, do func(n int, lease runstore.Lease) error) {
	var leases []runstore.Lease
	for range 64 {
		leases = append(leases, benchRun(b, s))
	}
	var n atomic.Int64
	b.SetParallelism(32) // goroutines for each processor
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := int(n.Add(1))
			if err := do(n, leases[n%len(leases)]); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkCall journals a call whole: its intent and its result of 2 KiB.
func BenchmarkCall(b *testing.B) {
	result := runstore.CallResult{Data: json.RawMessage(fmt.Sprintf(`"%x"`, noise(1, 1000)))}
	call := func(s *Store, b *testing.B, n int, lease runstore.Lease) error {
		made := runstore.Call{Step: n, Kind: runstore.CallModel, Name: "m", Input: json.RawMessage(`{"messages":[]}`)}
		if _, err := storesuite.BeginCall(b.Context(), s, lease, made); err != nil {
			return err
		}
		return storesuite.FinishCall(b.Context(), s, lease, made, result)
	}
	b.Run("alone", func(b *testing.B) {
		s := benchStore(b).Tenant("t")
		lease := benchRun(b, s)
		for n := 0; b.Loop(); n++ {
			if err := call(s, b, n, lease); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("crowd", func(b *testing.B) {
		s := benchStore(b).Tenant("t")
		crowd(b, s, func(n int, lease runstore.Lease) error { return call(s, b, n, lease) })
	})
}

// BenchmarkPlace is the place of a model's call, taken and given back, and a look for one where all are held.
func BenchmarkPlace(b *testing.B) {
	s := benchStore(b).Tenant("t")
	take := func(b *testing.B, service string, most int) runstore.Turn {
		turn, err := s.TakeTurn(b.Context(), service, time.Now(),
			runstore.PaceRule{AtOnce: most, Free: true, Hold: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		return turn
	}
	b.Run("taken", func(b *testing.B) {
		for range b.N {
			if err := s.EndTurn(b.Context(), "model", take(b, "model", 256).ID, time.Now(), 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("held", func(b *testing.B) {
		for range b.N {
			take(b, "held", 1)
		}
	})
}

// BenchmarkManyRuns opens a store with 10,000 runs, of which 1,000 are to go on, and
// lists, counts and takes up.
func BenchmarkManyRuns(b *testing.B) {
	dir, ctx := b.TempDir(), b.Context()
	db, err := Open(ctx, dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	fillRuns(b, db.Tenant("t"), 10_000)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			db, err := Open(ctx, dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			db.Close()
		}
	})
	db, err = Open(ctx, dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	s := db.Tenant("t")
	for name, q := range map[string]runstore.RunQuery{"list": {},
		"list_state": {States: []runstore.RunState{runstore.RunInited}}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if runs, _, err := s.ListRuns(ctx, q); err != nil || len(runs) != 50 {
					b.Fatal(len(runs), err)
				}
			}
		})
	}
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.CountRuns(ctx, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("acquire", func(b *testing.B) {
		for b.Loop() {
			lease, ok, err := s.AcquireNext(ctx, "w", time.Hour)
			if err != nil || !ok {
				b.Fatal(ok, err)
			}
			if err := s.ReleaseLease(ctx, lease); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFindRuns looks among 100,000 runs for those that all, some and none are like:
// the last means that every run is looked at.
func BenchmarkFindRuns(b *testing.B) {
	s := benchStore(b).Tenant("t")
	fillRuns(b, s, 100_000)
	longAgo := time.Unix(0, 0)
	for _, find := range []struct {
		name string
		q    runstore.RunQuery
		want int
	}{
		{"words_all", runstore.RunQuery{Words: "high Water"}, 50},
		{"words_one", runstore.RunQuery{Words: "high water 77123"}, 1},
		{"words_none", runstore.RunQuery{Words: "ebb water"}, 0},
		{"outcome_none", runstore.RunQuery{Outcomes: []runstore.RunOutcome{runstore.RunPartial}}, 0},
		{"until_none", runstore.RunQuery{Until: longAgo}, 0},
		{"words_all_until_none", runstore.RunQuery{Words: "high water", Until: longAgo}, 0},
	} {
		b.Run(find.name, func(b *testing.B) {
			for b.Loop() {
				if runs, _, err := s.ListRuns(b.Context(), find.q); err != nil || len(runs) != find.want {
					b.Fatal(len(runs), err)
				}
			}
		})
	}
}

// fillRuns makes runs of which nine in ten have ended.
func fillRuns(tb testing.TB, s *Store, runs int) {
	tb.Helper()
	ctx := tb.Context()
	var next atomic.Int64
	done := make(chan error)
	const many = 64
	for range many {
		go func() {
			var err error
			for n := next.Add(1); n <= int64(runs) && err == nil; n = next.Add(1) {
				var run runstore.Run
				if run, err = s.CreateRun(ctx, runstore.NewRun{Agent: "a",
					Task: fmt.Sprintf("When is high water at Hollow Point, and how high does it come? Question %d.",
						n),
					Request: json.RawMessage(`{"query":"x"}`)}); err == nil && n%10 > 0 {
					_, err = s.CancelRun(ctx, run.ID)
				}
			}
			done <- err
		}()
	}
	for range many {
		if err := <-done; err != nil {
			tb.Fatal(err)
		}
	}
}
