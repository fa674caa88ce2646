package provider

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

const githubName = "github"

func init() {
	register(Description{
		Name:  githubName,
		About: "open-source projects by their names and descriptions, and reports of bugs; no key, more with one",
		Docs:  "https://docs.github.com/en/rest/search/search",
		Env:   []string{"GITHUB_TOKEN"},
		Kinds: []search.Kind{search.KindCode},
		Open:  true,
		// 10 searches a minute for an address, 30 with a token, the burst among them.
		Limits: search.Limits{Rate: 0.1, Burst: 4, Parallel: 1, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true},
		WithKey: &search.Limits{Rate: 0.45, Burst: 3, Parallel: 1, Timeout: 8 * time.Second, Fresh: keptAwhile,
			Shared: true},
	}, opens(githubName, "https://api.github.com", "/search", githubRefused,
		func(at service[struct{}]) search.Provider { return &github{at} }))
}

// github finds projects where a query has few words, and reports of bugs where it has many.
type github struct{ service[struct{}] }

const (
	githubMostResults = 50
	// githubTopicWords is how many words a query for projects has at most. All words must be
	// there, and no name with its description and its topics has so many of a question's.
	githubTopicWords = 4
)

var (
	githubLimit  = queryLimit{chars: 256} // qualifiers apart
	githubSyntax = syntax{blank: `":()<>*/\`, leading: "-", words: []string{"AND", "OR", "NOT"}}
)

func (p *github) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	words := githubLimit.cut(ctx, p.name, githubSyntax.plain(contentWords(q.Text)))
	projects := len(strings.Fields(words)) <= githubTopicWords
	what, qualifiers, dated := "issues", []string{words, "is:issue"}, "created:"
	if projects {
		what, qualifiers, dated = "repositories", []string{words}, "pushed:" // worked on since
	}
	since, until := window(q, p.now())
	if since != "" {
		qualifiers = append(qualifiers, dated+">="+since)
	}
	if until != "" {
		qualifiers = append(qualifiers, dated+"<="+until)
	}
	u := p.endpoint.JoinPath(what)
	u.RawQuery = url.Values{"q": {strings.Join(qualifiers, " ")},
		"per_page": {strconv.Itoa(wanted(q, githubMostResults))}}.Encode()
	header := http.Header{"X-Github-Api-Version": {"2022-11-28"}}
	if !p.key.Empty() {
		header.Set("Authorization", "Bearer "+p.key.Reveal())
	}
	r, err := p.getJSON(ctx, u, header)
	if err != nil {
		return nil, err
	}
	if r.header.Get("X-RateLimit-Remaining") == "0" {
		searchcall.Rest(ctx, httpwire.RetryAfter(r.header, p.now()))
	}
	var answer struct {
		Items      []githubItem
		Incomplete bool `json:"incomplete_results"`
	}
	if err := p.readAnswer(r, &answer, "items"); err != nil {
		return nil, err
	}
	if answer.Incomplete {
		searchcall.Note(ctx, "github ran out of time, and there may be more")
	}
	var results []citewell.Result
	for _, item := range answer.Items {
		result := citewell.Result{Title: string(item.FullName), URL: string(item.URL),
			Snippet: string(item.Description)}
		if !projects {
			result.Title, result.Snippet, result.Published = string(item.Title), string(item.Body), string(item.Created)
		}
		results = append(results, result)
	}
	return p.kept(results, len(results), q.Limit)
}

type githubItem struct {
	URL loose `json:"html_url"`

	FullName    loose `json:"full_name"` // of a project
	Description loose

	Title, Body loose // of a report; the body is Markdown
	Created     loose `json:"created_at"`
}

// githubPause is how long it wants to be left alone where it does not say.
const githubPause = time.Minute

// githubRefused reads a refusal: 403 is most often the end of what a caller may ask.
func githubRefused(w *wire, r *reply) *citewell.Error {
	if r.status == http.StatusUnauthorized {
		return w.refusal(r) // of a token; without one all are let in
	}
	e := openRefusal(w, r)
	if r.status == http.StatusForbidden && (r.header.Get("X-RateLimit-Remaining") == "0" ||
		r.header.Get("Retry-After") != "" ||
		bytes.Contains(bytes.ToLower(r.body), []byte("rate limit"))) {
		w.become(e, citewell.CodeRateLimited, "", "takes no more searches from this caller for now",
			"a token, search.providers.github.api_key, has a larger share")
		e.RetryAfter = cmp.Or(e.RetryAfter, githubPause)
	}
	return e
}
