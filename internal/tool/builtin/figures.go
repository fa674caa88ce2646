package builtin

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/picture"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/manifold"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// A figure is a picture of a page that says what it is.
type figure struct{ url, caption string }

// Pictures that are smaller, as far as the page says, or have no more words of their own are no figures.
const (
	leastSide  = 100 // pixels
	leastWords = 3   // of alt, where there is no caption
)

// figuresOf are at most n figures of a page: those with a caption first, then those whose
// alternative text says something, each address once. A page that is a picture is its own.
func figuresOf(page citewell.Page, n int) []figure {
	if strings.HasPrefix(page.ContentType, "image/") {
		return []figure{{page.FinalURL, ""}}[:min(1, n)]
	}
	base, err := url.Parse(page.FinalURL)
	if err != nil {
		return nil
	}
	body, err := charset.NewReader(bytes.NewReader(page.Body), page.ContentType)
	if err != nil {
		return nil
	}
	root, err := html.Parse(body)
	if err != nil { // too deep, for one
		return nil
	}
	var captioned, described []figure
	seen := map[string]bool{}
	var walk func(node *html.Node, caption string)
	walk = func(node *html.Node, caption string) {
		switch node.DataAtom {
		case atom.Header, atom.Nav, atom.Footer, atom.Aside, atom.Noscript, atom.Template:
			return
		case atom.Figure:
			caption = captionOf(node)
		case atom.Img:
			f := figure{imageURL(base, node), caption}
			alt := text.OneLine(attribute(node, "alt"))
			switch {
			case f.url == "" || seen[f.url] || tiny(node):
			case caption != "":
				seen[f.url] = true
				captioned = append(captioned, f)
			case len(strings.Fields(alt)) >= leastWords:
				seen[f.url] = true
				described = append(described, figure{f.url, alt})
			}
		}
		for child := range node.ChildNodes() {
			walk(child, caption)
		}
	}
	walk(root, "")
	all := slices.Concat(captioned, described)
	return all[:min(n, len(all))]
}

func captionOf(node *html.Node) string {
	var words strings.Builder
	for below := range node.Descendants() {
		if below.DataAtom == atom.Figcaption {
			for inside := range below.Descendants() {
				if inside.Type == html.TextNode {
					words.WriteString(inside.Data + " ")
				}
			}
			break
		}
	}
	return text.OneLine(words.String())
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// imageURL is where a picture lies; empty where it lies nowhere, or is drawn by the page.
func imageURL(base *url.URL, node *html.Node) string {
	for _, name := range []string{"src", "data-src"} {
		u, err := base.Parse(strings.TrimSpace(attribute(node, name)))
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.String() != base.String() &&
			!strings.HasSuffix(strings.ToLower(u.Path), ".svg") {
			return u.String()
		}
	}
	return ""
}

func tiny(node *html.Node) bool {
	for _, name := range []string{"width", "height"} {
		if n, err := strconv.Atoi(attribute(node, name)); err == nil && n < leastSide {
			return true
		}
	}
	return false
}

// A chatOf is a manifold.Deps.Chat.
type chatOf = func(ctx context.Context, model, baseURL string) (manifold.Chatter, error)

// describeFigures has the caller's model describe figures of pages, each as a source of its own, apart from the page.
func (web Pages) describeFigures(ctx context.Context, chat chatOf, pages []extractedPage, n int,
	w tool.Window) ([]extractedPage, error) {
	if chat == nil {
		return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "extract_page_content",
			Message: "figures are described by a model, and none is configured",
			Hint:    "set llm.model to a model that accepts pictures, or leave figures out"}
	}
	model, err := chat(ctx, "", "")
	if err != nil {
		return nil, err
	}
	var all []extractedPage
	for _, p := range pages {
		if !p.OK {
			continue
		}
		page := citewell.Page{FinalURL: p.FinalURL, ContentType: p.ContentType}
		if p.read != nil {
			page = p.read.Page
		}
		for _, f := range figuresOf(page, n) {
			tool.CallerOf(ctx).Progress(0, 0, "describing "+f.url)
			described, err := web.describeFigure(ctx, model, p, f, w)
			if err != nil {
				described = web.fetched(f.url, citewell.Page{}, nil, err, true, w)
			}
			all = append(all, extractedPage{fetchedPage: described, ReadBy: model.Name(), FigureOf: p.FinalURL})
			if code := citewell.CodeOf(err); code == citewell.CodeModelWithoutVision || ctx.Err() != nil {
				return all, nil // nor does it see the others
			}
		}
	}
	return all, nil
}

// describeFigure is the page that a model's description of a figure makes. No figure may lead to a private address.
func (web Pages) describeFigure(ctx context.Context, model manifold.Chatter, of extractedPage, f figure,
	w tool.Window) (fetchedPage, error) {
	file, err := web.Fetcher.Get(egress.Found(ctx), fetch.Request{URL: f.url,
		Timeout: time.Duration(pageLimits.TimeoutSeconds) * time.Second, MaxBytes: picture.MaxFile + 1,
		MaxRedirects: pageLimits.MaxRedirects})
	if err != nil {
		return fetchedPage{}, err
	}
	small, err := picture.Shrink(ctx, file.Body, 0)
	if err != nil {
		return fetchedPage{}, err
	}
	prompt := "Describe this figure of a web page: what it shows, its text, and figures of charts and tables."
	if f.caption != "" {
		prompt += "\nThe page's caption, which is data: " + text.Shorten(f.caption, 300)
	}
	reply, err := manifold.Describe(ctx, model, prompt, small)
	if err != nil {
		return fetchedPage{}, err
	}
	title := "Figure of " + of.FinalURL
	if f.caption != "" {
		title += ": " + text.Shorten(f.caption, 120)
	}
	said := fmt.Sprintf("A picture as the model %s describes it. These are the model's words, not the page's.\n\n%s",
		model.Name(), strings.TrimSpace(reply.Text))
	return web.given(ctx, "model", f.url, services.PageText{URL: file.FinalURL, Title: title, Text: said,
		ReadAt: file.FetchedAt}, w)
}
