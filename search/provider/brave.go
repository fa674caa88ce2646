package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

const braveName = "brave"

func init() {
	register(Description{
		Name:  braveName,
		About: "the web, by Brave's own index; a key, with a quota by the month",
		Docs:  "https://api-dashboard.search.brave.com/app/documentation/web-search/query",
		Needs: []string{needKey},
		Env:   []string{"BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"},
		// The smallest plan allows one call a second; others twenty and more.
		Limits: search.Limits{Rate: 1, Burst: 1},
	}, func(d Deps, s Settings) (search.Provider, error) { return newBrave(d, s, services.BraveOptions{}) })
}

var braveFreshness = lazyregexp.New(`^(p[dwmy]|\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d)$`)

func newBrave(d Deps, s Settings, o services.BraveOptions) (search.Provider, error) {
	o.Country = strings.ToUpper(o.Country)
	o.Language = strings.ToLower(o.Language)
	if !braveFreshness.MatchString(o.Freshness) {
		if err := oneOf(braveName, "freshness", o.Freshness, "pd", "pw", "pm", "py",
			"YYYY-MM-DDtoYYYY-MM-DD"); err != nil {
			return nil, err
		}
	}
	if err := oneOf(braveName, "country", o.Country, braveCountries...); err != nil {
		return nil, err
	}
	if err := oneOf(braveName, "language", o.Language, braveLanguages...); err != nil {
		return nil, err
	}
	if err := atLeast(braveName, "page", o.Page, 1, 10); err != nil {
		return nil, err
	}
	if err := oneOf(braveName, "vertical", o.Vertical, "web", "news", "images", "videos"); err != nil {
		return nil, err
	}
	o.Vertical = cmp.Or(o.Vertical, braveWeb)
	if o.Vertical == braveImages {
		if err := atLeast(braveName, "page of images", o.Page, 1, 1); err != nil {
			return nil, err
		}
	}
	below := "/" + o.Vertical + "/search"
	s.BaseURL = strings.Replace(s.BaseURL, "/web/search", below, 1)
	at, err := newService(d, braveName, s, "https://api.search.brave.com", "/res/v1"+below, o, braveRefused)
	return &brave{at}, err
}

type brave struct{ service[services.BraveOptions] }

const (
	braveMostResults = 20
	braveWeb         = "web"
	braveImages      = "images"
)

var (
	braveLimit = queryLimit{chars: 400, words: 50}
	braveRange = map[citewell.TimeRange]string{
		citewell.PastDay: "pd", citewell.PastWeek: "pw", citewell.PastMonth: "pm", citewell.PastYear: "py"}
	braveSafe = map[citewell.SafeSearch]string{
		citewell.SafeOff: "off", citewell.SafeModerate: "moderate", citewell.SafeStrict: "strict"}

	// What is not in these lists is refused with 422.
	braveCountries = strings.Fields("ALL AR AU AT BE BR CA CL CN DE DK ES FI FR GB GR HK ID IN IT JP KR MX MY NL NO " +
		"NZ PH PL PT RU SA SE TR TW US ZA")
	braveLanguages = strings.Fields("ar bg bn ca cs da de el en en-gb es et eu fi fr gl gu he hi hr hu is it " +
		"jp kn ko " +
		"lt lv ml mr ms " +
		"nb nl pa pl pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi zh-hans zh-hant")
)

func (p *brave) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	u := *p.endpoint
	params := u.Query()
	params.Set("q", braveLimit.cut(ctx, p.name, q.Text)+onlySites(q))
	params.Set("count", strconv.Itoa(wanted(q, braveMostResults)))
	params.Set("safesearch", braveSafe[q.SafeSearch])
	switch p.options.Vertical {
	case braveWeb:
		params.Set("text_decorations", "false")
		params.Set("result_filter", "web,news")
	case braveImages: // there is nothing between strict and off
		if q.SafeSearch == citewell.SafeModerate {
			params.Set("safesearch", braveSafe[citewell.SafeStrict])
		}
	}
	country, language := p.region(ctx, q)
	params.Set("country", country)
	if language != "" {
		params.Set("search_lang", language)
	}
	freshness := loose(p.options.Freshness).orElse(loose(braveRange[q.TimeRange]))
	switch {
	case freshness == "":
	case p.options.Vertical == braveImages:
		searchcall.Note(ctx, "brave does not filter images by time")
	default:
		params.Set("freshness", freshness)
	}
	if p.options.Page > 1 {
		params.Set("offset", strconv.Itoa(p.options.Page-1))
	}
	u.RawQuery = params.Encode()
	r, err := p.getJSON(ctx, &u, http.Header{"X-Subscription-Token": {p.key.Reveal()}})
	if err != nil {
		return nil, err
	}
	return p.read(r, language, q.Limit)
}

