// Package extract reads a page into a document: canonical text, the same content
// as Markdown, metadata, links and passages.
//
// Flow: page → sniff (what it is) → charset (UTF-8) → one reader per media type
// (html.go, markdown.go, text.go, json.go, xml.go, feed.go, pdf.go, docx.go,
// xlsx.go, csv.go, pptx.go, opendocument.go, rtf.go, epub.go) → a pruned tree → blocks → canonical text and Markdown → passages. Text
// and Markdown are written from the same pruned tree, so neither says what the
// other lacks. A PDF is read in a child process (internal/sandbox) and its passages
// say their page, those of a presentation their slide; zipped documents are unpacked within caps (archive.go).
//
// Canonical text: blocks separated by one blank line; the items of a list, the
// rows of a table and a term with its explanation on lines of their own; table
// cells joined by " | "; of a file of the user's own first what it declares of itself (declare.go); code with its own line breaks and indentation; a formula
// once, as its TeX or on one line; what is raised or lowered kept apart (10^6); no
// menus, no pictures, no hidden text, none that is crossed out, no control or invisible characters. Markdown
// has besides what is not text: links, emphasis, the language of code, pictures.
//
// Units: sizes and offsets in bytes of UTF-8. Zero Options means the defaults
// written beside each field.
// A page has a budget of processor time (work.go), and the time that ctx leaves it.
// Errors: unsupported_type (locked office documents too), pdf_encrypted, empty_body, extraction_failed,
// extraction_timeout, response_too_large (a zip without its end), archive_too_large
// (one that unpacks too far), canceled. A
// page that yields little is no error: LowYield says so. A page that only a fallback
// could read, whose character set is a guess (guess.go), or that was not read to its end, has the reason in Degraded.
// Concurrency: an Extractor is safe for many goroutines; at most Options.Parallel
// pages are read at once, and a page that outlives its time keeps its place
// until its reader has ended.
package extract

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// ID and Version name this extractor in every document it makes. Version grows
// with each change that can alter canonical text.
const (
	ID      = "citewell"
	Version = 6
)

// Options bounds the reading of one page.
type Options struct {
	Timeout  time.Duration // of processor time per page of the web, 2 s when 0
	Work     time.Duration // the same per file of the user's own or tool's result (a page at a file: or tool: URL); 30 s when 0
	MaxBytes int           // of a page's body that is read, 16 MiB when 0
	MaxText  int           // of canonical text that is kept, 2 MiB when 0
	MaxLinks int           // 2,000 when 0
	Parallel int           // pages read at once, one per processor when 0
	Whole    bool          // keep all that a page shows, its menus too, not its own content alone
	Forests  Forests       // what judges the blocks of HTML pages; the package's own when zero
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Second
	}
	if o.Work <= 0 {
		o.Work = 30 * time.Second
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 16 << 20
	}
	if o.MaxText <= 0 {
		o.MaxText = 2 << 20
	}
	if o.MaxLinks <= 0 {
		o.MaxLinks = 2000
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	return o
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// lowYield is the size in bytes of canonical text below which a document is
// marked as one that may be a stub, a wall or a script's shell.
const lowYield = 200

// An Extractor turns pages into documents.
type Extractor struct {
	options Options
	places  chan struct{}
}

// New returns an Extractor; zero Options means the defaults.
func New(o Options) *Extractor {
	o = o.withDefaults()
	return &Extractor{options: o, places: make(chan struct{}, o.Parallel)}
}

var standard = New(Options{})

// Extract reads page with the default options.
func Extract(ctx context.Context, page citewell.Page) (citewell.Document, error) {
	return standard.Extract(ctx, page)
}

// errCut is what the readers end with when the deadline is over while they work.
var errCut = errors.New("cut by the deadline")

// Extract reads page into a document. It returns once the page has had its work, or twenty
// times as long by the clock, even when the page is made to keep a parser busy: a busy
// machine reads it as an idle one does, only later. Who cannot wait gives ctx a deadline.
func (e *Extractor) Extract(ctx context.Context, page citewell.Page) (citewell.Document, error) {
	op := "extract " + hostOf(page)
	if len(page.Body) == 0 {
		return citewell.Document{}, &citewell.Error{Code: citewell.CodeEmptyBody, Op: op, Message: "the page has no bytes to read"}
	}
	outer, work := ctx, e.options.workOf(isAtHand(page))
	ctx, cancel := context.WithTimeout(ctx, work*wallOfWork)
	defer cancel()
	select {
	case e.places <- struct{}{}:
	case <-ctx.Done():
		return citewell.Document{}, e.ended(outer, op, page, "all readers are busy with slow pages")
	}

	type result struct {
		document citewell.Document
		err      error
	}
	done := make(chan result, 1)
	go func() {
		defer func() { <-e.places }()
		defer func() {
			if r := recover(); r != nil {
				done <- result{err: &citewell.Error{Code: citewell.CodeExtractionFailed, Op: op,
					Message: "the page broke its reader", Err: fmt.Errorf("panic: %v\n%s", r, debug.Stack())}}
			}
		}()
		defer boundWork(ctx, work, cancel)()
		document, err := e.read(ctx, page)
		done <- result{document, err}
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, errCut) || (r.err != nil && ctx.Err() != nil) {
			return citewell.Document{}, e.ended(outer, op, page, "the page took too long to read")
		}
		return r.document, r.err
	case <-ctx.Done():
		return citewell.Document{}, e.ended(outer, op, page, "the page took too long to read")
	}
}

