package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

const exaName = "exa"

func init() {
	register(Description{
		Name:  exaName,
		About: "the web by meaning, by Exa's index of embeddings; a key, paid by the search",
		Docs:  "https://docs.exa.ai/reference/search",
		Needs: []string{needKey},
		Env:   []string{"EXA_API_KEY"},
		// Ten searches a second are allowed for a team; this leaves room for its others.
		Limits: search.Limits{Rate: 5, Burst: 5},
	}, func(d Deps, s Settings) (search.Provider, error) { return newExa(d, s, services.ExaOptions{}) })
}

func newExa(d Deps, s Settings, o services.ExaOptions) (search.Provider, error) {
	if err := oneOf(exaName, "type", o.Type, "auto", "fast", "instant", "deep", "keyword", "neural"); err != nil {
		return nil, err
	}
	if err := oneOf(exaName, "category", o.Category, "news", "company", "people", "research paper", "pdf",
		"github", "tweet",
		"personal site", "financial report"); err != nil {
		return nil, err
	}
	at, err := newService(d, exaName, s, "https://api.exa.ai", "/search", o, exaRefused)
	return &exa{at}, err
}

// exa knows where a user is, but no language. It documents no longest query; one that
// is far too long for a question is cut all the same.
type exa struct{ service[services.ExaOptions] }

const (
	exaMostResults  = 25  // more cost more
	exaSnippetChars = 600 // of each page's text
)

var exaLimit = queryLimit{chars: 2000}

// exaRequest is the documented body. What is left out has Exa's own default.
type exaRequest struct {
	Query          string   `json:"query"`
	Type           string   `json:"type"`
	Category       string   `json:"category,omitempty"`
	NumResults     int      `json:"numResults"`
	UserLocation   string   `json:"userLocation,omitempty"`
	IncludeDomains []string `json:"includeDomains,omitempty"`
	ExcludeDomains []string `json:"excludeDomains,omitempty"`
	PublishedAfter string   `json:"startPublishedDate,omitempty"`
	PublishedUntil string   `json:"endPublishedDate,omitempty"`
	Moderation     bool     `json:"moderation,omitempty"`
	Contents       struct {
		Text struct {
			MaxCharacters int `json:"maxCharacters"`
		} `json:"text"`
	} `json:"contents"`
}

func (p *exa) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	body := exaRequest{
		Query:          exaLimit.cut(ctx, p.name, q.Text),
		Type:           cmp.Or(p.options.Type, "auto"),
		Category:       p.options.Category,
		NumResults:     wanted(q, exaMostResults),
		IncludeDomains: slices.Concat(p.options.IncludeDomains, q.Sites),
		ExcludeDomains: p.options.ExcludeDomains,
		PublishedAfter: exaTime(p.options.PublishedAfter),
		PublishedUntil: exaTime(p.options.PublishedUntil),
		Moderation:     q.SafeSearch == citewell.SafeStrict,
	}
	body.Contents.Text.MaxCharacters = exaSnippetChars
	if oldest := oldestDay(q.TimeRange, p.now()); oldest != "" {
		body.PublishedAfter = oldest + "T00:00:00.000Z"
	}
	if wantsRegion(q) {
		if body.UserLocation, _ = regionParts(q.Region); body.UserLocation == "" {
			searchcall.Note(ctx, "exa does not know this region and searched everywhere")
		}
	}
	r, err := p.postJSON(ctx, p.endpoint, http.Header{"X-Api-Key": {p.key.Reveal()}}, body)
	if err != nil {
		return nil, err
	}
	return p.read(r, q.Limit)
}

func exaTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// exaRefused reads Exa's tag, which says more than its status.
func exaRefused(w *wire, r *reply) *citewell.Error {
	e := w.refusal(r)
	var said struct{ Tag string }
	if json.Unmarshal(r.body, &said) != nil {
		return e
	}
	switch said.Tag {
	case "NO_MORE_CREDITS":
		return w.become(e, citewell.CodeQuotaExhausted, said.Tag, "has no credits left for this account",
			"top it up at dashboard.exa.ai")
	case "API_KEY_BUDGET_EXCEEDED", "TEAM_BUDGET_EXCEEDED":
		return w.become(e, citewell.CodeQuotaExhausted, said.Tag, "has reached the budget set for this key",
			"raise it at dashboard.exa.ai")
	case "INVALID_API_KEY":
		return w.become(e, citewell.CodeAuth, said.Tag, "refused the key",
			"check search.providers.exa.api_key or EXA_API_KEY")
	case "ACCESS_DENIED", "FEATURE_DISABLED":
		return w.become(e, citewell.CodeAuth, said.Tag, "does not allow this with the account's plan",
			"use no type or category, or change the plan")
	case "PROHIBITED_CONTENT":
		return w.become(e, citewell.CodeInvalidArgument, said.Tag, "does not answer such a query",
			"use other words or another provider")
	case "INVALID_REQUEST", "INVALID_REQUEST_BODY", "NUM_RESULTS_EXCEEDED", "INVALID_NUM_RESULTS":
		return w.become(e, citewell.CodeInvalidArgument, said.Tag, "does not take the query as it was put", e.Hint)
	}
	return e
}

type exaAnswer struct {
	Results []struct {
		ID, URL, Title, Text, Summary loose
		Highlights                    []loose
		Published                     loose `json:"publishedDate"`
	}
}

func (p *exa) read(r *reply, limit int) ([]citewell.Result, error) {
	var answer exaAnswer
	if err := p.readAnswer(r, &answer, "results"); err != nil {
		return nil, err
	}
	results := make([]citewell.Result, len(answer.Results))
	for i, found := range answer.Results {
		snippets := append(found.Highlights, found.Summary, found.Text)
		results[i] = citewell.Result{Title: string(found.Title), URL: found.URL.orElse(found.ID),
			Snippet: snippets[0].orElse(snippets[1:]...), Published: dateOf(string(found.Published), "en", p.now())}
	}
	return tidy(p.name, results, limit), nil
}
