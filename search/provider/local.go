package provider

import (
	"context"
	"errors"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store"
)

func init() {
	register(Description{
		Name:  "local",
		About: "the documents that you indexed, on this machine",
		Docs:  "citewell help index",
		Needs: []string{needTexts},
		Kinds: []search.Kind{search.KindLocal},
	}, func(d Deps, _ Settings) (search.Provider, error) {
		return &local{d.Texts, d.Meanings, time.Now}, nil
	})
}

// local finds in the user's own index what was indexed from files and URLs. Region
// and safe search mean nothing there. A time range leaves out documents that are
// dated and older; one without a date stays, since most files have none. With an
// embedding model the index is searched by words and by meaning.
type local struct {
	texts    TextSearcher
	meanings TextSearcher // nil: by words alone
	now      func() time.Time
}

// Profile implements search.Profiled.
func (p *local) Profile() search.Profile { return profileOf("local") }

func (p *local) Name() string { return "local" }

const (
	// localLimit is how many results come where the query does not say.
	localLimit = 10
	// localReach is how many of the best by words and by meaning are joined, for each
	// result that is wanted: what both have among them comes first.
	localReach = 3
	// localMeaningLimit is how long the embedding model may take, so that what the words
	// found is still an answer.
	localMeaningLimit = 2 * time.Second
	// localPatience is how many times as long as the web the index is waited for.
	localPatience = 3
)

// Patience implements search.Patient: nobody else has the user's own documents.
func (p *local) Patience(timeout time.Duration) (time.Duration, string) {
	return localPatience * timeout, "your documents were not looked at: ask again, ask about fewer documents, or " +
		"raise brief.deadlines.fanout"
}

func (p *local) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = localLimit
	}
	asked := limit
	if q.TimeRange != citewell.AnyTime {
		asked *= 5 // some of them will be left out
	}
	hits, err := p.found(ctx, q.Text, asked)
	if err != nil {
		return nil, localError(err)
	}
	var results []citewell.Result
	oldest := oldestDay(q.TimeRange, p.now())
	for _, hit := range hits {
		published := isoDate(hit.Published)
		if published != "" && published < oldest || !localURL(hit.URL) {
			continue
		}
		title := oneLine(hit.Title, maxTitleBytes)
		if title == "" {
			title = localName(hit.URL)
		}
		results = append(results, citewell.Result{Provider: p.Name(), Title: title, URL: hit.URL,
			Snippet: oneLine(hit.Snippet, maxSnippetBytes), Published: published, Rank: len(results) + 1})
		if len(results) == limit {
			break
		}
	}
	return results, nil
}

// found returns the best documents for a query: by words, or by words and meaning.
func (p *local) found(ctx context.Context, query string, limit int) ([]store.TextHit, error) {
	q := store.TextQuery{Text: query, Limit: limit}
	if p.meanings == nil {
		return p.texts.SearchText(ctx, q)
	}
	q.Limit = min(limit*localReach, store.MaxSearchLimit)
	words, err := p.texts.SearchText(ctx, q)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, localMeaningLimit)
	defer cancel()
	near, err := p.meanings.SearchText(within, q)
	if err != nil {
		searchcall.Note(ctx, "found by words alone: "+citewell.View(err).Message)
	}
	return joinHits(limit, words, near), nil
}

// joinHits makes one list of several, each best first, by reciprocal ranks. Of a
// document that is in two, the first has the snippet.
func joinHits(limit int, lists ...[]store.TextHit) []store.TextHit {
	known := map[string]store.TextHit{}
	rankings := make([]relevance.Ranking, len(lists))
	for i, hits := range lists {
		for _, hit := range hits {
			if _, ok := known[hit.URL]; !ok {
				known[hit.URL] = hit
			}
			rankings[i].IDs = append(rankings[i].IDs, hit.URL)
		}
	}
	var joined []store.TextHit
	for _, r := range relevance.Hybrid(rankings...) {
		if len(joined) == limit {
			break
		}
		joined = append(joined, known[r.ID])
	}
	return joined
}

func localError(err error) error {
	if _, ok := errors.AsType[*citewell.Error](err); ok {
		return err
	}
	code := citewell.CodeStoreFailed
	if c := citewell.CodeOf(err); c == citewell.CodeTimeout || c == citewell.CodeCanceled {
		code = c
	}
	return &citewell.Error{Code: code, Op: "search local", Message: "the index of your documents could not be read",
		Err: err}
}

// localURL says whether a document's URL is one that can be cited: a file's or a
// page's.
func localURL(raw string) bool {
	if u, err := url.Parse(raw); err == nil && u.Scheme == "file" && u.Path != "" {
		return true
	}
	_, err := weburl.Parse(raw)
	return err == nil
}

// localName is the file's name, or the host of a page, for want of a title.
func localName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	if name := path.Base(u.Path); name != "/" && name != "." {
		return oneLine(strings.ReplaceAll(name, "_", " "), maxTitleBytes)
	}
	return u.Host
}

// oldestDay is the first day within a time range that ends now, and empty where
// there is no range.
func oldestDay(r citewell.TimeRange, now time.Time) string {
	var from time.Time
	switch r {
	case citewell.PastDay:
		from = now.AddDate(0, 0, -1)
	case citewell.PastWeek:
		from = now.AddDate(0, 0, -7)
	case citewell.PastMonth:
		from = now.AddDate(0, -1, 0)
	case citewell.PastYear:
		from = now.AddDate(-1, 0, 0)
	default:
		return ""
	}
	return from.UTC().Format(time.DateOnly)
}
