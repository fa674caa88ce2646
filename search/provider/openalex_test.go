package provider

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["openalex"] = openAlexWire }

func openAlexWire(t *testing.T) searchtest.Wire {
	list := func(items string) searchtest.Reply {
		return jsonReply(`{"meta":{"count":1,"page":1,"per_page":10},"results":[` + items + `],"group_by":[]}`)
	}
	one := `{"id":"https://openalex.org/W39","doi":"https://doi.org/10.5555/tide.9","ids":{"pmid":"https://pubmed.ncbi.nlm.nih.gov/39"},"title":"Tides","publication_date":"1998-02-01","publication_year":1998,"type":"article",` +
		`"authorships":[],"primary_location":null,"best_oa_location":null,"is_retracted":true,"is_paratext":false,"abstract_inverted_index":null}`
	gone := []citewell.Result{{Provider: "openalex", Rank: 1, Title: "Tides", URL: "https://doi.org/10.5555/tide.9",
		Published: "1998-02-01",
		Work: &citewell.Work{Kind: citewell.WorkArticle, Year: 1998, DOI: "10.5555/tide.9", PMID: "39",
			Retracted: citewell.WorkRetracted}}}
	notFound := searchtest.Reply{Status: 404, Header: map[string]string{"Content-Type": "text/html"},
		Body: []byte("<!doctype html><title>404 Not Found</title>")}
	lookup := func(scheme, value, path string) searchtest.Lookup {
		return searchtest.Lookup{ID: citewell.Identifier{Scheme: scheme, Value: value}, Good: jsonReply(one),
			Want: gone, Missing: []searchtest.Reply{notFound},
			CheckRequest: func(t *testing.T, r *http.Request) {
				if r.URL.Path != path || r.Form.Get("select") != openAlexFields || r.Form.Has("search") {
					t.Errorf("asked for %s?%s", r.URL.Path, r.URL.RawQuery)
				}
			}}
	}
	codes := map[string]citewell.Code{"403": citewell.CodeRateLimited}
	for _, fault := range []string{"429", "429_seconds", "429_date", "429_reset"} {
		codes[fault] = citewell.CodeQuotaExhausted
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "openalex", base)
			p.(*openAlex).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "openalex/good.json"),
		Want: []citewell.Result{
			{Provider: "openalex", Rank: 1, Title: "Crabs of tidal barrages & weirs",
				URL: "https://doi.org/10.5555/tide.31", Snippet: "We count crabs and <10 crabs eat",
				Published: "2024-02-01",
				Work: &citewell.Work{Authors: []string{"A. Crane", "Ben Okafor"}, Year: 2024, Venue: "Journal of Tides",
					Kind: citewell.WorkArticle, DOI: "10.5555/tide.31", ArXiv: "2401.00031", PMID: "41000031",
					OpenCopy: "https://arxiv.org/pdf/2401.00031", Licence: "cc-by", Version: "submitted",
					Retracted: citewell.WorkStands, Abstract: true, Volume: "12", Pages: "101-118",
					Publisher: "Sea Press",
					Versions: []citewell.WorkVersion{{Kind: citewell.WorkPreprint, ArXiv: "2401.00031",
						Version: "submitted", URL: "https://arxiv.org/abs/2401.00031"}}}},
			{Provider: "openalex", Rank: 2, Title: "A thesis of tides", URL: "https://repository.example/32",
				Work: &citewell.Work{Year: 2020, Kind: citewell.WorkThesis}},
			{Provider: "openalex", Rank: 3, Title: "Nowhere to be read", URL: "https://openalex.org/W33",
				Published: "2019-01-01", Work: &citewell.Work{Year: 2019, Retracted: citewell.WorkRetracted}},
		},
		Empty: list(""),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/works",
				"search": "tidal power wave energy 50 潮", "per_page": "10",
				"select": openAlexFields, "filter": "from_publication_date:2026-01-12", "api_key": testKey})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("search") },
		MaxChars: 500, MaxWords: 40, Special: lucene.escaped, Reserved: reservedWords,
		Codes: codes,
		Quirks: []searchtest.Quirk{
			{Name: "the_days_allowance_is_gone", Reply: searchtest.Reply{
				Status: 429, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "3600"},
				Body: []byte(`{"error":"Rate limit exceeded","message":"Insufficient budget"}`)},
				Code: citewell.CodeQuotaExhausted, Says: []string{"today", "this key"}},
			{Name: "a_wrong_key", Reply: refusal(401, `{"error":"Invalid API key","message":"Invalid API key"}`),
				Code: citewell.CodeAuth},
			{Name: "no_such_filter", Reply: refusal(400,
				`{"error":"Invalid query parameters error.","message":"x is not a valid field"}`),
				Code: citewell.CodeInvalidArgument},
		},
		Lookups: []searchtest.Lookup{
			lookup(citewell.SchemeDOI, "10.5555/tide.9(a)<b>", "/works/doi:10.5555/tide.9(a)<b>"),
			lookup(citewell.SchemePMID, "39", "/works/pmid:39"),
		},
	}
}

// Without a key none is sent, for an empty one is refused, and nobody's key was refused.
func TestOpenAlexWithoutAKey(t *testing.T) {
	status, sent := 200, false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = sent || r.URL.Query().Has("api_key")
		w.Header().Set("X-RateLimit-Reset", "3600")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"results":[]}`))
	}))
	defer server.Close()
	p, err := New("openalex", withSettings(testDeps(t), "openalex", Settings{BaseURL: server.URL}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		status int
		code   citewell.Code
		wait   time.Duration
	}{{200, "", 0}, {401, citewell.CodeBlockedByProvider, time.Hour}, {403, citewell.CodeRateLimited, time.Hour},
		{429, citewell.CodeQuotaExhausted, time.Hour}} {
		status = test.status
		_, err := p.Search(t.Context(), question)
		e, _ := errors.AsType[*citewell.Error](err)
		if citewell.CodeOf(err) != test.code || e != nil && e.RetryAfter != test.wait {
			t.Errorf("%d is %v, want %s", test.status, err, test.code)
		}
	}
	if sent {
		t.Error("a key was sent")
	}
}

// A key raises what is asked on a day.
func TestOpenAlexWithAKey(t *testing.T) {
	without, with := testDeps(t).Limits("openalex"), withSettings(testDeps(t), "openalex",
		Settings{APIKey: citewell.NewSecret(testKey)}).Limits("openalex")
	if without.PerDay != 90 || with.PerDay != 900 || !without.FreeLookups || !with.FreeLookups || !with.Shared {
		t.Errorf("without a key %+v, with one %+v", without, with)
	}
}

func TestOpenAlexAbstract(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":[1],"a":[0,2]}`: "a b a", `{"b":[7],"a":[3]}`: "a b", `{}`: "", `null`: "", `[1]`: "", ``: "",
		`{"a":["0"]}`: "", `{"a":[-1]}`: "", `{"a":[20000]}`: "", `{"a":[19999]}`: "a",
	} {
		if got := openAlexAbstract([]byte(in)); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
}
