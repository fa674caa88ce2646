package provider

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["arxiv"] = arXivWire }

func atomReply(status int, body string) searchtest.Reply {
	return searchtest.Reply{Status: status, Header: map[string]string{
		"Content-Type": "application/atom+xml; charset=utf-8"}, Body: []byte(body)}
}

func arXivWire(t *testing.T) searchtest.Wire {
	feed := func(entries string) string {
		return `<?xml version='1.0' encoding='UTF-8'?><feed xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom"><id>x</id><title>arXiv Query</title>` + entries + `</feed>`
	}
	problem := feed(
		`<entry><id>https://arxiv.org/api/errors#start_must_be_an_integer</id><title>Error</title><summary>start must be an integer</summary><author><name>arXiv api core</name></author></entry>`)
	one := feed(`<entry><id>http://arxiv.org/abs/math/0309136v4</id><title>Tides</title><summary/><published>2003-09-08T00:00:00Z</published><author><name>A. Crane</name></author></entry>`)
	old := []citewell.Result{{Provider: "arxiv", Rank: 1, Title: "Tides", URL: "https://arxiv.org/abs/math/0309136",
		Published: "2003-09-08",
		Work: &citewell.Work{Authors: []string{"A. Crane"}, Year: 2003, Venue: "arXiv", Publisher: "arXiv",
			Kind: citewell.WorkPreprint, DOI: "10.48550/arxiv.math/0309136", ArXiv: "math/0309136",
			OpenCopy: "https://arxiv.org/pdf/math/0309136", Version: "v4"}}}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "arxiv", base)
			p.(*arXiv).now = now
			return p
		},
		Query: question, Good: atomReply(200, string(fixture(t, "arxiv/good.xml"))),
		Want: []citewell.Result{
			{Provider: "arxiv", Rank: 1, Title: `On $\alpha$-tides of the marée & of weirs`,
				URL: "https://arxiv.org/abs/2401.00001", Snippet: "We count crabs where $h < 2$.",
				Published: "2024-01-01",
				Work: &citewell.Work{Authors: []string{"Ada Crane", "Ben Okafor"}, Year: 2024, Venue: "arXiv",
					Publisher: "arXiv", Kind: citewell.WorkPreprint, DOI: "10.48550/arxiv.2401.00001",
					ArXiv: "2401.00001", OpenCopy: "https://arxiv.org/pdf/2401.00001", Version: "v2", Abstract: true}},
			{Provider: "arxiv", Rank: 2, Title: "Tides of moons", URL: "https://arxiv.org/abs/astro-ph/0601001",
				Snippet: "Moons pull.", Published: "2006-01-01",
				Work: &citewell.Work{Authors: []string{"Ada Crane"}, Year: 2006, Venue: "J. Tides 4 (2006) 1-9",
					DOI: "10.5555/tide.41", ArXiv: "astro-ph/0601001",
					OpenCopy: "https://arxiv.org/pdf/astro-ph/0601001", Version: "v1", Abstract: true,
					Versions: []citewell.WorkVersion{{Kind: citewell.WorkPreprint,
						DOI: "10.48550/arxiv.astro-ph/0601001", ArXiv: "astro-ph/0601001", Version: "v1",
						URL: "https://arxiv.org/abs/astro-ph/0601001"}}}},
			{Provider: "arxiv", Rank: 3, Title: "Tides stand still", URL: "https://arxiv.org/abs/2401.00003",
				Snippet: "This paper has been withdrawn by the author.", Published: "2024-01-03",
				Work: &citewell.Work{Authors: []string{"C. Crane"}, Year: 2024, Venue: "arXiv", Publisher: "arXiv",
					Kind: citewell.WorkPreprint, DOI: "10.48550/arxiv.2401.00003", ArXiv: "2401.00003",
					OpenCopy: "https://arxiv.org/pdf/2401.00003", Version: "v3", Retracted: citewell.WorkRetracted,
					Abstract: true}},
		},
		Empty: atomReply(200, feed("")),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/api/query", "start": "0",
				"max_results": "10", "sortBy": "relevance",
				"search_query": "all:tidal AND all:power AND all:wave AND all:energy AND all:50 AND all:潮 AND " +
					"submittedDate:[202601120000 TO 202602122359]"})
		},
		Sent: func(_ *testing.T, r *http.Request) string {
			words, _, _ := strings.Cut(r.Form.Get("search_query"), " AND submittedDate:")
			return strings.ReplaceAll(strings.TrimPrefix(words, "all:"), " AND all:", " ")
		},
		MaxChars: 300, MaxWords: 20, Special: lucene.escaped, Reserved: reservedWords,
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "an_error_with_200", Reply: atomReply(200, problem), Code: citewell.CodeInvalidArgument,
				Says: []string{"other words"}},
			{Name: "an_error_with_400", Reply: atomReply(400, problem), Code: citewell.CodeInvalidArgument,
				Says: []string{"400"}},
			{Name: "rate_exceeded", Reply: searchtest.Reply{Status: 429,
				Header: map[string]string{"Content-Type": "text/plain"}, Body: []byte("Rate exceeded.")},
				Code: citewell.CodeRateLimited},
			{Name: "rate_exceeded_with_200", Reply: searchtest.Reply{
				Header: map[string]string{"Content-Type": "text/plain"}, Body: []byte("Rate exceeded.")},
				Code: citewell.CodeBadResponse},
			{Name: "another_feed", Reply: atomReply(200,
				`<rss version="2.0"><channel><title>x</title></channel></rss>`), Code: citewell.CodeBadResponse},
			{Name: "an_entry_that_is_no_paper", Reply: atomReply(200,
				feed(`<entry><id>http://arxiv.org/abs/</id><title>x</title></entry>`))},
		},
		Lookups: []searchtest.Lookup{{
			ID:           citewell.Identifier{Scheme: citewell.SchemeArXiv, Value: "math.gt/0309136"},
			CheckRequest: lookedUp("/api/query", "id_list", "math/0309136"),
			Good:         atomReply(200, one), Want: old, Missing: []searchtest.Reply{atomReply(200, feed(""))},
		}},
	}
}

