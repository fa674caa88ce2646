package provider

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

const marginaliaName = "marginalia"

func init() {
	register(Description{
		Name:  marginaliaName,
		About: "the small and old web, without shops; a free key of your own, and results under CC BY-NC-SA",
		Docs:  "https://about.marginalia-search.com/article/api/",
		Needs: []string{needKey},
		Env:   []string{"MARGINALIA_API_KEY"},
		// What a key allows is agreed on by mail.
		Limits: search.Limits{Rate: 1, Burst: 1, Parallel: 1},
	}, func(d Deps, s Settings) (search.Provider, error) {
		if strings.EqualFold(strings.TrimSpace(s.APIKey.Reveal()), "public") {
			return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "search " + marginaliaName,
				Message: "the key of search.providers.marginalia is the public one, which all who try the " +
					"service share", Hint: "ask Marginalia for a key of your own; it is free"}
		}
		at, err := newService(d, marginaliaName, s, "https://api2.marginalia-search.com", "/search", struct{}{},
			(*wire).refusal)
		return &marginalia{at}, err
	})
}

type marginalia struct{ service[struct{}] }

const marginaliaMostResults = 50

var (
	marginaliaLimit  = queryLimit{chars: 300} // its documents name none; its addresses have an end
	marginaliaSyntax = syntax{blank: `":`, leading: "-?"}
)

func (p *marginalia) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	noteNoDates(ctx, p.name, q)
	params := url.Values{"query": {marginaliaLimit.cut(ctx, p.name, marginaliaSyntax.plain(contentWords(q.Text)))},
		"count": {strconv.Itoa(wanted(q, marginaliaMostResults))}}
	var answer struct {
		Results []struct{ URL, Title, Description loose }
	}
	if err := p.getAnswer(ctx, with(p.endpoint, params), http.Header{"Api-Key": {p.key.Reveal()}}, &answer,
		"results"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, found := range answer.Results {
		results = append(results, citewell.Result{Title: plainText(string(found.Title)), URL: string(found.URL),
			Snippet: plainText(string(found.Description))})
	}
	return p.kept(results, len(results), q.Limit)
}
