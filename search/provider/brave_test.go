package provider

import (
	"maps"
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

func init() {
	wires["brave"] = braveWire
}

func braveWire(t *testing.T) searchtest.Wire {
	refused := func(name string, status int, body string, code citewell.Code, header map[string]string,
		says ...string) searchtest.Quirk {
		q := searchtest.Quirk{Name: name, Reply: refusal(status, body), Code: code, Says: says}
		for name, value := range header {
			q.Reply.Header[name] = value
		}
		return q
	}
	limited := `{"type":"ErrorResponse","error":{"id":"1","status":429,"code":"RATE_LIMITED","detail":"Request rate limit exceeded for plan.",` +
		`"meta":{"plan":"Free","rate_limit":1,"rate_current":1,"quota_limit":2000,"quota_current":12,"component":"rate_limiter"}},"time":1}`
	usedUp := `{"error":{"code":"RATE_LIMITED","meta":{"quota_limit":"2000","quota_current":"2000"}}}`
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "brave", base)
			p.(*brave).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "brave/good.json"),
		Want: []citewell.Result{
			{Provider: "brave", Rank: 1, Title: "Tidal power & how it works",
				URL:       "https://www.tides.example/power?a=1&b=2",
				Snippet:   "Tidal power turns the rise 'and' fall of the sea into electricity if 1 < 2.",
				Published: "2026-02-11"},
			{Provider: "brave", Rank: 2, Title: "Rance", URL: "https://rance.example/",
				Snippet: "The plant still runs.", Published: "2026-02-09"},
			{Provider: "brave", Rank: 3, Title: "Über Gezeitenkraft", URL: "https://de.tides.example/%C3%BCber",
				Snippet: "Ein Kraftwerk, das „zweimal am Tag“ läuft.", Published: "2026-02-09"},
			{Provider: "brave", Rank: 4, Title: "Undated", URL: "https://undated.example/", Snippet: "Old."},
			{Provider: "brave", Rank: 5, Title: "A plant is built", URL: "https://news.tides.example/plant",
				Snippet: "News.", Published: "2026-02-12"},
		},
		Empty: jsonReply(`{"type":"search","query":{"original":"x","more_results_available":false}}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/res/v1/web/search", "q": question.Text,
				"count": "10", "country": "DE",
				"search_lang": "de", "freshness": "pm", "safesearch": "strict", "text_decorations": "false",
				"result_filter": "web,news"})
			if r.Header.Get("X-Subscription-Token") != testKey || r.Header.Get("Accept") != "application/json" ||
				r.Header.Get("Accept-Encoding") != "gzip" {
				t.Errorf("headers %v", r.Header)
			}
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 400, MaxWords: 50,
		Quirks: []searchtest.Quirk{
			refused("a_second_is_full", 429, limited, citewell.CodeRateLimited,
				map[string]string{"X-RateLimit-Limit": "1, 2000",
					"X-RateLimit-Policy": "1;w=1, 2000;w=2592000", "X-RateLimit-Remaining": "0, 1988",
					"X-RateLimit-Reset": "1, 900000"}),
			refused("a_month_is_full", 429, `{}`, citewell.CodeQuotaExhausted,
				map[string]string{"X-RateLimit-Limit": "1, 2000",
					"X-RateLimit-Policy": "1;w=1, 2000;w=2592000", "X-RateLimit-Remaining": "1, 0",
					"X-RateLimit-Reset": "1, 900000"}, "this month"),
			refused("a_month_without_limit", 429, limited, citewell.CodeRateLimited,
				map[string]string{"X-RateLimit-Limit": "50, 0",
					"X-RateLimit-Policy": "50;w=1, 0;w=2592000", "X-RateLimit-Remaining": "0, 0",
					"X-RateLimit-Reset": "1, 900000"}),
			refused("quota_in_the_body", 429, usedUp, citewell.CodeQuotaExhausted, nil, "RATE_LIMITED", "plan"),
			refused("credits", 402, `{"error":{"code":"USAGE_LIMIT_EXCEEDED"}}`, citewell.CodeQuotaExhausted, nil,
				"USAGE_LIMIT_EXCEEDED"),
			refused("bad_key", 422,
				`{"type":"ErrorResponse","error":{"id":"1","status":422,"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"The provided subscription token is invalid.","meta":{"component":"authentication"}}}`,
				citewell.CodeAuth, nil, "refused the key", "BRAVE_API_KEY"),
			refused("no_key", 422,
				`{"error":{"code":"VALIDATION","meta":{"errors":[{"type":"missing","loc":["header","x-subscription-token"],"msg":"Field required"}]}}}`,
				citewell.CodeAuth, nil, "refused the key"),
			refused("bad_query", 422,
				`{"error":{"code":"VALIDATION","meta":{"errors":[{"type":"string_too_long","loc":["query","q",1]}]}}}`,
				citewell.CodeInvalidArgument, nil, "422"),
			refused("not_in_plan", 400, `{"error":{"code":"OPTION_NOT_IN_PLAN"}}`, citewell.CodeAuth, nil, "plan"),
			{Name: "news_answer", Reply: replyOf(t, 200, "brave/news.json"), Want: []citewell.Result{
				{Provider: "brave", Rank: 1, Title: "A plant is built", URL: "https://news.tides.example/plant",
					Snippet: "News.", Published: "2026-02-12"},
				{Provider: "brave", Rank: 2, Title: "Another", URL: "https://news.tides.example/other",
					Snippet: "More.", Published: "2026-02-11"},
			}},
			{Name: "some_other_json", Reply: jsonReply(`{"hits":[]}`), Code: citewell.CodeBadResponse,
				Says: []string{"no answer of brave"}},
			{Name: "web_in_another_shape", Reply: jsonReply(`{"query":{},"web":[]}`), Code: citewell.CodeBadResponse},
		},
	}
}

