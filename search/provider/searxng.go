package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

func init() {
	register(Description{
		Name:   "searxng",
		About:  "many engines at once, by a SearXNG (or searx) instance of your own or of someone you trust",
		Docs:   "https://docs.searxng.org/dev/search_api.html",
		Needs:  []string{needURL},
		Env:    []string{"SEARXNG_URL", "SEARXNG_QUERY_URL"},
		Limits: search.Limits{Rate: 20, Burst: 20, Parallel: 16},
	}, func(d Deps, s Settings) (search.Provider, error) { return newSearXNG(d, s, services.SearXNGOptions{}) })
}

// searxng asks by GET, which every instance takes at /search whatever its own
// method setting says, and which survives the redirects that a reverse proxy makes;
// a POST would lose its query on the way. What it costs: the query stands in the
// instance's access log.
//
// An engine that an instance has suspended is named in its answer by a SearXNG; its
// ancestor searx leaves it out without a word, and there an empty answer within the
// hour after a failure may not be what it says.
type searxng struct {
	*wire
	endpoint *url.URL   // ends in /search, without query and user
	fixed    url.Values // parameters of the base URL that are sent each time
	user     *url.Userinfo
	options  services.SearXNGOptions
}

func newSearXNG(d Deps, s Settings, o services.SearXNGOptions) (search.Provider, error) {
	base, err := parseBase("searxng", s.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := atLeast("searxng", "page", o.Page, 1, 100); err != nil {
		return nil, err
	}
	endpoint, fixed := searxngEndpoint(base)
	return &searxng{newWire(d, "searxng", endpoint, searxngRefused), endpoint, fixed, base.User, o}, nil
}

// searxngEndpoint reads the forms of base URL that people have: with or without
// /search, below a path, with a trailing slash, with a place for the query
// (?q=<query>, ?q=), or with parameters of their own, which are kept.
func searxngEndpoint(base *url.URL) (*url.URL, url.Values) {
	endpoint := *base
	endpoint.User, endpoint.RawQuery, endpoint.ForceQuery = nil, "", false
	path := strings.TrimRight(base.EscapedPath(), "/")
	if !strings.HasSuffix(path, "/search") {
		path += "/search"
	}
	endpoint.RawPath = path
	if plain, err := url.PathUnescape(path); err == nil {
		endpoint.Path = plain
	}
	fixed, _ := url.ParseQuery(base.RawQuery) // what cannot be read is no parameter
	for name, values := range fixed {
		if name == "q" || name == "format" || strings.Contains(values[0], "<query>") ||
			strings.Contains(values[0], "{query}") {
			fixed.Del(name)
		}
	}
	return &endpoint, fixed
}

var searxngSafe = map[citewell.SafeSearch]int{citewell.SafeOff: 0, citewell.SafeModerate: 1, citewell.SafeStrict: 2}

func (p *searxng) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	params := maps.Clone(p.fixed)
	params.Set("q", q.Text+onlySites(q))
	params.Set("format", "json")
	params.Set("safesearch", strconv.Itoa(searxngSafe[q.SafeSearch]))
	if tag := languageTag(q.Region); tag != "" {
		params.Set("language", tag)
	}
	if q.TimeRange != citewell.AnyTime {
		params.Set("time_range", string(q.TimeRange))
	}
	p.options.Set(params)
	r, err := p.ask(ctx, params)
	if err != nil {
		return nil, err
	}
	return p.read(ctx, r, q.Limit)
}

// ask sends params and returns the answer, whose status is 200.
func (p *searxng) ask(ctx context.Context, params url.Values) (*reply, error) {
	u := *p.endpoint
	u.RawQuery = params.Encode()
	header := http.Header{
		// An instance's limiter takes a client that accepts no HTML, or names no
		// language, for a bot.
		"Accept":          {"application/json, text/html;q=0.5"},
		"Accept-Language": {"en"},
	}
	if p.user != nil {
		password, _ := p.user.Password()
		with := http.Request{Header: header}
		with.SetBasicAuth(p.user.Username(), password)
	}
	return p.get(ctx, &u, header)
}

// searxngRefused gives the two statuses that users stumble on their remedy.
func searxngRefused(w *wire, r *reply) *citewell.Error {
	e := w.refusal(r)
	switch r.status {
	case http.StatusForbidden:
		e.Code = citewell.CodeHTTPStatus
		e.Message = "searxng answered HTTP 403: its JSON format is off"
		e.Hint = "add json to search.formats in the instance's settings.yml and restart it (a proxy before it may " +
			"refuse us too)"
	case http.StatusTooManyRequests:
		e.Message = "searxng answered HTTP 429: its limiter refuses us for now"
		e.Hint = "on your own instance, add this machine to botdetection.ip_lists.pass_ip in limiter.toml; " +
			"a public instance mostly allows people only"
	case http.StatusNotFound:
		e.Hint = "search.providers.searxng.base_url may lack the path that the instance lives under"
	}
	return e
}

