package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

func init() {
	wires["exa"] = exaWire
}

func exaWire(t *testing.T) searchtest.Wire {
	tagged := func(name string, status int, tag string, code citewell.Code, says ...string) searchtest.Quirk {
		return searchtest.Quirk{Name: name, Code: code, Says: append(says, tag),
			Reply: refusal(status, `{"requestId":"r1","error":"something about `+testEngine+`","tag":"`+tag+`"}`)}
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "exa", base)
			p.(*exa).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "exa/good.json"),
		Want: []citewell.Result{
			{Provider: "exa", Rank: 1, Title: "Tidal power — how it works",
				URL:     "https://www.tides.example/power?a=1&b=2",
				Snippet: "Tidal power turns the rise and fall of the sea into electricity.", Published: "2026-02-11"},
			{Provider: "exa", Rank: 2, URL: "https://rance.example/", Snippet: "The plant still runs."},
			{Provider: "exa", Rank: 3, Title: "Über Gezeitenkraft", URL: "https://de.tides.example/%C3%BCber",
				Snippet: "Ein Kraftwerk, das „zweimal am Tag“ läuft.", Published: "2026-02-09"},
		},
		Empty: jsonReply(`{"requestId":"r1","results":[],"costDollars":{"total":"0.005"}}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "POST", "path": "/search"})
			want := map[string]any{"query": question.Text, "type": "auto", "numResults": 10.0, "userLocation": "DE",
				"moderation":         true,
				"startPublishedDate": "2026-01-12T00:00:00.000Z", "contents": map[string]any{
					"text": map[string]any{"maxCharacters": 600.0}}}
			if diff := cmp.Diff(want, jsonBody(t, r)); diff != "" {
				t.Error("want - got +\n" + diff)
			}
			if r.Header.Get("X-Api-Key") != testKey {
				t.Errorf("headers %v", r.Header)
			}
		},
		Sent:     func(t *testing.T, r *http.Request) string { return jsonBody(t, r)["query"].(string) },
		MaxChars: 2000,
		Quirks: []searchtest.Quirk{
			tagged("no_credits", 402, "NO_MORE_CREDITS", citewell.CodeQuotaExhausted, "no credits left"),
			tagged("budget_of_the_key", 402, "API_KEY_BUDGET_EXCEEDED", citewell.CodeQuotaExhausted, "budget"),
			tagged("credits_with_another_status", 429, "NO_MORE_CREDITS", citewell.CodeQuotaExhausted),
			tagged("bad_key", 401, "INVALID_API_KEY", citewell.CodeAuth, "EXA_API_KEY"),
			tagged("not_in_plan", 403, "ACCESS_DENIED", citewell.CodeAuth, "plan"),
			tagged("moderated", 403, "PROHIBITED_CONTENT", citewell.CodeInvalidArgument, "other words"),
			tagged("bad_request", 400, "INVALID_REQUEST_BODY", citewell.CodeInvalidArgument),
			{Name: "tag_of_another_form", Reply: refusal(402, `{"tag":"`+testKey+`"}`),
				Code: citewell.CodeQuotaExhausted},
			{Name: "some_other_json", Reply: jsonReply(`{"hits":[]}`), Code: citewell.CodeBadResponse,
				Says: []string{"no answer of exa"}},
		},
		Codes: postCodes,
	}
}

func TestExaOptions(t *testing.T) {
	d := testDeps(t)
	for _, o := range []services.ExaOptions{{Type: "magic"}, {Category: "gossip"}} {
		if _, err := NewWith(withSettings(d, "exa", keyed("")),
			o); citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			!strings.Contains(citewell.View(err).Message, "must be one of") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	asked := recordingServer(t, []byte(`{"results":[]}`))
	p, err := NewWith(withSettings(d, "exa", keyed(asked.URL+"/proxy")),
		services.ExaOptions{Type: "fast", Category: "news", IncludeDomains: []string{"a.example"},
			PublishedAfter: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
			PublishedUntil: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	detail := detailOf(t, p, citewell.Query{Text: "tides", Limit: 500, Region: "xl-es"})
	want := `{"query":"tides","type":"fast","category":"news","numResults":25,"includeDomains":["a.example"],` +
		`"startPublishedDate":"2026-01-02T00:00:00.000Z","endPublishedDate":"2026-01-03T00:00:00.000Z","contents":{"text":{"maxCharacters":600}}}`
	if got := string(asked.body); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	if asked.last.URL.Path != "/proxy/search" || detail != "exa does not know this region and searched everywhere" {
		t.Errorf("at %s: %s", asked.last.URL.Path, detail)
	}
}
