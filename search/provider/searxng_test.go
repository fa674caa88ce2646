package provider

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

func init() {
	wires["searxng"] = searxngWire
}

func searxngWire(t *testing.T) searchtest.Wire {
	want := []citewell.Result{
		{Provider: "searxng", Rank: 1, Title: "Tides follow the moon.", URL: "https://facts.example/tides",
			Snippet: "Tides follow the moon."},
		{Provider: "searxng", Rank: 2, Title: "Tidal power", URL: "https://en.wikipedia.org/wiki/Tidal_power",
			Snippet: "Tidal power is harnessed by converting energy from tides."},
		{Provider: "searxng", Rank: 3, Title: "Rance", URL: "https://rance.example/", Snippet: "A plant."},
		{Provider: "searxng", Rank: 4, Title: "Tidal power — how it works",
			URL:     "https://www.tides.example/power?a=1&b=2",
			Snippet: "Tidal power turns the rise and fall of the sea into electricity.", Published: "2026-02-11"},
		{Provider: "searxng", Rank: 5, Title: "Über Gezeitenkraft", URL: "https://de.tides.example/%C3%BCber",
			Snippet: "Ein Kraftwerk, das „zweimal am Tag“ läuft."},
		{Provider: "searxng", Rank: 6, Title: "An older date field", URL: "https://old.tides.example/",
			Published: "2019-05-01"},
	}
	down := func(code citewell.Code, engines string, says ...string) searchtest.Quirk {
		return searchtest.Quirk{Name: "engines_down_" + string(code), Code: code,
			Says: append(says, "engines behind it failed"),
			Reply: jsonReply(`{"query":"x","results":[],"answers":[],"infoboxes":[],"unresponsive_engines":` +
				engines + `}`)}
	}
	mixed := down(citewell.CodeHTTPFailed, `[["google","CAPTCHA"],["bing","timeout"],["demo","unexpected crash"]]`,
		"google (CAPTCHA)", "bing (timeout)", "demo (unexpected crash)")
	odd := down(citewell.CodeHTTPFailed, `["wikidata",["x"],[],[1,{"a":2},3],null,["a","b"],["c","d"]]`,
		"x (no reason given)", "1 more")
	odd.Name = "engines_down_in_another_shape"
	partly := down(citewell.CodeBlockedByProvider,
		`[["google","Suspended: CAPTCHA"],["bing","Suspended: too many requests"]]`, "Suspended")
	partly.Name = "engines_blocked_or_limited"
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			return opened(t, "searxng", strings.Replace(base, "http://", "http://me:hunter2@", 1)+"/?token=t0ken")
		},
		Query: question, Good: replyOf(t, 200, "searxng/good.json"), Want: want,
		Empty: jsonReply(
			`{"query":"x","results":[],"answers":[],"corrections":[],"infoboxes":[],"suggestions":[],"unresponsive_engines":[]}`),
		Secrets: []string{"hunter2", "t0ken"},
		Sent:    func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		CheckRequest: func(t *testing.T, r *http.Request) {
			got := map[string]string{"method": r.Method, "path": r.URL.Path}
			for name, values := range r.Form {
				got[name] = values[0]
			}
			want := map[string]string{"method": "GET", "path": "/search", "q": question.Text, "format": "json",
				"language": "de-DE", "time_range": "month", "safesearch": "2", "token": "t0ken"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error("want - got +\n" + diff)
			}
			if user, password, ok := r.BasicAuth(); !ok || user != "me" || password != "hunter2" {
				t.Errorf("user %q", user)
			}
			if !strings.Contains(r.Header.Get("Accept"), "text/html") || r.Header.Get("Accept-Language") == "" {
				t.Errorf("an instance's limiter takes us for a bot: %v", r.Header)
			}
		},
		Quirks: []searchtest.Quirk{
			{Name: "json_is_off", Reply: searchtest.Reply{Status: 403, Body: []byte("<h1>Forbidden</h1>")},
				Code: citewell.CodeHTTPStatus, Says: []string{"JSON format is off", "search.formats", "settings.yml"}},
			{Name: "limiter", Reply: searchtest.Reply{Status: 429, Body: []byte("Too Many Requests")},
				Code: citewell.CodeRateLimited, Says: []string{"limiter", "limiter.toml"}},
			{Name: "html_with_200", Reply: searchtest.Reply{Header: map[string]string{"Content-Type": "text/html"},
				Body: []byte("\n<!DOCTYPE html><html>")},
				Code: citewell.CodeBadResponse, Says: []string{"web page where JSON was asked", "base_url"}},
			{Name: "some_other_json", Reply: jsonReply(`{"hits":[]}`), Code: citewell.CodeBadResponse,
				Says: []string{"no answer of searxng"}},
			{Name: "json_list", Reply: jsonReply(`[]`), Code: citewell.CodeBadResponse},
			{Name: "results_in_another_shape", Reply: jsonReply(`{"results":"none"}`), Code: citewell.CodeBadResponse},
			{Name: "byte_order_mark", Reply: jsonReply("\ufeff" + `{"results":[]}`)},
			{Name: "null_results", Reply: jsonReply(`{"results":null}`)},
			down(citewell.CodeBlockedByProvider, `[["google","CAPTCHA"],["bing","access denied"]]`, "google (CAPTCHA)"),
			down(citewell.CodeRateLimited, `[["google","too many requests"]]`),
			down(citewell.CodeTimeout, `[["google","timeout"],["wikidata","HTTP timed out"]]`),
			mixed, odd, partly,
			{Name: "engines_down_but_something_found", Code: "", Notes: []string{
				"engines behind searxng failed: google (CAPTCHA)"},
				Reply: jsonReply(
					`{"results":[{"url":"https://a.example/","title":"A","content":"a"}],"unresponsive_engines":[["google","CAPTCHA"]]}`),
				Want: []citewell.Result{{Provider: "searxng", Rank: 1, Title: "A", URL: "https://a.example/",
					Snippet: "a"}}},
		},
		Codes: map[string]citewell.Code{"403": citewell.CodeHTTPStatus},
	}
}

