package search_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

func TestLenses(t *testing.T) {
	for name, lens := range search.Lenses {
		if err := lens.Check(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(lens.Kinds) == 0 || len(lens.Sites) == 0 {
			t.Errorf("%s looks everywhere", name)
		}
		slices.Sort(lens.Sites)
		if len(slices.Compact(lens.Sites)) != len(lens.Sites) {
			t.Errorf("%s has a site twice", name)
		}
	}
	for want, lens := range map[string]struct {
		name string
		search.Scope
	}{
		"not as a kind":     {"web", search.Scope{}},
		"not as a kind ":    {"auto", search.Scope{}},
		"small letters":     {"Law EU", search.Scope{}},
		"there may be 10":   {"x", search.Scope{Sites: make([]string, 11)}},
		"is no host":        {"x", search.Scope{Sites: []string{"https://example.org/"}}},
		"must be a day":     {"x", search.Scope{Since: "2024"}},
		"must not be after": {"x", search.Scope{Since: "2024-02-01", Until: "2024-01-01"}},
	} {
		if err := lens.Check(lens.name); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s with %+v: %v, want %q", lens.name, lens.Scope, err, want)
		}
	}
}

func TestParseScope(t *testing.T) {
	lenses := map[string]search.Scope{"ours": {Kinds: []search.Kind{search.KindLaw}, Sites: []string{"example.org"}}}
	if s, err := search.ParseScope([]string{" Ours"}, lenses); err != nil || s.Lens != "ours" ||
		!slices.Equal(s.Sites, []string{"example.org"}) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := search.ParseScope([]string{"law", "web"}, lenses); err != nil || s.Lens != "" ||
		!slices.Equal(s.Kinds, []search.Kind{search.KindWeb, search.KindLaw}) {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := search.ParseScope([]string{search.Auto}, lenses); err != nil || s.Lens != "" || s.Kinds != nil {
		t.Errorf("%+v, %v", s, err)
	}
	for _, test := range []struct{ names, message, hint string }{
		{"ours,web", `"ours" is a lens, which stands alone`, "alone: ours"},
		{"theirs", `"theirs" is no kind of sources`, "alone: ours"},
	} {
		_, err := search.ParseScope(strings.Split(test.names, ","), lenses)
		view := citewell.View(err)
		if view.Code != citewell.CodeInvalidArgument || !strings.Contains(view.Message, test.message) ||
			!strings.Contains(view.Hint, test.hint) {
			t.Errorf("%s: %+v", test.names, view)
		}
	}
}

// A lens says where providers of the web look and within which days, and nothing of others.
func TestChooseByLens(t *testing.T) {
	finding := func(urls ...string) []func(context.Context) ([]citewell.Result, error) {
		return []func(context.Context) ([]citewell.Result, error){
			func(context.Context) (results []citewell.Result, err error) {
				for _, url := range urls {
					results = append(results, citewell.Result{Title: "x", URL: url})
				}
				return results, nil
			}}
	}
	web := &profiled{scripted{name: "web", steps: finding("https://a.example.org/1", "https://example.org.evil.test/",
		"https://www.example.org/2")}, search.Profile{}}
	law := &profiled{scripted{name: "law", steps: finding("https://court.test/1")},
		search.Profile{Kinds: []search.Kind{search.KindLaw}}}
	lens := search.Scope{Lens: "ours", Kinds: []search.Kind{search.KindWeb, search.KindLaw},
		Sites: []string{"example.org"}, Since: "2020-01-01"}
	route, err := search.Choose(citewell.Query{Text: "tides"}, lens,
		[]search.Provider{search.Guarded(web, search.Limits{}), search.Guarded(law, search.Limits{})})
	if err != nil || route.Routing.Lens != "ours" || route.Routing.Sources[1].Why != "of the lens ours" ||
		route.Query.Since != "2020-01-01" {
		t.Fatalf("%+v, %v", route, err)
	}
	var found []string
	for a := range search.Ask(t.Context(), route.Query, route.Providers, 0) {
		for _, r := range a.Results {
			found = append(found, r.URL)
		}
		if want := map[string]string{"web": "kept to example.org; 1 of other sites " +
			"left out"}[a.Provider]; a.Detail != want {
			t.Errorf("%s says %q, want %q", a.Provider, a.Detail, want)
		}
	}
	slices.Sort(found)
	if want := []string{"https://a.example.org/1", "https://court.test/1",
		"https://www.example.org/2"}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	asked, err := search.Choose(citewell.Query{Text: "tides", TimeRange: citewell.PastDay}, lens, nil)
	if err != nil || asked.Query.Since != "" {
		t.Errorf("the days of a question gave way: %+v, %v", asked.Query, err)
	}
}
