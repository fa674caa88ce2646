package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/testing/minilm"
	"github.com/citewell/citewell/internal/testing/realpart"
	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/store"
)

// hybridDepth results of each index are fused.
const hybridDepth = 100

// embedTexts returns the vectors of texts from the model of the tests, which keeps them
// from one run to the next.
func embedTexts(tb testing.TB, base string, texts []string) [][]float32 {
	tb.Helper()
	var vectors [][]float32
	for batch := range slices.Chunk(texts, 64) {
		body, err := json.Marshal(map[string]any{"model": minilm.Model, "input": batch})
		if err != nil {
			tb.Fatal(err)
		}
		response, err := (&http.Client{Timeout: 5 * time.Minute}).Post(base+"/embeddings", "application/json",
			bytes.NewReader(body))
		if err != nil {
			tb.Fatal(err)
		}
		var answer struct {
			Data []struct {
				Index     int
				Embedding []float32
			}
		}
		err = json.NewDecoder(response.Body).Decode(&answer)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || len(answer.Data) != len(batch) {
			tb.Fatalf("the model answers %s with %d vectors for %d texts, %v", response.Status, len(answer.Data),
				len(batch), err)
		}
		part := make([][]float32, len(batch))
		for _, one := range answer.Data {
			part[one.Index] = one.Embedding
		}
		vectors = append(vectors, part...)
	}
	return vectors
}

