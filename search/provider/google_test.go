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
	wires["google"] = googleWire
}

func googleWire(t *testing.T) searchtest.Wire {
	refused := func(name string, status int, body string, code citewell.Code, says ...string) searchtest.Quirk {
		return searchtest.Quirk{Name: name, Reply: refusal(status, `{"error":`+body+`}`), Code: code, Says: says}
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "google", base)
			p.(*google).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "google/good.json"),
		Want: []citewell.Result{
			{Provider: "google", Rank: 1, Title: "Tidal power — how it works",
				URL:     "https://www.tides.example/power?a=1&b=2",
				Snippet: "Tidal power turns the rise and fall of the sea into electricity.", Published: "2026-02-11"},
			{Provider: "google", Rank: 2, Title: "Rance", URL: "https://rance.example/",
				Snippet: "Feb 9, 2026 ... The plant still runs.", Published: "2026-02-09"},
			{Provider: "google", Rank: 3, Title: "Über Gezeitenkraft", URL: "https://de.tides.example/%C3%BCber",
				Snippet: "9. Februar 2026 ... Ein Kraftwerk.", Published: "2026-02-09"},
			{Provider: "google", Rank: 4, Title: "Undated", URL: "https://undated.example/",
				Snippet: "It opened in 1966 ... long ago."},
		},
		Empty: jsonReply(
			`{"kind":"customsearch#search","queries":{"request":[{"totalResults":"0"}]},"searchInformation":{"totalResults":"0","formattedTotalResults":"0"}}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/customsearch/v1", "key": testKey,
				"cx": testEngine, "q": question.Text, "num": "10",
				"safe": "active", "dateRestrict": "m1", "gl": "de", "hl": "de"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 1700, MaxWords: 32,
		Quirks: []searchtest.Quirk{
			refused("bad_key", 400,
				`{"code":400,"message":"API key not valid. Please pass a valid API key.","errors":[{"message":"API key not valid.","domain":"global","reason":"badRequest"}],"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID","domain":"googleapis.com"}]}`,
				citewell.CodeAuth, "refused the key", "GOOGLE_API_KEY"),
			refused("bad_key_as_it_was", 400,
				`{"code":400,"message":"Bad Request","errors":[{"domain":"usageLimits","reason":"keyInvalid"}]}`,
				citewell.CodeAuth),
			refused("no_such_engine", 400,
				`{"code":400,"message":"Request contains an invalid argument.","errors":[{"reason":"badRequest"}],"status":"INVALID_ARGUMENT"}`,
				citewell.CodeInvalidArgument, "400", "cse_id"),
			refused("api_is_off", 403,
				`{"code":403,"message":"Custom Search API has not been used in project 1 before or it is disabled.","errors":[{"reason":"accessNotConfigured"}],"status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED"}]}`,
				citewell.CodeAuth, "switch the API on", "PERMISSION_DENIED"),
			refused("api_is_off_without_a_reason", 403,
				`{"code":403,"message":"API customsearch.googleapis.com is disabled.","errors":[{"reason":"forbidden"}],"status":"PERMISSION_DENIED"}`,
				citewell.CodeAuth, "switch the API on", "PERMISSION_DENIED"),
			refused("day_used_up", 429,
				`{"code":429,"message":"Quota exceeded for quota metric 'Queries' and limit 'Queries per day' of service 'customsearch.googleapis.com' for consumer 'project_number:1'.","errors":[{"domain":"global","reason":"rateLimitExceeded"}],"status":"RESOURCE_EXHAUSTED","details":[{"reason":"RATE_LIMIT_EXCEEDED"}]}`,
				citewell.CodeQuotaExhausted, "today", "RESOURCE_EXHAUSTED"),
			refused("day_used_up_as_it_was", 403,
				`{"code":403,"errors":[{"domain":"usageLimits","reason":"dailyLimitExceeded"}]}`,
				citewell.CodeQuotaExhausted),
			refused("minute_is_full", 429,
				`{"code":429,"message":"Quota exceeded for quota metric 'Queries' and limit 'Queries per minute per user'","errors":[{"reason":"rateLimitExceeded"}],"status":"RESOURCE_EXHAUSTED"}`,
				citewell.CodeRateLimited, "minute"),
			refused("minute_is_full_as_it_was", 403, `{"code":403,"errors":[{"reason":"userRateLimitExceeded"}]}`,
				citewell.CodeRateLimited),
			{Name: "some_other_json", Reply: jsonReply(`{"hits":[]}`), Code: citewell.CodeBadResponse,
				Says: []string{"no answer of google"}},
			{Name: "items_in_another_shape", Reply: jsonReply(`{"kind":"customsearch#search","items":"none"}`),
				Code: citewell.CodeBadResponse},
		},
	}
}

func TestGoogleOptions(t *testing.T) {
	d := testDeps(t)
	for _, o := range []services.GoogleOptions{{DateRestrict: "5d"}, {DateRestrict: "d0"}, {Language: "klingon"},
		{Start: 92}, {Start: -1}} {
		if _, err := NewWith(withSettings(d, "google", keyed("")),
			o); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%+v: %v", o, err)
		}
	}
	asked := recordingServer(t, []byte(`{"queries":{"request":[{}]}}`))
	p, err := NewWith(withSettings(d, "google", keyed(asked.URL+"/customsearch/v1")),
		services.GoogleOptions{DateRestrict: "d10", Language: "zh-TW", Site: "a.example", FileType: "pdf", Start: 11})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Search(t.Context(), citewell.Query{Text: "tides", Limit: 50,
		SafeSearch: citewell.SafeOff}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"key": testKey, "cx": testEngine, "q": "tides", "num": "10", "safe": "off",
		"dateRestrict": "d10", "lr": "lang_zh-TW",
		"siteSearch": "a.example", "siteSearchFilter": "i", "fileType": "pdf", "start": "11"}
	if diff := cmp.Diff(want, asked.params()); diff != "" || asked.last.URL.Path != "/customsearch/v1" {
		t.Errorf("at %s, want - got +\n%s", asked.last.URL.Path, diff)
	}
}

// The link of an image is the picture; the result is the page that it stands on.
func TestGoogleImages(t *testing.T) {
	asked := recordingServer(t, []byte(
		`{"queries":{},"items":[{"title":"A","link":"https://pics.example/1.jpg","image":{"contextLink":"https://a.example/","width":3}},{"title":"B","link":"https://b.example/","image":[]}]}`))
	p, err := NewWith(withSettings(testDeps(t), "google", keyed(asked.URL)), services.GoogleOptions{Images: true})
	if err != nil {
		t.Fatal(err)
	}
	results, err := p.Search(t.Context(), citewell.Query{Text: "tides"})
	want := []citewell.Result{{Provider: "google", Rank: 1, Title: "A", URL: "https://a.example/",
		Image: "https://pics.example/1.jpg"}, {Provider: "google", Rank: 2, Title: "B", URL: "https://b.example/"}}
	if diff := cmp.Diff(want, results); err != nil || diff != "" || asked.params()["searchType"] != "image" {
		t.Errorf("%v, searchType %q, want - got +\n%s", err, asked.params()["searchType"], diff)
	}
}

func TestGoogleRegions(t *testing.T) {
	asked := recordingServer(t, []byte(`{"queries":{"request":[{}]}}`))
	p := opened(t, "google", asked.URL)
	const partly = "google does not know all of this region"
	for region, want := range map[string][3]string{
		"": {"", "", ""}, "wt-wt": {"", "", ""}, "uk-en": {"uk", "en", ""}, "jp-jp": {"jp", "ja", ""},
		"tw-tzh": {"tw", "zh-TW", ""}, "cn-zh": {"cn", "zh-CN", ""},
		"il-he": {"il", "iw", ""}, "no-no": {"no", "no", ""}, "xl-es": {"", "es", partly}, "vn-vi": {"vn", "", partly},
	} {
		detail := detailOf(t, p, citewell.Query{Text: "tides", Region: region})
		if got := [3]string{asked.params()["gl"], asked.params()["hl"], detail}; got != want {
			t.Errorf("%s: %q, want %q", region, got, want)
		}
	}
}
