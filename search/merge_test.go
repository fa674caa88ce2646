package search_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/search"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func result(provider string, rank int, url, title, snippet, published string) citewell.Result {
	return citewell.Result{Provider: provider, Rank: rank, URL: url, Title: title, Snippet: snippet,
		Published: published}
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name  string
		lists [][]citewell.Result
		want  []search.Ranked
	}{
		{"nothing", nil, nil},
		{"one_page_spelled_four_ways", [][]citewell.Result{
			{result("a", 3, "http://www.tides.example/power/?utm_source=a#top", "Tides", "short", "")},
			{result("b", 1, "https://tides.example/power", "Tidal power", "the longest snippet of all", "2026-01-02"),
				result("b", 9, "https://tides.example/power?fbclid=1", "Tidal power, the longest title", "",
					"2025-01-01")},
			{result("c", 2, "https://TIDES.example/power/", "", "a middling snippet", "2024-01-01")},
		}, []search.Ranked{{
			Result: result("a", 1, "https://tides.example/power", "Tidal power", "the longest snippet of all",
				"2026-01-02"),
			Key: "tides.example/power", Providers: []string{"a", "b", "c"}, Class: "unknown"}}},
		{"the_original_is_kept_for_fetching", [][]citewell.Result{
			{result("a", 1, "https://www.tides.example/x/?a=&b=1", "X", "", "")},
		}, []search.Ranked{{
			Result: result("a", 1, "https://www.tides.example/x/?a=&b=1", "X", "", ""),
			Key:    "tides.example/x?b=1", Providers: []string{"a"}, Class: "unknown"}}},
		{"a_longer_snippet_without_title_keeps_the_title", [][]citewell.Result{
			{result("a", 1, "https://tides.example/", "Tides", "s", "")},
			{result("b", 1, "https://tides.example/", "", "longer", "")},
		}, []search.Ranked{{
			Result: result("a", 1, "https://tides.example/", "Tides", "longer", ""),
			Key:    "tides.example/", Providers: []string{"a", "b"}, Class: "unknown"}}},
		{"different_pages_stay_apart_in_order", [][]citewell.Result{
			{result("a", 1, "https://en.wikipedia.org/wiki/Tide", "Tide", "", ""),
				result("a", 2, "file:///home/me/tides.md", "tides.md", "", "")},
			{result("b", 1, "https://tides.example/?page=1", "1", "", ""),
				result("b", 2, "https://tides.example/?page=2", "2", "", "")},
		}, []search.Ranked{
			{Result: result("a", 1, "https://en.wikipedia.org/wiki/Tide", "Tide", "", ""),
				Key: "en.wikipedia.org/wiki/Tide", Providers: []string{"a"}, Class: "wiki-encyclopedia"},
			{Result: result("a", 2, "file:///home/me/tides.md", "tides.md", "", ""), Key: "file:///home/me/tides.md",
				Providers: []string{"a"}, Class: "local"},
			{Result: result("b", 1, "https://tides.example/?page=1", "1", "", ""), Key: "tides.example/?page=1",
				Providers: []string{"b"}, Class: "unknown"},
			{Result: result("b", 2, "https://tides.example/?page=2", "2", "", ""), Key: "tides.example/?page=2",
				Providers: []string{"b"}, Class: "unknown"},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, search.Merge(test.lists...), cmpopts.IgnoreUnexported(search.Ranked{}),
				cmpopts.IgnoreFields(search.Ranked{}, "Keys")); diff != "" {
				t.Error("want - got +\n" + diff)
			}
		})
	}
}

func TestMergeProperties(t *testing.T) {
	urls := rapid.SampledFrom([]string{"https://a.example/", "http://www.a.example", "https://a.example/?utm_x=1",
		"https://b.example/p/", "https://b.example/p", "ftp://c.example", "", "file:///d"})
	rapid.Check(t, func(t *rapid.T) {
		var lists [][]citewell.Result
		raw := 0
		for p := range rapid.IntRange(0, 4).Draw(t, "providers") {
			var list []citewell.Result
			for i, u := range rapid.SliceOfN(urls, 0, 6).Draw(t, "urls") {
				list = append(list, result(fmt.Sprint("p", p), i+1, u, "t", "s", ""))
			}
			raw += len(list)
			lists = append(lists, list)
		}
		merged := search.Merge(lists...)
		keys := make(map[string]bool)
		for _, m := range merged {
			if keys[m.Key] {
				t.Fatalf("key %q twice", m.Key)
			}
			keys[m.Key] = true
			if len(m.Providers) == 0 || len(slices.Compact(slices.Sorted(slices.Values(m.Providers)))) != len(
				m.Providers) {
				t.Fatalf("providers %v", m.Providers)
			}
		}
		if len(merged) > raw {
			t.Fatalf("%d merged of %d", len(merged), raw)
		}
		kept, rest := search.PerDomain(merged, 2)
		if len(kept)+len(rest) != len(merged) {
			t.Fatal("PerDomain loses results")
		}
	})
}