// What is no identifier of its own is not sent at all.
func TestArXivIsNotAskedForNonsense(t *testing.T) {
	p := opened(t, "arxiv", "http://127.0.0.1:1")
	results, err := p.Search(t.Context(), citewell.Query{Text: "x",
		Identifier: citewell.Identifier{Scheme: citewell.SchemeArXiv, Value: "2401.1; DROP"}})
	if err != nil || len(results) > 0 {
		t.Errorf("%v, %v", results, err)
	}
}

// Its terms hold behind a Gate: one connection, three seconds from call to call, and after a
// refusal none for a quarter of an hour, however it is set.
func TestArXivKeepsToItsTerms(t *testing.T) {
	limits := testDeps(t).Limits("arxiv")
	if every := time.Duration(float64(time.Second) / limits.Rate); every < 3*time.Second || limits.Burst > 1 ||
		limits.Parallel != 1 || limits.Tries != 1 || !limits.RateFixed || !limits.Shared {
		t.Errorf("its limits are %+v", limits)
	}
	for _, test := range []struct {
		set  Settings
		want float64
	}{{Settings{Rate: 5}, limits.Rate}, {Settings{Rate: 0.1}, 0.1},
		{Settings{Rate: 5, BaseURL: "http://127.0.0.1:1"}, 5}} {
		if got := withSettings(testDeps(t), "arxiv", test.set).Limits("arxiv").Rate; got != test.want {
			t.Errorf("with %+v it is asked %g times a second, want %g", test.set, got, test.want)
		}
	}
	var mu sync.Mutex
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		asked++
		mu.Unlock()
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte("Rate exceeded."))
	}))
	defer server.Close()
	gate := search.NewGate("arxiv", limits).Guard(opened(t, "arxiv", server.URL))
	for range 3 {
		_, err := gate.Search(t.Context(), question)
		e, _ := errors.AsType[*citewell.Error](err)
		if e == nil || e.Code != citewell.CodeRateLimited || e.RetryAfter < 14*time.Minute {
			t.Errorf("a refusal is %+v", e)
		}
	}
	if asked != 1 {
		t.Errorf("it was asked %d times, want once", asked)
	}
}

func TestTexToText(t *testing.T) {
	for in, want := range map[string]string{
		`Poincar\'e and Erd\H{o}s`: "Poincaré and Erdős", `Schr{\"o}dinger`: "Schrödinger", `na\"{\i}ve`: "naïve",
		`\c{C}elik, \v{S}koda`:               "Çelik, Škoda",
		`$\alpha$ \textbf{bold} 5\% of R\&D`: `$\alpha$ bold 5% of R&D`, `$\beta\cdot\vec{x}$`: `$\beta\cdot\vec{x}$`,
		`plain`: "plain", `\`: `\`,
	} {
		if got := texToText(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
