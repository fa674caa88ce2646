package citewell

import "slices"

// A Query is what is asked of a provider, with its limits and filters. The zero
// value of each filter means no filter.
type Query struct {
	Text       string     // what to look for, in plain words
	Limit      int        // results wanted; 0 means the provider's own default
	Region     string     // country-language as in "de-de"; "" and "wt-wt" mean the whole world
	TimeRange  TimeRange  // only pages of the last day, week, month or year
	SafeSearch SafeSearch // filtering of explicit pages; the zero value is moderate
	// YYYY-MM-DD: only what was published on this day or later, where a provider can tell
	Since string `json:",omitempty"`
	Until string `json:",omitempty"` // YYYY-MM-DD: on this day or earlier
	// hosts: of the whole web only pages of these and of their subdomains; none means all
	Sites      []string   `json:",omitempty"`
	Identifier Identifier `json:",omitzero"` // asks a provider that can look it up for this one work, in place of Text
}

// An Identifier names one work or record in a register.
type Identifier struct {
	Scheme string `json:"scheme"` // of the constants below
	Value  string `json:"value"`  // in the register's own form: 10.5555/x in lower case, 2401.00001, digits
}

// The registers whose identifiers are told apart in a question.
const (
	SchemeDOI   = "doi"
	SchemeArXiv = "arxiv"
	SchemePMID  = "pmid"
	SchemePMCID = "pmcid" // with its letters: PMC3257301
	SchemeISBN  = "isbn"
	SchemeNCT   = "nct" // a clinical trial
	SchemeCVE   = "cve" // a vulnerability
	SchemeRFC   = "rfc"

	// a series, of countries by their ISO codes or of the world: SP.POP.TOTL/DEU;FRA, SP.POP.TOTL
	SchemeWorldBank = "worldbank"
)

func (i Identifier) String() string { return i.Scheme + ":" + i.Value }

// WholeWorld is the region that means no region.
const WholeWorld = "wt-wt"

// A TimeRange keeps results whose page changed within it.
type TimeRange string

// The time ranges that providers share. Empty means any time.
const (
	AnyTime   TimeRange = ""
	PastDay   TimeRange = "day"
	PastWeek  TimeRange = "week"
	PastMonth TimeRange = "month"
	PastYear  TimeRange = "year"
)

// TimeRanges lists the values a TimeRange may have, for messages and schemas.
var TimeRanges = []TimeRange{PastDay, PastWeek, PastMonth, PastYear}

// Valid says whether t is a known time range; the empty one is.
func (t TimeRange) Valid() bool { return t == AnyTime || slices.Contains(TimeRanges, t) }

// SafeSearch is how strictly explicit pages are filtered.
type SafeSearch int

// The zero value is the providers' common default.
const (
	SafeModerate SafeSearch = iota
	SafeOff
	SafeStrict
)

// A Result is one hit from one provider.
type Result struct {
	Provider  string `json:"provider"`
	Title     string `json:"title"`
	URL       string `json:"url"`                 // as the provider gave it; fetched and cited in this form
	Snippet   string `json:"snippet,omitempty"`   // plain text, no markup
	Published string `json:"published,omitempty"` // YYYY-MM-DD, or empty where the provider gave no date
	// where the picture itself is; of a search for images, which no brief makes
	Image string `json:"-"`
	Rank  int    `json:"rank"`           // 1 is the provider's best
	Work  *Work  `json:"work,omitempty"` // of a publication; nobody changes it
}