func TestPerDomain(t *testing.T) {
	ranked := search.Merge([]citewell.Result{
		{URL: "https://a.tides.example/1"}, {URL: "https://www.tides.example/2"}, {URL: "https://b.tides.example/3"},
		{URL: "https://alice.github.io/"}, {URL: "https://bob.github.io/"}, {URL: "https://carol.github.io/"},
		{URL: "http://127.0.0.1/1"}, {URL: "http://127.0.0.1/2"}, {URL: "http://127.0.0.1/3"},
		{URL: "file:///1"}, {URL: "file:///2"}, {URL: "file:///3"},
	})
	kept, rest := search.PerDomain(ranked, 2)
	var over []string
	for _, r := range rest {
		over = append(over, r.URL)
	}
	want := []string{"https://b.tides.example/3", "http://127.0.0.1/3"}
	if !slices.Equal(over, want) || len(kept) != len(ranked)-len(want) {
		t.Errorf("left over %v, want %v; kept %d", over, want, len(kept))
	}
}

func TestClass(t *testing.T) {
	tests := map[string]string{
		"en.wikipedia.org": "wiki-encyclopedia", "wikipedia.org": "wiki-encyclopedia", "notwikipedia.org": "unknown",
		"wikipedia.org.evil.example": "unknown",
		"docs.tides.example":         "official-docs", "www.docs.tides.example": "official-docs",
		"docs.example":          "unknown",
		"developer.mozilla.org": "official-docs", "peps.python.org": "official-docs", "discuss.python.org": "forum",
		"learn.microsoft.com": "official-docs", "microsoft.com": "unknown",
		"x.com": "social-media", "netflix.com": "unknown", "mobile.twitter.com": "social-media",
		"unix.stackexchange.com": "forum", "forum.tides.example": "forum", "forum.gov.uk": "unknown",
		"wiki.archlinux.org": "wiki-community", "minecraft.fandom.com": "wiki-community",
		"docs.blogspot.com": "blog", "docs.medium.com": "blog", "someone.substack.com": "blog",
		"blog.tides.example": "blog", "dev.to": "blog",
		"docs.google.com": "official-docs", "shop.myshopify.com": "e-commerce", "docs.amazon.de": "e-commerce",
		"mit.edu": "academic", "www.cs.ox.ac.uk": "academic", "arxiv.org": "academic", "education.example": "unknown",
		"BBC.co.uk.": "news", "news.bbc.co.uk": "news",
		"": "unknown", "localhost": "unknown", "10.0.0.1": "unknown", "[::1]": "unknown", "::1": "unknown",
	}
	for host, want := range tests {
		if got := siteclass.Class(host); got != want {
			t.Errorf("%q is %s, want %s", host, got, want)
		}
	}
	for class, want := range map[string]float64{"official-docs": 0.5, "academic": 0.4, "wiki-encyclopedia": 0.4,
		"news": 0.2,
		"blog": 0, "unknown": 0, "local": 0, "forum": -0.1, "social-media": -0.2, "no such class": 0} {
		if got := siteclass.Authority(class); got != want {
			t.Errorf("authority of %s is %v, want %v", class, got, want)
		}
	}
}

var march = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func order(query string, lists ...[]citewell.Result) []string {
	var urls []string
	for _, r := range search.Score(query, march, search.Merge(lists...)) {
		urls = append(urls, r.URL)
	}
	return urls
}