// region says where and in which language to search. The whole world has to be asked
// for: Brave searches the United States otherwise.
func (p *brave) region(ctx context.Context, q citewell.Query) (country, language string) {
	country, language = regionParts(q.Region)
	switch language {
	case "zh":
		language = "zh-hans"
		if country == "TW" || country == "HK" {
			language = "zh-hant"
		}
	case "pt":
		language = "pt-pt"
		if country == "BR" {
			language = "pt-br"
		}
	case "ja":
		language = "jp"
	case "no":
		language = "nb"
	}
	known := slices.Contains(braveCountries, country) && slices.Contains(braveLanguages, language)
	if !slices.Contains(braveCountries, country) {
		country = "ALL"
	}
	if !slices.Contains(braveLanguages, language) {
		language = ""
	}
	country = cmp.Or(p.options.Country, country)
	language = cmp.Or(p.options.Language, language)
	if wantsRegion(q) && !known && (p.options.Country == "" || p.options.Language == "") {
		searchcall.Note(ctx, "brave does not know all of this region")
	}
	return country, language
}

// braveRefusal is the documented error. A rate limit tells how much of the month's
// quota is used.
type braveRefusal struct {
	Error struct {
		Code string
		Meta struct {
			QuotaLimit   loose `json:"quota_limit"`
			QuotaCurrent loose `json:"quota_current"`
			Errors       []struct{ Loc []loose }
		}
	}
}

// braveRefused tells a key that was refused, for which Brave has 422 as for a bad query,
// and a used-up quota, for which it has 429 as for too many calls.
func braveRefused(w *wire, r *reply) *citewell.Error {
	e := w.refusal(r)
	var said braveRefusal
	_ = json.Unmarshal(r.body, &said) // without it the status says enough
	own := said.Error.Code
	keyRefused := strings.HasPrefix(own, "SUBSCRIPTION_TOKEN")
	for _, wrong := range said.Error.Meta.Errors {
		keyRefused = keyRefused || slices.Contains(wrong.Loc, "x-subscription-token")
	}
	limit, err := strconv.ParseFloat(string(said.Error.Meta.QuotaLimit), 64)
	used, err2 := strconv.ParseFloat(string(said.Error.Meta.QuotaCurrent), 64)
	usedUp := err == nil && err2 == nil && limit > 0 && used >= limit
	switch {
	case keyRefused:
		return w.become(e, citewell.CodeAuth, own, "refused the key",
			"check search.providers.brave.api_key or BRAVE_API_KEY")
	case own == "OPTION_NOT_IN_PLAN", own == "RESOURCE_NOT_ALLOWED":
		return w.become(e, citewell.CodeAuth, own, "does not allow this with the account's plan",
			"change the plan at api-dashboard.search.brave.com")
	case e.Code == citewell.CodeRateLimited && (usedUp || braveMonthUsedUp(r.header)), own == "USAGE_LIMIT_EXCEEDED",
		own == "QUOTA_LIMITED":
		return w.become(e, citewell.CodeQuotaExhausted, own, "has answered as often as the plan allows this month",
			"wait for the next month or change the plan at api-dashboard.search.brave.com")
	}
	return e
}

// braveMonthUsedUp reads the windows of the rate limit, as in "1;w=1, 2000;w=2592000":
// whether one of a day or longer has nothing left. One whose limit is 0 has no limit.
func braveMonthUsedUp(h http.Header) bool {
	remaining := strings.Split(h.Get("X-RateLimit-Remaining"), ",")
	for i, policy := range strings.Split(h.Get("X-RateLimit-Policy"), ",") {
		limit, window, _ := strings.Cut(strings.TrimSpace(policy), ";w=")
		seconds, err := strconv.Atoi(window)
		if err == nil && seconds >= 24*60*60 && limit != "0" && i < len(remaining) &&
			strings.TrimSpace(remaining[i]) == "0" {
			return true
		}
	}
	return false
}

type braveResult struct {
	Title, URL, Description loose
	Properties              json.RawMessage // of an image: where the picture itself is
	PageAge                 loose           `json:"page_age"`
	Age                     loose           `json:"age"`
	Extra                   []loose         `json:"extra_snippets"`
}

// braveAnswer holds the results of the web search and of the others, which have them
// at the top. What was not found is left out.
type braveAnswer struct {
	Web, News struct{ Results []braveResult }
	Results   []braveResult
}

func (p *brave) read(r *reply, language string, limit int) ([]citewell.Result, error) {
	var answer braveAnswer
	if err := p.readAnswer(r, &answer, "query", "web", "results"); err != nil {
		return nil, err
	}
	var results []citewell.Result
	for _, found := range slices.Concat(answer.Web.Results, answer.News.Results, answer.Results) {
		published := dateOf(string(found.PageAge), "en", p.now())
		if published == "" {
			published = dateOf(string(found.Age), language, p.now())
		}
		results = append(results, citewell.Result{Title: plainText(string(found.Title)), URL: string(found.URL),
			Snippet: plainText(found.Description.orElse(found.Extra...)), Published: published,
			Image: linkIn(found.Properties, "url")})
	}
	return tidy(p.name, results, limit), nil
}
