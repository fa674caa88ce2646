// Package extract reads a page into a document: canonical text, the same content as Markdown, metadata, links and
// passages.
//
// Flow: page → sniff (its type) → charset (UTF-8) → one reader for each media type (readers.go; the readers are below
// internal) → a pruned tree → blocks → canonical text and Markdown → passages. Text and Markdown come from the same
// pruned tree, so they say the same. A child process (internal/sandbox) reads a PDF. Passages of a PDF name their page,
// those of a presentation their slide. Zipped documents are unpacked within limits (internal/office).
//
// Canonical text: blocks separated by one blank line; the items of a list, the rows of a table and a term with its
// explanation on lines of their own; table cells joined by " | "; code with its own line breaks and indentation; a
// formula once, as its TeX or on one line; raised and lowered text marked (10^6). A file of the user's own begins with
// its declared title and the like (internal/media). Menus, pictures, hidden text, crossed-out text, control characters
// and invisible characters are left out. Markdown also has links, emphasis, the language of code, and pictures.
//
// Units: sizes and offsets in bytes of UTF-8. Zero Options means the defaults written beside each field. A page has a
// budget of processor time (internal/deadline), and the time that ctx leaves it.
// Errors: unsupported_type (also locked office documents), pdf_encrypted, empty_body, extraction_failed,
// extraction_timeout, rate_limited (a file that waited too long for a place), response_too_large (a zip without its
// end), archive_too_large (one that unpacks too far), canceled. A page that yields little is no error: LowYield says
// so. Degraded has the reason if only a fallback could read the page, its character set is a guess (internal/charset),
// or it was not read to its end.
// Concurrency: an Extractor is safe for many goroutines; at most Options.Parallel pages are read at once. A reader that
// outlives the time of its page gives its place back ([Places]).
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
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/passage"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/places"
	"golang.org/x/net/html"
)

// ID and Version name this extractor in every document it makes. Version grows
// with each change that can alter canonical text.
const (
	ID      = "citewell"
	Version = 13
)

// Options bounds the reading of one page.
type Options struct {
	Timeout time.Duration // of processor time per page of the web, 2 s when 0
	// the same per file of the user's own or tool's result (a page at a file: or tool: URL); 30 s when 0
	Work     time.Duration
	MaxBytes int            // of a page's body that is read, 16 MiB when 0
	MaxText  int            // of canonical text that is kept, 2 MiB when 0
	MaxLinks int            // 2,000 when 0
	Parallel int            // pages read at once, one per processor when 0
	Places   *places.Places // shared with other Extractors, in place of Parallel; its own when nil
	Whole    bool           // keep all that a page shows, its menus too, not its own content alone
	Forests  Forests        // what judges the blocks of HTML pages; the package's own when zero
}

func (o Options) withDefaults() Options {
	o.Timeout = positive(o.Timeout, 2*time.Second)
	o.Work = positive(o.Work, 30*time.Second)
	o.MaxBytes = positive(o.MaxBytes, 16<<20)
	o.MaxText = positive(o.MaxText, 2<<20)
	o.MaxLinks = positive(o.MaxLinks, 2000)
	o.Parallel = positive(o.Parallel, runtime.GOMAXPROCS(0))
	if o.Places == nil {
		o.Places = places.New(o.Parallel)
	}
	return o
}

func positive[T int | time.Duration](given, otherwise T) T {
	if given > 0 {
		return given
	}
	return otherwise
}

// An Extractor turns pages into documents.
type Extractor struct {
	options Options
	readers []media.Reader
}

// New returns an Extractor; zero Options means the defaults.
func New(o Options) *Extractor {
	o = o.withDefaults()
	return &Extractor{options: o, readers: readersBy(o.Forests.judge)}
}

var standard = New(Options{})

// Extract reads page with the default options.
func Extract(ctx context.Context, page citewell.Page) (citewell.Document, error) {
	return standard.Extract(ctx, page)
}

// Extract reads page into a document. It returns once the page has had its work, or twenty
// times as long by the clock, even when the page is made to keep a parser busy: a busy
// machine reads it as an idle one does, only later. Who cannot wait gives ctx a deadline.
func (e *Extractor) Extract(ctx context.Context, page citewell.Page) (citewell.Document, error) {
	op := "extract " + hostOf(page)
	if len(page.Body) == 0 {
		return citewell.Document{}, &citewell.Error{Code: citewell.CodeEmptyBody, Op: op,
			Message: "the page has no bytes to read"}
	}
	return bounded(ctx, e, op, page, e.read)
}

// bounded has page read within its budget, in one of the places.
func bounded[T any](ctx context.Context, e *Extractor, op string, page citewell.Page,
	read func(context.Context, citewell.Page) (T, error)) (none T, err error) {
	outer, work := ctx, e.options.workOf(isAtHand(page))
	ctx, cancel := context.WithTimeout(ctx, work*deadline.WallOfWork)
	defer cancel()
	switch err := e.options.Places.Enter(ctx, op, !isAtHand(page)); {
	case err != nil && ctx.Err() != nil:
		return none, e.ended(outer, op, page, "all readers are busy with slow pages")
	case err != nil:
		return none, err
	}
	leave, ended := sync.OnceFunc(e.options.Places.Leave), make(chan struct{})

	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		defer close(ended)
		defer leave()
		defer func() {
			if r := recover(); r != nil {
				done <- result{err: &citewell.Error{Code: citewell.CodeExtractionFailed, Op: op,
					Message: "the page broke its reader", Err: fmt.Errorf("panic: %v\n%s", r, debug.Stack())}}
			}
		}()
		defer deadline.BoundWork(ctx, work, cancel)()
		value, err := read(ctx, page)
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, deadline.ErrCut) || (r.err != nil && ctx.Err() != nil) {
			return none, e.ended(outer, op, page, "the page took too long to read")
		}
		return r.value, r.err
	case <-ctx.Done():
		e.options.Places.Outlived(leave, ended)
		return none, e.ended(outer, op, page, "the page took too long to read")
	}
}

