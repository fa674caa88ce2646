package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/text"
)

const (
	grownAtOnce  = 5000 // texts that an engine is given in one call
	grownQueries = 60
)

// A FolderIndex finds within the texts whose id begins so.
type FolderIndex interface {
	SearchFolder(ctx context.Context, folder, query string, limit int) ([]string, error)
}

// Growth measures what a query costs in indexes of growing size: texts made of eight
// sentences each, drawn from those of the set in dir, asked the set's first queries. A
// quarter of them are in a folder and one in a hundred in another; an engine that can ask
// for a folder is asked for both, too.
func Growth(ctx context.Context, dir string, sizes []int, engines []Engine, o Options) (sheet.Report, error) {
	o = o.withDefaults()
	if len(sizes) == 0 || slices.Min(sizes) < 1 {
		return sheet.Report{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench growth",
			Message: "each number of texts must be 1 or more"}
	}
	set, err := readRetrieval(dir)
	if err != nil {
		return sheet.Report{}, err
	}
	scratch, err := os.MkdirTemp("", "citewell-bench-")
	if err != nil {
		return sheet.Report{}, err
	}
	defer os.RemoveAll(scratch)
	indexes := make([]Index, len(engines))
	for i, e := range engines {
		folder := filepath.Join(scratch, strconv.Itoa(i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return sheet.Report{}, err
		}
		if indexes[i], err = e.Open(ctx, folder); err != nil {
			return sheet.Report{}, err
		}
		defer indexes[i].Close()
	}
	queries := set.queries[:min(grownQueries, len(set.queries))]
	report := sheet.Report{Schema: sheet.Schema, Name: "growth", Data: dir, Rounds: o.Rounds}
	maker := newTextMaker(set.texts)
	held := 0
	for _, size := range slices.Sorted(slices.Values(sizes)) {
		texts := maker.make(size - held)
		held = size
		table := growthTable(size, len(queries))
		ways := make([]func(context.Context) error, 0, 3*len(engines))
		for i, e := range engines {
			o.Say(fmt.Sprintf("%s: adding %d texts", e.Name, len(texts)))
			before, known := processorTime()
			for batch := range slices.Chunk(texts, grownAtOnce) {
				if err := indexes[i].Add(ctx, batch); err != nil {
					return sheet.Report{}, err
				}
			}
			row := sheet.Row{Name: e.Name, Origin: sheet.Measured, Note: e.Note, Figures: map[string]float64{}}
			if after, ok := processorTime(); known && ok && len(texts) > 0 {
				row.Figures["index_us"] = (after - before).Seconds() * 1e6 / float64(len(texts))
			}
			bytes, err := folderSize(filepath.Join(scratch, strconv.Itoa(i)))
			if err != nil {
				return sheet.Report{}, err
			}
			row.Figures["kb_text"] = float64(bytes) / 1e3 / float64(size)
			table.Rows = append(table.Rows, row)
			ways = append(ways, ask(indexes[i], "", queries), ask(indexes[i], "a/", queries),
				ask(indexes[i], "b/", queries))
		}
		o.Say("queries by turns")
		asked, err := takeTurns(ctx, o.Rounds, ways...)
		if err != nil {
			return sheet.Report{}, err
		}
		last := asked[len(asked)-3]
		for i := range engines {
			all := asked[3*i]
			if len(all.cpu) == 0 {
				continue
			}
			figures := table.Rows[i].Figures
			figures["query_us"] = medianOf(all.cpu) * 1e6 / float64(len(queries))
			figures["of_last"] = ratio(all.cpu, last.cpu)
			if _, ok := indexes[i].(FolderIndex); ok {
				figures["quarter_of_all"], figures["hundredth_of_all"] = ratio(asked[3*i+1].cpu, all.cpu),
					ratio(asked[3*i+2].cpu, all.cpu)
			}
		}
		report.Tables = append(report.Tables, table)
	}
	return report, nil
}

// growthTable has no row yet.
func growthTable(size, queries int) sheet.Table {
	return sheet.Table{Title: fmt.Sprintf("What a query costs: %d made-up texts, %d queries for the ten best",
		size, queries),
		Columns: []sheet.Column{{Key: "index_us", Title: "CPU µs/text added"},
			{Key: "kb_text", Title: "kB/text", Decimals: 1}, {Key: "query_us", Title: "CPU µs/query"},
			{Key: "of_last", Title: "× last", Decimals: 2},
			{Key: "quarter_of_all", Title: "a quarter × all", Decimals: 2},
			{Key: "hundredth_of_all", Title: "a hundredth × all", Decimals: 2}},
		Notes: []string{"× last: its processor time as a multiple of the last row's; a quarter, a hundredth: the " +
			"same queries of a folder that has so many of the texts"}}
}

// ask puts all queries to an index, or to a folder of it where it knows folders.
func ask(x Index, folder string, queries []Text) func(context.Context) error {
	return func(ctx context.Context) error {
		inFolder, ok := x.(FolderIndex)
		if folder != "" && !ok {
			return nil
		}
		for _, q := range queries {
			var err error
			if folder == "" {
				_, err = x.Search(ctx, q.Text, 10)
			} else {
				_, err = inFolder.SearchFolder(ctx, folder, q.Text, 10)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// A textMaker makes texts of the sentences of others, the same ones each time.
type textMaker struct {
	sentences, titles []string
	random            *rand.Rand
	made              int
}

func newTextMaker(from []Text) *textMaker {
	m := &textMaker{random: rand.New(rand.NewPCG(1, 2))}
	for _, t := range from {
		m.titles = append(m.titles, t.Title)
		for _, span := range text.Sentences(t.Text) {
			m.sentences = append(m.sentences, t.Text[span.Start:span.End])
		}
	}
	return m
}

func (m *textMaker) make(count int) []Text {
	texts := make([]Text, count)
	for i := range texts {
		var body [8]string
		for j := range body {
			body[j] = m.sentences[m.random.IntN(len(m.sentences))]
		}
		folder := "c"
		if m.made%4 == 0 {
			folder = "a"
		} else if m.made%100 == 1 {
			folder = "b"
		}
		texts[i] = Text{ID: fmt.Sprintf("%s/%d", folder, m.made), Title: m.titles[m.random.IntN(len(m.titles))],
			Text: strings.Join(body[:], " "), Language: "en"}
		m.made++
	}
	return texts
}

// folderSize is how many bytes the files below a folder have.
func folderSize(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}
