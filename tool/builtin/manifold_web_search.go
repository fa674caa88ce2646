package builtin

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/tool"
)

func init() { register(manifold, "web_search", newManifoldWebSearch) }

// manifoldLimits are the manners that Manifold promises towards each service: a
// request every two seconds in the long run, three tries with growing waits between.
var manifoldLimits = search.Limits{Rate: 0.5, RateFixed: true, Burst: 2, Tries: 3, FirstBackoff: time.Second, MaxRetryAfter: 10 * time.Second}

// manifoldDeadline is for one search with all its waits and tries.
const manifoldDeadline = 30 * time.Second

type manifoldSearchInput struct {
	Query      string `json:"query" jsonschema:"what to look for, as search terms" bounds:"1..2000"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"how many results to return" default:"5" bounds:"1..10"`
	Category   string `json:"category,omitempty" jsonschema:"where to search: general, news, images, ..." default:"general" bounds:"0..100"`
	Format     string `json:"format,omitempty" jsonschema:"json; whatever it says, the result is the same" default:"json" bounds:"0..20"`
}

type manifoldSearchOutput struct {
	OK      bool           `json:"ok"`
	Results []manifoldLink `json:"results" jsonschema:"best first; none where nothing was found"`
}

type manifoldLink struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

func newManifoldWebSearch(d Deps) *tool.Tool {
	var gates search.Gates // of every call of this tool
	gate := func(name string) *search.Gate { return gates.Of(name, manifoldLimits) }
	return tool.New(tool.Spec{Name: "web_search", Title: "Search the web",
		Description: "Searches the web, by a SearXNG where one is configured, and returns the titles and URLs of the best results in their order. " +
			"Fetch a page with web_fetch before you cite it. At most one search every two seconds is made, two at once; a search that fails is tried three times within 30 s. " +
			"No results means that nothing was found; blocked, limited and failed searches are errors with a code.",
		Hints: tool.Hints{ReadOnly: true, OpenWorld: true}},
		func(ctx context.Context, in manifoldSearchInput) (manifoldSearchOutput, error) {
			deps, names, err := d.providers(ctx)
			if err != nil {
				return manifoldSearchOutput{}, err
			}
			ctx, cancel := context.WithTimeout(ctx, manifoldDeadline)
			defer cancel()
			out := manifoldSearchOutput{OK: true}
			if slices.Contains(names, searxng) {
				out.Results, err = manifoldInstance(ctx, deps, gate(searxng), in)
			} else {
				w := webSearch{deps: deps, names: names, gate: gate, deadline: manifoldDeadline,
					request: searxRequest{q: in.Query, safe: 1, categories: manifoldCategory(in.Category), page: 1}}
				out.Results, err = manifoldProviders(ctx, w, in.MaxResults)
			}
			return out, err
		})
}

// manifoldCategory is empty for the one that is meant where none is named, so that
// bangs in the query are not widened by it.
func manifoldCategory(category string) string {
	if category == "general" {
		return ""
	}
	return category
}

func manifoldInstance(ctx context.Context, deps provider.Deps, gate *search.Gate, in manifoldSearchInput) ([]manifoldLink, error) {
	var options provider.SearXNGOptions
	if in.Category != "" {
		options.Categories = []string{in.Category}
	}
	p, err := provider.NewSearXNG(deps, options)
	if err != nil {
		return nil, err
	}
	return manifoldLinks(ctx, gate.Guard(p), in)
}

// manifoldLinks asks p, and tells of waits while it does.
func manifoldLinks(ctx context.Context, p search.Provider, in manifoldSearchInput) ([]manifoldLink, error) {
	tell := tool.CallerOf(ctx).Progress
	ctx = search.WithNotes(ctx, func(note string) { tell(0, 0, note) })
	results, err := p.Search(ctx, citewell.Query{Text: in.Query, Limit: in.MaxResults})
	links := []manifoldLink{}
	for _, r := range results {
		links = append(links, manifoldLink{r.Title, r.URL})
	}
	return links, err
}

func manifoldProviders(ctx context.Context, w webSearch, most int) ([]manifoldLink, error) {
	tell := tool.CallerOf(ctx).Progress
	a, err := w.ask(ctx)
	links := []manifoldLink{}
	for _, hit := range a.Results[:min(len(a.Results), most)] {
		var link manifoldLink
		if err := json.Unmarshal(hit.raw, &link); err != nil {
			return links, err
		}
		links = append(links, link)
	}
	for _, note := range a.Notes {
		tell(0, 0, note)
	}
	return links, err
}
