package provider

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

const govukName = "govuk"

func init() {
	register(Description{
		Name:  govukName,
		About: "guidance, policy and rules of the government of the United Kingdom; no key",
		Docs:  "https://docs.publishing.service.gov.uk/repos/search-api/using-the-search-api.html",
		Kinds: []search.Kind{search.KindLaw},
		Open:  true,
		// No limit is stated for its search.
		Limits: search.Limits{Rate: 1, Parallel: 1, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
	}, opens(govukName, govukSite, "/api/search.json", openRefusal, func(at service[struct{}]) search.Provider {
		return &govuk{at}
	}))
}

const (
	govukSite        = "https://www.gov.uk"
	govukMostResults = 50
)

type govuk struct{ service[struct{}] }

var (
	govukLimit  = queryLimit{chars: 300} // it takes 512
	govukSyntax = syntax{blank: `"`}
)

func (p *govuk) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	params := url.Values{"q": {govukLimit.cut(ctx, p.name, govukSyntax.plain(q.Text))},
		"count": {strconv.Itoa(wanted(q, govukMostResults))}, "fields": {"title,description,link,public_timestamp"}}
	var answer struct {
		Results []struct {
			Title, Description, Link loose
			Published                loose `json:"public_timestamp"`
		}
	}
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "results"); err != nil {
		return nil, err
	}
	since, until := window(q, p.now())
	var results []citewell.Result
	late := 0
	for _, page := range answer.Results {
		published := isoDate(string(page.Published))
		if published != "" && (published < since || until != "" && published > until) {
			late++
			continue
		}
		link := string(page.Link)
		if len(link) > 0 && link[0] == '/' { // of other sites it has whole addresses
			link = govukSite + link
		}
		results = append(results, citewell.Result{Title: string(page.Title), URL: link,
			Snippet: string(page.Description), Published: published})
	}
	return p.kept(results, len(answer.Results)-late, q.Limit)
}
