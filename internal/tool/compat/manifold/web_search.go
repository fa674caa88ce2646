package manifold

import (
	"context"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/searxng"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

func init() { Definitions.Add(Name, "web_search", newWebSearch) }

// searchLimits are what Manifold promises each service: a request every two seconds, three tries with growing waits.
var searchLimits = search.Limits{Rate: 0.5, RateFixed: true, Burst: 2, Tries: 3, FirstBackoff: time.Second,
	MaxRetryAfter: 10 * time.Second}

// searchDeadline is for one search with all its waits and tries.
const searchDeadline = 30 * time.Second

type searchInput struct {
	Query      string `json:"query" jsonschema:"what to look for, as search terms" bounds:"1..2000"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"how many results to return" default:"5" bounds:"1..10"`
	Category   string `json:"category,omitempty" jsonschema:"where to search: general, news, images, ..." default:"general" bounds:"0..100"`
	Format     string `json:"format,omitempty" jsonschema:"json; whatever it says, the result is the same" default:"json" bounds:"0..20"`
}

type searchOutput struct {
	OK      bool   `json:"ok"`
	Results []link `json:"results" jsonschema:"best first; none where nothing was found"`
}

type link struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

func newWebSearch(d Deps) *tool.Tool {
	var gates search.Gates // of every call of this tool
	if all := d.Search.Gates; all != nil {
		gates.Allow, gates.Heard = all.Allow, all.Heard
	}
	gate := func(name string) *search.Gate { return gates.Of(name, searchLimits) }
	return tool.New(tool.Spec{Name: "web_search", Title: "Search the web",
		Description: "Searches the web, by a SearXNG where one is configured, and returns the titles and URLs of the " +
			"best results in their order. " +
			"Fetch a page with web_fetch before you cite it. At most one search every two seconds is made, two at " +
			"once; a search that fails is tried three times within 30 s. " +
			"No results means that nothing was found; blocked, limited and failed searches are errors with a code.",
		Hints: tool.Hints{ReadOnly: true, OpenWorld: true}},
		func(ctx context.Context, in searchInput) (searchOutput, error) {
			deps, names, err := d.Search.Configured(ctx)
			if err != nil {
				return searchOutput{}, err
			}
			ctx, cancel := context.WithTimeout(ctx, searchDeadline)
			defer cancel()
			out := searchOutput{OK: true}
			if slices.Contains(names, searxng.Name) {
				out.Results, err = linksOfInstance(ctx, deps, gate(searxng.Name), in)
			} else {
				substitute := searxng.Substitute{Deps: deps, Names: names, Gate: gate, Deadline: searchDeadline}
				out.Results, err = linksOfProviders(ctx, substitute, in)
			}
			return out, err
		})
}

// categoryNamed is empty for general, so that bangs in the query are not widened by it.
func categoryNamed(category string) string {
	if category == "general" {
		return ""
	}
	return category
}

func linksOfInstance(ctx context.Context, deps provider.Deps, gate *search.Gate, in searchInput) ([]link, error) {
	var options services.SearXNGOptions
	if in.Category != "" {
		options.Categories = []string{in.Category}
	}
	p, err := provider.NewWith(deps, options)
	if err != nil {
		return nil, err
	}
	return linksBy(ctx, gate.Guard(p), in)
}

// linksBy asks p, and tells of waits while it does.
func linksBy(ctx context.Context, p search.Provider, in searchInput) ([]link, error) {
	tell := tool.CallerOf(ctx).Progress
	ctx = searchcall.WithNotes(ctx, func(note string) { tell(0, 0, note) })
	results, err := p.Search(ctx, citewell.Query{Text: in.Query, Limit: in.MaxResults})
	links := []link{}
	for _, r := range results {
		links = append(links, link{r.Title, r.URL})
	}
	return links, err
}

func linksOfProviders(ctx context.Context, s searxng.Substitute, in searchInput) ([]link, error) {
	tell := tool.CallerOf(ctx).Progress
	a, err := s.Ask(ctx, searxng.Request{Q: in.Query, Safe: 1, Categories: categoryNamed(in.Category), Page: 1})
	links := []link{}
	for _, r := range a.Results[:min(len(a.Results), in.MaxResults)] {
		var l link
		if err := r.Decode(&l); err != nil {
			return links, err
		}
		links = append(links, l)
	}
	for _, note := range a.Notes {
		tell(0, 0, note)
	}
	return links, err
}