// longerHint says what helps against the deadline of a page.
func longerHint(own bool) string {
	if own {
		return "split it into smaller files"
	}
	return "raise brief.deadlines.extract"
}

// ended tells the caller's own end of ctx from that of a page's work.
func (e *Extractor) ended(outer context.Context, op string, page citewell.Page, why string) error {
	if errors.Is(outer.Err(), context.Canceled) {
		return &citewell.Error{Code: citewell.CodeCanceled, Op: op, Message: "reading the page was canceled", Err: outer.Err()}
	}
	late := &citewell.Error{Code: citewell.CodeExtractionTimeout, Op: op, Hint: longerHint(isAtHand(page)),
		Message: fmt.Sprintf("%s (limit %v of processor time)", why, e.options.workOf(isAtHand(page))), Err: context.DeadlineExceeded}
	if outer.Err() != nil {
		late.Message, late.Hint = why+" in the time that its caller had", "give it more time: timeout_seconds of a call, brief.deadlines.extract of a brief"
	}
	return late
}

// read is the whole way from bytes to document. Every reader gets bounded input
// and looks at ctx between its steps.
func (e *Extractor) read(ctx context.Context, page citewell.Page) (citewell.Document, error) {
	media, err := sniff(page)
	if err != nil {
		return citewell.Document{}, err
	}
	body, cut := page.Body, ""
	if len(body) > e.options.MaxBytes {
		body, cut = body[:e.options.MaxBytes], fmt.Sprintf("only the first %d bytes of the page were read", e.options.MaxBytes)
	}
	decoded, charset, guessed := "", "", ""
	if !media.family.binary() {
		decoded, charset, guessed = decode(body, media)
	}

	address := cmp.Or(page.FinalURL, page.URL)
	base, err := url.Parse(address)
	if err != nil {
		base = &url.URL{}
	}
	in := input{text: decoded, raw: body, cut: cut != "" || page.Outcome == citewell.FetchTruncated, own: isOwn(page), work: e.options.workOf(isAtHand(page)), base: base, media: media.name, options: e.options}
	read, err := readAs(ctx, media.family, in)
	if err != nil {
		return citewell.Document{}, err
	}
	if ctx.Err() != nil {
		return citewell.Document{}, errCut
	}

	documented := documentLanguage(read.language, read.blocks)
	declared := 0
	if in.own {
		declared = read.declare()
	}
	text, spans, whole := layOut(read.blocks, e.options.MaxText)
	if !whole && cut == "" {
		cut = fmt.Sprintf("the text was cut after %d bytes", e.options.MaxText)
	}
	if text == "" {
		return citewell.Document{}, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: "extract " + hostOf(page),
			Message: "the page holds no readable text", Hint: "the page may need a browser to show its content"}
	}
	sum := sha256.Sum256([]byte(text))
	document := citewell.Document{
		URL:         address,
		MediaType:   media.name,
		Charset:     charset,
		Title:       read.title,
		Author:      read.author,
		Published:   read.published,
		Language:    documented,
		Kind:        read.kind,
		Text:        text,
		Markdown:    lineEnds.Replace(read.markdown), // a carriage return lets a terminal overwrite a line
		Links:       read.links,
		Pages:       pageStarts(spans),
		PageUnit:    read.unit,
		Extractor:   citewell.Extractor{ID: ID, Version: Version},
		TextSHA256:  hex.EncodeToString(sum[:]),
		Degraded:    joinReasons(guessed, read.cut, read.degraded, cut),
		LowYield:    len(text)-declared < lowYield,
		Truncated:   in.cut || !whole || read.cut != "" || strings.Contains(read.degraded, manyParts),
		Affiliation: read.affiliation,
	}
	document.Passages = cutPassages(text, spans, document.Title)
	placePassages(document, spans, document.Passages)
	return document, nil
}

