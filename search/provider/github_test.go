package provider

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

func init() { wires["github"] = githubWire }

func openedGitHub(t *testing.T, base string) *github {
	p := opened(t, "github", base).(*github)
	p.now = now
	return p
}

func githubWire(t *testing.T) searchtest.Wire {
	limited := refusal(403,
		`{"message":"API rate limit exceeded for 192.0.2.1. (But here's the good news: Authenticated requests get a higher rate limit.)","documentation_url":"x"}`)
	limited.Header["X-RateLimit-Remaining"], limited.Header["X-RateLimit-Reset"] = "0", "30"
	secondary := refusal(403,
		`{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`)
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return openedGitHub(t, base) },
		Query: question, Good: replyOf(t, 200, "github/good.json"),
		Want: []citewell.Result{
			{Provider: "github", Rank: 1, Title: "panic: tide is out of range",
				URL: "https://github.com/tides/crane/issues/12", Snippet: "## What happened It panics at *low* tide.",
				Published: "2026-01-20"},
			{Provider: "github", Rank: 2, Title: "Waves are counted twice",
				URL: "https://github.com/tides/crane/issues/7", Published: "2024-02-29"},
		},
		Empty: jsonReply(`{"total_count":0,"incomplete_results":false,"items":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/search/issues",
				"q": "tidal power wave energy 50 潮 is:issue created:>=2026-01-12", "per_page": "10"})
			if got := r.Header.Get("Authorization"); got != "Bearer "+testKey {
				t.Errorf("authorized as %q", got)
			}
		},
		Sent: func(_ *testing.T, r *http.Request) string {
			words, _, _ := strings.Cut(r.Form.Get("q"), " created:")
			words, _, _ = strings.Cut(words, " pushed:")
			return strings.TrimSuffix(words, " is:issue")
		},
		MaxChars: 256, Special: `":()<>*/\`, Reserved: []string{"AND", "OR", "NOT"},
		Codes: map[string]citewell.Code{"403": citewell.CodeBlockedByProvider},
		Quirks: []searchtest.Quirk{
			{Name: "rate_limited_with_403", Reply: limited, Code: citewell.CodeRateLimited,
				Says: []string{"no more searches", "a token"}},
			{Name: "secondary_limit", Reply: secondary, Code: citewell.CodeRateLimited},
			{Name: "no_agent", Reply: refusal(403, "Request forbidden by administrative rules."),
				Code: citewell.CodeBlockedByProvider},
			{Name: "bad_token", Reply: refusal(401, `{"message":"Bad credentials"}`), Code: citewell.CodeAuth,
				Says: []string{"search.providers.github"}},
			{Name: "validation", Reply: refusal(422,
				`{"message":"Validation Failed","errors":[{"resource":"Search","field":"q","code":"invalid"}]}`),
				Code: citewell.CodeInvalidArgument},
			{Name: "it_ran_out_of_time", Reply: jsonReply(`{"total_count":0,"incomplete_results":true,"items":[]}`),
				Notes: []string{"ran out of time"}},
		},
	}
}

// A query of few words is for projects, and no token is sent where there is none.
func TestGitHubProjects(t *testing.T) {
	var asked *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Clone(t.Context())
		_, _ = w.Write([]byte(`{"total_count":2,"incomplete_results":false,"items":[` +
			`{"full_name":"tides/crane","html_url":"https://github.com/tides/crane","description":"Cranes at low tide","stargazers_count":5,"pushed_at":"2026-01-01T00:00:00Z","topics":[],"license":null},` +
			`{"full_name":"b/waves","html_url":"https://github.com/b/waves","description":null}]}`))
	}))
	defer server.Close()
	p, err := New("github", withSettings(testDeps(t), "github", Settings{BaseURL: server.URL}))
	if err != nil {
		t.Fatal(err)
	}
	p.(*github).now = now
	results, err := p.Search(t.Context(), citewell.Query{Text: "what is a good client for tide:tables?",
		TimeRange: citewell.PastMonth, Until: "2026-02-01"})
	if err != nil {
		t.Fatal(err)
	}
	want := []citewell.Result{{Provider: "github", Rank: 1, Title: "tides/crane", URL: "https://github.com/tides/crane",
		Snippet: "Cranes at low tide"},
		{Provider: "github", Rank: 2, Title: "b/waves", URL: "https://github.com/b/waves"}}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Error("want - got +\n" + diff)
	}
	if q := asked.URL.Query().Get("q"); asked.URL.Path != "/search/repositories" ||
		q != "good client tide tables pushed:<=2026-02-01" || asked.Header.Get("Authorization") != "" {
		t.Errorf("asked %s for %q as %q", asked.URL.Path, q, asked.Header.Get("Authorization"))
	}
}

// Where the last search of a minute was let through it is left alone until the next.
func TestGitHubIsLeftAloneAsItAsks(t *testing.T) {
	spent := jsonReply(`{"items":[]}`)
	spent.Header["X-RateLimit-Remaining"], spent.Header["X-RateLimit-Reset"] = "0", "40"
	guarded := search.Guarded(openedGitHub(t, serving(t, searchtest.Wire{Good: spent}.Handler())), search.Limits{})
	if _, err := guarded.Search(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	_, err := guarded.Search(t.Context(), question)
	if e, ok := err.(*citewell.Error); !ok || e.Code != citewell.CodeRateLimited || e.RetryAfter < 30*time.Second ||
		e.RetryAfter > 40*time.Second {
		t.Errorf("%#v", err)
	}
	d := testDeps(t)
	inAMinute := func(l search.Limits) float64 { return 60*l.Rate + float64(l.Burst) }
	if without := inAMinute(d.Limits("github")); without < 9 || without > 10 {
		t.Errorf("without a token: %v in a minute", without)
	}
	if with := inAMinute(withSettings(d, "github", Settings{APIKey: citewell.NewSecret("t")}).Limits("github")); with <
		29 || with > 30 {
		t.Errorf("with a token: %v in a minute", with)
	}
}
