package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"golang.org/x/sync/errgroup"
)

func init() { register("web_fetch", newWebFetch, ofPages) }

// Pages get pages and their texts, and keep what was read, so that a citation of it can be checked.
type Pages struct {
	Fetcher brief.Fetcher
	Extract func(context.Context, citewell.Page) (citewell.Document, error)
	Whole   func(context.Context, citewell.Page) (citewell.Document, error) // all that a page shows
	Archive Archive                                                         // nil keeps nothing
}

// An Archive keeps a page and its text; a store is one.
type Archive interface {
	PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error
}

type webFetchInput struct {
	URL  string   `json:"url,omitempty" jsonschema:"http or https"`
	URLs []string `json:"urls,omitempty" jsonschema:"in place of url; they share max_length, 500 bytes each at least" bounds:"1..10"`
	tool.FetchLimits
	tool.Window
}

type webFetchOutput struct {
	Pages []fetchedPage `json:"pages" jsonschema:"one for each URL, in their order"`
}

type fetchedPage struct {
	InputURL     string                `json:"input_url"`
	OK           bool                  `json:"ok" jsonschema:"whether there is text; where not, error says why"`
	FinalURL     string                `json:"final_url,omitempty" jsonschema:"after redirects: the URL to cite"`
	Status       int                   `json:"status,omitempty"`
	ContentType  string                `json:"content_type,omitempty"`
	Charset      string                `json:"charset,omitempty"`
	Title        string                `json:"title,omitempty"`
	Author       string                `json:"author,omitempty"`
	Date         string                `json:"date,omitempty" jsonschema:"YYYY-MM-DD, where the page says it"`
	Language     string                `json:"language,omitempty"`
	Captions     string                `json:"captions,omitempty" jsonschema:"where what is said in the page's recording can be read: no part of the text"`
	Kind         string                `json:"kind,omitempty" jsonschema:"article, documentation, forum, product, collection, listing, service; page where nothing is sure"`
	Markdown     string                `json:"markdown,omitempty"`
	UsedReadable bool                  `json:"used_readable" jsonschema:"whether the main content was chosen"`
	FetchedAt    time.Time             `json:"fetched_at,omitzero"`
	Archived     citewell.Archived     `json:"archived,omitzero" jsonschema:"the page is gone, this is an archive's copy"`
	TextSHA256   string                `json:"text_sha256,omitempty" jsonschema:"of the kept text: citewell://snapshots/HASH"`
	Outcome      citewell.FetchOutcome `json:"outcome"`
	Truncated    bool                  `json:"truncated,omitempty" jsonschema:"the page is longer than max_bytes, or its text than is kept"`
	Degraded     string                `json:"degraded,omitempty" jsonschema:"why a fallback read it"`
	Error        string                `json:"error,omitempty"`
	Code         citewell.Code         `json:"code,omitempty"`
	tool.Part
	read *tool.Page // nil where there is no text
	err  error
}

// Text is the pages as a model reads them.
func (o webFetchOutput) Text() string {
	var b strings.Builder
	for i, p := range o.Pages {
		if i > 0 {
			b.WriteString("\n\n---\n\n")
		}
		b.WriteString(p.text())
	}
	return b.String()
}

func (p fetchedPage) text() string {
	if !p.OK {
		return fmt.Sprintf("%s could not be read: %s (%s)", p.InputURL, p.Error, p.Code)
	}
	var b strings.Builder
	for _, line := range [][2]string{{"Title", p.Title}, {"URL", p.FinalURL}, {"Author", p.Author}, {"Date", p.Date},
		{"What is said in its recording", p.Captions}, {"Warning", p.Archived.Warning("")},
		{"Read by a fallback", p.Degraded}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], text.OneLine(line[1]))
		}
	}
	if p.Outcome == citewell.FetchTruncated {
		b.WriteString("Only the first part of the page was read; a larger max_bytes reads more.\n")
	}
	fmt.Fprintf(&b, "\n%s%s", p.Markdown, p.Note())
	return b.String()
}

// Links name the kept texts.
func (o webFetchOutput) Links() []tool.Link {
	var sources []citewell.Source
	for _, p := range o.Pages {
		sources = append(sources, citewell.Source{Title: p.Title, TextSHA256: p.TextSHA256})
	}
	return snapshotLinks(sources)
}

// ReadPages are those that were read.
func (o webFetchOutput) ReadPages() []tool.Page {
	var pages []tool.Page
	for _, p := range o.Pages {
		if p.read != nil {
			pages = append(pages, *p.read)
		}
	}
	return pages
}

// Err is the reason where no page could be read.
func (o webFetchOutput) Err() error {
	var all []error
	for _, p := range o.Pages {
		if p.OK {
			return nil
		}
		all = append(all, p.err)
	}
	return errors.Join(all...)
}