// readAs reads a page by the reader of its family.
func readAs(ctx context.Context, f family, in input) (reading, error) {
	switch f {
	case familyHTML:
		return readHTML(ctx, in)
	case familyMarkdown:
		return readMarkdown(ctx, in)
	case familyPDF:
		return readPDF(ctx, in)
	case familyDocx:
		return readDocx(ctx, in)
	case familyXlsx:
		return readXlsx(ctx, in)
	case familyEPUB:
		return readEPUB(ctx, in)
	case familyODT:
		return readODT(ctx, in)
	case familyPPTX:
		return readPPTX(ctx, in)
	case familyRTF:
		return readRTF(ctx, in)
	case familyODS:
		return readODS(ctx, in)
	case familyCSV:
		return readCSV(ctx, in)
	case familyXML:
		return readXMLText(ctx, in)
	case familyJSON:
		return readJSON(ctx, in)
	case familyFeed:
		return readFeed(ctx, in)
	default:
		return readText(in)
	}
}

// input is what a media type's reader gets: bounded, and valid UTF-8 for all but
// the binary families, whose readers get the bytes.
type input struct {
	text     string
	raw      []byte
	cut      bool          // raw ends before the page did
	own      bool          // a file of the user's own
	work     time.Duration // that reading it may take, see Options.workOf
	base     *url.URL
	media    string
	options  Options
	noscript bool // read what an HTML page has for readers without scripts
}

// reading is what a media type's reader gives back.
type reading struct {
	blocks                             []block
	markdown                           string
	title, author, published, language string
	kind, degraded, affiliation        string
	cut                                string // where the text ends before the page's does; empty where it does not
	unit                               string // what the pages of the blocks are
	links                              []citewell.Link
}

func joinReasons(reasons ...string) string {
	var given []string
	for _, r := range reasons {
		if r != "" {
			given = append(given, r)
		}
	}
	return strings.Join(given, "; ")
}

func schemeOf(page citewell.Page) string {
	scheme, _, _ := strings.Cut(cmp.Or(page.FinalURL, page.URL), ":")
	return strings.ToLower(scheme)
}

func hostOf(page citewell.Page) string {
	for _, raw := range []string{page.FinalURL, page.URL} {
		if u, err := url.Parse(raw); err == nil && u.Hostname() != "" {
			return u.Hostname()
		}
	}
	return "page"
}
