package rank

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/text"
)

type scifactText struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

type scifact struct {
	corpus, queries []scifactText
	relevant        map[string]map[string]float64 // query id → document id → gain
}

func readScifact(t testing.TB) scifact {
	t.Helper()
	dir := realpart.Data(t, "retrieval-scifact")
	file, err := os.Open(filepath.Join(dir, "corpus.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data := scifact{relevant: map[string]map[string]float64{}}
	data.corpus = decodeLines(t, json.NewDecoder(unzipped))
	queries, err := os.ReadFile(filepath.Join(dir, "queries.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	data.queries = decodeLines(t, json.NewDecoder(strings.NewReader(string(queries))))
	judged, err := os.Open(filepath.Join(dir, "qrels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer judged.Close()
	lines := bufio.NewScanner(judged)
	lines.Scan() // the header
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		gain, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if data.relevant[fields[0]] == nil {
			data.relevant[fields[0]] = map[string]float64{}
		}
		data.relevant[fields[0]][fields[1]] = gain
	}
	return data
}

func decodeLines(t testing.TB, decoder *json.Decoder) (texts []scifactText) {
	t.Helper()
	for decoder.More() {
		var one scifactText
		if err := decoder.Decode(&one); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, one)
	}
	return texts
}

// ndcg is nDCG@10 of one ranking, best first.
func ndcg(data scifact, query string, ranking []Scored) float64 {
	ids := make([]string, min(10, len(ranking)))
	for place := range ids {
		ids[place] = data.corpus[ranking[place].Index].ID
	}
	return score.NDCG(ids, data.relevant[query], 10)
}

func TestBM25ReachesThePublishedFigureOnSciFact(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("measured without the race detector")
	}
	data := readScifact(t)
	docs := make([][]string, len(data.corpus))
	for i, doc := range data.corpus {
		docs[i] = text.Terms(doc.Title+"\n"+doc.Text, "en")
	}
	index := relevance.NewIndex(docs)
	total := 0.0
	for _, query := range data.queries {
		total += ndcg(data, query.ID, relevance.Sorted(index.Score(text.Terms(query.Text, "en"))))
	}
	mean := total / float64(len(data.queries))
	t.Logf("nDCG@10 %.4f over %d queries", mean, len(data.queries))
	if mean < 0.68 {
		t.Errorf("nDCG@10 is %.4f; published BM25 has 0.679 and 0.687", mean)
	}
}

// Asked to order the fifty texts that were found, knowing nothing of the rest, the
// ranker of passages must beat BM25 that knows as little.
func TestPassagesBeatBM25OnTheSameCandidates(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("measured without the race detector")
	}
	data := readScifact(t)
	docs := make([][]string, len(data.corpus))
	for i, doc := range data.corpus {
		docs[i] = text.Terms(doc.Title+"\n"+doc.Text, "en")
	}
	index := relevance.NewIndex(docs)
	lexical, passages := 0.0, 0.0
	asked := 0
	for i, query := range data.queries {
		if i%3 != 0 { // a third tells enough, in a third of the time
			continue
		}
		asked++
		terms := text.Terms(query.Text, "en")
		found := relevance.Sorted(index.Score(terms))
		found = found[:min(50, len(found))]
		candidates := make([]citewell.Passage, len(found))
		candidateTerms := make([][]string, len(found))
		for i, one := range found {
			candidates[i] = citewell.Passage{Text: data.corpus[one.Index].Text}
			candidateTerms[i] = docs[one.Index]
		}
		original := func(ranking []Scored) []Scored {
			for i := range ranking {
				ranking[i].Index = found[ranking[i].Index].Index
			}
			return ranking
		}
		lexical += ndcg(data, query.ID, original(relevance.Sorted(relevance.BM25(terms, candidateTerms))))
		passages += ndcg(data, query.ID, original(Passages(query.Text, candidates, Options{
			Language:  "en",
			Languages: func(int) string { return "en" },
			Titles:    func(i int) string { return data.corpus[found[i].Index].Title },
		})))
	}
	n := float64(asked)
	t.Logf("nDCG@10 over fifty candidates: BM25 %.4f, Passages %.4f", lexical/n, passages/n)
	if passages < lexical || passages/n < 0.64 { // 0.649 here; 0.667 over all queries, BM25 0.643
		t.Errorf("Passages has nDCG@10 %.4f, BM25 %.4f; at least 0.64 is expected", passages/n, lexical/n)
	}
}
