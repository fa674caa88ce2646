package provider

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/search"
)

const secName = "sec"

func init() {
	register(Description{
		Name: secName,
		About: "filings of companies with the Securities and Exchange Commission, by their full text since 2001; no " +
			"key, but an e-mail address",
		Docs:  "https://www.sec.gov/search-filings/edgar-search-assistance/accessing-edgar-data",
		Needs: []string{needContact}, // in the agent, or it answers 403
		Kinds: []search.Kind{search.KindLaw},
		Open:  true,
		// 10 a second are let through.
		Limits:       search.Limits{Rate: 2, Parallel: 1, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
		WithContact:  &search.Limits{Rate: 2, Parallel: 1, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
		ContactSites: []string{"sec.gov"},
	}, opens(secName, "https://efts.sec.gov", "/LATEST/search-index", openRefusal,
		func(at service[struct{}]) search.Provider { return &sec{at} }))
}

type sec struct{ service[struct{}] }

var (
	secLimit  = queryLimit{chars: 300} // its documents name none; its addresses have an end
	secSyntax = syntax{blank: `"*()/`, leading: "-", words: []string{"AND", "OR", "NOT"}}
)

func (p *sec) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	params := url.Values{"q": {secLimit.cut(ctx, p.name, secSyntax.plain(contentWords(q.Text)))}}
	if since, until := window(q, p.now()); since != "" || until != "" {
		params.Set("dateRange", "custom")
		params.Set("startdt", loose(since).orElse("2001-01-01")) // it has none before
		params.Set("enddt", loose(until).orElse(loose(p.now().UTC().Format(time.DateOnly))))
	}
	var answer struct{ Hits struct{ Hits []secHit } }
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "hits"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, hit := range answer.Hits.Hits {
		results = append(results, hit.result())
	}
	return p.kept(results, len(results), q.Limit)
}

type secHit struct {
	ID     loose `json:"_id"` // accession:file
	Source struct {
		Names       looseList `json:"display_names"`
		CIKs        looseList
		Form        loose
		Type        loose `json:"file_type"`
		Description loose `json:"file_description"`
		Filed       loose `json:"file_date"`
	} `json:"_source"`
}

// secID is the number of a filing and the name of one of its files; secCIK is the number of who
// filed it, with its zeros.
var (
	secID  = lazyregexp.New(`^(\d{10}-\d{2}-\d{6}):(\w[\w.-]*)$`)
	secCIK = lazyregexp.New(`^0*([1-9]\d{0,9})$`)
)

// result is one file of a filing. What it says of the question is read there.
func (h secHit) result() citewell.Result {
	s := h.Source
	r := citewell.Result{Title: s.Names.first(), Snippet: string(s.Description), Published: string(s.Filed)}
	if form := s.Type.orElse(s.Form); form != "" {
		r.Title += ": " + form
	}
	id, cik := secID.FindStringSubmatch(string(h.ID)), secCIK.FindStringSubmatch(s.CIKs.first())
	if id != nil && cik != nil {
		r.URL = "https://www.sec.gov/Archives/edgar/data/" + cik[1] + "/" +
			strings.ReplaceAll(id[1], "-", "") + "/" + id[2]
	}
	return r
}
