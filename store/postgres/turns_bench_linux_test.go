package postgres

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/store/sqlite"
	"golang.org/x/sync/errgroup"
)

// diskBytes is what this process has had written to disks.
func diskBytes(b *testing.B) (n float64) {
	b.Helper()
	said, err := os.ReadFile("/proc/self/io")
	if err != nil {
		realpart.Lacking(b, "what is written cannot be counted: %v", err)
	}
	_, after, _ := strings.Cut(string(said), "write_bytes: ")
	if _, err := fmt.Sscan(after, &n); err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkScalingTurns begins and ends a request to a host of its own: what turns that all
// processes share cost each request, in the embedded store and in PostgreSQL.
func BenchmarkScalingTurns(b *testing.B) {
	rule := runstore.PaceRule{Every: time.Second, AtOnce: 1, Free: true}
	turn := func(b *testing.B, s runstore.Pace, n int64) error {
		host, now := fmt.Sprintf("host h%d.example", n), time.Now()
		got, err := s.TakeTurn(b.Context(), host, now, rule)
		if err == nil && got.ID == "" {
			err = fmt.Errorf("no turn: %+v", got)
		}
		if err != nil {
			return err
		}
		return s.EndTurn(b.Context(), host, got.ID, now, time.Second)
	}
	server := pgtest.Start(b, pgtest.Debian, pgtest.Options{Durable: true})
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprint("in=sqlite/callers=", callers), func(b *testing.B) {
			db, err := sqlite.Open(b.Context(), b.TempDir(), sqlite.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			var next atomic.Int64
			var group sync.WaitGroup
			written := diskBytes(b)
			b.ResetTimer()
			for range callers {
				group.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						if err := turn(b, db.Tenant("t"), n); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.StopTimer()
			b.ReportMetric(b.Elapsed().Seconds()*1000*float64(callers)/float64(b.N), "ms/turn")
			b.ReportMetric((diskBytes(b)-written)/float64(b.N), "disk_B/op")
			b.ReportMetric(0, "ns/op")
		})
		b.Run(fmt.Sprint("in=postgres/callers=", callers), func(b *testing.B) {
			db := openURL(b, Options{URL: server.Database(b)})
			scaled(b, server, db, callers, func(n int64) error { return turn(b, db.Tenant("t"), n) })
			b.ReportMetric(b.Elapsed().Seconds()*1000*float64(callers)/float64(b.N), "ms/turn")
		})
	}
}

// BenchmarkScalingHold is what a second costs the server in which a worker's 200 runs do nothing: each
// looks whether it is to be cancelled, and every other renews its lease of six seconds, as
// runstore.HoldLease does; beside it, one statement for all of them.
func BenchmarkScalingHold(b *testing.B) {
	const runs = 200
	server := pgtest.Start(b, pgtest.Debian, pgtest.Options{Durable: true})
	db := openURL(b, Options{URL: server.Database(b)})
	s := db.Tenant("t")
	leases := make([]runstore.Lease, runs)
	ids := make([]string, runs)
	for i := range leases {
		run, err := s.CreateRun(b.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
		if err != nil {
			b.Fatal(err)
		}
		if leases[i], err = s.AcquireRun(b.Context(), run.ID, "w", 6*time.Second); err != nil {
			b.Fatal(err)
		}
		ids[i] = run.ID
	}
	b.Run("each", func(b *testing.B) {
		scaled(b, server, db, 1, func(n int64) error {
			var group errgroup.Group
			group.SetLimit(16)
			for i, lease := range leases {
				group.Go(func() error {
					_, err := s.CancelRequested(b.Context(), lease)
					if err == nil && (int64(i)+n)%2 == 0 {
						_, err = s.RenewLease(b.Context(), lease)
					}
					return err
				})
			}
			return group.Wait()
		})
	})
	b.Run("all", func(b *testing.B) {
		scaled(b, server, db, 1, func(n int64) error {
			if n%2 == 0 {
				_, err := db.pool.Exec(b.Context(),
					`UPDATE run SET expires_at = micros() + ttl WHERE tenant = 't' AND id = ANY ($1) AND owner = 'w' AND ended_at = 0`, ids)
				return err
			}
			_, err := db.pool.Exec(b.Context(),
				`SELECT id, token, cancel_at FROM run WHERE tenant = 't' AND id = ANY ($1) AND owner = 'w' AND ended_at = 0`, ids)
			return err
		})
	})
}
