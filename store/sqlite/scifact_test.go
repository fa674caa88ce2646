package sqlite

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"golang.org/x/sync/errgroup"
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

func readTexts(tb testing.TB, path string) []scifactText {
	tb.Helper()
	var texts []scifactText
	readLines(tb, path, func(line []byte) {
		var text scifactText
		if err := json.Unmarshal(line, &text); err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, text)
	})
	return texts
}

func indexTexts(tb testing.TB, s *Store, texts []scifactText) {
	tb.Helper()
	var group errgroup.Group
	group.SetLimit(32)
	for _, text := range texts {
		group.Go(func() error {
			return s.IndexDocument(context.Background(), citewell.Document{
				URL: text.ID, Title: text.Title, Text: text.Text, Language: "en"}, "")
		})
	}
	if err := group.Wait(); err != nil {
		tb.Fatal(err)
	}
}

// sciFactGains are how much each text is worth to each query.
func sciFactGains(tb testing.TB, dir string) map[string]map[string]float64 {
	tb.Helper()
	relevant := make(map[string]map[string]float64)
	readLines(tb, filepath.Join(dir, "qrels.tsv"), func(line []byte) {
		var query, document string
		var gain float64
		if n, _ := fmt.Sscan(string(line), &query, &document, &gain); n != 3 || gain == 0 {
			return // the heading
		}
		if relevant[query] == nil {
			relevant[query] = make(map[string]float64)
		}
		relevant[query][document] = gain
	})
	return relevant
}

// retrieved scores the first hundred texts for each query, means over those with gains.
func retrieved(t *testing.T, s *Store, queries []scifactText,
	gains map[string]map[string]float64) (ndcg, recall float64, asked int) {
	t.Helper()
	for _, query := range queries {
		wanted := gains[query.ID]
		if len(wanted) == 0 {
			continue
		}
		hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query.Text, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		found := make([]string, len(hits))
		for i, hit := range hits {
			found[i] = hit.ID
		}
		ndcg += measure.NDCG(found, wanted, 10)
		recall += measure.Recall(found, wanted, 100)
		asked++
	}
	return ndcg / float64(asked), recall / float64(asked), asked
}

// TestSciFact measures the text index on 5,183 abstracts and 300 claims. Published
// nDCG@10 of BM25 is 0.679 and 0.687.
func TestSciFact(t *testing.T) {
	if measure.RaceDetector {
		t.Skip("measured without the race detector")
	}
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	dir := realpart.Data(t, "retrieval-scifact")
	s := openTest(t, t.TempDir()).Tenant("t")
	indexTexts(t, s, readTexts(t, filepath.Join(dir, "corpus.jsonl.gz")))
	ndcg, recall, asked := retrieved(t, s, readTexts(t, filepath.Join(dir, "queries.jsonl")), sciFactGains(t, dir))
	t.Logf("nDCG@10 %.4f, recall@100 %.4f over %d queries", ndcg, recall, asked)
	if asked != 300 || ndcg < 0.695 {
		t.Errorf("nDCG@10 is %.4f over %d queries, want 0.695 over 300", ndcg, asked)
	}
}

// TestSciFactParagraphs asks with what agents write: every tenth abstract's first half
// is a query for its other half, among the other halves of all. What a paragraph says
// again and again is what it is about.
func TestSciFactParagraphs(t *testing.T) {
	if measure.RaceDetector || testing.Short() {
		t.Skip("measured without the race detector, takes several seconds")
	}
	dir := realpart.Data(t, "retrieval-scifact")
	s := openTest(t, t.TempDir()).Tenant("t")
	var queries []scifactText
	var docs []store.TextDocument
	gains := map[string]map[string]float64{}
	for i, abstract := range readTexts(t, filepath.Join(dir, "corpus.jsonl.gz")) {
		spans := text.Sentences(abstract.Text)
		if len(spans) < 4 {
			continue
		}
		half := spans[len(spans)/2].Start
		docs = append(docs, store.TextDocument{ID: abstract.ID, Text: abstract.Text[half:],
			Language: text.Language(abstract.Text[half:])})
		if i%10 == 0 {
			queries = append(queries, scifactText{ID: abstract.ID, Text: abstract.Text[:half]})
			gains[abstract.ID] = map[string]float64{abstract.ID: 1}
		}
	}
	if err := s.IndexDocuments(t.Context(), store.Library, docs); err != nil {
		t.Fatal(err)
	}
	ndcg, recall, asked := retrieved(t, s, queries, gains)
	t.Logf("nDCG@10 %.4f, recall@100 %.4f over %d queries, %d texts", ndcg, recall, asked, len(docs))
	if ndcg < 0.82 || recall < 0.89 {
		t.Errorf("nDCG@10 is %.4f and recall@100 %.4f, want 0.82 and 0.89", ndcg, recall)
	}
}
