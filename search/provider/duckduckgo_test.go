package provider

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

func init() {
	wires["duckduckgo"] = duckduckgoWire
}

// unfolding is a page of a megabyte whose tree would have a hundred million elements:
// every paragraph repeats the formatting that was left open.
func unfolding() []byte {
	var b bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&b, "<b class=c%d>", i)
	}
	for range 100_000 {
		b.WriteString("<p>duckduckgo")
	}
	return b.Bytes()
}

func duckduckgoWire(t *testing.T) searchtest.Wire {
	good := replyOf(t, 200, "duckduckgo/good.html")
	want := []citewell.Result{
		{Provider: "duckduckgo", Rank: 1, Title: "Tidal power & how it works 'today'",
			URL:       "https://www.tides.example/power?a=1&b=2#plants",
			Snippet:   "Tidal power turns the rise and fall of the sea into electricity — café owners like it.",
			Published: "2026-02-11"},
		{Provider: "duckduckgo", Rank: 2, Title: "A page without a snippet", URL: "https://without-snippet.example/"},
		{Provider: "duckduckgo", Rank: 3, Title: "Wave energy, linked directly",
			URL: "https://direct.example/wave-energy", Snippet: "This snippet belongs to the direct link."},
		{Provider: "duckduckgo", Rank: 4, Title: "Über Gezeitenkraft", URL: "https://de.tides.example/%C3%BCber",
			Snippet: "Ein Kraftwerk, das „zweimal am Tag“ läuft."},
	}
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "duckduckgo", base+"/html/") },
		Query: question, Good: good, Want: want, Empty: replyOf(t, 200, "duckduckgo/empty.html"),
		Sent: func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		CheckRequest: func(t *testing.T, r *http.Request) {
			got := map[string]string{"method": r.Method, "path": r.URL.Path}
			for name, values := range r.Form {
				got[name] = values[0]
			}
			want := map[string]string{"method": "GET", "path": "/html/", "q": question.Text, "kl": "de-de",
				"df": "m", "kp": "1"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error("want - got +\n" + diff)
			}
			if got := r.Header.Get("Accept-Language"); got != "de-DE,en;q=0.5" {
				t.Errorf("Accept-Language %q", got)
			}
		},
		Quirks: []searchtest.Quirk{
			{Name: "bot_page_with_202", Reply: replyOf(t, 202, "duckduckgo/bot.html"),
				Code: citewell.CodeBlockedByProvider, Says: []string{"bot page"}},
			{Name: "bot_page_with_200", Reply: replyOf(t, 200, "duckduckgo/bot.html"),
				Code: citewell.CodeBlockedByProvider, Says: []string{"bot page"}},
			{Name: "202_without_a_page", Reply: searchtest.Reply{Status: 202}, Code: citewell.CodeBlockedByProvider},
			{Name: "results_with_202", Reply: replyOf(t, 202, "duckduckgo/good.html"),
				Code: citewell.CodeBlockedByProvider},
			{Name: "page_with_neither_results_nor_none", Reply: replyOf(t, 200, "duckduckgo/stub.html"),
				Code: citewell.CodeBlockedByProvider},
			{Name: "418", Reply: searchtest.Reply{Status: 418}, Code: citewell.CodeBlockedByProvider},
			{Name: "page_that_unfolds", Reply: searchtest.Reply{Status: 200, Body: unfolding()},
				Code: citewell.CodeBadResponse},
			{Name: "advertisements_only", Reply: replyOf(t, 200, "duckduckgo/ads.html")},
		},
		Codes: map[string]citewell.Code{
			"401":            citewell.CodeAuth,
			"403":            citewell.CodeBlockedByProvider, // there is no key that it could refuse
			"half_an_answer": searchtest.Answers,             // half a page has whole blocks
		},
	}
}

func TestDuckDuckGoFilters(t *testing.T) {
	tests := []struct {
		name  string
		query citewell.Query
		want  map[string]string
	}{
		{"none", citewell.Query{Text: "tides"}, map[string]string{"q": "tides", "kp": "-1"}},
		{"whole_world", citewell.Query{Text: "tides", Region: citewell.WholeWorld},
			map[string]string{"q": "tides", "kp": "-1", "kl": "wt-wt"}},
		{"unsafe", citewell.Query{Text: "tides", SafeSearch: citewell.SafeOff},
			map[string]string{"q": "tides", "kp": "-2"}},
		{"day", citewell.Query{Text: "tides", TimeRange: citewell.PastDay},
			map[string]string{"q": "tides", "kp": "-1", "df": "d"}},
		{"week", citewell.Query{Text: "tides", TimeRange: citewell.PastWeek},
			map[string]string{"q": "tides", "kp": "-1", "df": "w"}},
		{"year", citewell.Query{Text: "tides", TimeRange: citewell.PastYear},
			map[string]string{"q": "tides", "kp": "-1", "df": "y"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			asked := recordingServer(t, fixture(t, "duckduckgo/good.html"))
			if _, err := opened(t, "duckduckgo", asked.URL).Search(t.Context(), test.query); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, asked.params()); diff != "" {
				t.Error("want - got +\n" + diff)
			}
		})
	}
}
