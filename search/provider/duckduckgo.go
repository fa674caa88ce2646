package provider

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/search"
)

const duckduckgoURL = "https://html.duckduckgo.com/html/"

func init() {
	register(Description{
		Name:  "duckduckgo",
		About: "the web, by DuckDuckGo's page without scripts; no key, and a bot page where it sees too many calls",
		Docs:  "https://duckduckgo.com/duckduckgo-help-pages/settings/params/",
		// Asked faster, it answers with its bot page.
		Limits: search.Limits{Rate: 1, Burst: 2},
	}, func(d Deps, s Settings) (search.Provider, error) {
		base, err := parseBase("duckduckgo", cmp.Or(s.BaseURL, duckduckgoURL))
		if err != nil {
			return nil, err
		}
		return &duckduckgo{newWire(d, "duckduckgo", base, duckduckgoRefused), base}, nil
	})
}

// duckduckgo reads the page that DuckDuckGo serves to browsers without scripts.
type duckduckgo struct {
	*wire
	base *url.URL
}

var (
	duckduckgoRange = map[citewell.TimeRange]string{
		citewell.PastDay: "d", citewell.PastWeek: "w", citewell.PastMonth: "m", citewell.PastYear: "y"}
	duckduckgoSafe = map[citewell.SafeSearch]string{
		citewell.SafeStrict: "1", citewell.SafeModerate: "-1", citewell.SafeOff: "-2"}
	duckduckgoDate = lazyregexp.New(`\b\d{4}-\d{2}-\d{2}T`)
)

func (p *duckduckgo) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	u := *p.base
	params := u.Query()
	params.Set("q", q.Text+onlySites(q))
	params.Set("kp", duckduckgoSafe[q.SafeSearch])
	if q.Region != "" {
		params.Set("kl", strings.ToLower(q.Region))
	}
	if df := duckduckgoRange[q.TimeRange]; df != "" {
		params.Set("df", df)
	}
	u.RawQuery = params.Encode()
	r, err := p.get(ctx, &u, http.Header{
		"Accept":          {"text/html,application/xhtml+xml;q=0.9"},
		"Accept-Language": {duckduckgoLanguages(q.Region)},
	})
	if err != nil {
		return nil, err
	}
	return p.read(ctx, r, q.Limit)
}

// duckduckgoRefused knows the statuses that its bot page comes with.
func duckduckgoRefused(w *wire, r *reply) *citewell.Error {
	switch r.status {
	case http.StatusAccepted, http.StatusForbidden, http.StatusTeapot:
		return duckduckgoBlocked(w)
	}
	return w.refusal(r)
}

func duckduckgoLanguages(region string) string {
	if tag := languageTag(region); tag != "" {
		return tag + ",en;q=0.5"
	}
	return "en"
}

// duckduckgoBlocked is what a bot page stands for. It comes with 202, or with 200 and a page
// that holds neither results nor the words for none.
func duckduckgoBlocked(w *wire) *citewell.Error {
	return w.fail(citewell.CodeBlockedByProvider, "duckduckgo answered with its bot page instead of results",
		"wait some minutes or use another network; a provider with a key, or a searxng of your own, does not do this")
}

func (p *duckduckgo) read(ctx context.Context, r *reply, limit int) ([]citewell.Result, error) {
	root, err := extract.Tree(ctx, string(r.text()))
	if ctx.Err() != nil {
		return nil, httpwire.Classify(p.op(), ctx.Err())
	}
	if err != nil {
		e := p.fail(citewell.CodeBadResponse, "duckduckgo sent a page that cannot be read", "")
		e.Err = err
		return nil, e
	}
	page := goquery.NewDocumentFromNode(root)
	links := page.Find("a.result__a")
	results := p.results(links)
	switch {
	case page.Find(".anomaly-modal__title, #challenge-form, form[action*='anomaly.js']").Length() > 0:
		return nil, duckduckgoBlocked(p.wire)
	case len(results) > 0:
		return tidy(p.name, results, limit), nil
	case page.Find(".no-results, .result--no-result").Length() > 0 || links.Length() > 0:
		return nil, nil // its words for none, or advertisements only
	case bytes.Contains(bytes.ToLower(r.body), []byte("duckduckgo")):
		return nil, duckduckgoBlocked(p.wire)
	}
	return nil, p.fail(citewell.CodeBadResponse, "something else than duckduckgo's page came back",
		"a proxy or a login page may stand between")
}

// results reads block by block, so that a missing snippet cannot shift the next
// one's to the wrong title.
func (p *duckduckgo) results(links *goquery.Selection) []citewell.Result {
	var results []citewell.Result
	links.Each(func(_ int, link *goquery.Selection) {
		block := link.Closest("div.result")
		if block.Length() == 0 {
			block = link.Parent()
		}
		if block.HasClass("result--ad") {
			return
		}
		href, _ := link.Attr("href")
		target, ok := p.target(href)
		if !ok {
			return
		}
		published := duckduckgoDate.FindString(block.Find(".result__extras, .result__timestamp").Text())
		results = append(results, citewell.Result{
			Title: link.Text(), URL: target, Snippet: block.Find(".result__snippet").First().Text(),
			Published: published})
	})
	return results
}

// target unwraps the page that a link leads to from the address that counts the
// click; some links are direct. Advertisements go by y.js and lead nowhere.
func (p *duckduckgo) target(href string) (string, bool) {
	u, err := p.base.Parse(strings.TrimSpace(href))
	if err != nil {
		return "", false
	}
	own := u.Host == p.base.Host || u.Host == "duckduckgo.com" || strings.HasSuffix(u.Host, ".duckduckgo.com")
	if !own {
		return u.String(), true
	}
	wrapped := u.Query().Get("uddg")
	return wrapped, wrapped != "" && strings.TrimSuffix(u.Path, "/") == "/l"
}
