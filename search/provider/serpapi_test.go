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
	wires["serpapi"] = serpapiWire
}

func serpapiWire(t *testing.T) searchtest.Wire {
	said := func(name string, status int, sentence string, code citewell.Code, says ...string) searchtest.Quirk {
		return searchtest.Quirk{Name: name, Reply: refusal(status, `{"error":"`+sentence+`"}`), Code: code, Says: says}
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "serpapi", base)
			p.(*serpapi).now = now
			return p
		},
		Codes: map[string]citewell.Code{"error_with_200": citewell.CodeHTTPFailed}, // its own form of an error
		Query: question, Good: replyOf(t, 200, "serpapi/good.json"),
		Want: []citewell.Result{
			{Provider: "serpapi", Rank: 1, Title: "What is tidal power?", URL: "https://facts.example/tides",
				Snippet: "Power from tides."},
			{Provider: "serpapi", Rank: 2, Title: "Tidal power", URL: "https://en.wikipedia.org/wiki/Tidal_power",
				Snippet: "Energy from the sea."},
			{Provider: "serpapi", Rank: 3, Title: "Tidal power — how it works",
				URL:     "https://www.tides.example/power?a=1&b=2",
				Snippet: "Tidal power turns the rise and fall of the sea into electricity.", Published: "2026-02-11"},
			{Provider: "serpapi", Rank: 4, Title: "Rance", URL: "https://rance.example/",
				Snippet: "The plant still runs.", Published: "2026-02-09"},
			{Provider: "serpapi", Rank: 5, Title: "Über Gezeitenkraft", URL: "https://de.tides.example/%C3%BCber",
				Published: "2026-02-08"},
		},
		Empty: jsonReply(
			`{"search_metadata":{"id":"1","status":"Success"},"search_information":{"organic_results_state":"Fully empty"},"error":"Google hasn't returned any results for this query."}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/search", "api_key": testKey,
				"engine": "google", "q": question.Text, "num": "10",
				"safe": "active", "tbs": "qdr:m", "gl": "de", "hl": "de"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 1700, MaxWords: 32,
		Quirks: []searchtest.Quirk{
			said("no_searches_left", 429, "Your account has run out of searches.", citewell.CodeQuotaExhausted,
				"no searches left"),
			said("no_searches_left_with_200", 200, "Your searches for the month are exhausted. You can upgrade plans "+
				"on SerpApi.com website.", citewell.CodeQuotaExhausted),
			said("hour_is_full", 429, "You are exceeding the hourly throughput limit.", citewell.CodeRateLimited),
			said("hour_is_full_with_200", 200, "Too many requests", citewell.CodeRateLimited),
			said("bad_key", 401, "Invalid API key. Your API key should be here: https://serpapi.com/manage-api-key",
				citewell.CodeAuth),
			said("bad_key_with_200", 200, "Invalid API key: "+testKey, citewell.CodeAuth, "SERPAPI_API_KEY"),
			said("bad_parameter_with_200", 200, "Unsupported `xx` country - gl parameter.",
				citewell.CodeInvalidArgument, "region"),
			said("passing_failure", 200, "We couldn't get valid results for this search. Please try again later.",
				citewell.CodeHTTPFailed),
			said("nothing_by_bing", 200, "Bing hasn't returned any results for this query.", ""),
			{Name: "nothing_without_a_word", Reply: jsonReply(`{"search_metadata":{"status":"Success"}}`)},
			{Name: "results_beside_an_error",
				Reply: jsonReply(
					`{"error":"Google hasn't returned any results for this query.","answer_box":{"answer":"42","link":"https://a.example/"},"knowledge_graph":[1]}`),
				Want: []citewell.Result{{Provider: "serpapi", Rank: 1, Title: "42", URL: "https://a.example/",
					Snippet: "42"}}},
			{Name: "some_other_json", Reply: jsonReply(`{"hits":[]}`), Code: citewell.CodeBadResponse,
				Says: []string{"no answer of serpapi"}},
			{Name: "results_in_another_shape", Reply: jsonReply(`{"organic_results":"none"}`),
				Code: citewell.CodeBadResponse},
		},
	}
}

func TestSerpAPIOptions(t *testing.T) {
	d := testDeps(t)
	for _, o := range []services.SerpAPIOptions{{Engine: "altavista"}, {Vertical: "maps"},
		{Engine: "bing", Vertical: "news"}, {Start: -1}} {
		if _, err := NewWith(withSettings(d, "serpapi", keyed("")),
			o); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%+v: %v", o, err)
		}
	}
	tests := []struct {
		name    string
		base    string
		options services.SerpAPIOptions
		query   citewell.Query
		want    map[string]string
		detail  string
		answer  string
	}{
		{"news", "/search.json", services.SerpAPIOptions{Vertical: "news", TBS: "qdr:h", Start: 10},
			citewell.Query{Text: "tides", TimeRange: citewell.PastYear},
			map[string]string{"engine": "google", "num": "10", "tbm": "nws", "tbs": "qdr:h", "start": "10"}, "",
			`{"news_results":[{"title":"A","link":"https://a.example/","snippet":"s","date":"3 hours ago","source":"A"}]}`},
		{"images", "", services.SerpAPIOptions{Vertical: "images"}, citewell.Query{Text: "tides"},
			map[string]string{"engine": "google", "num": "10", "tbm": "isch"}, "",
			`{"images_results":[{"title":"A","link":"https://a.example/","original":"https://a.example/1.jpg"}]}`},
		{"videos", "", services.SerpAPIOptions{Vertical: "videos"}, citewell.Query{Text: "tides"},
			map[string]string{"engine": "google", "num": "10", "tbm": "vid"}, "",
			`{"video_results":[{"title":"A","link":"https://a.example/","snippet":"s","date":"3 hours ago"}]}`},
		{"shopping", "", services.SerpAPIOptions{Vertical: "shopping"},
			citewell.Query{Text: "tides", SafeSearch: citewell.SafeOff},
			map[string]string{"engine": "google", "num": "10", "tbm": "shop", "safe": "off"}, "",
			`{"shopping_results":[{"title":"A","product_link":"https://a.example/","price":"$5"}]}`},
		{"bing", "/search", services.SerpAPIOptions{Engine: "bing", Start: 10},
			citewell.Query{Text: "tides", Region: "uk-en", TimeRange: citewell.PastWeek, Limit: 5},
			map[string]string{"engine": "bing", "count": "5", "mkt": "en-GB", "safeSearch": "Moderate",
				"filters": `ex1:"ez2"`, "first": "11"}, "",
			`{"organic_results":[{"title":"A","link":"https://a.example/"}]}`},
		{"bing_without", "", services.SerpAPIOptions{Engine: "bing"},
			citewell.Query{Text: "tides", Region: "xa-ar", TimeRange: citewell.PastYear},
			map[string]string{"engine": "bing", "count": "10", "safeSearch": "Moderate"},
			"bing, by serpapi, does not filter by this time range; bing, by serpapi, does not know this region and " +
				"searched everywhere",
			`{"organic_results":[{"title":"A","link":"https://a.example/"}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			asked := recordingServer(t, []byte(`{"search_metadata":{},`+test.answer[1:]))
			p, err := NewWith(withSettings(d, "serpapi", keyed(asked.URL+test.base)), test.options)
			if err != nil {
				t.Fatal(err)
			}
			if detail := detailOf(t, p, test.query); detail != test.detail {
				t.Errorf("says %q, want %q", detail, test.detail)
			}
			test.want["q"], test.want["api_key"] = "tides", testKey
			if diff := cmp.Diff(test.want, asked.params()); diff != "" || asked.last.URL.Path != "/search" {
				t.Errorf("at %s, want - got +\n%s", asked.last.URL.Path, diff)
			}
		})
	}
}
