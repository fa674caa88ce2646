package builtin

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/tool"
)

// searxng is the toolset of another system that has a definition of its own here, and
// the provider that it is over.
const searxng = "searxng"

func init() {
	register("", "search", newSearch)
	register(searxng, "search", newSeedSearch)
}

//go:embed search.md
var searchDescription string

// seedSearchInput is what the toolset searxng has, and no more.
type seedSearchInput struct {
	Q          string `json:"q" bounds:"1..2000"`
	TimeRange  string `json:"time_range,omitempty" jsonschema:"where an engine can tell" oneof:"day month year"`
	SafeSearch int    `json:"safesearch,omitempty" jsonschema:"0 off, 1 moderate, 2 strict" default:"1" bounds:"0..2"`
}

type searchInput struct {
	seedSearchInput
	Categories string `json:"categories,omitempty" jsonschema:"between commas: general, news, images, it, ..." bounds:"0..200"`
	Language   string `json:"language,omitempty" jsonschema:"of pages: de, pt-BR, ...; all for any" bounds:"0..20"`
	Page       int    `json:"pageno,omitempty" default:"1" bounds:"1..10"`
	Limit      int    `json:"limit,omitempty" jsonschema:"how many; results_dropped says how many more" default:"10" bounds:"1..100"`
	MaxLength  int    `json:"max_length,omitempty" jsonschema:"in bytes; results are left out whole" default:"20000" bounds:"1000..1000000"`
}

func searchSpec() tool.Spec {
	return tool.Spec{Name: "search", Title: "Search with SearXNG's syntax", Description: searchDescription,
		Hints: tool.Hints{ReadOnly: true, OpenWorld: true}}
}

// seedMaxLength bounds the JSON of a toolset that knows no limit, in bytes.
const seedMaxLength = 200_000

// newSeedSearch is the toolkit's own: an instance's whole answer.
func newSeedSearch(d Deps) *tool.Tool {
	return tool.New(searchSpec(), func(ctx context.Context, in seedSearchInput) (searxAnswer, error) {
		a, err := d.searx(ctx, in.request())
		if err != nil {
			return searxAnswer{}, err
		}
		return a, a.keep(len(a.Results), seedMaxLength)
	})
}

func newSearch(d Deps) *tool.Tool {
	return tool.New(searchSpec(), func(ctx context.Context, in searchInput) (searxAnswer, error) {
		r := in.request()
		r.categories, r.language, r.page = in.Categories, in.Language, in.Page
		a, err := d.searx(ctx, r)
		if err != nil {
			return searxAnswer{}, err
		}
		return a, a.keep(in.Limit, in.MaxLength)
	})
}

func (in seedSearchInput) request() searxRequest {
	return searxRequest{q: in.Q, timeRange: citewell.TimeRange(in.TimeRange), safe: in.SafeSearch, page: 1}
}

// instanceDeadline is for one search by an instance, which waits for its engines.
const instanceDeadline = 20 * time.Second

// searx answers as a SearXNG does: the configured one, or our own providers in its
// form. They do not take the place of an instance that fails, since who has one chose
// who sees the queries. What a keyword computes needs neither, and goes nowhere
// without an instance.
func (d Deps) searx(ctx context.Context, r searxRequest) (searxAnswer, error) {
	computed, isKeyword := answerHere(r.q)
	if r.categories != "" {
		isKeyword = false
	}
	deps, names, err := d.providers(ctx)
	switch {
	case isKeyword && (err != nil || !slices.Contains(names, searxng)):
		a := emptyAnswer(r.q)
		a.Answers = append(a.Answers, computed)
		a.Suggestions = append(a.Suggestions, "!general "+r.q) // what searches for the words
		return a, nil
	case err != nil:
		return searxAnswer{}, err
	case !slices.Contains(names, searxng):
		w := webSearch{deps: deps, names: names, gate: d.gateOf(deps), request: r, deadline: searxDeadline}
		return w.ask(ctx)
	}
	a, err := d.instance(ctx, deps, r)
	switch {
	case !isKeyword, errors.Is(err, context.Canceled):
	case err != nil:
		a = emptyAnswer(r.q)
		a.Answers = append(a.Answers, computed)
		a.UnresponsiveEngines = append(a.UnresponsiveEngines, []string{searxng, unresponsive(err)})
		return a, nil
	case len(a.Answers) == 0:
		a.Answers = append(a.Answers, computed)
	}
	return a, err
}

// instance asks the configured SearXNG.
func (d Deps) instance(ctx context.Context, deps provider.Deps, r searxRequest) (searxAnswer, error) {
	s, err := provider.OpenSearXNG(deps)
	if err != nil {
		return searxAnswer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, instanceDeadline)
	defer cancel()
	var whole provider.SearXNGAnswer
	err = d.gateOf(deps)(searxng).Do(ctx, func(ctx context.Context) (err error) {
		whole, err = s.Ask(ctx, provider.SearXNGQuery{Text: r.q, TimeRange: r.timeRange, SafeSearch: r.safe,
			Categories: r.categories, Language: r.language, Page: r.page})
		return err
	})
	if err != nil {
		return searxAnswer{}, err
	}
	return wholeAnswer(r.q, whole), nil
}

// providers are what to search with; none where there are none.
func (d Deps) providers(ctx context.Context) (provider.Deps, []string, error) {
	if d.Providers == nil {
		return provider.Deps{}, nil, nil
	}
	return d.Providers(ctx)
}

// gateOf returns the limits of each provider, which all calls of the process share.
func (d Deps) gateOf(deps provider.Deps) func(name string) *search.Gate {
	gates := d.Gates
	if gates == nil {
		gates = new(search.Gates)
	}
	return func(name string) *search.Gate { return gates.Of(name, deps.Limits(name)) }
}
