package postgres

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// benchWriters measures a write of as many executors at once, each with a run of its own, on a
// server that syncs each commit.
func benchWriters(b *testing.B, write func(b *testing.B, s *Store, lease runstore.Lease, n int64) error) {
	server := pgtest.Start(b, pgtest.Debian, pgtest.Options{Durable: true})
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			db := openURL(b, Options{URL: server.Database(b), Connections: int32(min(writers, 32))})
			s := db.Tenant("t")
			leases := make([]runstore.Lease, writers)
			for i := range leases {
				run, err := s.CreateRun(b.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
				if err != nil {
					b.Fatal(err)
				}
				if leases[i], err = s.AcquireRun(b.Context(), run.ID, "w", time.Hour); err != nil {
					b.Fatal(err)
				}
			}
			var next atomic.Int64
			var group sync.WaitGroup
			b.ResetTimer()
			for _, lease := range leases {
				group.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						if err := write(b, s, lease, n); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
		})
	}
}

func BenchmarkAppendEvents(b *testing.B) {
	data := json.RawMessage(`{"text":"` + strings.Repeat("words ", 60) + `"}`)
	benchWriters(b, func(b *testing.B, s *Store, lease runstore.Lease, n int64) error {
		_, err := s.AppendEvents(b.Context(), lease, []runstore.RunEvent{{Type: "step", Data: data}})
		return err
	})
}

// BenchmarkWriteCalls ends one call and begins the next, as a run does at each step.
func BenchmarkWriteCalls(b *testing.B) {
	benchWriters(b, func(b *testing.B, s *Store, lease runstore.Lease, n int64) error {
		call := runstore.Call{Step: int(n), Kind: runstore.CallTool, Name: "t", Input: json.RawMessage(`1`)}
		_, err := s.WriteCalls(b.Context(), lease, []runstore.CallEntry{
			{Call: call}, {Call: call, Result: &runstore.CallResult{Data: json.RawMessage(`2`)}}})
		return err
	})
}

// BenchmarkContent keeps and reads a page of a mebibyte: words, which pack, and noise, which does
// not.
// BenchmarkPlace is the place of a model's call, taken and given back, and a look for one where all are held.
func BenchmarkPlace(b *testing.B) {
	benchWriters(b, func(b *testing.B, s *Store, _ runstore.Lease, _ int64) error {
		turn, err := s.TakeTurn(b.Context(), "model", time.Now(), runstore.PaceRule{AtOnce: 256, Free: true})
		if err != nil {
			return err
		}
		return s.EndTurn(b.Context(), "model", turn.ID, time.Now(), 0)
	})
	db := openURL(b, Options{URL: pgtest.URL(b)})
	b.Run("held", func(b *testing.B) {
		for range b.N {
			if _, err := db.Tenant("t").TakeTurn(b.Context(), "held", time.Now(),
				runstore.PaceRule{AtOnce: 1, Free: true, Hold: time.Hour}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkContent(b *testing.B) {
	s := openURL(b, Options{URL: pgtest.Start(b, pgtest.Debian, pgtest.Options{Durable: true}).URL}).Tenant("t")
	random := rand.New(rand.NewPCG(1, 2))
	for name, word := range map[string]func() string{
		"words": func() string { return []string{"tide ", "harbour ", "<p>", "</p>\n", "metres "}[random.IntN(5)] },
		"noise": func() string { return string(binary.LittleEndian.AppendUint64(nil, random.Uint64())) },
	} {
		page := func() citewell.Page {
			var body strings.Builder
			for body.Len() < 1<<20 {
				body.WriteString(word())
			}
			return citewell.Page{URL: "https://a.example/", Body: []byte(body.String())}
		}
		pages := []citewell.Page{}
		b.Run(name+"/put", func(b *testing.B) {
			b.SetBytes(1 << 20)
			for b.Loop() {
				b.StopTimer()
				p := page()
				pages = append(pages, p)
				b.StartTimer()
				if err := s.PutSnapshot(b.Context(), p, citewell.Document{Text: "t"}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/get", func(b *testing.B) {
			b.SetBytes(1 << 20)
			for i := 0; b.Loop(); i++ {
				if _, err := s.Blob(b.Context(), citewell.SHA256(pages[i%len(pages)].Body)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
