package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

const worldBankName = "worldbank"

func init() {
	register(Description{
		Name:  worldBankName,
		About: "series of the World Bank on countries by the year, by their codes (SP.POP.TOTL) alone; no key",
		Docs: "https://datahelpdesk.worldbank.org/knowledgebase/articles/" +
			"889392-about-the-indicators-api-documentation",
		Kinds: []search.Kind{search.KindData},
		Open:  true,
		// Its documents name no limit.
		Limits:  search.Limits{Rate: 1, Parallel: 1, Timeout: 15 * time.Second, Fresh: keptAwhile, Shared: true},
		Lookups: []string{citewell.SchemeWorldBank},
		Sample:  citewell.Identifier{Scheme: citewell.SchemeWorldBank, Value: "SP.POP.TOTL"},
	}, opens(worldBankName, worldBankSite, "/v2", openRefusal, func(at service[struct{}]) search.Provider {
		return &worldBank{at}
	}))
}

// worldBank looks series up: of the countries that a question names, or of the world.
type worldBank struct{ service[struct{}] }

const (
	worldBankSite = "https://api.worldbank.org"

	worldBankMostRows = "1000" // of all countries together
	worldBankShown    = 8      // values in the words of a result, the newest first
)

func (p *worldBank) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if q.Identifier.Scheme != citewell.SchemeWorldBank {
		return nil, p.fail(citewell.CodeInvalidArgument, p.name+
			" looks series up by their codes, and finds none by words",
			"name a series, and countries: SP.POP.TOTL Germany France")
	}
	code, countries, _ := strings.Cut(q.Identifier.Value, "/")
	countries = cmp.Or(strings.ReplaceAll(countries, "XKK", "XKX"), "WLD") // as it writes Kosovo, and the world
	r, err := p.getJSON(ctx, seriesOf(p.endpoint, countries, code), nil)
	if err != nil {
		return nil, err
	}
	var parts []json.RawMessage
	if err := p.readJSON(r, &parts); err != nil {
		return nil, err
	}
	var head struct {
		Message []struct{ ID, Value loose }
		Pages   loose
	}
	var rows []worldBankRow
	for i, into := range []any{&head, &rows} {
		if i < len(parts) && json.Unmarshal(parts[i], into) != nil || i == 0 && len(parts) == 0 {
			return nil, p.fail(citewell.CodeBadResponse, p.name+" sent JSON that is not in the documented form", "")
		}
	}
	switch {
	case len(head.Message) > 0 && head.Message[0].ID == "120" && strings.Contains(countries, ";"):
		return nil, p.fail(citewell.CodeInvalidArgument, p.name+" does not know "+code+", or one of the countries "+
			countries, "ask for one country at a time")
	case len(head.Message) > 0 && slices.Contains([]loose{"120", "175"}, head.Message[0].ID):
		return nil, nil // no such series or country, or one that was taken away
	case len(head.Message) > 0:
		return nil, p.fail(citewell.CodeBadResponse, p.name+" refused: "+
			text.Shorten(oneLine(string(head.Message[0].Value), maxTitleBytes), 200), "")
	case head.Pages == "":
		return nil, p.fail(citewell.CodeBadResponse, "what answered is JSON, but no answer of "+p.name,
			"check search.providers."+p.name+".base_url")
	}
	if head.Pages != "1" && len(rows) > 0 {
		searchcall.Note(ctx, p.name+" has more values than the first "+worldBankMostRows+
			", which were read; ask for fewer countries")
	}
	return p.kept(worldBankResults(rows, code), len(rows), q.Limit)
}

// seriesOf is where the series of some countries is.
func seriesOf(api *url.URL, countries, code string) *url.URL {
	return with(api.JoinPath("country", url.PathEscape(countries), "indicator", url.PathEscape(code)),
		url.Values{"format": {"json"}, "per_page": {worldBankMostRows}})
}

type worldBankRow struct {
	Indicator struct{ Value loose }
	Country   struct{ ID, Value loose }
	ISO3      loose `json:"countryiso3code"`
	Date      loose
	Value     loose
}

// worldBankResults are a result for each country, with the page of its own series, in the order of
// the answer.
func worldBankResults(rows []worldBankRow, code string) []citewell.Result {
	site, _ := url.Parse(worldBankSite + "/v2") // a constant
	var results []citewell.Result
	at, shown := map[string]int{}, map[string]int{}
	for _, row := range rows {
		country := row.ISO3.orElse(row.Country.ID)
		if !countryCode.MatchString(country) {
			continue
		}
		if _, known := at[country]; !known {
			at[country] = len(results)
			results = append(results, citewell.Result{Title: string(row.Indicator.Value) + ": " +
				string(row.Country.Value), URL: seriesOf(site, country, code).String()})
		}
		if r := &results[at[country]]; row.Value != "" && shown[country] < worldBankShown {
			shown[country]++
			r.Snippet += strings.Repeat("; ", min(len(r.Snippet), 1)) + string(row.Date) + ": " + string(row.Value)
		}
	}
	return results
}

var countryCode = lazyregexp.New(`^[A-Z0-9]{2,3}$`)
