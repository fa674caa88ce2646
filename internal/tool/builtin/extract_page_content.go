package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/cogtrix"
	"github.com/citewell/citewell/rank"
)

func init() {
	definitions.Add("", "extract_page_content", func(p Parts) *tool.Tool {
		return newExtractPageContent(p.Pages, p.Cogtrix, p.Manifold.Chat)
	})
}

type extractPageInput struct {
	Reasoning string   `json:"reasoning,omitempty" jsonschema:"why these pages"`
	URLs      []string `json:"urls" jsonschema:"http or https; they share max_length" bounds:"1..5"`
	Figures   int      `json:"figures,omitempty" jsonschema:"of each HTML page, or the picture at a URL, that the model describes" bounds:"0..3"`
	About     string   `json:"about,omitempty" jsonschema:"show the passages nearest to this"`
	tool.Window
}

type extractPageOutput struct {
	Pages   []extractedPage `json:"pages" jsonschema:"one for each URL, in their order"`
	Figures []extractedPage `json:"figures,omitempty" jsonschema:"each a source of its own, in a model's words"`
}

type extractedPage struct {
	fetchedPage
	ReadBy   string `json:"read_by,omitempty" jsonschema:"citewell, or the service that read the page where we could not; of a figure the model"`
	FigureOf string `json:"figure_of,omitempty" jsonschema:"the page that shows it"`
}

// ourselves is how our own reading is called beside that of services.
const ourselves = "citewell"

// pageLimits are those of web_fetch where its caller does not say.
var pageLimits = tool.FetchLimits{TimeoutSeconds: 20, MaxBytes: 1_000_000, PreferReadable: true, MaxRedirects: 10}

// Text is the pages as a model reads them.
func (o extractPageOutput) Text() string {
	var texts []string
	for _, p := range slices.Concat(o.Pages, o.Figures) {
		said := p.text()
		if p.OK {
			said = "Read by: " + p.ReadBy + "\n" + said
		}
		texts = append(texts, said)
	}
	return strings.Join(texts, "\n\n---\n\n")
}

// Links name the kept texts.
func (o extractPageOutput) Links() []tool.Link { return o.fetched().Links() }

// ReadPages are those that were read.
func (o extractPageOutput) ReadPages() []tool.Page { return o.fetched().ReadPages() }

// Err is the reason where no page could be read.
func (o extractPageOutput) Err() error { return o.fetched().Err() }

func (o extractPageOutput) fetched() webFetchOutput {
	var out webFetchOutput
	for _, p := range slices.Concat(o.Pages, o.Figures) {
		out.Pages = append(out.Pages, p.fetchedPage)
	}
	return out
}