// A recorder answers everything alike and keeps what it was asked last.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	last *http.Request
	body []byte
}

func recordingServer(t *testing.T, body []byte) *recorder {
	r := new(recorder)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.last = req
		r.body, _ = io.ReadAll(req.Body) // what could be read is compared
		_, _ = w.Write(body)             // the client may be gone
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) params() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	params := make(map[string]string)
	for name, values := range r.last.URL.Query() {
		params[name] = strings.Join(values, " | ")
	}
	return params
}

func TestSearXNGTakesEveryFormOfBaseURL(t *testing.T) {
	plain := map[string]string{"q": "tides", "format": "json", "safesearch": "1"}
	with := func(more ...string) map[string]string {
		params := map[string]string{"q": "tides", "format": "json", "safesearch": "1"}
		for i := 0; i < len(more); i += 2 {
			params[more[i]] = more[i+1]
		}
		return params
	}
	tests := []struct {
		base, path string
		params     map[string]string
	}{
		{"", "/search", plain},
		{"/", "/search", plain},
		{"//", "/search", plain},
		{"/search", "/search", plain},
		{"/search/", "/search", plain},
		{"/search?q=<query>", "/search", plain},
		{"/search?q=<query>&format=json", "/search", plain},
		{"/search?q=%3Cquery%3E", "/search", plain},
		{"/search?q={query}", "/search", plain},
		{"/search?q=", "/search", plain},
		{"/search?q", "/search", plain},
		{"/?q=", "/search", plain},
		{"/?", "/search", plain},
		{"?q=<query>", "/search", plain},
		{"/searxng", "/searxng/search", plain},
		{"/searxng/", "/searxng/search", plain},
		{"/searxng/search", "/searxng/search", plain},
		{"/a%2Fb/search/", "/a%2Fb/search", plain},
		{"/research", "/research/search", plain},
		{"/search?format=html&language=all&categories=it,science", "/search",
			with("language", "all", "categories", "it,science")},
		{"/?preferences=abc&safesearch=0", "/search", with("preferences", "abc")},
		{"/?engines=a&engines=b", "/search", with("engines", "a | b")},
		{"/search#results", "/search", plain},
	}
	for _, test := range tests {
		t.Run(test.base, func(t *testing.T) {
			asked := recordingServer(t, []byte(`{"results":[]}`))
			if _, err := opened(t, "searxng", asked.URL+test.base).Search(t.Context(),
				citewell.Query{Text: "tides"}); err != nil {
				t.Fatal(err)
			}
			if got := asked.last.URL.EscapedPath(); got != test.path {
				t.Errorf("path %q, want %q", got, test.path)
			}
			if diff := cmp.Diff(test.params, asked.params()); diff != "" {
				t.Error("want - got +\n" + diff)
			}
		})
	}
}

// The query may hold whatever SearXNG's own syntax has; it arrives as it was
// written, and a redirect that a bang asks for is not followed to another host.
func TestSearXNGSendsTheQueryAsItIs(t *testing.T) {
	for _, query := range []string{"!it !q&a go generics", "sha512 a+b=c", "100% é 潮力 #x", "!!wikipedia tides",
		":de Gezeiten", `"<query>"`} {
		asked := recordingServer(t, []byte(`{"results":[]}`))
		if _, err := opened(t, "searxng", asked.URL).Search(t.Context(), citewell.Query{Text: query}); err != nil {
			t.Fatal(err)
		}
		if got := asked.params()["q"]; got != query {
			t.Errorf("asked %q, want %q", got, query)
		}
	}
}

func TestSearXNGEnginesDownIsShort(t *testing.T) {
	var engines []string
	for i := range 200 {
		engines = append(engines, fmt.Sprintf(`["engine%d %s","%s"]`, i, strings.Repeat("n", 500),
			strings.Repeat("r", 5000)))
	}
	p := openedSearXNG(t)
	_, err := p.read(t.Context(), fuzzReply("application/json",
		[]byte(`{"results":[],"unresponsive_engines":[`+strings.Join(engines, ",")+`]}`)), 0)
	if message := citewell.View(err).Message; len(message) > 1200 || !strings.Contains(message, "194 more") {
		t.Errorf("%d bytes: %s", len(message), message)
	}
}

func openedSearXNG(t testing.TB) *searxng {
	p, err := newSearXNG(testDeps(t), Settings{BaseURL: "http://127.0.0.1/"}, services.SearXNGOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*searxng)
}