func TestBraveOptions(t *testing.T) {
	d := testDeps(t)
	for _, o := range []services.BraveOptions{{Freshness: "today"}, {Country: "XX"}, {Language: "klingon"}, {Page: 11},
		{Page: -1}, {Vertical: "maps"}, {Vertical: "images", Page: 2}} {
		if _, err := NewWith(withSettings(d, "brave", keyed("")),
			o); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, base := range []string{"", "/", "/res/v1", "/res/v1/web/search"} {
		asked := recordingServer(t, fixture(t, "brave/news.json"))
		p, err := NewWith(withSettings(d, "brave", keyed(asked.URL+base)),
			services.BraveOptions{Vertical: "news", Freshness: "2026-01-01to2026-02-01", Country: "gb",
				Language: "en-GB", Page: 3})
		if err != nil {
			t.Fatal(err)
		}
		if results, err := p.Search(t.Context(), citewell.Query{
			Text: "tides", Limit: 50, TimeRange: citewell.PastDay}); err != nil || len(results) != 2 {
			t.Fatalf("%d results, %v", len(results), err)
		}
		want := map[string]string{"q": "tides", "count": "20", "country": "GB", "search_lang": "en-gb",
			"freshness": "2026-01-01to2026-02-01", "safesearch": "moderate", "offset": "2"}
		if diff := cmp.Diff(want, asked.params()); diff != "" || asked.last.URL.Path != "/res/v1/news/search" {
			t.Errorf("%s: at %s, want - got +\n%s", base, asked.last.URL.Path, diff)
		}
	}
}

// The searches beside that of the web have their results at the top, and each its own
// filters.
func TestBraveVerticals(t *testing.T) {
	all := map[string]string{"q": "tides", "count": "10", "country": "ALL"}
	for vertical, test := range map[string]struct {
		answer, detail string
		params         map[string]string
		page           int
		want           []citewell.Result
	}{
		"images": {`{"type":"images","query":{},"results":[{"title":"A","url":"https://a.example/","thumbnail":{"src":"https://t.example/"},"properties":{"url":"https://a.example/1.jpg","width":3}},
			{"title":"B","url":"https://a.example/","properties":{"url":"https://a.example/2.jpg"}},{"title":"C","url":"https://c.example/","properties":[]}]}`,
			"brave does not filter images by time", map[string]string{"safesearch": "strict"}, 1,
			[]citewell.Result{{Provider: "brave", Rank: 1, Title: "A", URL: "https://a.example/",
				Image: "https://a.example/1.jpg"},
				{Provider: "brave", Rank: 2, Title: "B", URL: "https://a.example/", Image: "https://a.example/2.jpg"},
				{Provider: "brave", Rank: 3, Title: "C", URL: "https://c.example/"}}},
		"videos": {`{"type":"videos","query":{},"results":[{"title":"A","url":"https://a.example/","description":"d","page_age":"2026-02-12T01:00:00","video":{}}]}`,
			"", map[string]string{"safesearch": "moderate", "freshness": "pd", "offset": "1"}, 2,
			[]citewell.Result{{Provider: "brave", Rank: 1, Title: "A", URL: "https://a.example/", Snippet: "d",
				Published: "2026-02-12"}}},
	} {
		asked := recordingServer(t, []byte(test.answer))
		p, err := NewWith(withSettings(testDeps(t), "brave", keyed(asked.URL)),
			services.BraveOptions{Vertical: vertical, Page: test.page})
		if err != nil {
			t.Fatal(err)
		}
		q := citewell.Query{Text: "tides", TimeRange: citewell.PastDay}
		if results, err := p.Search(t.Context(), q); err != nil || !cmp.Equal(test.want, results) {
			t.Errorf("%s: %v\n%s", vertical, err, cmp.Diff(test.want, results))
		}
		if detail := detailOf(t, p, q); detail != test.detail {
			t.Errorf("%s says %q, want %q", vertical, detail, test.detail)
		}
		maps.Copy(test.params, all)
		if diff := cmp.Diff(test.params, asked.params()); diff != "" ||
			asked.last.URL.Path != "/res/v1/"+vertical+"/search" {
			t.Errorf("at %s, want - got +\n%s", asked.last.URL.Path, diff)
		}
	}
}

func TestBraveRegions(t *testing.T) {
	asked := recordingServer(t, []byte(`{"query":{}}`))
	p := opened(t, "brave", asked.URL)
	for region, want := range map[string][3]string{
		"": {"ALL", "", ""}, "wt-wt": {"ALL", "", ""}, "uk-en": {"GB", "en", ""}, "jp-jp": {"JP", "jp", ""},
		"br-pt": {"BR", "pt-br", ""},
		"pt-pt": {"PT", "pt-pt", ""}, "tw-tzh": {"TW", "zh-hant", ""}, "cn-zh": {"CN", "zh-hans", ""},
		"no-no": {"NO", "nb", ""},
		"id-id": {"ID", "", "brave does not know all of this region"},
		"cz-cs": {"ALL", "cs", "brave does not know all of this region"},
	} {
		detail := detailOf(t, p, citewell.Query{Text: "tides", Region: region})
		if got := [3]string{asked.params()["country"], asked.params()["search_lang"], detail}; got != want {
			t.Errorf("%s: %q, want %q", region, got, want)
		}
	}
}