func openHybrid(tb testing.TB) *Store {
	tb.Helper()
	db, err := Open(tb.Context(), tb.TempDir(), Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	return db.Tenant("t")
}

// A hybridSet is SciFact in a store, as words and as embeddings.
type hybridSet struct {
	s         *Store
	questions []scifactText
	values    [][]float32 // of the questions
	relevant  map[string]map[string]float64
}

func newHybridSet(tb testing.TB) hybridSet {
	tb.Helper()
	dir := realpart.Data(tb, "retrieval-scifact")
	base := minilm.Start(tb)
	tb.Cleanup(http.DefaultClient.CloseIdleConnections)
	corpus := readTexts(tb, filepath.Join(dir, "corpus.jsonl.gz"))
	set := hybridSet{s: openHybrid(tb), questions: readTexts(tb, filepath.Join(dir, "queries.jsonl")),
		relevant: make(map[string]map[string]float64)}
	readLines(tb, filepath.Join(dir, "qrels.tsv"), func(line []byte) {
		var query, document string
		var gain float64
		if n, _ := fmt.Sscan(string(line), &query, &document, &gain); n != 3 || gain == 0 {
			return // the heading
		}
		if set.relevant[query] == nil {
			set.relevant[query] = make(map[string]float64)
		}
		set.relevant[query][document] = gain
	})
	if !wholeSet(tb) {
		corpus = set.thin(corpus)
	}
	ctx := context.Background()
	if err := set.s.MakeCollection(ctx, store.VectorCollection{
		Name: "c", Dimension: minilm.Dimensions, Model: minilm.Model}); err != nil {
		tb.Fatal(err)
	}
	for batch := range slices.Chunk(corpus, store.MaxVectorBatch) {
		texts, vectors := make([]string, len(batch)), make([]store.Vector, len(batch))
		for i, document := range batch {
			texts[i] = document.Title + "\n" + document.Text
		}
		for i, values := range embedTexts(tb, base, texts) {
			vectors[i] = store.Vector{ID: batch[i].ID, Values: values}
		}
		if err := set.s.UpsertVectors(ctx, "c", vectors); err != nil {
			tb.Fatal(err)
		}
	}
	indexTexts(tb, set.s, corpus)
	texts := make([]string, len(set.questions))
	for i, question := range set.questions {
		texts[i] = question.Text
	}
	set.values = embedTexts(tb, base, texts)
	return set
}

// wholeSet says whether all abstracts are embedded: always in a benchmark, in a test
// where CITEWELL_HYBRID is all, since a processor takes ten minutes for them.
func wholeSet(tb testing.TB) bool {
	_, benchmark := tb.(*testing.B)
	return benchmark || os.Getenv("CITEWELL_HYBRID") == "all"
}

// thin keeps every seventh question, what is relevant to those, and every twentieth
// other abstract.
func (set *hybridSet) thin(corpus []scifactText) []scifactText {
	var questions []scifactText
	kept := map[string]bool{}
	for i := 0; i < len(set.questions); i += 7 {
		questions = append(questions, set.questions[i])
		for id := range set.relevant[set.questions[i].ID] {
			kept[id] = true
		}
	}
	set.questions = questions
	var thinned []scifactText
	for i, document := range corpus {
		if kept[document.ID] || i%20 == 0 {
			thinned = append(thinned, document)
		}
	}
	return thinned
}

// rankings returns what each index finds for question i.
func (set hybridSet) rankings(tb testing.TB, i int) (words, meaning relevance.Ranking) {
	tb.Helper()
	hits, err := set.s.SearchText(tb.Context(), store.TextQuery{Text: set.questions[i].Text, Limit: hybridDepth})
	if err != nil {
		tb.Fatal(err)
	}
	for _, hit := range hits {
		words.IDs = append(words.IDs, hit.URL)
	}
	meaning.IDs = nearestNames(tb, set.s, store.VectorQuery{Collection: "c", Values: set.values[i], K: hybridDepth})
	return words, meaning
}

// TestHybridSciFact measures the text index, embeddings of a small model, and both
// together on 5,183 abstracts and 300 claims (CITEWELL_HYBRID=all), where together they
// must be better than each; of a part of them they must not be worse than the better
// one by more than 0.01.
func TestHybridSciFact(t *testing.T) {
	if measure.RaceDetector {
		t.Skip("measured without the race detector")
	}
	if testing.Short() {
		t.Skip("embeds hundreds of abstracts, which takes half a minute the first time")
	}
	set := newHybridSet(t)
	weights := []float64{0.5, 1, 2} // of the words, against 1 of the embeddings
	byText, byVector, together, asked, recalled := 0.0, 0.0, make([]float64, len(weights)), 0, 0.0
	for i, values := range set.values {
		gains := set.relevant[set.questions[i].ID]
		if len(gains) == 0 {
			continue
		}
		asked++
		words, meaning := set.rankings(t, i)
		exact := nearestNames(t, set.s, store.VectorQuery{Collection: "c", Values: values, Exact: true})
		for _, id := range exact {
			if slices.Contains(meaning.IDs[:len(exact)], id) {
				recalled += 1 / float64(len(exact))
			}
		}
		byText += measure.NDCG(words.IDs, gains, 10)
		byVector += measure.NDCG(meaning.IDs, gains, 10)
		for j, weight := range weights {
			words.Weight = weight
			var ids []string
			for _, one := range relevance.Hybrid(words, meaning) {
				ids = append(ids, one.ID)
			}
			together[j] += measure.NDCG(ids, gains, 10)
		}
	}
	n := float64(asked)
	t.Logf("nDCG@10 over %d queries: text %.4f, vectors %.4f, recall@10 of the vectors against all %.4f", asked,
		byText/n, byVector/n, recalled/n)
	for j, weight := range weights {
		t.Logf("hybrid with words counting %.1f: %.4f", weight, together[j]/n)
	}
	hybrid, best := together[1]/n, max(byText, byVector)/n
	if whole := wholeSet(t); whole && (asked != 300 || hybrid <= best) || !whole && (asked < 30 || hybrid < best-0.01) {
		t.Errorf("hybrid has nDCG@10 %.4f over %d queries, text %.4f, vectors %.4f", hybrid, asked,
			byText/n, byVector/n)
	}
	if recalled/n < 0.98 {
		t.Errorf("recall@10 of the embeddings is %.4f, want 0.98", recalled/n)
	}
}

// BenchmarkHybrid asks both indexes and fuses what they find; the embedding of the
// question is at hand.
func BenchmarkHybrid(b *testing.B) {
	set := newHybridSet(b)
	for n := 0; b.Loop(); n++ {
		words, meaning := set.rankings(b, n%len(set.questions))
		relevance.Hybrid(words, meaning)
	}
}

func nearestNames(tb testing.TB, s *Store, q store.VectorQuery) []string {
	tb.Helper()
	hits, err := s.NearestVectors(tb.Context(), q)
	if err != nil {
		tb.Fatal(err)
	}
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	return ids
}
