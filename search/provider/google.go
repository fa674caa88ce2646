package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

const googleName = "google"

func init() {
	register(Description{
		Name: googleName,
		About: "the web, by a Programmable Search Engine of your own at Google; a key and the engine's id, 100 " +
			"searches a day free",
		Docs:  "https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list",
		Needs: []string{needKey, needCSE},
		Env:   []string{"GOOGLE_API_KEY", "GOOGLE_CSE_ID", "GOOGLE_CX_KEY"},
		// A project may call 100 times a minute.
		Limits: search.Limits{Rate: 1.5, Burst: 5},
	}, func(d Deps, s Settings) (search.Provider, error) { return newGoogle(d, s, services.GoogleOptions{}) })
}

var googleDateRestrict = lazyregexp.New(`^[dwmy][1-9]\d{0,3}$`)

func newGoogle(d Deps, s Settings, o services.GoogleOptions) (search.Provider, error) {
	if !googleDateRestrict.MatchString(o.DateRestrict) {
		if err := oneOf(googleName, "date_restrict", o.DateRestrict, "dN", "wN", "mN", "yN"); err != nil {
			return nil, err
		}
	}
	if err := oneOf(googleName, "language", o.Language, googleLanguages...); err != nil {
		return nil, err
	}
	if err := atLeast(googleName, "start", o.Start, 1, 91); err != nil {
		return nil, err
	}
	at, err := newService(d, googleName, s, "https://customsearch.googleapis.com", "/customsearch/v1", o, googleRefused)
	return &google{at, s.CSEID}, err
}

type google struct {
	service[services.GoogleOptions]
	engine string
}

const googleMostResults = 10

var (
	// Google leaves out what comes after 32 words without a word about it, and a URL
	// of more than 2,048 bytes is refused.
	googleLimit = queryLimit{words: 32, escaped: 1700}
	googleRange = map[citewell.TimeRange]string{
		citewell.PastDay: "d1", citewell.PastWeek: "w1", citewell.PastMonth: "m1", citewell.PastYear: "y1"}

	// googleLanguages are those that Google's search knows as languages of pages.
	googleLanguages = strings.Fields("ar bg ca cs da de el en es et fi fr hr hu id is it iw ja ko lt lv nl no pl pt " +
		"ro ru sk sl sr sv tr zh-CN zh-TW")
)

// googleRegion gives a region in Google's own codes, which are of another age: Great
// Britain is uk, Hebrew iw.
func googleRegion(region string) (country, language string) {
	country, language = regionParts(region)
	switch {
	case language == "zh" && (country == "TW" || country == "HK"):
		language = "zh-TW"
	case language == "zh":
		language = "zh-CN"
	case language == "he":
		language = "iw"
	case language == "nb", language == "nn":
		language = "no"
	}
	if country == "GB" {
		country = "UK"
	}
	return strings.ToLower(country), language
}

func (p *google) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	u := *p.endpoint
	params := u.Query()
	set := func(name, value string) {
		if value != "" {
			params.Set(name, value)
		}
	}
	params.Set("key", p.key.Reveal()) // there is no documented header for it
	params.Set("cx", p.engine)
	params.Set("q", googleLimit.cut(ctx, p.name, q.Text)+onlySites(q))
	params.Set("num", strconv.Itoa(wanted(q, googleMostResults)))
	params.Set("safe", "active") // there is nothing between it and off
	if q.SafeSearch == citewell.SafeOff {
		params.Set("safe", "off")
	}
	country, language := googleRegion(q.Region)
	set("gl", country)
	if slices.Contains(googleLanguages, language) {
		set("hl", language)
	}
	if wantsRegion(q) && (params.Get("gl") == "" || params.Get("hl") == "") {
		searchcall.Note(ctx, "google does not know all of this region")
	}
	set("dateRestrict", loose(p.options.DateRestrict).orElse(loose(googleRange[q.TimeRange])))
	if p.options.Language != "" {
		set("lr", "lang_"+p.options.Language)
	}
	set("siteSearch", p.options.Site)
	set("fileType", p.options.FileType)
	if p.options.Site != "" {
		set("siteSearchFilter", "i")
	}
	if p.options.Images {
		set("searchType", "image")
	}
	if p.options.Start > 1 {
		set("start", strconv.Itoa(p.options.Start))
	}
	u.RawQuery = params.Encode()
	r, err := p.getJSON(ctx, &u, nil)
	if err != nil {
		return nil, err
	}
	return p.read(r, language, q.Limit)
}

