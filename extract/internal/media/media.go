// Package media defines a reader of a media type: its input, its output, and how it recognises its pages.
//
// Units: sizes in bytes of UTF-8; Raw has the bytes as they came.
package media

import (
	"net/url"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
)

// LowYield is the size in bytes of canonical text below which a document may be a stub, a wall or a script's shell.
const LowYield = 200

// Input is what a media type's reader gets: bounded, Text in valid UTF-8. Readers of Bytes have no Text.
type Input struct {
	Text     string
	Raw      []byte
	Cut      bool          // raw ends before the page did
	Own      bool          // a file of the user's own
	Work     time.Duration // that reading it may take, of processor time
	Base     *url.URL
	Media    string
	MaxText  int  // bytes of canonical text that are kept
	MaxLinks int  // links that are kept
	Whole    bool // keep all that a page shows, not its own content alone
}

// Reading is what a media type's reader gives back.
type Reading struct {
	Blocks                             []block.Block
	Markdown                           string
	Title, Author, Published, Language string
	Kind, Degraded, Affiliation        string
	Cut                                string // where the text ends before the page's does; empty where it does not
	Unit                               string // what the pages of the blocks are
	Links                              []citewell.Link
	Captions                           string // the address of what is said in the page's recording
}

// Kinds of document, as far as they matter for how a page is read.
const (
	KindArticle       = "article"
	KindDocumentation = "documentation"
	KindPage          = "page"
	KindForum         = "forum"
	KindText          = "text"
	KindMarkdown      = "markdown"
	KindDocument      = "document"    // PDF, docx, EPUB
	KindSpreadsheet   = "spreadsheet" // xlsx
	KindFeed          = "feed"
	KindData          = "data"       // JSON
	KindTranscript    = "transcript" // of a recording, by its captions
)

// What else a page is said to be, for the reader of a document; how its page is read is kindOf's alone.
const (
	KindProduct    = "product"    // one thing that is sold
	KindCollection = "collection" // a shelf of things that are sold
	KindListing    = "listing"    // a list of anything else: articles, jobs, courses
	KindService    = "service"    // what someone does for others
)