// Each case is two pages that differ in one thing; the first must win.
func TestScoreOrder(t *testing.T) {
	const better, worse = "https://better.example/", "https://worse.example/"
	tests := []struct {
		name, query string
		lists       [][]citewell.Result
	}{
		{"consensus_lifts", "tidal power", [][]citewell.Result{
			{result("a", 1, worse, "tidal power", "", ""), result("a", 2, better, "tidal power", "", "")},
			{result("b", 2, better, "tidal power", "", "")}}},
		{"consensus_does_not_swamp_relevance_and_rank", "tidal power turbine", [][]citewell.Result{
			{result("a", 1, better, "tidal power turbine", "", ""), result("a", 9, worse, "cookies", "", "")},
			{result("b", 9, worse, "cookies", "", "")}, {result("c", 9, worse, "cookies", "", "")},
			{result("d", 9, worse, "cookies", "", "")}, {result("e", 9, worse, "cookies", "", "")}}},
		{"rank_decides_among_equals", "tidal power", [][]citewell.Result{
			{result("a", 5, worse, "tidal power", "", ""), result("a", 1, better, "tidal power", "", "")}}},
		{"recent_page", "tidal power", [][]citewell.Result{
			{result("a", 1, worse, "tidal power", "", "2020-01-01"),
				result("a", 1, better, "tidal power", "", "2026-02-27")}}},
		{"stems_meet", "turbines rotating", [][]citewell.Result{
			{result("a", 1, worse, "The cookie recipes of my grandmother", "", ""),
				result("a", 1, better, "The rotating turbine of the plant", "", "")}}},
		{"russian", "приливные электростанции", [][]citewell.Result{
			{result("a", 1, worse, "Рецепты печенья", "", ""), result("a", 1, better,
				"Приливная электростанция в заливе", "", "")}}},
		{"japanese", "潮力発電", [][]citewell.Result{
			{result("a", 1, worse, "クッキーの作り方", "", ""), result("a", 1, better, "潮力発電の仕組み", "", "")}}},
		{"german", "Gezeitenkraftwerke", [][]citewell.Result{
			{result("a", 1, worse, "Plätzchen backen mit der Familie", "", ""),
				result("a", 1, better, "Das Gezeitenkraftwerk an der Rance", "", "")}}},
		{"equal_scores_keep_their_order", "tidal power", [][]citewell.Result{
			{result("a", 1, better, "tidal power", "", ""), result("a", 1, worse, "tidal power", "", "")}}},
		{"snippet_counts", "tidal power", [][]citewell.Result{
			{result("a", 1, worse, "news", "nothing", ""), result("a", 1, better, "news", "tidal power", "")}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := order(test.query, test.lists...); !slices.Equal(got, []string{better, worse}) {
				t.Errorf("order %v", got)
			}
		})
	}
}

func TestScoreParts(t *testing.T) {
	score := func(query string, r citewell.Result) float64 {
		return search.Score(query, march, search.Merge([]citewell.Result{r}))[0].Score
	}
	base := score("tides", result("a", 0, "https://x.example/", "tides", "", ""))
	if base != 1 {
		t.Errorf("a page that has every word and nothing else scores %v, want 1", base)
	}
	for published, want := range map[string]float64{
		"2026-03-01": 0.295, "2026-02-14": 0.145, "2026-01-01": 0, "1999-01-01": 0,
		"2026-03-02": 0, "9999-01-01": 0, "soon": 0, "": 0,
	} {
		got := score("tides", result("a", 0, "https://x.example/", "tides", "", published)) - base
		if diff := got - want; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("recency of %q is %v, want %v", published, got, want)
		}
	}
	if got := score("the of and", result("a", 0, "https://x.example/", "tides", "", "")); got != 0 {
		t.Errorf("a query of function words only scores %v, want 0", got)
	}
}

func TestScoreLeavesItsInputAlone(t *testing.T) {
	merged := search.Merge([]citewell.Result{result("a", 2, "https://b.example/", "", "", ""),
		result("a", 1, "https://a.example/", "", "", "")})
	search.Score("tides", march, merged)
	if merged[0].Score != 0 || merged[0].URL != "https://b.example/" {
		t.Errorf("the input changed: %+v", merged)
	}
}

func BenchmarkScore(b *testing.B) {
	var list []citewell.Result
	for i := range 60 {
		list = append(list, result("a", i+1, fmt.Sprintf("https://x%d.example/", i), "Tidal power around the world",
			"A tidal power plant turns the rise and fall of the sea into electricity, more reliably than wind does, "+
				"but few sites fit.", ""))
	}
	merged := search.Merge(list)
	for b.Loop() {
		search.Score("how reliable is tidal power compared to wind", march, merged)
	}
}
