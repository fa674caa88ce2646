package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/tool"
	"golang.org/x/sync/errgroup"
)

func init() {
	register("", "web_fetch", newWebFetch)
	register(manifold, "web_fetch", newManifoldWebFetch)
}

//go:embed web_fetch.md
var webFetchDescription string

// fetchLimits are what one fetch may cost. Tools that fetch embed it in their input.
type fetchLimits struct {
	TimeoutSeconds int    `json:"timeout_seconds,omitempty" jsonschema:"in all" default:"20" bounds:"1..60"`
	MaxBytes       int64  `json:"max_bytes,omitempty" jsonschema:"a longer page is cut" default:"1000000" bounds:"1..16777216"`
	PreferReadable bool   `json:"prefer_readable,omitempty" jsonschema:"the main content; false: all that the page shows" default:"true"`
	UserAgent      string `json:"user_agent,omitempty" jsonschema:"robots.txt is obeyed under our own name" bounds:"0..300"`
	MaxRedirects   int    `json:"max_redirects,omitempty" default:"10" bounds:"1..20"`
}

type webFetchInput struct {
	URL  string   `json:"url,omitempty" jsonschema:"http or https"`
	URLs []string `json:"urls,omitempty" jsonschema:"in place of url; they share max_length, 500 bytes each at least" bounds:"1..10"`
	fetchLimits
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
	Kind         string                `json:"kind,omitempty" jsonschema:"article, documentation, forum, product, collection, listing, service; page where nothing is sure"`
	Markdown     string                `json:"markdown,omitempty"`
	UsedReadable bool                  `json:"used_readable" jsonschema:"whether the main content was chosen"`
	FetchedAt    time.Time             `json:"fetched_at,omitzero"`
	TextSHA256   string                `json:"text_sha256,omitempty" jsonschema:"of the kept text: citewell://snapshots/HASH"`
	Outcome      citewell.FetchOutcome `json:"outcome"`
	Truncated    bool                  `json:"truncated,omitempty" jsonschema:"the page is longer than max_bytes, or its text than is kept"`
	Degraded     string                `json:"degraded,omitempty" jsonschema:"why a fallback read it"`
	Error        string                `json:"error,omitempty"`
	Code         citewell.Code         `json:"code,omitempty"`
	tool.Part
	body []byte     // as it came, where it is JSON
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
	for _, line := range [][2]string{{"Title", p.Title}, {"URL", p.FinalURL}, {"Author", p.Author}, {"Date", p.Date}, {"Read by a fallback", p.Degraded}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], oneLine(line[1]))
		}
	}
	if p.Outcome == citewell.FetchTruncated {
		b.WriteString("Only the first part of the page was read; a larger max_bytes reads more.\n")
	}
	fmt.Fprintf(&b, "\n%s%s", p.Markdown, p.Note())
	return b.String()
}

// oneLine keeps a page's own words from looking like more lines of the answer.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

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

func newWebFetch(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "web_fetch", Title: "Read web pages", Description: webFetchDescription,
		Hints: tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		func(ctx context.Context, in webFetchInput) (webFetchOutput, error) {
			urls := in.URLs
			if strings.TrimSpace(in.URL) != "" {
				urls = append([]string{in.URL}, urls...)
			}
			switch {
			case len(urls) == 0:
				return webFetchOutput{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "web_fetch", Message: "url is required", Hint: "an absolute URL, as in https://example.com/page"}
			case len(urls) == 1:
				p := d.read(ctx, urls[0], in.fetchLimits, in.Window)
				return webFetchOutput{Pages: []fetchedPage{p}}, p.err
			}
			in.MaxLength = max(in.MaxLength/len(urls), minShare)
			out := webFetchOutput{Pages: make([]fetchedPage, len(urls))}
			tell := tool.CallerOf(ctx).Progress
			var g errgroup.Group
			g.SetLimit(readAtOnce)
			for i, u := range urls {
				g.Go(func() error {
					out.Pages[i] = d.read(ctx, u, in.fetchLimits, in.Window)
					tell(float64(i+1), float64(len(urls)), fmt.Sprintf("read %s: %s", u, out.Pages[i].Outcome))
					return nil
				})
			}
			_ = g.Wait() // each page keeps its own error
			return out, nil
		})
}

const (
	readAtOnce = 4   // pages of one call
	minShare   = 500 // bytes of text of each page, however many there are
)

// read gets one page and its text. What goes wrong is in the page.
func (d Deps) read(ctx context.Context, url string, limits fetchLimits, window tool.Window) fetchedPage {
	p := fetchedPage{InputURL: url}
	timeout := time.Duration(limits.TimeoutSeconds) * time.Second
	end := time.Now().Add(timeout)
	page, err := d.Fetcher.Get(ctx, fetch.Request{URL: strings.TrimSpace(url), Timeout: timeout,
		MaxBytes: limits.MaxBytes, MaxRedirects: limits.MaxRedirects, UserAgent: limits.UserAgent})
	if err != nil {
		return p.failed(err)
	}
	return d.document(ctx, p, page, end, limits.PreferReadable, window)
}

