package citewell

import (
	"regexp"
	"slices"
	"time"
)

// A Page is what one fetch brought back: the bytes, and where and when they came
// from. Body is decoded from its content encoding but not from its charset.
type Page struct {
	URL          string       `json:"url"`       // as asked
	FinalURL     string       `json:"final_url"` // after redirects
	Status       int          `json:"status"`
	ContentType  string       `json:"content_type"` // as declared, with its parameters
	LastModified time.Time    `json:"last_modified,omitzero"`
	FetchedAt    time.Time    `json:"fetched_at"`
	Body         []byte       `json:"-"`
	SHA256       string       `json:"sha256"`  // of Body, lower-case hex
	Outcome      FetchOutcome `json:"outcome"` // ok or truncated; anything else comes as an error
	Cached       bool         `json:"cached,omitempty"`
}

// A Document is the text of a page, as one extractor at one version read it.
//
// Text is the canonical text: valid UTF-8 without NUL and C0 controls other than
// newline and tab, blocks separated by one blank line. Every passage, quote and
// citation is a byte span of it.
type Document struct {
	URL         string    `json:"url"` // the page's final URL
	MediaType   string    `json:"media_type"`
	Charset     string    `json:"charset,omitempty"`
	Title       string    `json:"title,omitempty"`
	Author      string    `json:"author,omitempty"`
	Published   string    `json:"date,omitempty"` // YYYY-MM-DD
	Language    string    `json:"language,omitempty"`
	Kind        string    `json:"kind,omitempty"` // article, documentation, forum, product, collection, listing, service, page, text, ...
	Text        string    `json:"text"`
	Markdown    string    `json:"markdown,omitempty"`
	Links       []Link    `json:"links,omitempty"`
	Passages    []Passage `json:"-"`
	Extractor   Extractor `json:"extractor"`
	TextSHA256  string    `json:"text_sha256"`
	Degraded    string    `json:"degraded,omitempty"` // why a fallback extractor read it; empty when none did
	LowYield    bool      `json:"low_yield,omitempty"`
	Truncated   bool      `json:"truncated,omitempty"` // the text ends before the page's does; Degraded says where, unless it is the page that was cut
	Affiliation string    `json:"affiliation,omitempty"` // the page's own words that it is unofficial, if it says so
}

// An Extractor names the code that made a document from a page. A later version
// changes nothing that an earlier one's text was cited from: both texts are kept.
type Extractor struct {
	ID      string `json:"id"`
	Version int    `json:"version"`
}

// A Link is one anchor of a page, its URL absolute.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// A Passage is a span of a document's canonical text.
//
// ID and Source are empty until a ledger registers the passage; Alias is the
// short name a model sees, as in "S2.p5".
type Passage struct {
	ID      string `json:"id"`
	Alias   string `json:"alias"`
	Source  int    `json:"n"` // number of the source in its brief
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Heading string `json:"heading,omitempty"` // nearest heading above it
	Text    string `json:"text"`
}

// headingWhere is the end of a passage's heading that says on which page it stands:
// "Ovens · page 2", or "slide 3" alone.
var headingWhere = regexp.MustCompile(`(?:^| · )((?:page|slide) [0-9]{1,6})$`)

// Where gives the page or slide of its document that the passage stands on, empty where
// the document has none.
func (p Passage) Where() string {
	if m := headingWhere.FindStringSubmatch(p.Heading); m != nil {
		return m[1]
	}
	return ""
}

// namePages gives each citation the page of its passage.
func namePages(citations []Citation, passages []Passage) {
	for i, c := range citations {
		if at := slices.IndexFunc(passages, func(p Passage) bool { return p.ID == c.Passage && p.Source == c.N }); at >= 0 {
			citations[i].Where = passages[at].Where()
		}
	}
}
