package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

func init() {
	wires["tavily"] = tavilyWire
}

func tavilyWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "tavily", base) },
		Query: question, Good: replyOf(t, 200, "tavily/good.json"),
		Want: []citewell.Result{
			{Provider: "tavily", Rank: 1, Title: "Tidal power — how it works",
				URL:     "https://www.tides.example/power?a=1&b=2",
				Snippet: "Tidal power turns the rise and fall of the sea into electricity."},
			{Provider: "tavily", Rank: 2, Title: "Rance turns sixty", URL: "https://news.tides.example/rance",
				Snippet: "The plant <b>still</b> runs.", Published: "2026-02-11"},
			{Provider: "tavily", Rank: 3, Title: "Über Gezeitenkraft", URL: "https://de.tides.example/%C3%BCber",
				Snippet: "Ein Kraftwerk, das „zweimal am Tag“ läuft.", Published: "2026-02-09"},
			{Provider: "tavily", Rank: 4, URL: "https://untitled.example/", Snippet: "1966"},
		},
		Empty: jsonReply(`{"query":"x","answer":null,"images":[],"results":[],"response_time":0.5}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "POST", "path": "/search"})
			want := map[string]any{"query": question.Text, "topic": "general", "search_depth": "basic",
				"max_results": 10.0, "time_range": "month", "country": "germany", "include_answer": false}
			if diff := cmp.Diff(want, jsonBody(t, r)); diff != "" {
				t.Error("want - got +\n" + diff)
			}
			if r.Header.Get("Authorization") != "Bearer "+testKey ||
				r.Header.Get("Content-Type") != "application/json" {
				t.Errorf("headers %v", r.Header)
			}
		},
		Sent:     func(t *testing.T, r *http.Request) string { return jsonBody(t, r)["query"].(string) },
		MaxChars: 400,
		Quirks: []searchtest.Quirk{
			{Name: "plan_used_up", Reply: refusal(432,
				`{"detail":{"error":"This request exceeds your plan's set usage limit. Please upgrade your plan or contact support@tavily.com"}}`),
				Code: citewell.CodeQuotaExhausted, Says: []string{"432", "plan's credits"}},
			{Name: "pay_as_you_go_limit", Reply: refusal(433,
				`{"detail":{"error":"This request exceeds the pay-as-you-go limit."}}`),
				Code: citewell.CodeQuotaExhausted, Says: []string{"433"}},
			{Name: "bad_key", Reply: refusal(401, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`),
				Code: citewell.CodeAuth},
			{Name: "too_long", Reply: refusal(400,
				`{"detail":{"error":"Query is too long. Max query length is 400 characters."}}`),
				Code: citewell.CodeInvalidArgument},
			{Name: "no_safe_search", Reply: jsonReply(`{"results":null}`),
				Notes: []string{"tavily has no safe search"}},
			{Name: "some_other_json", Reply: jsonReply(`{"hits":[]}`), Code: citewell.CodeBadResponse,
				Says: []string{"no answer of tavily", "base_url"}},
			{Name: "results_in_another_shape", Reply: jsonReply(`{"results":{"a":1}}`), Code: citewell.CodeBadResponse},
		},
		Codes: postCodes,
	}
}

// postCodes are where a POST differs: it is sent to no second address.
var postCodes = map[string]citewell.Code{
	"redirect_loop":            citewell.CodeBlockedRedirect,
	"redirect_within_the_host": citewell.CodeBlockedRedirect,
}

func TestTavilyOptions(t *testing.T) {
	d := testDeps(t)
	for _, o := range []services.TavilyOptions{{Topic: "sport"}, {Depth: "deepest"}} {
		if _, err := NewWith(withSettings(d, "tavily", keyed("")),
			o); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := NewWith(d, services.TavilyOptions{}); citewell.CodeOf(err) != citewell.CodeProviderNotConfigured {
		t.Errorf("without a key: %v", err)
	}
	asked := recordingServer(t, []byte(`{"results":[]}`))
	p, err := NewWith(withSettings(d, "tavily", keyed(asked.URL+"/search/")),
		services.TavilyOptions{Topic: "news", Depth: "advanced",
			IncludeDomains: []string{"a.example"}, ExcludeDomains: []string{"b.example"}})
	if err != nil {
		t.Fatal(err)
	}
	detail := detailOf(t, p, citewell.Query{Text: "tides", Limit: 99, Region: "de-de"})
	want := `{"query":"tides","topic":"news","search_depth":"advanced","max_results":20,"include_domains":["a.example"],"exclude_domains":["b.example"],"include_answer":false}`
	if got := string(asked.body); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	if asked.last.URL.Path != "/search" || detail != "tavily does not know this region for this topic and searched "+
		"everywhere" {
		t.Errorf("at %s: %s", asked.last.URL.Path, detail)
	}
}

// Every region that a user may name has a country of Tavily's own spelling, or none.
func TestTavilyCountries(t *testing.T) {
	for region, want := range map[string]string{"de-de": "germany", "uk-en": "united kingdom", "us-en": "united states",
		"cz-cs": "czech republic",
		"kr-kr": "south korea", "tw-tzh": "taiwan", "ct-ca": "spain", "hk-tzh": "", "xa-ar": "", "wt-wt": ""} {
		country, _ := regionParts(region)
		if got := tavilyCountries[country]; got != want {
			t.Errorf("%s is %q, want %q", region, got, want)
		}
	}
}
