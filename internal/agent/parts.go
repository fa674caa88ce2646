package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

// Providers is a Searcher over search providers: those that a question calls for are asked at
// once, and what they answer is merged, scored and thinned by domain.
type Providers struct {
	List      []search.Provider
	Scope     search.Scope  // where to look; its zero value is what each question calls for
	Timeout   time.Duration // of each provider's answer; search.DefaultTimeout when 0
	PerDomain int           // results of one registered domain; 2 when 0
}

// Search implements Searcher. Where no provider gave a real answer the error says what each did.
func (p Providers) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if len(p.List) == 0 {
		return nil, &citewell.Error{Code: citewell.CodeProviderNotConfigured, Op: "agent.search",
			Message: "no provider is switched on"}
	}
	route, err := search.Choose(q, p.Scope, p.List)
	if err != nil {
		return nil, err
	}
	p.List = route.Providers
	lists := make([][]citewell.Result, len(p.List))
	var all []citewell.ProviderReport
	var failed []string
	var retry time.Duration // until the first turn comes in our own queue
	for answer := range search.Ask(ctx, route.Query, p.List, p.Timeout) {
		i := slices.IndexFunc(p.List, func(known search.Provider) bool { return known.Name() == answer.Provider })
		lists[i] = answer.Results
		all = append(all, answer.Report())
		if answer.Outcome.Answered() {
			continue
		}
		said := fmt.Sprintf("%s %s", answer.Provider, answer.Outcome)
		if e, ok := errors.AsType[*citewell.Error](answer.Err); ok && answer.Outcome == citewell.ProviderQueued &&
			e.RetryAfter > 0 {
			said += fmt.Sprintf(" (its turn comes in %v)", max(e.RetryAfter.Round(time.Second), time.Second))
			if retry == 0 || e.RetryAfter < retry {
				retry = e.RetryAfter
			}
		}
		failed = append(failed, said)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if searchcall.NobodyAnswered(all) {
		slices.Sort(failed)
		return nil, &citewell.Error{Code: citewell.CodeAllProvidersFailed, Op: "agent.search",
			Message: "no provider answered: " + strings.Join(failed, ", "), RetryAfter: retry,
			Hint: "this is no empty result; other words will not help, work with what you have or try later"}
	}
	per := p.PerDomain
	if per <= 0 {
		per = 2
	}
	kept, rest := search.PerDomain(search.Score(q.Text, time.Now(), search.Merge(lists...)), per)
	var results []citewell.Result
	for _, r := range append(kept, rest...) {
		results = append(results, r.Result)
	}
	return results, nil
}

// Pages is a Reader over a fetcher, an extractor, and the indexed documents.
type Pages struct {
	// Local has the pages of indexed files, whose URLs begin with file:; nil has none.
	Local interface {
		Snapshot(ctx context.Context, finalURL string) (citewell.Page, citewell.Document, error)
	}
	// Fetcher gets all others; nil gets none.
	Fetcher interface {
		Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
	}
	Extract func(context.Context, citewell.Page) (citewell.Document, error)
	// Archived lets an archive's copy take the place of a page that is gone.
	Archived bool
}

// Read implements Reader.
func (p Pages) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	var page citewell.Page
	var err error
	switch {
	case !isLocal(url) && p.Fetcher == nil:
		err = &citewell.Error{Code: citewell.CodePermissionDenied, Op: "agent.read",
			Message: "only the user's own documents are read, no web pages"}
	case !isLocal(url):
		page, err = p.Fetcher.Get(ctx, fetch.Request{URL: url, MaxRedirects: 5, Archived: fetch.WhenGone(p.Archived),
			ArchiveTimeout: fetch.ArchiveTimeout})
	case p.Local != nil:
		page, _, err = p.Local.Snapshot(ctx, url)
	default:
		err = &citewell.Error{Code: citewell.CodeNotFound, Op: "agent.read", Message: "there are no indexed documents"}
	}
	if err != nil {
		return citewell.Page{}, citewell.Document{}, err
	}
	doc, err := p.Extract(ctx, page)
	if err == nil && doc.Captions != "" && p.Fetcher != nil && !isLocal(url) {
		page, doc = p.captions(ctx, page, doc)
	}
	return page, doc, err
}

// captions reads what is said in the recording of a page, where that can be read and is more than
// the page has in words.
func (p Pages) captions(ctx context.Context, page citewell.Page,
	doc citewell.Document) (citewell.Page, citewell.Document) {
	said, err := p.Fetcher.Get(egress.Found(ctx), fetch.Request{URL: doc.Captions, MaxRedirects: 5})
	if err != nil {
		return page, doc
	}
	captions, err := p.Extract(ctx, said)
	if err != nil {
		return page, doc
	}
	if transcript, more := doc.Transcribed(captions); more {
		return said, transcript
	}
	return page, doc
}
