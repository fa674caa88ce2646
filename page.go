package citewell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	Archived     Archived     `json:"archived,omitzero"` // where FinalURL is an archive's
}

// Base is the URL that the page's links are relative to.
func (p Page) Base() string { return cmp.Or(p.Archived.URL, p.FinalURL, p.URL) }

// Archived says of an archive's copy what it is a copy of. It is zero where something was
// read at its own site.
type Archived struct {
	URL string    `json:"url" jsonschema:"whose copy it is"`
	At  time.Time `json:"at" jsonschema:"when the archive took it"`
}

// IsZero says whether there is no copy.
func (a Archived) IsZero() bool { return a.At.IsZero() }

// Warning says that something was read in a copy, and of when it is; empty without one.
// Other warnings of the same source come after it.
func (a Archived) Warning(others string) string {
	if a.IsZero() {
		return others
	}
	return strings.TrimSuffix(fmt.Sprintf("archived copy of %s, for the page itself was not read; %s", a.Date(),
		others), "; ")
}

// Recent is the first of some dates, YYYY-MM-DD or empty, that a source can have: what a copy
// says is no newer than the copy, and no older where nothing has a date.
func (a Archived) Recent(dates ...string) string {
	for _, date := range dates {
		if date != "" && (a.IsZero() || date <= a.Date()) {
			return date
		}
	}
	return a.Date()
}

// Date is when the copy was taken, as YYYY-MM-DD; empty without a copy.
func (a Archived) Date() string {
	if a.IsZero() {
		return ""
	}
	return a.At.UTC().Format(time.DateOnly)
}

// A Document is the text of a page, as one extractor at one version read it.
//
// Text is the canonical text: valid UTF-8 without NUL and C0 controls other than
// newline and tab, blocks separated by one blank line. Every passage, quote and
// citation is a byte span of it.
type Document struct {
	URL       string `json:"url"` // the page's final URL
	MediaType string `json:"media_type"`
	Charset   string `json:"charset,omitempty"`
	Title     string `json:"title,omitempty"`
	Author    string `json:"author,omitempty"`
	Published string `json:"date,omitempty"` // YYYY-MM-DD
	Language  string `json:"language,omitempty"`
	// article, documentation, forum, product, collection, listing, service, page, text, ...
	Kind     string      `json:"kind,omitempty"`
	Text     string      `json:"text"`
	Markdown string      `json:"markdown,omitempty"`
	Links    []Link      `json:"links,omitempty"`
	Passages []Passage   `json:"-"`
	Pages    []PageStart `json:"pages,omitempty"`     // in the order of Text; none where the document has no pages
	PageUnit string      `json:"page_unit,omitempty"` // what they are: page, slide or second
	// the address at which the page says that the words of its recording are; http or https, of a page that is a file
	// also a file in its folder or below
	Captions   string    `json:"captions,omitempty"`
	Extractor  Extractor `json:"extractor"`
	TextSHA256 string    `json:"text_sha256"`
	Degraded   string    `json:"degraded,omitempty"` // why a fallback extractor read it; empty when none did
	LowYield   bool      `json:"low_yield,omitempty"`
	// the text ends before the page's does; Degraded says where, unless it is the page that was cut
	Truncated   bool   `json:"truncated,omitempty"`
	Affiliation string `json:"affiliation,omitempty"` // the page's own words that it is unofficial, if it says so
}

// Transcribed gives what was read at the captions of a page as what the page says, with what the
// page tells of itself. False where that is no captions, or the page has more in words.
func (d Document) Transcribed(captions Document) (Document, bool) {
	if captions.PageUnit != UnitSecond || len(captions.Text) <= len(d.Text) {
		return d, false
	}
	captions.Title, captions.Author, captions.Published = cmp.Or(d.Title, captions.Title),
		cmp.Or(d.Author, captions.Author), cmp.Or(d.Published, captions.Published)
	return captions, true
}

// A PageStart is where a page of a document begins in its text.
type PageStart struct {
	Page  int `json:"page"` // from 1; a page without text has no start
	Start int `json:"start"`
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
	Page    int    `json:"page,omitempty"`    // of its document, from 1; 0 where that has none
	Unit    string `json:"unit,omitempty"`    // what Page counts: page, slide or second
	Columns string `json:"columns,omitempty"` // the row that names the columns of its table's rows, as the text has it
	Text    string `json:"text"`
}

// What the pages of a document are.
const (
	UnitPage  = "page"
	UnitSlide = "slide" // of a presentation
	// UnitSecond is of a recording: 1 is its first second.
	UnitSecond = "second"
)

// The media types of captions and of articles in the XML of journals.
const (
	MediaVTT  = "text/vtt"             // WebVTT
	MediaSRT  = "application/x-subrip" // SubRip
	MediaJATS = "application/jats+xml"

	KindAbstract = "abstract" // the Kind of an article in that XML that has no body
)

// ClockTime writes seconds from the beginning of a recording as players do: 7:05, 1:02:03.
func ClockTime(seconds int) string {
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// Where gives the page or slide of its document that the passage stands on, as in
// "page 7", or of a recording the time at which it is said, as in "at 7:05"; empty where the
// document has none.
func (p Passage) Where() string {
	switch {
	case p.Page < 1:
		return ""
	case p.Unit == UnitSecond:
		return "at " + ClockTime(p.Page-1)
	}
	return fmt.Sprintf("%s %d", p.Unit, p.Page)
}

// Above gives the words above a passage that say what it is of: its heading, and the
// names of its table's columns.
func (p Passage) Above() string { return strings.TrimSpace(p.Heading + "\n" + p.Columns) }

// IsRow says whether what the passage has at [start, end), offsets in its own text, is a
// row of its table, or begins one, below the row that names the columns.
func (p Passage) IsRow(start, end int) bool {
	if p.Columns == "" || start < 0 || start > end || end > len(p.Text) || start > 0 && p.Text[start-1] != '\n' {
		return false
	}
	quote := p.Text[start:end]
	return quote != p.Columns && strings.Contains(quote, Cells) && !strings.Contains(quote, "\n")
}

// Cells stands between the cells of a table's row in canonical text.
const Cells = " | "

// place gives the citation the page of its passage, and the names of the columns where
// it quotes a row.
func (c *Citation) place(passages []Passage) {
	if at := slices.IndexFunc(passages, func(p Passage) bool { return p.ID == c.Passage && p.Source == c.N }); at >= 0 {
		p := passages[at]
		c.Page, c.Unit, c.Where = p.Page, p.Unit, p.Where()
		if p.IsRow(c.Start-p.Start, c.End-p.Start) {
			c.Columns = p.Columns
		}
	}
}
