package postgres

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// scaled measures an operation of as many callers at once: how many a second, what of the
// server's processors each takes, and what it writes into the log of writes.
func scaled(b *testing.B, server *pgtest.Server, db *DB, callers int, do func(n int64) error) {
	lsn := func() (at float64) {
		if err := db.pool.QueryRow(b.Context(), `SELECT (pg_current_wal_lsn() - '0/0')::float8`).Scan(&at); err != nil {
			b.Fatal(err)
		}
		return at
	}
	written, used := lsn(), server.CPU(b)
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for range callers {
		group.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := do(n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "per_s")
	b.ReportMetric(float64((server.CPU(b)-used).Microseconds())/float64(b.N), "server_cpu_µs/op")
	b.ReportMetric((lsn()-written)/float64(b.N), "WAL_B/op")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkScaling are the figures of doc/scaling.md that are PostgreSQL's.
func BenchmarkScaling(b *testing.B) {
	server := pgtest.Start(b, pgtest.Debian, pgtest.Options{Durable: true})
	request := json.RawMessage(`{"task":"` + strings.Repeat("words ", 20) + `"}`)
	event := []runstore.RunEvent{{Type: "step", Data: json.RawMessage(`{"text":"` +
		strings.Repeat("words ", 60) + `"}`)}}
	for _, callers := range []int{1, 8, 32} {
		b.Run(fmt.Sprint("claims/callers=", callers), func(b *testing.B) {
			db := openURL(b, Options{URL: server.Database(b), Connections: 32})
			s := db.Tenant("t")
			if _, err := s.CreateRun(b.Context(), runstore.NewRun{Agent: "a", Request: request}); err != nil {
				b.Fatal(err)
			}
			// Many wait, so that a claim that reads them all is seen to.
			if _, err := db.pool.Exec(b.Context(),
				`INSERT INTO run (tenant, id, agent, caller, state, created_at, updated_at, seq)
				SELECT tenant, 'r' || i, agent, caller, state, created_at, updated_at, seq FROM run, generate_series(1, 20000) AS i`); err != nil {
				b.Fatal(err)
			}
			scaled(b, server, db, callers, func(n int64) error {
				_, ok, err := s.AcquireNext(b.Context(), "w", time.Hour)
				if err == nil && !ok {
					err = fmt.Errorf("nothing waits after %d", n)
				}
				return err
			})
		})
		b.Run(fmt.Sprint("events/callers=", callers), func(b *testing.B) {
			db := openURL(b, Options{URL: server.Database(b), Connections: 32})
			s := db.Tenant("t")
			leases := make(chan runstore.Lease, callers)
			for range callers {
				run, err := s.CreateRun(b.Context(), runstore.NewRun{Agent: "a", Request: request})
				if err != nil {
					b.Fatal(err)
				}
				lease, err := s.AcquireRun(b.Context(), run.ID, "w", time.Hour)
				if err != nil {
					b.Fatal(err)
				}
				leases <- lease
			}
			scaled(b, server, db, callers, func(int64) error {
				lease := <-leases
				defer func() { leases <- lease }()
				_, err := s.AppendEvents(b.Context(), lease, event)
				return err
			})
		})
	}
	for _, kb := range []int{8, 64, 1024} {
		noise := func(n int64) []byte { // as a picture or a PDF is: it does not pack
			seed := [32]byte{}
			binary.LittleEndian.PutUint64(seed[:], uint64(n))
			data := make([]byte, kb<<10)
			rand.NewChaCha8(seed).Read(data)
			return data
		}
		b.Run(fmt.Sprint("contents/in=rows/KiB=", kb), func(b *testing.B) {
			db := openURL(b, Options{URL: server.Database(b)})
			s := db.Tenant("t")
			scaled(b, server, db, 1, func(n int64) error {
				return s.PutSnapshot(b.Context(), citewell.Page{URL: "https://a.example/", Body: noise(n)},
					citewell.Document{Text: "t"})
			})
		})
		// each on the disk before it counts, as a row is
		b.Run(fmt.Sprint("contents/in=files/KiB=", kb), func(b *testing.B) {
			db, dir := openURL(b, Options{URL: server.Database(b)}), b.TempDir()
			scaled(b, server, db, 1, func(n int64) error {
				f, err := os.Create(filepath.Join(dir, fmt.Sprint(n)))
				if err != nil {
					return err
				}
				_, err = f.Write(noise(n))
				return errors.Join(err, f.Sync(), f.Close())
			})
		})
	}
}
