package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/tool"
)

// A PageReader has a service read pages, in their order; provider.TavilyExtract and
// provider.ExaContents are two.
type PageReader interface {
	Read(ctx context.Context, urls []string) ([]provider.PageText, error)
}

// What the tools of a service lack where it has no key.
const (
	needsTavily = "set search.providers.tavily.api_key or TAVILY_API_KEY"
	needsExa    = "set search.providers.exa.api_key or EXA_API_KEY"
)

// providerPage is one page as a service read it.
type providerPage struct {
	URL   string        `json:"url"`
	OK    bool          `json:"ok" jsonschema:"whether there is text; where not, error says why"`
	Title string        `json:"title,omitempty"`
	Text  string        `json:"text"`
	Error string        `json:"error,omitempty"`
	Code  citewell.Code `json:"code,omitempty"`
	err   error
}

type pageTextsOutput struct {
	Pages []partOfPage `json:"pages" jsonschema:"one for each URL, in their order"`
}

type partOfPage struct {
	providerPage
	tool.Part
}

// readPages asks the service and cleans what came.
func readPages(ctx context.Context, r PageReader, urls []string) ([]providerPage, error) {
	trimmed := make([]string, len(urls))
	for i, u := range urls {
		trimmed[i] = strings.TrimSpace(u)
	}
	if err := provider.CheckPageURLs(trimmed); err != nil {
		return nil, err
	}
	found, err := r.Read(ctx, trimmed)
	if err != nil {
		return nil, err
	}
	pages := make([]providerPage, len(found))
	for i, f := range found {
		pages[i] = providerPage{URL: f.URL, OK: f.Err == nil, Title: f.Title, Text: cleanLines(f.Text)}
		if f.Err != nil {
			view := citewell.View(f.Err)
			pages[i].Error, pages[i].Code, pages[i].err = view.Message, view.Code, f.Err
		}
	}
	return pages, nil
}

// parted cuts each page to its share of the window.
func parted(pages []providerPage, w tool.Window) pageTextsOutput {
	out := pageTextsOutput{Pages: make([]partOfPage, len(pages))}
	if len(pages) > 1 {
		w.MaxLength = max(w.MaxLength/len(pages), minShare)
	}
	for i, p := range pages {
		out.Pages[i].providerPage = p
		out.Pages[i].Text, out.Pages[i].Part = w.Cut(p.Text)
	}
	return out
}

// Text is the pages as a model reads them.
func (o pageTextsOutput) Text() string {
	pages, shown := make([]providerPage, len(o.Pages)), make([]string, len(o.Pages))
	for i, p := range o.Pages {
		pages[i], shown[i] = p.providerPage, p.Text+p.Note()
	}
	return pagesText(pages, shown)
}

// Err is the reason where no page could be read.
func (o pageTextsOutput) Err() error {
	pages := make([]providerPage, len(o.Pages))
	for i, p := range o.Pages {
		pages[i] = p.providerPage
	}
	return pagesError(pages)
}

// cogtrixPageText is how much of each page Cogtrix's own tools show, in characters.
const cogtrixPageText = 8000

// A cogtrixPagesOutput is the pages in Cogtrix's form, which knows no parts.
type cogtrixPagesOutput struct {
	Pages []cogtrixPage `json:"pages"`
}

type cogtrixPage struct {
	providerPage
	Truncated bool `json:"truncated"`
}

func cogtrixPages(pages []providerPage, err error) (cogtrixPagesOutput, error) {
	out := cogtrixPagesOutput{Pages: make([]cogtrixPage, len(pages))}
	for i, p := range pages {
		whole := p.Text
		p.Text = firstRunes(whole, cogtrixPageText)
		out.Pages[i] = cogtrixPage{p, len(p.Text) < len(whole)}
	}
	return out, err
}

// Text is the pages as a model reads them.
func (o cogtrixPagesOutput) Text() string {
	pages, shown := make([]providerPage, len(o.Pages)), make([]string, len(o.Pages))
	for i, p := range o.Pages {
		pages[i], shown[i] = p.providerPage, p.Text
		if p.Truncated {
			shown[i] += "\n... (truncated)"
		}
	}
	return pagesText(pages, shown)
}

// Err is the reason where no page could be read.
func (o cogtrixPagesOutput) Err() error {
	pages := make([]providerPage, len(o.Pages))
	for i, p := range o.Pages {
		pages[i] = p.providerPage
	}
	return pagesError(pages)
}

// pagesText sets pages out: those with text, then a list of those without.
func pagesText(pages []providerPage, shown []string) string {
	var b strings.Builder
	var failed []providerPage
	for i, p := range pages {
		switch {
		case p.OK:
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", p.URL, shown[i])
		case p.Code == citewell.CodeEmptyBody:
			fmt.Fprintf(&b, "## %s\n\n(no content extracted)\n\n", p.URL)
		default:
			failed = append(failed, p)
		}
	}
	if b.Len() == 0 {
		b.WriteString("No content could be extracted from these URLs.\n\n")
	}
	if len(failed) > 0 {
		b.WriteString("**Failed to extract:**\n")
		for _, p := range failed {
			fmt.Fprintf(&b, "- %s: %s\n", p.URL, p.Error)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func pagesError(pages []providerPage) error {
	var all []error
	for _, p := range pages {
		if p.OK {
			return nil
		}
		all = append(all, p.err)
	}
	return errors.Join(all...)
}

// cutText is text of at most n characters, with a word where it was cut.
func cutText(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return firstRunes(text, n) + "..."
}
