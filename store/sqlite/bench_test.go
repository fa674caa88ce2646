package sqlite

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
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

// BenchmarkText compares the index with the bare engine, which is given the same
// terms and asked for the same ten best rows.
func BenchmarkText(b *testing.B) {
	dir := sharedData(b, "retrieval-scifact")
	corpus := readTexts(b, filepath.Join(dir, "corpus.jsonl.gz"))
	queries := readTexts(b, filepath.Join(dir, "queries.jsonl"))
	ctx := context.Background()

	db := benchStore(b)
	s := db.Tenant("t")
	b.Run("index", func(b *testing.B) {
		for b.Loop() {
			indexTexts(b, s, corpus)
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(corpus)), "µs/document")
	})
	b.Run("query", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if _, err := s.SearchText(ctx, store.TextQuery{Text: queries[n%len(queries)].Text}); err != nil {
				b.Fatal(err)
			}
		}
	})

	bare := benchStore(b)
	b.Run("bare_index", func(b *testing.B) {
		for b.Loop() {
			tx, err := bare.writes.Begin()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := tx.Exec(`DROP TABLE IF EXISTS bare; CREATE VIRTUAL TABLE bare USING fts5 (title, body, tokenize = 'porter')`); err != nil {
				b.Fatal(err)
			}
			for _, document := range corpus {
				if _, err := tx.Exec(`INSERT INTO bare VALUES (?, ?)`, document.Title, document.Text); err != nil {
					b.Fatal(err)
				}
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(corpus)), "µs/document")
	})
	b.Run("bare_query", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			match := `"` + strings.Join(text.Terms(queries[n%len(queries)].Text, "en"), `" OR "`) + `"`
			rows, err := bare.reads.Query(`SELECT rowid, title, snippet(bare, 1, '', '', '…', 40) FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT 10`, match)
			if err != nil {
				b.Fatal(err)
			}
			for rows.Next() {
				var id int64
				var title, snippet string
				if err := rows.Scan(&id, &title, &snippet); err != nil {
					b.Fatal(err)
				}
			}
			rows.Close()
		}
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
