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
	measure "github.com/citewell/citewell/internal/score"
	"github.com/citewell/citewell/store"
	"golang.org/x/sync/errgroup"
)

// sharedData returns a folder of the measurement sets, and skips where it is not
// at hand: CITEWELL_SHARED, or a folder "shared" beside the repository.
func sharedData(tb testing.TB, name string) string {
	tb.Helper()
	places := []string{os.Getenv("CITEWELL_SHARED"), "../../../shared"}
	for _, place := range places {
		dir := filepath.Join(place, "data", name)
		if _, err := os.Stat(dir); place != "" && err == nil {
			return dir
		}
	}
	tb.Skipf("the data set %s is not here; set CITEWELL_SHARED to the folder that has data/%s", name, name)
	return ""
}

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
			return s.IndexDocument(context.Background(), citewell.Document{URL: text.ID, Title: text.Title, Text: text.Text, Language: "en"}, "")
		})
	}
	if err := group.Wait(); err != nil {
		tb.Fatal(err)
	}
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
	dir := sharedData(t, "retrieval-scifact")
	s := openTest(t, t.TempDir()).Tenant("t")
	indexTexts(t, s, readTexts(t, filepath.Join(dir, "corpus.jsonl.gz")))
	relevant := make(map[string]map[string]float64)
	readLines(t, filepath.Join(dir, "qrels.tsv"), func(line []byte) {
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
	sum, queries := 0.0, 0
	for _, query := range readTexts(t, filepath.Join(dir, "queries.jsonl")) {
		wanted := relevant[query.ID]
		if len(wanted) == 0 {
			continue
		}
		hits, err := s.SearchText(t.Context(), store.TextQuery{Text: query.Text})
		if err != nil {
			t.Fatal(err)
		}
		found := make([]string, len(hits))
		for i, hit := range hits {
			found[i] = hit.URL
		}
		sum += measure.NDCG(found, wanted, 10)
		queries++
	}
	ndcg := sum / float64(queries)
	t.Logf("nDCG@10 %.4f over %d queries", ndcg, queries)
	if queries != 300 || ndcg < 0.69 {
		t.Errorf("nDCG@10 is %.4f over %d queries, want 0.69 over 300", ndcg, queries)
	}
}
