package searxng

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

func init() {
	Definitions.Add("", "search", newSearch)
	Definitions.Add(Name, "search", newOriginalSearch)
}

//go:embed search.md
var searchDescription string

// originalInput is what the toolkit has, and no more.
type originalInput struct {
	Q          string `json:"q" bounds:"1..2000"`
	TimeRange  string `json:"time_range,omitempty" jsonschema:"where an engine can tell" oneof:"day month year"`
	SafeSearch int    `json:"safesearch,omitempty" jsonschema:"0 off, 1 moderate, 2 strict" default:"1" bounds:"0..2"`
}

type searchInput struct {
	originalInput
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

// originalMaxLength bounds the JSON of a toolset that knows no limit, in bytes.
const originalMaxLength = 200_000

// newOriginalSearch is the toolkit's own: an instance's whole answer.
func newOriginalSearch(d Deps) *tool.Tool {
	return tool.New(searchSpec(), func(ctx context.Context, in originalInput) (Answer, error) {
		a, err := d.answer(ctx, in.request())
		if err != nil {
			return Answer{}, err
		}
		return a, a.keepBest(len(a.Results), originalMaxLength)
	})
}

func newSearch(d Deps) *tool.Tool {
	return tool.New(searchSpec(), func(ctx context.Context, in searchInput) (Answer, error) {
		r := in.request()
		r.Categories, r.Language, r.Page = in.Categories, in.Language, in.Page
		a, err := d.answer(ctx, r)
		if err != nil {
			return Answer{}, err
		}
		return a, a.keepBest(in.Limit, in.MaxLength)
	})
}

func (in originalInput) request() Request {
	return Request{Q: in.Q, TimeRange: citewell.TimeRange(in.TimeRange), Safe: in.SafeSearch, Page: 1}
}

// instanceDeadline is for one search by an instance, which waits for its engines.
const instanceDeadline = 20 * time.Second

// answer answers as a SearXNG does: the configured one, or our own providers in its form. These do not replace an
// instance that fails, since who has one chose who sees the queries. A keyword needs neither.
func (d Deps) answer(ctx context.Context, r Request) (Answer, error) {
	computed, isKeyword := answerHere(r.Q)
	if r.Categories != "" {
		isKeyword = false
	}
	deps, names, err := d.Configured(ctx)
	switch {
	case isKeyword && (err != nil || !slices.Contains(names, Name)):
		a := emptyAnswer(r.Q)
		a.Answers = append(a.Answers, computed)
		a.Suggestions = append(a.Suggestions, "!general "+r.Q) // what searches for the words
		return a, nil
	case err != nil:
		return Answer{}, err
	case !slices.Contains(names, Name):
		return Substitute{Deps: deps, Names: names, Gate: d.gateOf(deps), Deadline: deadline}.Ask(ctx, r)
	}
	a, err := d.instance(ctx, deps, r)
	switch {
	case !isKeyword, errors.Is(err, context.Canceled):
	case err != nil:
		a = emptyAnswer(r.Q)
		a.Answers = append(a.Answers, computed)
		a.UnresponsiveEngines = append(a.UnresponsiveEngines, []string{Name, unresponsive(err)})
		return a, nil
	case len(a.Answers) == 0:
		a.Answers = append(a.Answers, computed)
	}
	return a, err
}

// instance asks the configured SearXNG.
func (d Deps) instance(ctx context.Context, deps provider.Deps, r Request) (Answer, error) {
	s, err := provider.OpenSearXNG(deps)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, instanceDeadline)
	defer cancel()
	var whole services.SearXNGAnswer
	err = d.gateOf(deps)(Name).Do(ctx, func(ctx context.Context) (err error) {
		whole, err = s.Ask(ctx, services.SearXNGQuery{Text: r.Q, TimeRange: r.TimeRange, SafeSearch: r.Safe,
			Categories: r.Categories, Language: r.Language, Page: r.Page})
		return err
	})
	if err != nil {
		return Answer{}, err
	}
	return wholeAnswer(r.Q, whole), nil
}

// Configured are what to search with; none where there are none.
func (d Deps) Configured(ctx context.Context) (provider.Deps, []string, error) {
	if d.Providers == nil {
		return provider.Deps{}, nil, nil
	}
	return d.Providers(ctx)
}

// gateOf returns the limits of each provider, which all calls of the process share.
func (d Deps) gateOf(deps provider.Deps) func(name string) *search.Gate {
	gates := cmp.Or(d.Gates, new(search.Gates))
	return func(name string) *search.Gate { return gates.Of(name, deps.Limits(name)) }
}
