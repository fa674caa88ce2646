package provider

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

const wikidataName = "wikidata"

func init() {
	register(Description{
		Name:  wikidataName,
		About: "what a person, a place or a thing is, in one line; no key",
		Docs:  "https://www.mediawiki.org/wiki/Wikibase/API",
		Kinds: []search.Kind{search.KindEncyclopedia},
		Open:  true,
		// The limits are Wikipedia's.
		Limits: search.Limits{Rate: 1, Burst: 3, Parallel: 3, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true},
		WithContact: &search.Limits{Rate: 1, Burst: 3, Parallel: 3, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true},
		ContactSites: []string{"wikidata.org"},
	}, opens(wikidataName, "https://www.wikidata.org", "/w/api.php", openRefusal,
		func(at service[struct{}]) search.Provider { return &wikidata{at} }))
}

// wikidata finds items by their labels and aliases in any language, and by what is stated of
// them. Its pages have the statements.
type wikidata struct{ service[struct{}] }

const wikidataMostResults = 20

func (p *wikidata) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	noteNoDates(ctx, p.name, q)
	params := url.Values{
		"action": {"query"}, "format": {"json"}, "formatversion": {"2"}, "errorformat": {"plaintext"},
		// An item has all the words or is not found, so a question's small words would find none.
		"generator": {"search"}, "gsrsearch": {wikipediaLimit.cut(ctx, p.name,
			wikipediaSyntax.plain(contentWords(q.Text)))}, "gsrnamespace": {"0"},
		"gsrlimit": {strconv.Itoa(wanted(q, wikidataMostResults))},
		"prop":     {"info|entityterms"}, "inprop": {"url"}, "wbetterms": {"label|description"},
		"uselang": {languageIn(wikipediaLanguages, q)},
	}
	r, err := p.getJSON(ctx, with(p.endpoint, params), nil)
	if err != nil {
		return nil, err
	}
	var answer struct {
		wikipediaProblems
		Query struct{ Pages []wikidataItem }
	}
	if err := p.readWiki(r, &answer, &answer.wikipediaProblems); err != nil {
		return nil, err
	}
	items := answer.Query.Pages // in no order of their own
	slices.SortStableFunc(items, func(a, b wikidataItem) int { return cmp.Compare(a.Index, b.Index) })
	var results []citewell.Result
	for _, item := range items {
		// Where it has no label in the language of the question, its number is its name.
		results = append(results, citewell.Result{Title: loose(item.EntityTerms.Label.first()).orElse(item.Title),
			URL: string(item.FullURL), Snippet: item.EntityTerms.Description.first()})
	}
	return p.kept(results, len(items), q.Limit)
}

type wikidataItem struct {
	Index          int
	Title, FullURL loose
	EntityTerms    struct{ Label, Description looseList }
}
