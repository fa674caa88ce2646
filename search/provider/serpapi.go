package provider

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

const serpapiName = "serpapi"

func init() {
	register(Description{
		Name:  serpapiName,
		About: "the result pages of Google or Bing, read by SerpApi; a key, paid by the search",
		Docs:  "https://serpapi.com/search-api",
		Needs: []string{needKey},
		Env:   []string{"SERPAPI_API_KEY"},
		// A fifth of a plan's month is allowed in an hour; a burst is no harm.
		Limits: search.Limits{Rate: 1, Burst: 3},
	}, func(d Deps, s Settings) (search.Provider, error) { return newSerpAPI(d, s, services.SerpAPIOptions{}) })
}

var serpapiVerticals = map[string]string{"": "", "web": "", "news": "nws", "images": "isch", "videos": "vid",
	"shopping": "shop"}

func newSerpAPI(d Deps, s Settings, o services.SerpAPIOptions) (search.Provider, error) {
	if err := oneOf(serpapiName, "engine", o.Engine, "google", "bing"); err != nil {
		return nil, err
	}
	if err := oneOf(serpapiName, "vertical", o.Vertical, "web", "news", "images", "videos", "shopping"); err != nil {
		return nil, err
	}
	if o.Engine == "bing" && serpapiVerticals[o.Vertical] != "" {
		return nil, oneOf(serpapiName, "vertical of bing", o.Vertical, "web")
	}
	if err := atLeast(serpapiName, "start", o.Start, 0, 990); err != nil {
		return nil, err
	}
	s.BaseURL = strings.TrimSuffix(s.BaseURL, ".json")
	at, err := newService(d, serpapiName, s, "https://serpapi.com", "/search", o, serpapiRefused)
	return &serpapi{at}, err
}

type serpapi struct {
	service[services.SerpAPIOptions]
}

const serpapiMostResults = 20

var (
	serpapiRange = map[citewell.TimeRange]string{
		citewell.PastDay: "qdr:d", citewell.PastWeek: "qdr:w", citewell.PastMonth: "qdr:m", citewell.PastYear: "qdr:y"}
	serpapiBingRange = map[citewell.TimeRange]string{
		citewell.PastDay: `ex1:"ez1"`, citewell.PastWeek: `ex1:"ez2"`, citewell.PastMonth: `ex1:"ez3"`}
	serpapiBingSafe = map[citewell.SafeSearch]string{
		citewell.SafeOff: "Off", citewell.SafeModerate: "Moderate", citewell.SafeStrict: "Strict"}
)

func (p *serpapi) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	u := *p.endpoint
	params := u.Query()
	params.Set("api_key", p.key.Reveal()) // SerpApi takes it here only
	params.Set("q", googleLimit.cut(ctx, p.name, q.Text)+onlySites(q))
	language := p.setGoogle
	if p.options.Engine == "bing" {
		language = p.setBing
	}
	lang := language(ctx, params, q)
	u.RawQuery = params.Encode()
	r, err := p.getJSON(ctx, &u, nil)
	if err != nil {
		return nil, err
	}
	return p.read(r, lang, q.Limit)
}

// setGoogle adds what Google takes and returns the language that it will answer in.
func (p *serpapi) setGoogle(ctx context.Context, params url.Values, q citewell.Query) string {
	params.Set("engine", "google")
	params.Set("num", strconv.Itoa(wanted(q, serpapiMostResults)))
	if tbm := serpapiVerticals[p.options.Vertical]; tbm != "" {
		params.Set("tbm", tbm)
	}
	if tbs := loose(p.options.TBS).orElse(loose(serpapiRange[q.TimeRange])); tbs != "" {
		params.Set("tbs", tbs)
	}
	switch q.SafeSearch { // Google's default lies between the two
	case citewell.SafeOff:
		params.Set("safe", "off")
	case citewell.SafeStrict:
		params.Set("safe", "active")
	}
	if p.options.Start > 0 {
		params.Set("start", strconv.Itoa(p.options.Start))
	}
	country, language := googleRegion(q.Region)
	if country != "" {
		params.Set("gl", country)
	}
	if slices.Contains(googleLanguages, language) {
		params.Set("hl", strings.ToLower(language))
	}
	if wantsRegion(q) && (params.Get("gl") == "" || params.Get("hl") == "") {
		searchcall.Note(ctx, "google, by serpapi, does not know all of this region")
	}
	return language
}

// setBing adds what Bing takes and returns the language that it will answer in.
func (p *serpapi) setBing(ctx context.Context, params url.Values, q citewell.Query) string {
	params.Set("engine", "bing")
	params.Set("count", strconv.Itoa(wanted(q, serpapiMostResults)))
	params.Set("safeSearch", serpapiBingSafe[q.SafeSearch])
	if filters := serpapiBingRange[q.TimeRange]; filters != "" {
		params.Set("filters", filters)
	} else if q.TimeRange != citewell.AnyTime {
		searchcall.Note(ctx, "bing, by serpapi, does not filter by this time range")
	}
	if p.options.Start > 0 {
		params.Set("first", strconv.Itoa(p.options.Start+1))
	}
	country, language := regionParts(q.Region)
	if country != "" {
		params.Set("mkt", languageTag(q.Region))
	} else if wantsRegion(q) {
		searchcall.Note(ctx, "bing, by serpapi, does not know this region and searched everywhere")
	}
	return language
}

