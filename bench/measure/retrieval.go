package measure

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/citewell/citewell/internal/dataset"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/text"
)

// A Text is one document of a retrieval set.
type Text struct {
	ID       string `json:"_id"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	Language string `json:"-"` // as guessed, which extraction does for documents
}

// An Engine makes an index in an empty folder.
type Engine struct {
	Name string
	Note string
	Open func(ctx context.Context, dir string) (Index, error)

	// Together is how many texts are at most made durable by one commit, since each is
	// acknowledged before more come; all where 0. Indexing is compared with bare FTS5
	// that commits as many.
	Together int
	Again    bool // finds what the one before it finds: only its indexing is measured
}

// An Index holds texts and finds their ids, best first.
type Index interface {
	Add(ctx context.Context, texts []Text) error
	Search(ctx context.Context, query string, limit int) ([]string, error)
	Close() error
}

const retrievalFiles = "corpus.jsonl.gz, queries.jsonl and qrels.tsv"

// A retrievalSet is a set in the BEIR arrangement.
type retrievalSet struct {
	texts, queries []Text
	gains          map[string]map[string]float64 // by query id, then text id
}

func readRetrieval(dir string) (set retrievalSet, err error) {
	if err := dataset.Require(dir, retrievalFiles, "corpus.jsonl", "queries.jsonl", "qrels.tsv"); err != nil {
		return set, err
	}
	if err := dataset.EachLine(filepath.Join(dir, "corpus.jsonl"), func(t Text) {
		t.Language = text.Language(t.Title + "\n" + t.Text)
		set.texts = append(set.texts, t)
	}); err != nil {
		return set, err
	}
	name := filepath.Join(dir, "qrels.tsv")
	raw, err := dataset.Read(name)
	if err != nil {
		return set, err
	}
	set.gains = map[string]map[string]float64{}
	lines := csv.NewReader(bytes.NewReader(raw))
	lines.Comma, lines.FieldsPerRecord, lines.LazyQuotes = '\t', 3, true
	for n := 1; ; n++ {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return set, dataset.Malformed(name, err)
		}
		gain, err := strconv.ParseFloat(fields[2], 64)
		if err != nil {
			if n == 1 {
				continue // the heading
			}
			return set, dataset.Malformed(fmt.Sprintf("line %d of %s", n, name), err)
		}
		if set.gains[fields[0]] == nil {
			set.gains[fields[0]] = map[string]float64{}
		}
		set.gains[fields[0]][fields[1]] = gain
	}
	// A query without judgements says nothing.
	if err := dataset.EachLine(filepath.Join(dir, "queries.jsonl"), func(q Text) {
		if len(set.gains[q.ID]) > 0 {
			set.queries = append(set.queries, q)
		}
	}); err != nil {
		return set, err
	}
	if len(set.texts) == 0 || len(set.queries) == 0 {
		return set, dataset.Lacks(dir, "text and query with a judgement", retrievalFiles)
	}
	return set, nil
}

// depth is how far down a ranking is looked at for recall.
const depth = 100

// Retrieval measures engines on the set in dir beside bare FTS5.
func Retrieval(ctx context.Context, dir string, engines []Engine, o Options) (sheet.Report, error) {
	o = o.withDefaults()
	set, err := readRetrieval(dir)
	if err != nil {
		return sheet.Report{}, err
	}
	scratch, err := os.MkdirTemp("", "citewell-bench-")
	if err != nil {
		return sheet.Report{}, err
	}
	defer os.RemoveAll(scratch)
	engines = append(bareEngines(engines), engines...)
	found := sheet.Table{
		Title: fmt.Sprintf("What is found: %d queries over %d texts", len(set.queries), len(set.texts)),
		Columns: []sheet.Column{{Key: "ndcg10", Title: "nDCG@10", Decimals: 3},
			{Key: "recall100", Title: "recall@100", Decimals: 3}},
	}
	fresh := func(ctx context.Context, e Engine) (Index, error) {
		folder, err := os.MkdirTemp(scratch, "")
		if err != nil {
			return nil, err
		}
		return e.Open(ctx, folder)
	}
	filled := make([]Index, len(engines)) // nil for one that is not asked
	defer func() {
		for _, x := range filled {
			if x != nil {
				_ = x.Close() // a scratch folder that is removed next
			}
		}
	}()
	for i, e := range engines {
		if e.Again {
			continue
		}
		o.Say(fmt.Sprintf("%s: indexing, then %d queries", e.Name, len(set.queries)))
		x, err := fresh(ctx, e)
		if err != nil {
			return sheet.Report{}, err
		}
		filled[i] = x
		figures, err := retrieved(ctx, x, set)
		if err != nil {
			return sheet.Report{}, err
		}
		found.Rows = append(found.Rows, sheet.Row{Name: e.Name, Origin: sheet.Measured, Note: e.Note, Figures: figures})
	}
	if len(set.queries) == sciFactQueries && len(set.texts) == sciFactTexts {
		found.Rows = append(found.Rows, publishedRetrieval...)
	}

	var indexing, asking []func(context.Context) error
	for i, e := range engines {
		indexing = append(indexing, func(ctx context.Context) error {
			o.Say("indexing with " + e.Name)
			x, err := fresh(ctx, e)
			if err != nil {
				return err
			}
			return errors.Join(x.Add(ctx, set.texts), x.Close())
		})
		asking = append(asking, func(ctx context.Context) error { return askAll(ctx, filled[i], set.queries) })
	}
	indexed, err := takeTurns(ctx, o.Rounds, indexing...)
	if err != nil {
		return sheet.Report{}, err
	}
	o.Say("queries by turns")
	asked, err := takeTurns(ctx, o.Rounds, asking...)
	if err != nil {
		return sheet.Report{}, err
	}
	return sheet.Report{Schema: sheet.Schema, Name: "retrieval", Data: dir, Rounds: o.Rounds,
		Tables: []sheet.Table{found, speedTable(engines, set, indexed, asked)}}, nil
}

// askAll asks for the ten best of each query; an index that is not asked is nil.
func askAll(ctx context.Context, x Index, queries []Text) error {
	if x == nil {
		return nil
	}
	for _, q := range queries {
		if _, err := x.Search(ctx, q.Text, 10); err != nil {
			return err
		}
	}
	return nil
}

// speedTable says how fast engines index and answer, as medians of turns.
func speedTable(engines []Engine, set retrievalSet, indexed, asked []laps) sheet.Table {
	speed := sheet.Table{
		Title: "How fast: opening, adding all texts and closing; then each query for the ten best",
		Columns: []sheet.Column{
			{Key: "index_us", Title: "µs/text"}, {Key: "index_of_bare", Title: "× bare", Decimals: 2},
			{Key: "index_cpu_us", Title: "CPU µs/text"}, {Key: "index_cpu_us_ratio", Title: "× bare", Decimals: 2},
			{Key: "query_us", Title: "µs/query"}, {Key: "query_of_bare", Title: "× bare", Decimals: 2},
			{Key: "query_cpu_us", Title: "CPU µs/query"}, {Key: "query_cpu_us_ratio", Title: "× bare", Decimals: 2},
		},
		Notes: []string{"× bare: its time as a multiple of bare FTS5's, which keeps title and text and gives ten " +
			"titles and snippets; in indexing, of the one with as many texts a commit"},
	}
	for i, e := range engines {
		bare := slices.IndexFunc(engines, func(other Engine) bool { return other.Together == e.Together })
		row := sheet.Row{Name: e.Name, Origin: sheet.Measured, Figures: map[string]float64{
			"index_us":      medianOf(indexed[i].wall) * 1e6 / float64(len(set.texts)),
			"index_of_bare": ratio(indexed[i].wall, indexed[bare].wall)}}
		cpuFigures(row.Figures, "index_cpu_us", indexed[i], indexed[bare], float64(len(set.texts))/1e6)
		if e.Again {
			row.Note = e.Note
		} else {
			row.Figures["query_us"] = medianOf(asked[i].wall) * 1e6 / float64(len(set.queries))
			row.Figures["query_of_bare"] = ratio(asked[i].wall, asked[0].wall)
			cpuFigures(row.Figures, "query_cpu_us", asked[i], asked[0], float64(len(set.queries))/1e6)
		}
		if i == bare {
			row.Origin = sheet.Limit
		}
		speed.Rows = append(speed.Rows, row)
	}
	return speed
}

// retrieved fills an index with all texts and scores its rankings, means over queries.
func retrieved(ctx context.Context, x Index, set retrievalSet) (map[string]float64, error) {
	if err := x.Add(ctx, set.texts); err != nil {
		return nil, err
	}
	figures := map[string]float64{}
	for _, q := range set.queries {
		ranking, err := x.Search(ctx, q.Text, depth)
		if err != nil {
			return nil, err
		}
		figures["ndcg10"] += score.NDCG(ranking, set.gains[q.ID], 10) / float64(len(set.queries))
		figures["recall100"] += score.Recall(ranking, set.gains[q.ID], depth) / float64(len(set.queries))
	}
	return figures, nil
}
