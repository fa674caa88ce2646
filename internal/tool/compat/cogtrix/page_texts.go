package cogtrix

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/tool"
)

func init() {
	addPageTexts("tavily_extract", "Read pages by Tavily", needsTavily, func(d Deps) PageReader { return d.Tavily })
	addPageTexts("exa_get_contents", "Read pages by Exa", needsExa, func(d Deps) PageReader { return d.Exa })
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

func (p providerPage) whole() providerPage { return p }

type pageTextsArguments struct {
	URLs []string `json:"urls" jsonschema:"http or https; they share max_length" bounds:"1..20"`
}

type pageTextsInput struct {
	pageTextsArguments
	tool.Window
}

// addPageTexts adds a tool by which a service reads pages, ours and Cogtrix's. needs says what to set without a reader.
func addPageTexts(name, title, needs string, reader func(Deps) PageReader) {
	spec := func(d Deps) tool.Spec {
		s := tool.Spec{Name: name, Title: title, Description: tool.Description(descriptions, name),
			Hints: tool.Hints{ReadOnly: true, OpenWorld: true}}
		if reader(d) == nil {
			s.Hidden = needs
		}
		return s
	}
	Definitions.Add("", name, func(d Deps) *tool.Tool {
		return tool.New(spec(d), func(ctx context.Context, in pageTextsInput) (pageTextsOutput, error) {
			pages, err := readPages(ctx, reader(d), in.URLs)
			return parted(pages, in.Window), err
		})
	})
	Definitions.Add(Name, name, func(d Deps) *tool.Tool {
		return tool.New(spec(d), func(ctx context.Context, in pageTextsArguments) (originalPagesOutput, error) {
			return originalPages(readPages(ctx, reader(d), in.URLs))
		})
	})
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
	if err := services.CheckPageURLs(trimmed); err != nil {
		return nil, err
	}
	found, err := r.Read(ctx, trimmed)
	if err != nil {
		return nil, err
	}
	pages := make([]providerPage, len(found))
	for i, f := range found {
		pages[i] = providerPage{URL: f.URL, OK: f.Err == nil, Title: f.Title, Text: tool.CleanLines(f.Text)}
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
	w = w.Share(len(pages))
	for i, p := range pages {
		out.Pages[i].providerPage = p
		out.Pages[i].Text, out.Pages[i].Part = w.Cut(p.Text)
	}
	return out
}

func (p partOfPage) shown() string { return p.Text + p.Note() }

// Text is the pages as a model reads them.
func (o pageTextsOutput) Text() string { return pagesText(o.Pages) }

// Err is the reason where no page could be read.
func (o pageTextsOutput) Err() error { return pagesError(o.Pages) }

// originalPageText is how much of each page Cogtrix's own tools show, in characters.
const originalPageText = 8000

// An originalPagesOutput is the pages in Cogtrix's form, which knows no parts.
type originalPagesOutput struct {
	Pages []originalPage `json:"pages"`
}

type originalPage struct {
	providerPage
	Truncated bool `json:"truncated"`
}

func originalPages(pages []providerPage, err error) (originalPagesOutput, error) {
	out := originalPagesOutput{Pages: make([]originalPage, len(pages))}
	for i, p := range pages {
		whole := p.Text
		p.Text = firstRunes(whole, originalPageText)
		out.Pages[i] = originalPage{p, len(p.Text) < len(whole)}
	}
	return out, err
}

func (p originalPage) shown() string {
	if p.Truncated {
		return p.Text + "\n... (truncated)"
	}
	return p.Text
}

// Text is the pages as a model reads them.
func (o originalPagesOutput) Text() string { return pagesText(o.Pages) }

// Err is the reason where no page could be read.
func (o originalPagesOutput) Err() error { return pagesError(o.Pages) }

// A shownPage is a page in either form.
type shownPage interface {
	whole() providerPage
	shown() string // its text, with a word where it goes on
}

// pagesText sets pages out: those with text, then a list of those without.
func pagesText[P shownPage](pages []P) string {
	var b strings.Builder
	var failed []providerPage
	for _, one := range pages {
		switch p := one.whole(); {
		case p.OK:
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", p.URL, one.shown())
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

func pagesError[P shownPage](pages []P) error {
	var all []error
	for _, one := range pages {
		p := one.whole()
		if p.OK {
			return nil
		}
		all = append(all, p.err)
	}
	return errors.Join(all...)
}
