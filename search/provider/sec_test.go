package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["sec"] = secWire }

func secWire(t *testing.T) searchtest.Wire {
	one := func(id, cik string) searchtest.Reply {
		return jsonReply(`{"hits":{"total":{"value":1},"hits":[{"_id":"` + id + `","_source":{"ciks":["` + cik +
			`"],"display_names":["A"],"file_type":"8-K"}}]}}`)
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			d := withSettings(testDeps(t), "sec", keyed(base))
			d.Contact = "ops@harbour.example"
			p, err := New("sec", d)
			if err != nil {
				t.Fatal(err)
			}
			p.(*sec).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "sec/good.json"),
		Want: []citewell.Result{
			{Provider: "sec", Rank: 1, Title: "Amber Crane Corp (AMBC) (CIK 0000012345): 10-K",
				URL:     "https://www.sec.gov/Archives/edgar/data/12345/000091234526000012/crane-10k_2025.htm",
				Snippet: "ANNUAL REPORT", Published: "2026-02-01"},
			{Provider: "sec", Rank: 2, Title: "Amber Crane Corp (AMBC) (CIK 0000012345): EX-99.1",
				URL:       "https://www.sec.gov/Archives/edgar/data/12345/000091234525000007/ex991.htm",
				Published: "2025-03-04"},
		},
		Empty: jsonReply(`{"hits":{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/LATEST/search-index",
				"q":         "tidal power wave energy 50 潮",
				"dateRange": "custom", "startdt": "2026-01-12", "enddt": "2026-02-12"})
			if want := "Citewell/test (+https://github.com/citewell/citewell; " +
				"ops@harbour.example)"; r.UserAgent() != want {
				t.Errorf("it is asked by %q", r.UserAgent())
			}
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 300, Special: `"*()/`, Reserved: []string{"AND", "OR", "NOT"},
		Codes: map[string]citewell.Code{"401": citewell.CodeBlockedByProvider, "403": citewell.CodeBlockedByProvider,
			"broken_utf8": citewell.CodeBadResponse},
		Quirks: []searchtest.Quirk{
			{Name: "the_agent_is_refused", Reply: searchtest.Reply{
				Status: 403, Header: map[string]string{"Content-Type": "text/html"},
				Body: []byte("<h1>Your Request Originates from an Undeclared Automated Tool</h1>")},
				Code: citewell.CodeBlockedByProvider, Says: []string{"contact"}},
			{Name: "a_path_for_a_file", Reply: one("0000912345-26-000012:../../x.htm", "12"),
				Code: citewell.CodeBadResponse},
			{Name: "a_word_for_a_number", Reply: one("0000912345-26-000012:x.htm", "12/.."),
				Code: citewell.CodeBadResponse},
		},
	}
}

// Without an e-mail address it is not asked at all: it would answer 403.
func TestSECNeedsAnAddress(t *testing.T) {
	for contact, there := range map[string]bool{"": false, "https://example.org/ops": false, "ops@example.org": true} {
		d := testDeps(t)
		d.Contact = contact
		_, err := New("sec", d)
		if (err == nil) != there || err != nil && (citewell.CodeOf(err) != citewell.CodeProviderNotConfigured ||
			citewell.View(err).Hint != "set contact or CITEWELL_CONTACT to an address of yours") {
			t.Errorf("with %q: %v", contact, err)
		}
	}
}
