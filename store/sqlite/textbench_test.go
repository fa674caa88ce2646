package sqlite

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// BenchmarkText compares the index with the bare engine and its porter tokenizer, on
// the same texts, each time from an empty file. Both have all documents at once;
// index_each has 32 callers with one document each. Queries ask for the ten best,
// with snippets, and the bare engine is given the same terms.
func BenchmarkText(b *testing.B) {
	dir := realpart.Data(b, "retrieval-scifact")
	corpus := readTexts(b, filepath.Join(dir, "corpus.jsonl.gz"))
	queries := readTexts(b, filepath.Join(dir, "queries.jsonl"))
	docs := make([]store.TextDocument, len(corpus))
	for i, text := range corpus {
		docs[i] = store.TextDocument{ID: text.ID, Title: text.Title, Text: text.Text, Language: "en"}
	}
	ctx := context.Background()
	fresh := func(b *testing.B, fill func(db *DB)) {
		var used time.Duration
		for b.Loop() {
			b.StopTimer()
			db := benchStore(b)
			before := measure.ProcessorTime()
			b.StartTimer()
			fill(db)
			used += measure.ProcessorTime() - before
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(corpus)), "µs/document")
		b.ReportMetric(float64(used.Microseconds())/float64(b.N*len(corpus)), "cpu-µs/document")
	}
	b.Run("index", func(b *testing.B) {
		fresh(b, func(db *DB) {
			if err := db.Tenant("t").IndexDocuments(ctx, store.Library, docs); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("index_each", func(b *testing.B) {
		fresh(b, func(db *DB) { indexTexts(b, db.Tenant("t"), corpus) })
	})
	b.Run("bare_index", func(b *testing.B) {
		fresh(b, func(db *DB) { indexBare(b, db, corpus) })
	})

	ours, bare := benchStore(b), benchStore(b)
	if err := ours.Tenant("t").IndexDocuments(ctx, store.Library, docs); err != nil {
		b.Fatal(err)
	}
	indexBare(b, bare, corpus)
	b.Run("query", func(b *testing.B) {
		before := measure.ProcessorTime()
		defer func() { reportQueryTime(b, before) }()
		for n := 0; b.Loop(); n++ {
			if _, err := ours.Tenant("t").SearchText(ctx, store.TextQuery{
				Text: queries[n%len(queries)].Text}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("count", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			if _, err := ours.Tenant("t").CountText(ctx, store.TextQuery{
				Text: queries[n%len(queries)].Text}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare_query", func(b *testing.B) {
		before := measure.ProcessorTime()
		defer func() { reportQueryTime(b, before) }()
		for n := 0; b.Loop(); n++ {
			match := `"` + strings.Join(text.Terms(queries[n%len(queries)].Text, "en"), `" OR "`) + `"`
			rows, err := bare.reads.Query(
				`SELECT rowid, title, snippet(bare, 1, '', '', '…', 40) FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT 10`, match)
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

func reportQueryTime(b *testing.B, before time.Duration) {
	b.ReportMetric(float64((measure.ProcessorTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

func indexBare(b *testing.B, db *DB, corpus []scifactText) {
	b.Helper()
	tx, err := db.writes.Begin()
	if err != nil {
		b.Fatal(err)
	}
	if _, err := tx.Exec(`CREATE VIRTUAL TABLE bare USING fts5 (title, body, tokenize = 'porter')`); err != nil {
		b.Fatal(err)
	}
	insert, err := tx.Prepare(`INSERT INTO bare VALUES (?, ?)`)
	if err != nil {
		b.Fatal(err)
	}
	for _, document := range corpus {
		if _, err := insert.Exec(document.Title, document.Text); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}
