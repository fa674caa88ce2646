package provider

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

const tavilyName = "tavily"

func init() {
	register(Description{
		Name:  tavilyName,
		About: "the web, by Tavily's search for language models; a key, a credit for each search",
		Docs:  "https://docs.tavily.com/documentation/api-reference/endpoint/search",
		Needs: []string{needKey},
		Env:   []string{"TAVILY_API_KEY"},
		// A development key may call 100 times a minute, one for production 1,000 times.
		Limits: search.Limits{Rate: 1.5, Burst: 5},
	}, func(d Deps, s Settings) (search.Provider, error) { return newTavily(d, s, services.TavilyOptions{}) })
}

func newTavily(d Deps, s Settings, o services.TavilyOptions) (search.Provider, error) {
	if err := oneOf(tavilyName, "topic", o.Topic, "general", "news", "finance"); err != nil {
		return nil, err
	}
	if err := oneOf(tavilyName, "depth", o.Depth, "basic", "advanced", "fast", "ultra-fast"); err != nil {
		return nil, err
	}
	at, err := newService(d, tavilyName, s, "https://api.tavily.com", "/search", o, tavilyRefused)
	return &tavily{at}, err
}

// tavily knows countries, for its general topic, but no languages and, for most
// accounts, no safe search.
type tavily struct {
	service[services.TavilyOptions]
}

const tavilyMostResults = 20

var tavilyLimit = queryLimit{chars: 400}

// tavilyRequest is the documented body. What is left out has Tavily's own default.
type tavilyRequest struct {
	Query          string   `json:"query"`
	Topic          string   `json:"topic"`
	Depth          string   `json:"search_depth"`
	MaxResults     int      `json:"max_results"`
	TimeRange      string   `json:"time_range,omitempty"`
	Country        string   `json:"country,omitempty"`
	IncludeDomains []string `json:"include_domains,omitempty"`
	ExcludeDomains []string `json:"exclude_domains,omitempty"`
	IncludeAnswer  bool     `json:"include_answer"`
}

func (p *tavily) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	body := tavilyRequest{
		Query:          tavilyLimit.cut(ctx, p.name, q.Text),
		Topic:          cmp.Or(p.options.Topic, "general"),
		Depth:          cmp.Or(p.options.Depth, "basic"),
		MaxResults:     wanted(q, tavilyMostResults),
		TimeRange:      string(q.TimeRange),
		IncludeDomains: slices.Concat(p.options.IncludeDomains, q.Sites),
		ExcludeDomains: p.options.ExcludeDomains,
	}
	if wantsRegion(q) {
		country, _ := regionParts(q.Region)
		if body.Topic == "general" {
			body.Country = tavilyCountries[country]
		}
		if body.Country == "" {
			searchcall.Note(ctx, "tavily does not know this region for this topic and searched everywhere")
		}
	}
	if q.SafeSearch == citewell.SafeStrict {
		searchcall.Note(ctx, "tavily has no safe search")
	}
	r, err := p.postJSON(ctx, p.endpoint, http.Header{"Authorization": {"Bearer " + p.key.Reveal()}}, body)
	if err != nil {
		return nil, err
	}
	return p.read(r, q.Limit)
}

// Statuses of Tavily's own.
const (
	tavilyPlanUsedUp    = 432
	tavilyPayAsYouGoEnd = 433
)

// tavilyRefused reads the statuses that Tavily has for itself.
func tavilyRefused(w *wire, r *reply) *citewell.Error {
	e := w.refusal(r)
	switch r.status {
	case tavilyPlanUsedUp:
		return w.become(e, citewell.CodeQuotaExhausted, "", "answered HTTP 432: the plan's credits are used up",
			"wait for the next month or change the plan at app.tavily.com")
	case tavilyPayAsYouGoEnd:
		return w.become(e, citewell.CodeQuotaExhausted, "", "answered HTTP 433: the limit set for paying as you go "+
			"is reached",
			"raise it at app.tavily.com")
	}
	return e
}

type tavilyAnswer struct {
	Results []struct {
		Title, URL, Content loose
		Published           loose `json:"published_date"`
	}
}

func (p *tavily) read(r *reply, limit int) ([]citewell.Result, error) {
	var answer tavilyAnswer
	if err := p.readAnswer(r, &answer, "results"); err != nil {
		return nil, err
	}
	results := make([]citewell.Result, len(answer.Results))
	for i, found := range answer.Results {
		results[i] = citewell.Result{Title: string(found.Title), URL: string(found.URL), Snippet: string(found.Content),
			Published: dateOf(string(found.Published), "en", p.now())}
	}
	return tidy(p.name, results, limit), nil
}

// tavilyCountries are Tavily's names of the countries that regions are in.
var tavilyCountries = func() map[string]string {
	const names = `AR argentina;AU australia;AT austria;BE belgium;BR brazil;BG bulgaria;CA canada;CL chile;CN china;CO colombia;
		HR croatia;CZ czech republic;DK denmark;EE estonia;FI finland;FR france;DE germany;GR greece;HU hungary;IS iceland;IN india;
		ID indonesia;IE ireland;IL israel;IT italy;JP japan;KR south korea;LV latvia;LT lithuania;LU luxembourg;MY malaysia;
		MX mexico;NL netherlands;NZ new zealand;NO norway;PK pakistan;PE peru;PH philippines;PL poland;PT portugal;RO romania;
		RU russia;SA saudi arabia;SG singapore;SK slovakia;SI slovenia;ZA south africa;ES spain;SE sweden;CH switzerland;
		TW taiwan;TH thailand;TR turkey;UA ukraine;GB united kingdom;US united states;VE venezuela;VN vietnam`
	countries := make(map[string]string)
	for entry := range strings.SplitSeq(names, ";") {
		code, name, _ := strings.Cut(strings.TrimSpace(entry), " ")
		countries[code] = name
	}
	return countries
}()
