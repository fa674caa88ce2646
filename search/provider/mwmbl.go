package provider

import (
	"context"
	"net/url"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

const mwmblName = "mwmbl"

func init() {
	register(Description{
		Name:  mwmblName,
		About: "the web, by a small index that volunteers make; no key",
		Docs:  "https://api.mwmbl.org/api/v2/openapi.json",
		Kinds: []search.Kind{search.KindWeb},
		Open:  true,
		// No limit is stated. The index is small, so few of its results fit a question.
		Limits: search.Limits{Rate: 0.5, Parallel: 1, MaxResults: 5, Timeout: 4 * time.Second, Fresh: keptAwhile,
			Shared: true},
	}, opens(mwmblName, "https://api.mwmbl.org", "/api/v2/search", openRefusal,
		func(at service[struct{}]) search.Provider { return &mwmbl{at} }))
}

// mwmbl searches an index of the web without languages, days and pages.
type mwmbl struct{ service[struct{}] }

var mwmblLimit = queryLimit{chars: 300} // its documents name none; its addresses have an end

func (p *mwmbl) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	noteNoDates(ctx, p.name, q)
	// without the slash there is a redirect
	u := with(p.endpoint.JoinPath("/"), url.Values{"q": {mwmblLimit.cut(ctx, p.name, q.Text)}})
	var answer struct {
		Results []struct{ URL, Title, Content loose }
	}
	if err := p.getAnswer(ctx, u, nil, &answer, "results"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, found := range answer.Results {
		results = append(results, citewell.Result{Title: plainText(string(found.Title)), URL: string(found.URL),
			Snippet: plainText(string(found.Content))})
	}
	return p.kept(results, len(results), q.Limit)
}
