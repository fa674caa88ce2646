package app

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/bench"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/library"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store/sqlite"
)

// What bench answers measures is built from the parts' own defaults, never from the user's
// configuration: the figures are of the program, not of a setting.

// benchTimeout is what a page has when quality is measured: the deadline of a search is counted apart.
const benchTimeout = 30 * time.Second

// BenchAnswerer is the contestant of bench answers: the parts of search --docs, or of
// research, with their defaults and without a model, over a store of its own that Close removes.
func BenchAnswerer(ctx context.Context, docs string) (bench.Answerer, error) {
	return openAnswerer(ctx, docs, nil)
}

// openAnswerer also has the writer tell what it weighs, where weighed is not nil.
func openAnswerer(ctx context.Context, docs string, weighed func(
	string, []brief.Weighed)) (a bench.Answerer, err error) {
	dir, err := os.MkdirTemp("", "citewell-bench-")
	if err != nil {
		return a, err
	}
	db, err := sqlite.Open(ctx, dir, sqlite.Options{})
	if err != nil {
		return a, errors.Join(err, os.RemoveAll(dir))
	}
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		return a, errors.Join(err, db.Close(), os.RemoveAll(dir))
	}
	client := fetch.New(fetch.Options{Guard: guard})
	a.Close = func() error {
		client.Close()
		return errors.Join(db.Close(), os.RemoveAll(dir))
	}
	read, archive := extract.New(extract.Options{Timeout: benchTimeout}).Extract, db.Tenant(sqlite.DefaultTenant)
	local, err := provider.New(localProvider, provider.Deps{Texts: archive})
	if err == nil {
		_, err = library.New(library.Options{Fetcher: client, Extract: read, Reader: extract.Version, Store: archive}).
			Index(ctx, []string{docs}, nil)
	}
	if err != nil {
		return a, errors.Join(err, a.Close())
	}
	var told sync.Map // the sentences that were weighed for a question
	tell := func(question string, sentences []brief.Weighed) {
		told.Store(question, sentences)
		if weighed != nil {
			weighed(question, sentences)
		}
	}
	w := brief.New(brief.Options{Providers: []search.Provider{local}, Fetcher: client, Extract: read, Archive: archive,
		Weighed:   tell,
		Deadlines: brief.Deadlines{Fanout: benchTimeout, Extract: benchTimeout, Total: 2 * benchTimeout}})
	a.Brief = func(ctx context.Context, question string) (citewell.Brief, error) {
		return w.Write(ctx, brief.Request{Query: citewell.Query{Text: question}})
	}
	a.Research = func(ctx context.Context, question string) (citewell.Brief, error) {
		return w.Research(ctx, brief.ResearchRequest{Topic: question})
	}
	a.Texts = func(ctx context.Context, question string) ([]string, error) {
		results, err := local.Search(ctx, citewell.Query{Text: question})
		var texts []string
		for _, r := range results[:min(brief.DefaultOwnDepth, len(results))] {
			_, doc, err := archive.Snapshot(ctx, r.URL)
			if err != nil {
				return nil, err
			}
			texts = append(texts, doc.Text)
		}
		return texts, err
	}
	a.Looked = func(ctx context.Context, b citewell.Brief) (bench.Looked, error) {
		looked, err := lookedAt(ctx, archive, b)
		if all, ok := told.Load(b.Query); ok {
			for _, s := range all.([]brief.Weighed) {
				looked.Sentences = append(looked.Sentences, s.Text)
			}
		}
		return looked, err
	}
	return a, nil
}

// lookedAt reads back what a brief was made from, but for the sentences.
func lookedAt(ctx context.Context, archive brief.Archive, b citewell.Brief) (l bench.Looked, err error) {
	for _, source := range b.Sources {
		_, doc, err := archive.Snapshot(ctx, source.FinalURL)
		if err != nil {
			return l, err
		}
		before := ""
		for block := range strings.SplitSeq(doc.Text, "\n\n") { // a term and what is said of it may be two
			l.Pages = append(l.Pages, text.OneLine(before+" "+block))
			before = block
		}
	}
	for _, p := range b.Passages {
		l.Passages = append(l.Passages, text.OneLine(p.Text))
	}
	return l, nil
}
