package sqlite

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell"
)

func benchStore(b *testing.B) *DB {
	b.Helper()
	db, err := Open(b.Context(), b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}

// BenchmarkWrite shows what group commit saves: the second has 32 callers.
func BenchmarkWrite(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		s := benchStore(b).Tenant("t")
		for n := 0; b.Loop(); n++ {
			if err := writeItem(s, ack{0, n, "source"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("crowd", func(b *testing.B) {
		s := benchStore(b).Tenant("t")
		var n atomic.Int64
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := writeItem(s, ack{0, int(n.Add(1)), "source"}); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

// BenchmarkSnapshot keeps a page and its text, each time new.
func BenchmarkSnapshot(b *testing.B) {
	s := benchStore(b).Tenant("t")
	for n := 0; b.Loop(); n++ {
		body := noise(n, 4<<10) + strings.Repeat("<p>text</p>", 4000)
		page := citewell.Page{FinalURL: "https://a.example/", Body: []byte(body)}
		if err := s.PutSnapshot(context.Background(), page, citewell.Document{Text: body[:2000]}); err != nil {
			b.Fatal(err)
		}
	}
}