func newExtractPageContent(web Pages, services cogtrix.Deps, chat chatOf) *tool.Tool {
	return tool.New(tool.Spec{Name: "extract_page_content", Title: "Read pages that were found",
		Description: tool.Description(descriptions, "extract_page_content"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		func(ctx context.Context, in extractPageInput) (extractPageOutput, error) {
			share := in.Window.Share(len(in.URLs))
			var out extractPageOutput
			for _, p := range web.fetchAll(ctx, in.URLs, pageLimits, share) {
				out.Pages = append(out.Pages, extractedPage{fetchedPage: p, ReadBy: ourselves})
			}
			if services.Tavily != nil {
				web.readBy(ctx, "tavily", services.Tavily, out.Pages, share)
			}
			if services.Exa != nil {
				web.readBy(ctx, "exa", services.Exa, out.Pages, share)
			}
			for i, p := range out.Pages {
				if !p.OK {
					out.Pages[i].ReadBy = ""
				}
				if p.read != nil && strings.TrimSpace(in.About) != "" {
					out.Pages[i].Markdown, out.Pages[i].Part = nearest(in.About, p.read.Doc, share),
						tool.Part{TotalLength: p.TotalLength}
				}
			}
			if in.Figures > 0 {
				var err error
				if out.Figures, err = web.describeFigures(ctx, chat, out.Pages, in.Figures, share); err != nil {
					return out, err
				}
			}
			if len(out.Pages) == 1 {
				return out, out.Pages[0].err
			}
			return out, nil
		})
}

// maxNearest is how many passages are shown that are nearest to a phrase.
const maxNearest = 8

// nearest are the passages of a page that say most about a phrase, within a window, in the order of the page.
func nearest(about string, doc citewell.Document, w tool.Window) string {
	var chosen []int
	room := cmp.Or(w.MaxLength, tool.DefaultMaxLength)
	for _, scored := range rank.Passages(about, doc.Passages, rank.Options{Languages: func(int) string {
		return doc.Language
	}}) {
		if n := len(doc.Passages[scored.Index].Text); n <= room && len(chosen) < maxNearest {
			chosen, room = append(chosen, scored.Index), room-n
		}
	}
	if len(chosen) == 0 {
		return fmt.Sprintf("[no passage of the page has words of “%s”]", text.OneLine(about))
	}
	slices.Sort(chosen)
	var b strings.Builder
	for _, i := range chosen {
		b.WriteString(doc.Passages[i].Text + "\n\n[…]\n\n")
	}
	return b.String() + fmt.Sprintf("[%s nearest to “%s”, of %d bytes in all]", text.Count(len(chosen), "passage"),
		text.OneLine(about), len(doc.Text))
}

// readBy has a service read the pages that could not be read so far, and adds why it could not to their reasons.
func (web Pages) readBy(ctx context.Context, name string, service cogtrix.PageReader, pages []extractedPage,
	w tool.Window) {
	var which []int
	var urls []string
	for i, p := range pages {
		u := strings.TrimSpace(p.InputURL)
		if !p.OK && anotherMayRead(p.err) && services.CheckPageURL(u) == nil {
			which, urls = append(which, i), append(urls, u)
		}
	}
	if len(urls) == 0 || ctx.Err() != nil {
		return
	}
	tool.CallerOf(ctx).Progress(0, 0, fmt.Sprintf("asking %s for %s", name, text.Count(len(urls), "page")))
	found, err := service.Read(ctx, urls)
	for n, i := range which {
		failure := err
		if failure == nil && found[n].Err != nil {
			failure = found[n].Err
		}
		if failure == nil {
			var page fetchedPage
			if page, failure = web.given(ctx, name, pages[i].InputURL, found[n], w); failure == nil {
				pages[i] = extractedPage{fetchedPage: page, ReadBy: name}
				continue
			}
		}
		pages[i].Error += "; " + name + ": " + citewell.View(failure).Message
		pages[i].err = withMessage(pages[i].err, pages[i].Error)
	}
}

// anotherMayRead reports whether somebody else may read a page that we could not: not if its address, its site's word
// or a wrong URL forbids it.
func anotherMayRead(err error) bool {
	switch row := citewell.CodeOf(err).Row(); row.Category {
	case citewell.CategoryInvalid, citewell.CategoryDenied, citewell.CategoryCanceled, citewell.CategoryInternal:
		return false
	default:
		return row.Code != citewell.CodeRobotsDisallowed && row.Code != citewell.CodeStoreFailed
	}
}

// withMessage is err with what is said of it now.
func withMessage(err error, message string) error {
	e, ok := errors.AsType[*citewell.Error](err)
	if !ok {
		e = &citewell.Error{Code: citewell.CodeOf(err)}
	}
	said := *e
	said.Message, said.Hint, said.Err = message, "", err
	return &said
}

// given makes a page of what a service read, and keeps it as that: the media type
// names who wrote these bytes, since the site did not.
func (web Pages) given(ctx context.Context, name, url string, found services.PageText, w tool.Window) (fetchedPage,
	error) {
	body := []byte(tool.CleanLines(found.Text))
	page := citewell.Page{URL: url, FinalURL: found.URL, Status: 200,
		ContentType: "text/markdown; charset=utf-8; read-by=" + name,
		FetchedAt:   found.ReadAt, Body: body, SHA256: citewell.SHA256(body), Outcome: citewell.FetchOK}
	end := time.Now().Add(time.Duration(pageLimits.TimeoutSeconds) * time.Second)
	doc, err := web.document(ctx, page, end, true)
	if err != nil {
		return fetchedPage{}, err
	}
	p := web.fetched(url, page, doc, nil, true, w)
	if p.Title == "" || found.Title != "" {
		p.Title = found.Title
	}
	return p, nil
}
