package provider

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

const hackerNewsName = "hackernews"

func init() {
	register(Description{
		Name:  hackerNewsName,
		About: "what readers of Hacker News have linked to and asked, technical news above all; no key",
		Docs:  "https://hn.algolia.com/api",
		Kinds: []search.Kind{search.KindCode, search.KindNews},
		Open:  true,
		// No limit is stated today.
		Limits: search.Limits{Rate: 1, Parallel: 2, Timeout: 8 * time.Second, Fresh: keptAwhile, Shared: true},
	}, opens(hackerNewsName, "https://hn.algolia.com", "/api/v1/search", openRefusal,
		func(at service[struct{}]) search.Provider { return &hackerNews{at} }))
}

// hackerNews finds the pages that were linked to, and the posts that link to none.
type hackerNews struct{ service[struct{}] }

const hackerNewsMostResults = 50

var (
	hackerNewsLimit  = queryLimit{chars: 250, words: 30} // of our own: all words must be there
	hackerNewsSyntax = syntax{blank: `"`, leading: "-"}
)

func (p *hackerNews) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	params := url.Values{"query": {hackerNewsLimit.cut(ctx, p.name, hackerNewsSyntax.plain(contentWords(q.Text)))},
		"tags": {"story"}, "hitsPerPage": {strconv.Itoa(wanted(q, hackerNewsMostResults))}}
	var filters []string
	since, until := window(q, p.now())
	if since != "" {
		filters = append(filters, "created_at_i>="+unixOf(since))
	}
	if until != "" {
		filters = append(filters, "created_at_i<"+unixOf(dayAfter(until)))
	}
	if len(filters) > 0 {
		params.Set("numericFilters", strings.Join(filters, ","))
	}
	var answer struct {
		Hits []struct {
			ID      loose `json:"objectID"`
			Title   loose
			URL     loose
			Text    loose `json:"story_text"`
			Created loose `json:"created_at"`
		}
	}
	if err := p.getAnswer(ctx, with(p.endpoint, params), nil, &answer, "hits"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, hit := range answer.Hits {
		result := citewell.Result{Title: plainText(string(hit.Title)), URL: string(hit.URL),
			Snippet: plainText(string(hit.Text))}
		if _, err := strconv.ParseUint(string(hit.ID), 10, 64); result.URL == "" && err == nil {
			// What is linked to may be older than its link; a post is as old as it says.
			result.URL, result.Published = "https://news.ycombinator.com/item?id="+string(hit.ID), string(hit.Created)
		}
		results = append(results, result)
	}
	return p.kept(results, len(results), q.Limit)
}