// serpapiRefused reads the error's words: 429 stands for too many calls an hour and for no
// searches left alike.
func serpapiRefused(w *wire, r *reply) *citewell.Error {
	e := w.refusal(r)
	var said struct{ Error loose }
	if json.Unmarshal(r.body, &said) == nil && e.Code == citewell.CodeRateLimited &&
		serpapiCode(string(said.Error)) == citewell.CodeQuotaExhausted {
		return serpapiUsedUp(w, e)
	}
	return e
}

func serpapiUsedUp(w *wire, e *citewell.Error) *citewell.Error {
	return w.become(e, citewell.CodeQuotaExhausted, "", "has no searches left for this account",
		"wait for the next month or change the plan at serpapi.com")
}

// serpapiEmpty is no code of an error: it is how SerpApi says that nothing was found.
const serpapiEmpty citewell.Code = ""

// serpapiCode reads SerpApi's sentence about what went wrong; it has no codes.
func serpapiCode(sentence string) citewell.Code {
	sentence = strings.ToLower(sentence)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(sentence, part) })
	}
	switch {
	case has("returned any results", "return any results", "no results", "did not match any"):
		return serpapiEmpty
	case has("run out of searches", "searches for the month", "exhausted", "upgrade your plan"):
		return citewell.CodeQuotaExhausted
	case has("throughput", "too many requests", "rate limit"):
		return citewell.CodeRateLimited
	case has("api key", "api_key"):
		return citewell.CodeAuth
	case has("unsupported", "parameter"):
		return citewell.CodeInvalidArgument
	}
	return citewell.CodeHTTPFailed
}

type serpapiResult struct {
	Title, Link, Snippet, Date, Price loose
	ProductLink                       loose `json:"product_link"`
	Original                          loose // of an image: the picture itself
}

// serpapiAnswer has each vertical's results under a name of its own. What stands
// above them comes in many shapes and is read as far as it can be.
type serpapiAnswer struct {
	Error     loose
	Organic   []serpapiResult `json:"organic_results"`
	News      []serpapiResult `json:"news_results"`
	Images    []serpapiResult `json:"images_results"`
	Videos    []serpapiResult `json:"video_results"`
	Shopping  []serpapiResult `json:"shopping_results"`
	AnswerBox json.RawMessage `json:"answer_box"`
	Knowledge json.RawMessage `json:"knowledge_graph"`
}

func (p *serpapi) read(r *reply, language string, limit int) ([]citewell.Result, error) {
	var answer serpapiAnswer
	if err := p.readAnswer(r, &answer, "search_metadata", "organic_results", "error"); err != nil {
		return nil, err
	}
	results := answer.above()
	for _, found := range slices.Concat(answer.Organic, answer.News, answer.Images, answer.Videos, answer.Shopping) {
		results = append(results, citewell.Result{Title: string(found.Title), URL: found.Link.orElse(found.ProductLink),
			Snippet: found.Snippet.orElse(found.Price), Published: dateOf(string(found.Date), language, p.now()),
			Image: string(found.Original)})
	}
	if results = tidy(p.name, results, limit); len(results) == 0 && answer.Error != "" {
		return nil, p.failed(string(answer.Error))
	}
	return results, nil
}

// above lists the answer and the subject that Google shows above its results, where
// they say which page they are from.
func (a *serpapiAnswer) above() []citewell.Result {
	var box struct{ Title, Link, Answer, Snippet, Result loose }
	_ = json.Unmarshal(a.AnswerBox, &box) // of a shape that says no page
	var subject struct {
		Title, Website, Description loose
		Source                      struct{ Link loose }
	}
	_ = json.Unmarshal(a.Knowledge, &subject) // likewise
	return slices.DeleteFunc([]citewell.Result{
		{Title: box.Title.orElse(box.Answer), URL: string(box.Link),
			Snippet: box.Snippet.orElse(box.Answer, box.Result)},
		{Title: string(subject.Title), URL: subject.Source.Link.orElse(subject.Website),
			Snippet: string(subject.Description)},
	}, func(r citewell.Result) bool { return r.Snippet == "" })
}

// failed says what an error in a 200 means, which may be that nothing was found.
func (p *serpapi) failed(sentence string) error {
	code := serpapiCode(sentence)
	if code == serpapiEmpty {
		return nil
	}
	e := p.fail(code, "serpapi sent an error instead of results", "")
	switch code {
	case citewell.CodeQuotaExhausted:
		return serpapiUsedUp(p.wire, e)
	case citewell.CodeAuth:
		return p.become(e, code, "", "refused the key", "check search.providers.serpapi.api_key or SERPAPI_API_KEY")
	case citewell.CodeRateLimited:
		return p.become(e, code, "", "was called too often within an hour", "")
	case citewell.CodeInvalidArgument:
		return p.become(e, code, "", "does not take the query as it was put",
			"use no region, time range or option of its own")
	}
	return e
}
