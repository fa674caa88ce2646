package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["wikipedia"] = wikipediaWire }

// openCodes are the meanings of statuses for who was given no key to refuse.
var openCodes = map[string]citewell.Code{"401": citewell.CodeBlockedByProvider, "403": citewell.CodeBlockedByProvider}

func wikipediaWire(t *testing.T) searchtest.Wire {
	says := func(body string) searchtest.Reply { return jsonReply(body) }
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "wikipedia", base) },
		Query: question, Good: replyOf(t, 200, "wikipedia/good.json"),
		Want: []citewell.Result{
			{Provider: "wikipedia", Rank: 1, Title: "Gezeitenkraftwerk",
				URL:     "https://de.wikipedia.org/wiki/Gezeitenkraftwerk",
				Snippet: "Ein Gezeitenkraftwerk ist ein Wasserkraftwerk. Es nutzt den Tidenhub."},
			{Provider: "wikipedia", Rank: 2, Title: "Gezeiten", URL: "https://de.wikipedia.org/wiki/Gezeiten",
				Snippet: "Die Gezeiten & ihre Ursachen."},
			{Provider: "wikipedia", Rank: 3, Title: "Ohne Anfang", URL: "https://de.wikipedia.org/wiki/Ohne_Anfang"},
		},
		Empty: says(`{"batchcomplete":true}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/w/api.php", "action": "query",
				"format": "json", "formatversion": "2",
				"errorformat": "plaintext", "generator": "search", "gsrsearch": "tidal power & wave energy 50% é 潮",
				"gsrnamespace": "0", "gsrlimit": "10",
				"prop": "extracts|info|pageprops", "exintro": "1", "explaintext": "1", "exlimit": "20", "inprop": "url",
				"ppprop": "disambiguation"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("gsrsearch") },
		MaxChars: 300, Special: `"*?~!:\|<>/()[]{}=^`, Reserved: []string{"AND", "OR", "NOT"},
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "too_many_calls_with_200",
				Reply: says(`{"error":{"code":"ratelimited","info":"You've exceeded your rate limit."}}`),
				Code:  citewell.CodeRateLimited, Says: []string{"(ratelimited)"}},
			{Name: "too_busy_with_200", Reply: says(
				`{"errors":[{"code":"cirrussearch-too-busy-error","text":"Search is currently too busy."}],"docref":"x"}`), Code: citewell.CodeRateLimited},
			{Name: "query_too_long_with_200", Reply: says(`{"errors":[{"code":"cirrussearch-query-too-long"}]}`),
				Code: citewell.CodeInvalidArgument},
			{Name: "any_error_with_200", Reply: says(
				`{"error":{"code":"internal_api_error_DBQueryError","info":"[x] Caught exception"}}`),
				Code: citewell.CodeBadResponse},
			{Name: "the_agent_is_refused", Reply: searchtest.Reply{
				Status: 403, Header: map[string]string{"Content-Type": "text/html"},
				Body: []byte("Please set a user-agent and respect our robot policy")},
				Code: citewell.CodeBlockedByProvider, Says: []string{"does not let this caller in", "contact"}},
			{Name: "another_search_alone",
				Reply: says(`{"batchcomplete":true,"query":{"searchinfo":{"totalhits":0},"search":[]}}`)},
			{Name: "filters_by_time", Reply: says(`{"batchcomplete":true}`),
				Notes: []string{"wikipedia does not filter by time"}},
		},
	}
}

// Each language has its own host, and nothing but a code of the list gets into an address.
func TestWikipediaInTheLanguageOfTheQuestion(t *testing.T) {
	var mu sync.Mutex
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.Path)
		mu.Unlock()
		_, _ = w.Write([]byte(`{"batchcomplete":true}`))
	}))
	defer server.Close()
	p, err := New("wikipedia", withSettings(testDeps(t), "wikipedia", Settings{BaseURL: server.URL + "/{language}"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, region, want string }{
		{"who built the tidal power station of the Rance", "", "en"},
		{"wer hat das Gezeitenkraftwerk an der Rance gebaut und wann", "", "de"},
		{"qui a construit l'usine marémotrice de la Rance et quand", "", "fr"},
		{"кто построил приливную электростанцию", "", "ru"},
		{"潮力発電所はいつ作られたのか", "", "ja"},
		{"Rance", "fr-fr", "fr"},
		{"Rance", "ch-de", "de"},
		{"Rance", "wt-wt", "en"},
		{"Rance", "xx-evil", "en"},
		{"Rance", "xx-zz", "en"},
	} {
		paths = nil
		if _, err := p.Search(t.Context(), citewell.Query{Text: test.text, Region: test.region}); err != nil {
			t.Error(err)
		}
		if got := strings.Join(paths, " "); got != "/"+test.want+"/w/api.php" {
			t.Errorf("%q in %q was asked at %s, want %s", test.text, test.region, got, test.want)
		}
	}
	public := newHostsOf(t, "wikipedia")
	if at := public.byLanguage["de"].endpoint.String(); at != "https://de.wikipedia.org/w/api.php" ||
		len(public.byLanguage) != len(wikipediaLanguages) {
		t.Errorf("German is at %s; %d hosts", at, len(public.byLanguage))
	}
}

// newHostsOf are the public hosts of a provider.
func newHostsOf(t *testing.T, name string) *hosts {
	p, err := New(name, testDeps(t))
	if err != nil {
		t.Fatal(err)
	}
	return p.(*wikipedia).hosts
}
