package postgres

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/sqlite"
)

type scifactText struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

func readLines(tb testing.TB, path string, each func(line []byte)) {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if strings.HasSuffix(path, ".gz") {
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			tb.Fatal(err)
		}
		lines = bufio.NewScanner(unzipped)
	}
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		each(lines.Bytes())
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
}

func readTexts(tb testing.TB, path string) (texts []scifactText) {
	tb.Helper()
	readLines(tb, path, func(line []byte) {
		var text scifactText
		if err := json.Unmarshal(line, &text); err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, text)
	})
	return texts
}

func sciFactDocuments(tb testing.TB, dir string) (docs []store.TextDocument) {
	tb.Helper()
	for _, text := range readTexts(tb, filepath.Join(dir, "corpus.jsonl.gz")) {
		docs = append(docs, store.TextDocument{ID: text.ID, Title: text.Title, Text: text.Text, Language: "en"})
	}
	return docs
}

// TestSciFact measures the text index on 5,183 abstracts and 300 claims beside that of the
// embedded store: the first hundred of each claim are the same, with the same scores.
func TestSciFact(t *testing.T) {
	if score.RaceDetector || testing.Short() {
		t.Skip("measured without the race detector, takes several seconds")
	}
	dir := realpart.Data(t, "retrieval-scifact")
	docs := sciFactDocuments(t, dir)
	s := openURL(t, Options{URL: pgtest.URL(t)}).Tenant("t")
	embedded, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer embedded.Close()
	for _, of := range []store.Text{s, embedded.Tenant("t")} {
		if err := of.IndexDocuments(t.Context(), store.Library, docs); err != nil {
			t.Fatal(err)
		}
	}
	gains := map[string]map[string]float64{}
	readLines(t, filepath.Join(dir, "qrels.tsv"), func(line []byte) {
		var query, document string
		var gain float64
		if n, _ := fmt.Sscan(string(line), &query, &document, &gain); n == 3 && gain != 0 {
			if gains[query] == nil {
				gains[query] = map[string]float64{}
			}
			gains[query][document] = gain
		}
	})
	ndcg, recall, asked, differ := 0.0, 0.0, 0, 0
	for _, query := range readTexts(t, filepath.Join(dir, "queries.jsonl")) {
		if len(gains[query.ID]) == 0 {
			continue
		}
		found := firstHundred(t, s, query.Text)
		if !slices.Equal(found, firstHundred(t, embedded.Tenant("t"), query.Text)) {
			differ++
		}
		ndcg += score.NDCG(found, gains[query.ID], 10)
		recall += score.Recall(found, gains[query.ID], 100)
		asked++
	}
	ndcg, recall = ndcg/float64(asked), recall/float64(asked)
	t.Logf("nDCG@10 %.4f, recall@100 %.4f over %d queries; %d have another first hundred than the embedded store's",
		ndcg, recall, asked, differ)
	if asked != 300 || ndcg < 0.695 || differ > 0 {
		t.Errorf("nDCG@10 is %.4f over %d queries, want 0.695 over 300; %d differ from the embedded store", ndcg,
			asked, differ)
	}
}

func firstHundred(t *testing.T, s store.Text, query string) []string {
	t.Helper()
	hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	return ids
}