// document reads the text of a page until end, and keeps both. What goes wrong is in the
// page.
func (d Deps) document(ctx context.Context, p fetchedPage, page citewell.Page, end time.Time, readable bool, window tool.Window) fetchedPage {
	p.FinalURL, p.Status, p.ContentType, p.FetchedAt = page.FinalURL, page.Status, page.ContentType, page.FetchedAt
	p.Outcome, p.Truncated = page.Outcome, page.Outcome == citewell.FetchTruncated
	extract := d.ExtractWhole
	if readable {
		extract = d.Extract
	}
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	doc, err := extract(limited, page)
	if citewell.CodeOf(err) == citewell.CodeUnsupportedType {
		p.OK, p.Markdown = true, fmt.Sprintf("[%s, %d bytes, no text](%s)", oneLine(page.ContentType), len(page.Body), page.FinalURL)
		return p
	}
	if err != nil {
		return p.failed(err)
	}
	if d.Archive != nil {
		if err := d.Archive.PutSnapshot(ctx, page, doc); err != nil {
			return p.failed(err)
		}
		p.TextSHA256 = doc.TextSHA256
	}
	p.read = &tool.Page{Page: page, Doc: doc}
	p.Truncated = p.Truncated || doc.Truncated
	p.OK, p.Charset, p.Title, p.Author, p.Date = true, doc.Charset, doc.Title, doc.Author, doc.Published
	p.Language, p.Kind, p.Degraded, p.UsedReadable = doc.Language, doc.Kind, doc.Degraded, readable
	p.Markdown, p.Part = window.Cut(doc.Markdown)
	if strings.Contains(strings.ToLower(page.ContentType), "json") && utf8.Valid(page.Body) {
		p.body = page.Body
	}
	return p
}

func (p fetchedPage) failed(err error) fetchedPage {
	view := citewell.View(err)
	p.err, p.Error, p.Code, p.Outcome = err, view.Line(), view.Code, citewell.FetchOutcomeOf(err)
	return p
}

type manifoldFetchInput struct {
	URL string `json:"url" jsonschema:"absolute http or https URL"`
	fetchLimits
}

type manifoldFetchOutput struct {
	OK           bool      `json:"ok"`
	InputURL     string    `json:"input_url"`
	FinalURL     string    `json:"final_url"`
	Status       int       `json:"status"`
	ContentType  string    `json:"content_type"`
	Charset      string    `json:"charset"`
	Title        string    `json:"title"`
	Markdown     string    `json:"markdown"`
	UsedReadable bool      `json:"used_readable"`
	FetchedAt    time.Time `json:"fetched_at"`

	read *tool.Page
}

// ReadPages is the page, where it has text.
func (o manifoldFetchOutput) ReadPages() []tool.Page {
	return webFetchOutput{Pages: []fetchedPage{{read: o.read}}}.ReadPages()
}

// manifoldMarkdown bounds the Markdown of a toolset that knows no parts, in bytes.
const manifoldMarkdown = 200_000

func newManifoldWebFetch(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "web_fetch", Title: "Read a web page",
		Description: "Fetches a web URL over HTTP(S) and returns best-effort Markdown, the main content where it can be told; JSON comes as it is, in a fence. Only cite pages that were fetched so.",
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		func(ctx context.Context, in manifoldFetchInput) (manifoldFetchOutput, error) {
			p := d.read(ctx, in.URL, in.fetchLimits, tool.Window{MaxLength: manifoldMarkdown})
			if p.err != nil {
				return manifoldFetchOutput{}, p.err
			}
			if p.body != nil {
				p.Markdown, p.Part = tool.Window{MaxLength: manifoldMarkdown}.Cut(strings.Map(seen, string(p.body)))
				p.Markdown = fenced("json", p.Markdown)
			}
			if p.NextIndex > 0 {
				p.Markdown += fmt.Sprintf("\n\n[cut: %d of %d bytes]", p.NextIndex, p.TotalLength)
			}
			return manifoldFetchOutput{OK: true, InputURL: p.InputURL, FinalURL: p.FinalURL, Status: p.Status, ContentType: p.ContentType, Charset: p.Charset,
				Title: p.Title, Markdown: p.Markdown, UsedReadable: p.UsedReadable, FetchedAt: p.FetchedAt, read: p.read}, nil
		})
}

// seen drops the characters that nobody sees, or that turn others around, but not those
// that join letters or part them. JSON stays JSON without them.
func seen(r rune) rune {
	if r != '\n' && r != '\t' && r != '\u200c' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
		return -1
	}
	return r
}

// fenced is code between fences that it does not hold itself.
func fenced(language, code string) string {
	marks := "```"
	for strings.Contains(code, marks) {
		marks += "`"
	}
	return marks + language + "\n" + strings.TrimRight(code, "\n") + "\n" + marks
}