func newWebFetch(web Pages) *tool.Tool {
	return tool.New(tool.Spec{Name: "web_fetch", Title: "Read web pages",
		Description: tool.Description(descriptions, "web_fetch"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		func(ctx context.Context, in webFetchInput) (webFetchOutput, error) {
			urls := in.URLs
			if strings.TrimSpace(in.URL) != "" {
				urls = append([]string{in.URL}, urls...)
			}
			switch {
			case len(urls) == 0:
				return webFetchOutput{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "web_fetch",
					Message: "url is required", Hint: "an absolute URL, as in https://example.com/page"}
			case len(urls) == 1:
				p := web.fetch(ctx, urls[0], in.FetchLimits, in.Window)
				return webFetchOutput{Pages: []fetchedPage{p}}, p.err
			}
			return webFetchOutput{Pages: web.fetchAll(ctx, urls, in.FetchLimits, in.Window.Share(len(urls)))}, nil
		})
}

// readAtOnce is how many pages of one call are read at the same time.
const readAtOnce = 4

// fetchAll gets the pages of one call, in their order. What goes wrong is in each.
func (web Pages) fetchAll(ctx context.Context, urls []string, limits tool.FetchLimits,
	window tool.Window) []fetchedPage {
	pages := make([]fetchedPage, len(urls))
	tell := tool.CallerOf(ctx).Progress
	var g errgroup.Group
	g.SetLimit(readAtOnce)
	for i, u := range urls {
		g.Go(func() error {
			pages[i] = web.fetch(ctx, u, limits, window)
			tell(float64(i+1), float64(len(urls)), fmt.Sprintf("read %s: %s", u, pages[i].Outcome))
			return nil
		})
	}
	_ = g.Wait() // each page keeps its own error
	return pages
}

// fetch gets one page as a caller is told of it. What goes wrong is in the page.
func (web Pages) fetch(ctx context.Context, url string, limits tool.FetchLimits, window tool.Window) fetchedPage {
	page, doc, err := web.readPage(ctx, url, limits)
	return web.fetched(url, page, doc, err, limits.PreferReadable, window)
}

// readPage gets a page and its text, and keeps both; the document is nil where the page has no text.
func (web Pages) readPage(ctx context.Context, url string,
	limits tool.FetchLimits) (citewell.Page, *citewell.Document, error) {
	timeout := time.Duration(limits.TimeoutSeconds) * time.Second
	end := time.Now().Add(timeout)
	page, err := web.Fetcher.Get(ctx, fetch.Request{URL: strings.TrimSpace(url), Timeout: timeout,
		MaxBytes: limits.MaxBytes, MaxRedirects: limits.MaxRedirects, UserAgent: limits.UserAgent,
		Archived: fetch.ArchiveWhenGone})
	if err != nil {
		return citewell.Page{}, nil, err
	}
	doc, err := web.document(ctx, page, end, limits.PreferReadable)
	return page, doc, err
}

// document reads the text of a page until end, and keeps both; nil where it has none.
func (web Pages) document(ctx context.Context, page citewell.Page, end time.Time,
	readable bool) (*citewell.Document, error) {
	extract := web.Whole
	if readable {
		extract = web.Extract
	}
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	doc, err := extract(limited, page)
	if citewell.CodeOf(err) == citewell.CodeUnsupportedType {
		return nil, nil
	}
	if err == nil && web.Archive != nil {
		err = web.Archive.PutSnapshot(ctx, page, doc)
	}
	if err != nil {
		return nil, err
	}
	return &doc, nil
}

// fetched tells of a page that was read so, of its text the part in the window.
func (web Pages) fetched(url string, page citewell.Page, doc *citewell.Document, err error, readable bool,
	window tool.Window) fetchedPage {
	p := fetchedPage{InputURL: url, FinalURL: page.FinalURL, Status: page.Status, ContentType: page.ContentType,
		FetchedAt: page.FetchedAt, Archived: page.Archived,
		Outcome: page.Outcome, Truncated: page.Outcome == citewell.FetchTruncated}
	if err != nil {
		view := citewell.View(err)
		p.err, p.Error, p.Code, p.Outcome = err, view.Line(), view.Code, outcomes.OfFetch(err)
		return p
	}
	p.OK = true
	if doc == nil {
		p.Markdown = tool.WithoutText(page)
		return p
	}
	p.read = &tool.Page{Page: page, Doc: *doc}
	p.Truncated = p.Truncated || doc.Truncated
	p.Charset, p.Title, p.Author, p.Date = doc.Charset, doc.Title, doc.Author, page.Archived.Recent(doc.Published)
	p.Captions = doc.Captions
	p.Language, p.Kind, p.Degraded, p.UsedReadable = doc.Language, doc.Kind, doc.Degraded, readable
	if web.Archive != nil {
		p.TextSHA256 = doc.TextSHA256
	}
	p.Markdown, p.Part = window.Cut(doc.Markdown)
	return p
}
