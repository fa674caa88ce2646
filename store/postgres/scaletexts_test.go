package postgres

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/sqlite"
)

// scaleTexts makes text i of any number of them, the same for the same i: eight of SciFact's
// sentences, so that words are as frequent as in real abstracts, and two made-up words of a
// million, of which the first are frequent as Zipf has it. The first of them are planted: each has
// four in five words of a claim in place of a sentence.
func scaleTexts(tb testing.TB, dir string, claims []scifactText) func(i int) store.TextDocument {
	var sentences []string
	for _, doc := range sciFactDocuments(tb, dir) {
		for _, span := range text.Sentences(doc.Text) {
			sentences = append(sentences, doc.Text[span.Start:span.End])
		}
	}
	return func(i int) store.TextDocument {
		random := rand.New(rand.NewPCG(14, uint64(i)))
		names := rand.NewZipf(random, 1.1, 10, 1_000_000)
		drawn := make([]string, 8, 10)
		for j := range drawn {
			drawn[j] = sentences[random.IntN(len(sentences))]
		}
		if i < len(claims) {
			words := strings.Fields(claims[i].Text)
			kept := slices.DeleteFunc(words, func(string) bool { return random.IntN(5) == 0 })
			drawn[random.IntN(len(drawn))] = strings.Join(kept, " ") + "."
		}
		for range 2 {
			drawn = append(drawn, fmt.Sprintf("Zq%dx.", names.Uint64()))
		}
		return store.TextDocument{ID: fmt.Sprintf("%07d", i), Text: strings.Join(drawn, " "), Language: "en"}
	}
}

// TestScaleTexts grows one index of texts in each store and asks both the same claims at each size:
// they find the same first ten, and mostly what was planted.
func TestScaleTexts(t *testing.T) {
	sizes := scaleSizes(t)
	dir := realpart.Data(t, "retrieval-scifact")
	claims := readTexts(t, filepath.Join(dir, "queries.jsonl"))[:scaleAsked]
	make1 := scaleTexts(t, dir, claims)
	folder := t.TempDir()
	embedded, err := sqlite.Open(t.Context(), folder, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer embedded.Close()
	db := openURL(t, Options{URL: scaleServer(t).Database(t)})
	here, there := store.Text(embedded.Tenant("t")), store.Text(db.Tenant("t"))
	first := 0
	for _, n := range sizes {
		var added pairTimes
		for ; first < n; first += min(2000, n-first) {
			docs := make([]store.TextDocument, min(2000, n-first))
			for i := range docs {
				docs[i] = make1(first + i)
			}
			add := func(s store.Text) func() error {
				return func() error { return s.IndexDocuments(t.Context(), store.Library, docs) }
			}
			added.run(t, add(here), add(there))
		}
		t.Logf("%d texts: added the last of them in %v and %v (%.2f ×)", n, sum(added.embedded).Round(time.Millisecond),
			sum(added.server).Round(time.Millisecond), float64(sum(added.server))/float64(sum(added.embedded)))
		t.Logf("%d texts: bytes a text %d and %d, of which postings %d", n, fileBytes(t, folder)/int64(n),
			ask1(t, db, `SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class AS c WHERE relkind = 'r' AND starts_with(relname, 'text_')`)/int64(n),
			ask1(t, db, `SELECT pg_total_relation_size('text_posting')`)/int64(n))
		var cold, warm pairTimes
		for _, took := range []*pairTimes{&cold, &warm} {
			differ, planted := 0, 0
			for i, claim := range claims {
				var found [2][]string
				search := func(s store.Text, into *[]string) func() error {
					return func() error {
						hits, err := s.SearchText(t.Context(), store.TextQuery{Text: claim.Text})
						for _, hit := range hits {
							*into = append(*into, hit.ID)
						}
						return err
					}
				}
				took.run(t, search(here, &found[0]), search(there, &found[1]))
				if !slices.Equal(found[0], found[1]) {
					differ++
				}
				if slices.Contains(found[0], make1(i).ID) {
					planted++
				}
			}
			t.Logf("%d texts: %v; the planted text is among the first ten of %d of %d claims", n, took, planted,
				len(claims))
			if differ > 0 || planted < len(claims)/2 {
				t.Errorf("%d texts: %d claims have another first ten in PostgreSQL; %d find what was planted", n,
					differ, planted)
			}
		}
	}
}
