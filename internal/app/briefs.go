package app

import (
	"context"

	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/library"
)

// Library indexes the user's own documents.
func (a *App) Library() *library.Library {
	return library.New(library.Options{Fetcher: a.Fetch, Extract: a.Extract.Extract, Reader: extract.Version,
		Store: a.Store, Meanings: a.meanings()})
}

// meanings are the vectors of the user's own documents.
func (a *App) meanings() *meaning.Meanings {
	return meaning.NewMeanings(a.Store, a.Store, a.embedder())
}

// Brief returns a Writer of briefs over the given sources of results.
func (a *App) Brief(ctx context.Context, s agentplan.Sources) (*brief.Writer, error) {
	o, err := a.briefOptions(ctx, s)
	if err != nil {
		return nil, err
	}
	return brief.New(o), nil
}

// briefOptions are the parts of a writer of briefs.
func (a *App) briefOptions(ctx context.Context, s agentplan.Sources) (brief.Options, error) {
	providers, err := a.providers(ctx, s)
	if err != nil {
		return brief.Options{}, err
	}
	known, err := lenses(a.Config.Search)
	if err != nil {
		return brief.Options{}, err
	}
	d := a.Config.Brief.Deadlines
	o := brief.Options{
		Lenses:    known,
		Named:     named(a.Config.Search, s),
		Providers: providers, Fetcher: a.Fetch, Extract: a.Extract.Extract, Archive: a.Store, Copies: a.readsCopies(),
		PerDomain: a.Config.Brief.PerDomain, Language: a.Config.Language.Code(),
		Deadlines: brief.Deadlines{Fanout: d.Fanout, Fetch: d.Fetch, Extract: d.Extract, Synthesis: d.Synthesis,
			Total: d.Total},
		Log: a.warn, Embedder: a.embedder(),
	}
	if a.Cache != nil && !asksLocal(providers) { // the user's own documents may have changed a moment ago
		if o.Cache, err = newCacheSpace(a.Cache, briefSettings(a.Config, a.StorePlace(), a.tenant)); err != nil {
			return o, err
		}
	}
	if a.Reranker != nil {
		o.Reranker = a.Reranker
	}
	if a.Config.Brief.Synthesis {
		for _, m := range a.Models {
			o.Models = append(o.Models, m)
		}
	}
	if o.Judge = a.AskJudge(); a.Judge != nil {
		o.JudgeReport = a.Judge.Report
	}
	return o, nil
}

// Archive gives cite.Verify what the store keeps; nil without a store.
func (a *App) Archive() cite.Archive {
	if a.Store == nil {
		return nil
	}
	return archive{a.Store}
}

type archive struct{ backend.Kept }

func (a archive) Passage(ctx context.Context, id string) (cite.Record, error) {
	r, err := a.Kept.Passage(ctx, id)
	return cite.Record(r), err
}