// googleRefusal is Google's error in its older form, errors, and its newer one,
// status and details.
type googleRefusal struct {
	Error struct {
		Status  string
		Errors  []struct{ Reason string }
		Details []struct{ Reason string }
	}
}

// googleRefused reads the reason: a refused key comes as 400, and 403 and 429 each stand
// for too many calls a minute, for the day's quota, or for an API that is not on.
func googleRefused(w *wire, r *reply) *citewell.Error {
	e := w.refusal(r)
	var said googleRefusal
	_ = json.Unmarshal(r.body, &said) // without it the status says enough
	var reasons []string
	for _, reason := range slices.Concat(said.Error.Errors, said.Error.Details) {
		reasons = append(reasons, reason.Reason)
	}
	is := func(names ...string) bool {
		return slices.ContainsFunc(reasons, func(reason string) bool { return slices.Contains(names, reason) })
	}
	limited := e.Code == citewell.CodeRateLimited || is("rateLimitExceeded", "userRateLimitExceeded",
		"RATE_LIMIT_EXCEEDED")
	lower := bytes.ToLower(r.body)
	perDay := bytes.Contains(lower, []byte("per day")) || bytes.Contains(lower, []byte("perday"))
	own := said.Error.Status
	switch {
	case is("dailyLimitExceeded", "quotaExceeded", "dailyLimitExceededUnreg"), limited && perDay:
		return w.become(e, citewell.CodeQuotaExhausted, own, "has answered as often as the quota allows today",
			"wait until midnight in California, or switch billing on for the project")
	case limited:
		return w.become(e, citewell.CodeRateLimited, own, "was called too often within a minute", e.Hint)
	case is("keyInvalid", "API_KEY_INVALID", "keyExpired"), bytes.Contains(lower, []byte("api key not valid")),
		bytes.Contains(lower, []byte("api key expired")):
		return w.become(e, citewell.CodeAuth, own, "refused the key",
			"check search.providers.google.api_key or GOOGLE_API_KEY")
	case is("accessNotConfigured", "SERVICE_DISABLED", "API_KEY_SERVICE_BLOCKED", "ipRefererBlocked"),
		e.Code == citewell.CodeAuth && own == "PERMISSION_DENIED":
		return w.become(e, citewell.CodeAuth, own, "does not let this key use the Custom Search API",
			"switch the API on for the key's project, and look at the key's restrictions")
	case e.Code == citewell.CodeInvalidArgument:
		e.Hint = "check search.providers.google.cse_id or GOOGLE_CSE_ID; otherwise " + e.Hint
	}
	return e
}

// googleAnswer has no items where nothing was found. What a page says of itself is in
// its pagemap, in whatever shape. The link of an image is the picture itself, and its
// page is beside it.
type googleAnswer struct {
	Items []struct {
		Title, Link, Snippet loose
		PageMap              struct{ MetaTags json.RawMessage }
		Image                json.RawMessage
	}
}

// googleDates are the names under which pages state when they were published.
var googleDates = []string{"article:published_time", "datepublished", "og:published_time", "date", "dc.date",
	"citation_publication_date"}

func (p *google) read(r *reply, language string, limit int) ([]citewell.Result, error) {
	var answer googleAnswer
	if err := p.readAnswer(r, &answer, "searchInformation", "queries", "items"); err != nil {
		return nil, err
	}
	results := make([]citewell.Result, len(answer.Items))
	for i, found := range answer.Items {
		snippet := string(found.Snippet)
		published := p.published(found.PageMap.MetaTags)
		if before, _, ok := strings.Cut(snippet, " ... "); published == "" && ok &&
			len(before) <= len("11. September 2026") {
			published = dateOf(before, language, p.now()) // Google's own, where it knows one
		}
		results[i] = citewell.Result{Title: string(found.Title), URL: string(found.Link), Snippet: snippet,
			Published: published}
		if page := linkIn(found.Image, "contextLink"); page != "" {
			results[i].URL, results[i].Image = page, string(found.Link)
		}
	}
	return tidy(p.name, results, limit), nil
}

func (p *google) published(metaTags json.RawMessage) string {
	var pages []map[string]loose
	if json.Unmarshal(metaTags, &pages) != nil {
		return ""
	}
	for _, tags := range pages {
		lower := make(map[string]loose, len(tags))
		for name, value := range tags {
			lower[strings.ToLower(name)] = value
		}
		for _, name := range googleDates {
			if day := dateOf(string(lower[name]), "en", p.now()); day != "" {
				return day
			}
		}
	}
	return ""
}
