package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["federalregister"] = federalRegisterWire }

func federalRegisterWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "federalregister", base)
			p.(*federalRegister).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "federalregister/good.json"),
		Want: []citewell.Result{
			{Provider: "federalregister", Rank: 1, Title: "Licensing of Tidal Power Projects",
				Snippet: "The agency revises its rules for tidal & wave projects.", Published: "2026-01-20",
				URL: "https://www.federalregister.gov/documents/2026/01/20/2026-00001/" +
					"licensing-of-tidal-power-projects"},
			{Provider: "federalregister", Rank: 2, Title: "Notice of a Meeting", Snippet: "on tidal energy",
				Published: "2025-12-01",
				URL:       "https://www.federalregister.gov/documents/2025/12/01/2025-00002/notice-of-a-meeting"},
		},
		Empty: jsonReply(`{"description":"Documents matching 'xyz'","count":0}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/api/v1/documents.json",
				"conditions[term]": "tidal power wave energy 50 潮", "per_page": "10",
				"order": "relevance", "fields[]": "title | abstract | excerpts | publication_date | html_url",
				"conditions[publication_date][gte]": "2026-01-12"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("conditions[term]") },
		MaxChars: 300, Special: `"()|&*~!`, Reserved: []string{},
		Codes: map[string]citewell.Code{"401": citewell.CodeBlockedByProvider, "403": citewell.CodeBlockedByProvider,
			"broken_utf8": citewell.CodeBadResponse},
		Quirks: []searchtest.Quirk{
			{Name: "a_count_without_results", Reply: jsonReply(`{"description":"x","count":12}`),
				Code: citewell.CodeBadResponse, Says: []string{"none can be read"}},
			{Name: "what_is_wrong_with_a_query", Reply: refusal(400, `{"errors":{"per_page":"is too large"}}`),
				Code: citewell.CodeInvalidArgument},
		},
	}
}
