package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["crossref"] = crossrefWire }

func crossrefWire(t *testing.T) searchtest.Wire {
	work := func(item string) searchtest.Reply {
		return jsonReply(`{"status":"ok","message-type":"work","message":` + item + `}`)
	}
	list := func(items string) searchtest.Reply {
		return jsonReply(`{"status":"ok","message-type":"work-list","message":{"total-results":1,"items":[` +
			items + `]}}`)
	}
	retracted := `{"DOI":"10.5555/tide.9","type":"journal-article","title":"Tides","URL":"https://doi.org/10.5555/tide.9","issued":{"date-parts":[[1998,2]]},"updated-by":[` +
		`{"DOI":"10.5555/n1","type":"correction","source":"publisher"},{"DOI":"10.5555/n2","type":"retraction","source":"retraction-watch","record-id":1},{"DOI":"10.5555/n3","type":"expression_of_concern"}]}`
	gone := []citewell.Result{{Provider: "crossref", Rank: 1, Title: "Tides", URL: "https://doi.org/10.5555/tide.9",
		Work: &citewell.Work{Kind: citewell.WorkArticle, Year: 1998, DOI: "10.5555/tide.9",
			Retracted: citewell.WorkRetracted}}}
	notFound := searchtest.Reply{Status: 404, Header: map[string]string{"Content-Type": "text/plain"},
		Body: []byte("Resource not found.")}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "crossref", base)
			p.(*crossref).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "crossref/good.json"),
		Want: []citewell.Result{
			{Provider: "crossref", Rank: 1, Title: "Tidal power & waves: A survey",
				URL: "https://doi.org/10.5555/tide.1", Snippet: "We measure. It is H2O.", Published: "2024-02-09",
				Work: &citewell.Work{Authors: []string{"Ada Crane", "The Tide Group", "Okafor"},
					Families: []string{"Crane", "", "Okafor"}, Year: 2024, Venue: "Journal of Tides",
					Kind: citewell.WorkArticle,
					DOI:  "10.5555/tide.1", Licence: "https://creativecommons.org/licenses/by/4.0/", Abstract: true,
					Volume: "12", Issue: "3", Pages: "e7", Publisher: "Sea Press",
					Versions: []citewell.WorkVersion{{Kind: citewell.WorkPreprint, DOI: "10.5555/tide.2",
						URL: "https://doi.org/10.5555/tide.2"}}}},
			{Provider: "crossref", Rank: 2, Title: "A preprint of tides", URL: "https://doi.org/10.5555/tide.2",
				Work: &citewell.Work{Year: 2025, Venue: "Open Waves", Kind: citewell.WorkPreprint,
					DOI: "10.5555/tide.2", Publisher: "Open Waves",
					Versions: []citewell.WorkVersion{{DOI: "10.5555/tide.1", URL: "https://doi.org/10.5555/tide.1"}}}},
			{Provider: "crossref", Rank: 3, Title: "RETRACTED: Waves", URL: "https://doi.org/10.5555/tide.5",
				Work: &citewell.Work{Venue: "Sea Press", Kind: citewell.WorkBook, DOI: "10.5555/tide.5",
					ISBN: "9780306406157", Retracted: citewell.WorkRetracted, Pages: "1-240", Publisher: "Sea Press"}},
		},
		Empty: list(""),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/works",
				"query.bibliographic": "tidal power wave energy 50 潮", "rows": "10",
				"select": crossrefFields, "filter": "from-pub-date:2026-01-12"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("query.bibliographic") },
		MaxChars: 500, MaxWords: 40, Reserved: []string{}, // it has no operators, but the small words stay behind
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "validation", Reply: refusal(400,
				`{"status":"failed","message-type":"validation-failure","message":[{"type":"filter-not-available","value":"x","message":"Filter x"}]}`),
				Code: citewell.CodeInvalidArgument, Says: []string{"400"}},
			{Name: "a_429_of_html", Reply: searchtest.Reply{Status: 429,
				Header: map[string]string{"Content-Type": "text/html", "Retry-After": "3"},
				Body:   []byte("<h1>429</h1>")},
				Code: citewell.CodeRateLimited},
			{Name: "a_title_alone_where_a_list_is_meant", Reply: list(retracted), Want: gone},
			{Name: "a_month_that_is_none",
				Reply: list(`{"DOI":"10.5555/tide.8","type":"report","title":["Tides"],"URL":"https://doi.org/10.5555/tide.8","issued":{"date-parts":[[2024,13,40]]}}`),
				Want: []citewell.Result{{Provider: "crossref", Rank: 1, Title: "Tides",
					URL: "https://doi.org/10.5555/tide.8", Work: &citewell.Work{
						Kind: citewell.WorkReport, Year: 2024, DOI: "10.5555/tide.8"}}}},
		},
		Lookups: []searchtest.Lookup{{
			ID: citewell.Identifier{Scheme: citewell.SchemeDOI, Value: "10.5555/tide.9(a)<b>"},
			CheckRequest: func(t *testing.T, r *http.Request) {
				if got := r.URL.EscapedPath(); got != "/works/10.5555%2Ftide.9%28a%29%3Cb%3E" &&
					got != "/works/10.5555%2Ftide.9(a)%3Cb%3E" || r.URL.RawQuery != "" {
					t.Errorf("asked for %s?%s", got, r.URL.RawQuery)
				}
			},
			Good: work(retracted), Want: gone, Missing: []searchtest.Reply{notFound},
		}},
	}
}

// The e-mail of whoever runs this is a parameter, too; a web address is not.
func TestCrossrefIsToldWhoAsks(t *testing.T) {
	for contact, want := range map[string]string{"ops@example.org": "ops@example.org",
		"https://example.org/ops": "", "": ""} {
		d := testDeps(t)
		d.Contact = contact
		asked := requestOf(t, d, "crossref")
		if got := asked.URL.Query().Get("mailto"); got != want {
			t.Errorf("with contact %q mailto is %q", contact, got)
		}
	}
}
