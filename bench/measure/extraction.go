package measure

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/testing/score"
)

// A Reader makes the text of a page.
type Reader struct {
	Name string
	Note string
	Read func(ctx context.Context, url string, body []byte) (string, error)
}

// Readers are the contestants of Extraction. Halves, where given, read one half of
// the pages each, as half says: they have not seen it.
type Readers struct {
	Ours   Reader
	Halves *[2]Reader
	Peers  []Reader // the first is the library that ours is compared with
}

const (
	deadline = 2 * time.Second // that web_search gives a page
	maxTimed = 120             // pages that are timed, evenly taken from a larger set
)

// Extraction measures readers on one of the two sets of saved pages in dir.
func Extraction(ctx context.Context, dir string, readers Readers, o Options) (sheet.Report, error) {
	o = o.withDefaults()
	pages, articles, err := readPages(ctx, dir)
	if err != nil {
		return sheet.Report{}, err
	}
	known := publishedFor[fingerprint(pages)]
	quality := newQuality(pages, articles)
	texts := func(name string, read func(page) (string, error)) ([]reading, error) {
		o.Say(fmt.Sprintf("%s reads %d pages", name, len(pages)))
		all := make([]reading, len(pages))
		for i, p := range pages {
			began := time.Now()
			text, err := read(p)
			all[i] = reading{text, err != nil, time.Since(began)}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		return all, nil
	}
	score := func(r Reader, note string) error {
		all, err := texts(r.Name, func(p page) (string, error) { return r.Read(ctx, p.url, p.body) })
		if err != nil {
			return err
		}
		quality.add(r.Name, note, pages, all)
		return nil
	}
	ours := ""
	if known.grown {
		ours = "its forests were grown from these pages: no figure for others"
	}
	if err := score(readers.Ours, ours); err != nil {
		return sheet.Report{}, err
	}
	const unseen = "citewell, unseen half"
	if h := readers.Halves; h != nil {
		all, err := texts(unseen, func(p page) (string, error) { return h[1-p.half()].Read(ctx, p.url, p.body) })
		if err != nil {
			return sheet.Report{}, err
		}
		quality.add(unseen, "each half read by forests grown from the other", pages, all)
	} else if known.grown {
		quality.Rows = append(quality.Rows, sheet.Row{Name: unseen, Origin: sheet.NoData,
			Note: "needs forests of each half: --halves DIR (make bench grows them)"})
	}
	for _, peer := range readers.Peers {
		if err := score(peer, peer.Note); err != nil {
			return sheet.Report{}, err
		}
	}
	quality.Rows = append(quality.Rows, known.rows...)
	speed, err := readingSpeed(ctx, pages, readers, o)
	if err != nil {
		return sheet.Report{}, err
	}
	return sheet.Report{Schema: sheet.Schema, Name: "extraction", Data: dir, Rounds: o.Rounds,
		Tables: []sheet.Table{quality.Table, speed}}, nil
}

// A reading is what a reader made of one page.
type reading struct {
	text   string
	failed bool
	took   time.Duration
}

// quality is the table of how well pages were read.
type quality struct {
	sheet.Table
	articles bool
	kinds    []string
}

func newQuality(pages []page, articles bool) *quality {
	q := &quality{articles: articles}
	q.Title = fmt.Sprintf("What is read: %d articles, shingles of four words", len(pages))
	q.Columns = []sheet.Column{{Key: "precision", Title: "P", Decimals: 3}, {Key: "recall", Title: "R", Decimals: 3},
		{Key: "f1", Title: "F1", Decimals: 3}, {Key: "exact", Title: "exact", Decimals: 3}}
	if !articles {
		q.Title = fmt.Sprintf("What is read: %d pages by kind, F1 of words", len(pages))
		kinds := map[string]bool{}
		for _, p := range pages {
			kinds[p.kind] = true
		}
		q.kinds = slices.Sorted(maps.Keys(kinds))
		q.Columns = []sheet.Column{{Key: "f1", Title: "F1", Decimals: 3}, {Key: "precision", Title: "P", Decimals: 3},
			{Key: "recall", Title: "R", Decimals: 3}}
		for _, kind := range q.kinds {
			q.Columns = append(q.Columns, sheet.Column{Key: "f1_" + kind, Title: kind, Decimals: 3})
		}
		q.Columns = append(q.Columns, sheet.Column{Key: "with", Title: "with", Decimals: 3},
			sheet.Column{Key: "without", Title: "without", Decimals: 3})
		q.Notes = append(q.Notes, "with: share of the snippets found that the text should have; without: share absent "+
			"of those that it should not")
	}
	q.Columns = append(q.Columns, sheet.Column{Key: "errors", Title: "errors"},
		sheet.Column{Key: "slow", Title: "> 2 s"})
	return q
}

func (q *quality) add(name, note string, pages []page, readings []reading) {
	figures := map[string]float64{"errors": 0, "slow": 0}
	for _, r := range readings {
		if r.failed {
			figures["errors"]++
		}
		if r.took > deadline {
			figures["slow"]++
		}
	}
	if q.articles {
		var all score.Articles
		for i, p := range pages {
			all.Add(p.marked, readings[i].text)
		}
		figures["precision"], figures["recall"], figures["f1"], figures["exact"] = all.Precision(), all.Recall(),
			all.F1(), all.Exact()
	} else {
		q.addWords(figures, pages, readings)
	}
	q.Rows = append(q.Rows, sheet.Row{Name: name, Origin: sheet.Measured, Figures: figures, Note: note})
}

func (q *quality) addWords(figures map[string]float64, pages []page, readings []reading) {
	var all score.Words
	kinds := map[string]*score.Words{}
	var found, absent []float64
	for i, p := range pages {
		all.Add(p.marked, readings[i].text)
		if kinds[p.kind] == nil {
			kinds[p.kind] = &score.Words{}
		}
		kinds[p.kind].Add(p.marked, readings[i].text)
		if share, any := score.Snippets(p.with, readings[i].text); any {
			found = append(found, share)
		}
		if share, any := score.Snippets(p.without, readings[i].text); any {
			absent = append(absent, 1-share)
		}
	}
	figures["f1"], figures["precision"], figures["recall"] = all.F1(), all.Precision(), all.Recall()
	for kind, words := range kinds {
		figures["f1_"+kind] = words.F1()
	}
	if len(found) > 0 {
		figures["with"] = meanOf(found)
	}
	if len(absent) > 0 {
		figures["without"] = meanOf(absent)
	}
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// readingSpeed lets readers and a parser that does nothing else take turns.
func readingSpeed(ctx context.Context, pages []page, readers Readers, o Options) (sheet.Table, error) {
	step := (len(pages) + maxTimed - 1) / maxTimed
	var timed []page
	for i := 0; i < len(pages); i += step {
		timed = append(timed, pages[i])
	}
	t := sheet.Table{
		Title: fmt.Sprintf("How fast: %d pages, one after another", len(timed)),
		Columns: []sheet.Column{{Key: "pages_per_s", Title: "pages/s", Decimals: 1},
			{Key: "of_library", Title: "× library", Decimals: 2}, {Key: "of_parse", Title: "of parsing", Decimals: 3},
			{Key: "cpu_ms", Title: "CPU ms/page", Decimals: 1}},
		Notes: []string{"citewell makes the whole document (text, Markdown, metadata, links, passages), the library " +
			"its text; parsing alone is the limit of whatever reads the page as a tree"},
	}
	parse := Reader{Name: "parse only (x/net/html)", Read: func(_ context.Context, _ string,
		body []byte) (string, error) {
		_, err := html.Parse(bytes.NewReader(body))
		return "", err
	}}
	all := append([]Reader{readers.Ours, parse}, readers.Peers...)
	turn := 0
	contestants := make([]func(context.Context) error, len(all))
	for i, r := range all {
		contestants[i] = func(ctx context.Context) error {
			turn++
			o.Say(fmt.Sprintf("round %d of %d: %s", (turn-1)/len(all)+1, o.Rounds, r.Name))
			for _, p := range timed {
				_, _ = r.Read(ctx, p.url, p.body) // errors were counted above
			}
			return ctx.Err()
		}
	}
	took, err := takeTurns(ctx, o.Rounds, contestants...)
	if err != nil {
		return t, err
	}
	for i, r := range all {
		row := sheet.Row{Name: r.Name, Origin: sheet.Measured, Figures: map[string]float64{
			"pages_per_s": float64(len(timed)) / medianOf(took[i].wall), "of_parse": ratio(took[1].wall, took[i].wall)}}
		cpuFigures(row.Figures, "cpu_ms", took[i], took[1], float64(len(timed))/1e3)
		if r.Name == parse.Name {
			row.Origin = sheet.Limit
		}
		if len(all) > 2 {
			row.Figures["of_library"] = ratio(took[2].wall, took[i].wall)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}