// ended tells the caller's own end of ctx from that of a page's work.
func (e *Extractor) ended(outer context.Context, op string, page citewell.Page, why string) error {
	if errors.Is(outer.Err(), context.Canceled) {
		return &citewell.Error{Code: citewell.CodeCanceled, Op: op, Message: "reading the page was canceled",
			Err: outer.Err()}
	}
	late := &citewell.Error{Code: citewell.CodeExtractionTimeout, Op: op, Hint: deadline.LongerHint(isAtHand(page)),
		Message: fmt.Sprintf("%s (limit %v of processor time)", why, e.options.workOf(isAtHand(page))),
		Err:     context.DeadlineExceeded}
	if outer.Err() != nil {
		late.Message, late.Hint = why+" in the time that its caller had",
			"give it more time: timeout_seconds of a call, brief.deadlines.extract of a brief"
	}
	return late
}

// read is the whole way from bytes to document. Every reader gets bounded input
// and looks at ctx between its steps.
func (e *Extractor) read(ctx context.Context, page citewell.Page) (citewell.Document, error) {
	found, err := e.sniff(page)
	if err != nil {
		return citewell.Document{}, err
	}
	body, cut := page.Body, ""
	if len(body) > e.options.MaxBytes {
		body, cut = body[:e.options.MaxBytes], fmt.Sprintf("only the first %d bytes of the page were read",
			e.options.MaxBytes)
	}
	decoded, encoding, guessed := "", "", ""
	if !found.reader.Bytes {
		decoded, encoding, guessed = charset.Decode(body, found.charset, found.reader.Meta)
	}

	address := cmp.Or(page.FinalURL, page.URL)
	base, err := url.Parse(page.Base())
	if err != nil {
		base = &url.URL{}
	}
	in := media.Input{Text: decoded, Raw: body, Cut: cut != "" || page.Outcome == citewell.FetchTruncated,
		Own: isOwn(page), Work: e.options.workOf(isAtHand(page)), Base: base, Media: found.name,
		MaxText: e.options.MaxText, MaxLinks: e.options.MaxLinks, Whole: e.options.Whole}
	read, err := found.reader.Read(ctx, in)
	if err != nil {
		return citewell.Document{}, err
	}
	if ctx.Err() != nil {
		return citewell.Document{}, deadline.ErrCut
	}

	documented := documentLanguage(read.Language, read.Blocks)
	declared := 0
	if in.Own {
		declared = read.Declare()
	}
	text, spans, whole := block.LayOut(read.Blocks, e.options.MaxText)
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
		MediaType:   found.name,
		Charset:     encoding,
		Title:       read.Title,
		Author:      read.Author,
		Published:   read.Published,
		Language:    documented,
		Kind:        read.Kind,
		Text:        text,
		Markdown:    plain.LineEnds.Replace(read.Markdown), // a carriage return lets a terminal overwrite a line
		Links:       read.Links,
		Pages:       passage.Starts(spans),
		PageUnit:    read.Unit,
		Captions:    read.Captions,
		Extractor:   citewell.Extractor{ID: ID, Version: Version},
		TextSHA256:  hex.EncodeToString(sum[:]),
		Degraded:    plain.JoinReasons(guessed, read.Cut, read.Degraded, cut),
		LowYield:    len(text)-declared < media.LowYield,
		Truncated:   in.Cut || !whole || read.Cut != "" || strings.Contains(read.Degraded, tree.ManyParts),
		Affiliation: read.Affiliation,
	}
	document.Passages = passage.Cut(text, spans, document.Title)
	passage.Place(document, spans, document.Passages)
	return document, nil
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

// isAtHand says whether a page is nothing of the web: a file of the user's own, or the
// result of a tool.
func isAtHand(page citewell.Page) bool { return isOwn(page) || schemeOf(page) == "tool" }

// isOwn says whether a page is a file of the user's own.
func isOwn(page citewell.Page) bool { return schemeOf(page) == "file" }

// workOf is how much processor time a page may take: what it takes to read must not hang
// on what else the machine does.
func (o Options) workOf(atHand bool) time.Duration {
	if atHand {
		return o.Work
	}
	return o.Timeout
}

// Tree makes the tree of a page that is read by another part, such as a provider's page
// of results, within the bounds that pages have here. It fails on a page that only a flat
// list of blocks can be made of, and with ctx.
func Tree(ctx context.Context, page string) (*html.Node, error) { return tree.Whole(ctx, page) }

// Passages returns the passages of document: those it was extracted with, or, for one that
// was read back without them, what its text and the headings of its Markdown tell.
func Passages(document citewell.Document) []citewell.Passage { return passage.Of(document) }
