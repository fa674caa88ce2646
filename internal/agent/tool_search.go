package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/weburl"
)

// Bounds of what a search shows of one result, in bytes.
const (
	maxSnippet = 500
	maxTitle   = 200
)

type webSearchInput struct {
	Reasoning  string `json:"reasoning" jsonschema:"what it is expected to bring"`
	Query      string `json:"query" jsonschema:"what to search for"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"results" default:"5" bounds:"1..10"`
}

type webSearchOutput struct {
	Query   string      `json:"query"`
	Results []searchHit `json:"results"`

	work *searchWork
}

// A searchWork is a search on its way.
type searchWork struct {
	key   string
	query citewell.Query
	found searchFound
	hits  []searchHit
	err   error
}

// A searchFound is what a search gave, as the journal keeps it.
type searchFound struct {
	Results   []citewell.Result         `json:"results"`
	Providers []citewell.ProviderReport `json:"providers"` // what each did, also where the search failed
}

type searchHit struct {
	N       int    `json:"n"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

func newWebSearch() *tool.Tool {
	return own(WebSearchTool, "Search the web", tool.Hints{ReadOnly: true, OpenWorld: true},
		func(_ context.Context, r *run, in webSearchInput) (webSearchOutput, error) {
			if r.usage.Searches >= r.maxSearches() {
				return webSearchOutput{}, &citewell.Error{Code: citewell.CodeBudgetExhausted,
					Message: r.gone(WebSearchTool), Hint: "work with what you have"}
			}
			r.usage.Searches++
			q := citewell.Query{Text: in.Query, Limit: min(in.MaxResults, r.o.Limits.MaxResults)}
			return webSearchOutput{Query: in.Query, Results: []searchHit{},
				work: &searchWork{key: r.key + "/search", query: q}}, nil
		})
}

// Text is empty: what the model reads is made by settle.
func (o webSearchOutput) Text() string { return "" }

func (o webSearchOutput) fetch(ctx context.Context, r *run) {
	w := o.work
	w.found, w.err = outside(ctx, r, Call{Key: w.key, Kind: CallSearch, Name: WebSearchTool,
		Request: tool.MustMarshal(w.query)}, func(ctx context.Context) (found searchFound, err error) {
		ctx, cancel := r.within(ctx)
		defer cancel()
		var all reports
		found.Results, err = r.o.Searcher.Search(searchcall.WithReports(r.waiting(ctx), all.add), w.query)
		found.Providers = all.byName()
		return found, err
	})
}

// reports are what became of the providers of one search.
type reports struct {
	mu   sync.Mutex
	list []citewell.ProviderReport
}

func (r *reports) add(p citewell.ProviderReport) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, p)
}

func (r *reports) byName() []citewell.ProviderReport {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(slices.Values(r.list), func(a, b citewell.ProviderReport) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// settle numbers the results. A page that is known keeps its number.
func (o webSearchOutput) settle(_ context.Context, r *run) (door.Text, error) {
	if o.work.err != nil {
		return door.Text{}, o.work.err
	}
	shown := 0
	var lines strings.Builder
	for _, found := range o.work.found.Results {
		if shown == o.work.query.Limit {
			break
		}
		if _, err := weburl.Parse(found.URL); err != nil && !isLocal(found.URL) {
			continue
		}
		title, snippet := tool.Shorten(oneLine(found.Title), maxTitle), tool.Shorten(oneLine(found.Snippet), maxSnippet)
		r.door.Note(wordsOf(found.URL), title+"\n"+found.URL+"\n"+snippet)
		s := r.number(title, found.URL, snippet, found.Published, found.Work)
		if !r.outside {
			r.seen[s.key] = true
		}
		shown++
		lines.WriteString(r.lineOf(s, snippet) + "\n\n")
		o.work.hits = append(o.work.hits, searchHit{s.N, oneLine(s.Title), s.URL, snippet})
	}
	if shown == 0 {
		return door.Ours("Search Query: %s\n\nNothing was found. The search itself worked: try other words.",
			door.Echo(o.Query)), nil
	}
	return door.Ours("Search Query: %s\n\n%s", door.Echo(o.Query),
		r.door.Foreign(door.Noted, door.Ours("search results"), strings.TrimSpace(lines.String()))), nil
}

// lineOf is a result as the model is shown it. What it was shown before is not repeated.
func (r *run) lineOf(s *source, snippet string) string {
	line := fmt.Sprintf("[%d] %s", s.N, oneLine(s.Title))
	switch {
	case r.outside: // its caller may have forgotten
	case len(s.seen) > 0 && s.unseen() == len(s.doc.Text):
		return line + " (read above)"
	case snippet != "" && snippet == s.told:
		return line + " (found above with the same words)"
	}
	s.told = snippet
	line += " - " + s.URL + "\n"
	if s.Date != "" {
		line += s.Date + ". "
	}
	return line + snippet
}

func (o webSearchOutput) failed(r *run, err error) door.Text {
	return r.door.Error(door.Public, door.Ours("error of %s", door.Name(WebSearchTool)), err)
}

func (o webSearchOutput) tells(e *Event) {
	e.Search = &Searched{Query: o.Query, Providers: o.work.found.Providers, Hits: []Hit{}}
	for _, hit := range o.work.hits {
		e.Search.Hits = append(e.Search.Hits, Hit{hit.N, hit.Title, hit.URL})
	}
}

func (o webSearchOutput) shown() any {
	return webSearchOutput{Query: o.Query, Results: append([]searchHit{}, o.work.hits...)}
}