// searxngAnswer is the documented JSON. Answers were plain strings before they
// became objects; engines that failed are pairs of name and reason.
type searxngAnswer struct {
	Results []struct {
		URL, Title, Content string
		PublishedDate       string `json:"publishedDate"`
		PubDate             string `json:"pubdate"`
	}
	Answers   []json.RawMessage
	Infoboxes []struct {
		Infobox, ID, Content string
		URLs                 []struct{ Title, URL string }
	}
	UnresponsiveEngines []json.RawMessage `json:"unresponsive_engines"`
}

func (p *searxng) read(ctx context.Context, r *reply, limit int) ([]citewell.Result, error) {
	var answer searxngAnswer
	if err := p.readAnswer(r, &answer, "results"); err != nil {
		return nil, err
	}
	results := tidy(p.name, answer.results(), limit)
	failed := answer.failedEngines()
	switch {
	case len(failed) == 0:
	case len(results) == 0:
		return nil, p.enginesDown(failed)
	default:
		searchcall.Note(ctx, "engines behind searxng failed: "+searxngNames(failed))
	}
	return results, nil
}

// results lists what the instance itself shows first, answers and infoboxes that
// say where they are from, then its results in their order.
func (a *searxngAnswer) results() []citewell.Result {
	var results []citewell.Result
	for _, raw := range a.Answers {
		var one struct{ Answer, Title, URL string }
		if json.Unmarshal(raw, &one) == nil && one.URL != "" {
			title := cmp.Or(one.Title, one.Answer)
			results = append(results, citewell.Result{Title: title, URL: one.URL, Snippet: one.Answer})
		}
	}
	for _, box := range a.Infoboxes {
		link := box.ID // most engines put the page's URL here
		if !strings.HasPrefix(link, "http") && len(box.URLs) > 0 {
			link = box.URLs[0].URL
		}
		results = append(results, citewell.Result{Title: box.Infobox, URL: link, Snippet: box.Content})
	}
	for _, r := range a.Results {
		published := cmp.Or(r.PublishedDate, r.PubDate)
		results = append(results, citewell.Result{Title: r.Title, URL: r.URL, Snippet: r.Content, Published: published})
	}
	return results
}

// A searxngFailure is one engine that did not answer the instance.
type searxngFailure struct{ engine, reason string }

func (f searxngFailure) String() string { return f.engine + " (" + f.reason + ")" }

func (a *searxngAnswer) failedEngines() []searxngFailure {
	var failed []searxngFailure
	for _, raw := range a.UnresponsiveEngines {
		var pair []any
		var f searxngFailure
		if json.Unmarshal(raw, &pair) != nil || len(pair) == 0 {
			f = searxngFailure{"an engine", "no reason given"}
		} else {
			f = searxngFailure{oneLine(fmt.Sprint(pair[0]), 60), "no reason given"}
			if len(pair) > 1 {
				f.reason = oneLine(fmt.Sprint(pair[1]), 80)
			}
		}
		failed = append(failed, f)
	}
	return failed
}

// enginesDown is what no results and failed engines together mean: we cannot know
// whether there is something to find. The code is that of the commonest reason,
// where all engines share its kind.
func (p *searxng) enginesDown(failed []searxngFailure) error {
	kinds := make(map[citewell.Code]int)
	for _, f := range failed {
		kinds[searxngCode(f.reason)]++
	}
	code := citewell.CodeHTTPFailed
	hint := "see the instance's log, or enable other engines in its settings.yml"
	for _, kind := range []citewell.Code{citewell.CodeBlockedByProvider, citewell.CodeRateLimited,
		citewell.CodeTimeout} {
		if kinds[kind] == len(failed) {
			code = kind
		}
	}
	if kinds[citewell.CodeBlockedByProvider] > 0 && kinds[citewell.CodeBlockedByProvider]+
		kinds[citewell.CodeRateLimited] == len(failed) {
		code = citewell.CodeBlockedByProvider
		hint = "the engines take the instance for a bot; wait, or enable other engines in its settings.yml"
	}
	e := p.fail(code, "searxng found nothing because engines behind it failed: "+searxngNames(failed), hint)
	e.Err = search.ErrAnswered
	return e
}

// searxngNames names the first engines with their reasons, and counts the others.
func searxngNames(failed []searxngFailure) string {
	const shown = 6
	var names []string
	for _, f := range failed[:min(shown, len(failed))] {
		names = append(names, f.String())
	}
	if more := len(failed) - shown; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// searxngCode reads an engine's reason, which an instance may write as "Suspended:
// too many requests" or "CAPTCHA".
func searxngCode(reason string) citewell.Code {
	reason = strings.ToLower(reason)
	switch {
	case strings.Contains(reason, "captcha"), strings.Contains(reason, "access denied"):
		return citewell.CodeBlockedByProvider
	case strings.Contains(reason, "too many request"), strings.Contains(reason, "rate limit"):
		return citewell.CodeRateLimited
	case strings.Contains(reason, "timeout"), strings.Contains(reason, "timed out"):
		return citewell.CodeTimeout
	}
	return citewell.CodeHTTPFailed
}
