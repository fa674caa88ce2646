package services

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Options are those of any one service.
type Options interface {
	BraveOptions | ExaOptions | GoogleOptions | SearXNGOptions | SerpAPIOptions | StackExchangeOptions | TavilyOptions
}

// BraveOptions are the filters that only Brave has. The zero value is its web search.
type BraveOptions struct {
	Vertical  string // web (when empty), news, images or videos
	Freshness string // pd, pw, pm, py, or YYYY-MM-DDtoYYYY-MM-DD; it goes before a query's TimeRange
	Country   string // as in DE; it goes before a query's Region
	Language  string // as in de or pt-br; it goes before a query's Region
	Page      int    // 1 (when 0) to 10; images have one
}

// ExaOptions are the filters that only Exa has. The zero value is its automatic
// search of everything.
type ExaOptions struct {
	Type string // auto (when empty), fast, instant, deep, keyword or neural
	// news, company, people, research paper, pdf, github, tweet, personal site or financial report
	Category       string
	IncludeDomains []string  // only from these
	ExcludeDomains []string  // none from these
	PublishedAfter time.Time // a query's TimeRange goes before it
	PublishedUntil time.Time
}

// GoogleOptions are the filters that only Google's API has. The zero value is a
// search of all that the engine covers.
type GoogleOptions struct {
	DateRestrict string // dN, wN, mN or yN: the last N days, weeks, months, years; it goes before a query's TimeRange
	Language     string // as in de or zh-CN: only pages written in it, where a query's Region only prefers them
	Site         string // only this host
	FileType     string // as in pdf
	Images       bool   // pictures, with the page that each stands on
	Start        int    // 1 (when 0) to 91: the rank of the first result
}

// SearXNGOptions are the filters that only a SearXNG has. The zero value is the
// instance's own choice.
type SearXNGOptions struct {
	Categories []string // as in news, science, it
	Engines    []string // as in wikipedia, arxiv
	Language   string   // as in de or de-CH; it goes before a query's Region
	Page       int      // 1 when 0
}

// Set writes the options into the parameters of a request.
func (o SearXNGOptions) Set(params url.Values) {
	if len(o.Categories) > 0 {
		params.Set("categories", strings.Join(o.Categories, ","))
	}
	if len(o.Engines) > 0 {
		params.Set("engines", strings.Join(o.Engines, ","))
	}
	if o.Language != "" {
		params.Set("language", o.Language)
	}
	if o.Page > 1 {
		params.Set("pageno", strconv.Itoa(o.Page))
	}
}

// SerpAPIOptions are the filters that only SerpApi has. The zero value is Google's web
// search.
type SerpAPIOptions struct {
	Engine   string // google (when empty) or bing
	Vertical string // of google: web (when empty), news, images, videos or shopping
	TBS      string // Google's own filters, as in qdr:h or sbd:1; they go before a query's TimeRange
	Start    int    // how many results to leave out at the beginning; 0 to 990
}

// StackExchangeOptions are what only Stack Exchange has. The zero value asks Stack Overflow.
type StackExchangeOptions struct {
	Site string // the host of one of its sites, as in superuser.com or unix.stackexchange.com
}

// TavilyOptions are the filters that only Tavily has. The zero value is its general
// search at one credit.
type TavilyOptions struct {
	Topic          string   // general (when empty), news or finance
	Depth          string   // basic (when empty), fast or ultra-fast, one credit each; advanced, two
	IncludeDomains []string // only from these
	ExcludeDomains []string // none from these
}
