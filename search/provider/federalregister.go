package provider

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

const federalRegisterName = "federalregister"

func init() {
	register(Description{
		Name:  federalRegisterName,
		About: "rules, proposed rules and notices of agencies of the United States; no key",
		Docs:  "https://www.federalregister.gov/developers/documentation/api/v1",
		Kinds: []search.Kind{search.KindLaw},
		Open:  true,
		// No limit is stated but that use is watched.
		Limits: search.Limits{Rate: 1, Parallel: 1, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
	}, opens(federalRegisterName, "https://www.federalregister.gov", "/api/v1/documents.json", openRefusal,
		func(at service[struct{}]) search.Provider { return &federalRegister{at} }))
}

type federalRegister struct{ service[struct{}] }

const federalRegisterMostResults = 50

var (
	federalRegisterLimit  = queryLimit{chars: 300} // its documents name none; its addresses have an end
	federalRegisterSyntax = syntax{blank: `"()|&*~!`, leading: "-+"}
)

func (p *federalRegister) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	params := url.Values{"conditions[term]": {federalRegisterLimit.cut(ctx, p.name,
		federalRegisterSyntax.plain(contentWords(q.Text)))},
		"per_page": {strconv.Itoa(wanted(q, federalRegisterMostResults))}, "order": {"relevance"},
		"fields[]": {"title", "abstract", "excerpts", "publication_date", "html_url"}}
	since, until := window(q, p.now())
	if since != "" {
		params.Set("conditions[publication_date][gte]", since)
	}
	if until != "" {
		params.Set("conditions[publication_date][lte]", until)
	}
	var answer struct {
		Count   int
		Results []struct {
			Title, Abstract, Excerpts loose
			Published                 loose `json:"publication_date"`
			URL                       loose `json:"html_url"`
		}
	}
	// there are no results where it is 0
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "count"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, document := range answer.Results {
		results = append(results, citewell.Result{Title: plainText(string(document.Title)), URL: string(document.URL),
			Snippet: plainText(document.Abstract.orElse(document.Excerpts)), Published: string(document.Published)})
	}
	return p.kept(results, answer.Count, q.Limit)
}
