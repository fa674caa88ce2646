package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// madeUpTexts returns count texts of eight sentences each, drawn from those of corpus: an
// index of any size whose words are as frequent as in real abstracts. A quarter of them
// are in the folder "a/", one in a hundred in "b/".
func madeUpTexts(corpus []scifactText, count int) []store.TextDocument {
	var sentences []string
	for _, abstract := range corpus {
		for _, span := range text.Sentences(abstract.Text) {
			sentences = append(sentences, abstract.Text[span.Start:span.End])
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	docs := make([]store.TextDocument, count)
	for i := range docs {
		var body [8]string
		for j := range body {
			body[j] = sentences[random.IntN(len(sentences))]
		}
		folder := "c"
		if i%4 == 0 {
			folder = "a"
		} else if i%100 == 1 {
			folder = "b"
		}
		docs[i] = store.TextDocument{ID: fmt.Sprintf("%s/%d", folder, i), Title: corpus[random.IntN(len(corpus))].Title,
			Text: strings.Join(body[:], " "), Language: "en", Metadata: map[string]string{"folder": folder}}
	}
	return docs
}

// manyTexts returns a store with CITEWELL_TEXTS made-up texts, 5,000 unless set, and the
// claims that it is asked.
func manyTexts(tb testing.TB) (*Store, []scifactText) {
	tb.Helper()
	dir := realpart.Data(tb, "retrieval-scifact")
	count, err := strconv.Atoi(cmp.Or(os.Getenv("CITEWELL_TEXTS"), "5000"))
	if err != nil {
		tb.Fatal(err)
	}
	db, err := Open(context.Background(), tb.TempDir(), Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	docs := madeUpTexts(readTexts(tb, filepath.Join(dir, "corpus.jsonl.gz")), count)
	if err := db.Tenant("t").IndexDocuments(context.Background(), store.Library, docs); err != nil {
		tb.Fatal(err)
	}
	return db.Tenant("t"), readTexts(tb, filepath.Join(dir, "queries.jsonl"))[:60]
}

// narrowed are ways to ask for a part of the texts.
var narrowed = []struct {
	name  string
	query store.TextQuery
}{
	{"all", store.TextQuery{}},
	{"folder_of_a_quarter", store.TextQuery{URLPrefix: "a/"}},
	{"folder_of_a_hundredth", store.TextQuery{URLPrefix: "b/"}},
	{"filter_of_a_quarter", store.TextQuery{Filters: []store.Filter{{Key: "folder", In: []string{"a"}}}}},
	{"filter_of_a_hundredth", store.TextQuery{Filters: []store.Filter{{Key: "folder", In: []string{"b"}}}}},
}

// BenchmarkTextNarrowed asks for a part of many texts: it should cost no more than twice
// what asking for all of them does.
func BenchmarkTextNarrowed(b *testing.B) {
	s, queries := manyTexts(b)
	for _, way := range narrowed {
		b.Run(way.name, func(b *testing.B) {
			before := measure.ProcessorTime()
			defer func() { reportQueryTime(b, before) }()
			for n := 0; b.Loop(); n++ {
				query := way.query
				query.Text = queries[n%len(queries)].Text
				if _, err := s.SearchText(context.Background(), query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestTextNarrowed holds a folder or a filter to twice the processor time of the whole
// index. As one query of the engine for each text of the folder it was 20 to 100 times.
func TestTextNarrowed(t *testing.T) {
	if measure.RaceDetector || testing.Short() {
		t.Skip("measures processor time")
	}
	s, queries := manyTexts(t)
	least := make([]time.Duration, len(narrowed))
	for range 3 { // the least of some rounds, taken by turns: others use the machine, too
		for i, way := range narrowed {
			before := measure.ProcessorTime()
			for _, q := range queries[:20] {
				query := way.query
				query.Text = q.Text
				if _, err := s.SearchText(t.Context(), query); err != nil {
					t.Fatal(err)
				}
			}
			if used := measure.ProcessorTime() - before; least[i] == 0 || used < least[i] {
				least[i] = used
			}
		}
	}
	for i, way := range narrowed {
		t.Logf("%s: %v of processor time a query", way.name, least[i]/20)
		if least[i] > 2*least[0] {
			t.Errorf("%s costs %.1f times what the whole index does, want 2 at most", way.name,
				float64(least[i])/float64(least[0]))
		}
	}
}
