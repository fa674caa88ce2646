package markup

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// Links lists the page's visible http and https links in order, absolute, each address once, without its fragment.
func Links(ctx context.Context, root *html.Node, base *url.URL, limit int) []citewell.Link {
	var links []citewell.Link
	seen := map[string]bool{}
	w := deadline.Watch{Ctx: ctx}
	for n := range root.Descendants() {
		if w.Ended() {
			break
		}
		if n.DataAtom != atom.A {
			continue
		}
		u := resolve(base, tree.Attribute(n, "href"))
		if u == nil || sameDocument(u, base) {
			continue
		}
		u.Fragment, u.RawFragment = "", ""
		address := u.String()
		if seen[address] {
			continue
		}
		seen[address] = true
		links = append(links, citewell.Link{Text: text.Prefix(plain.OneLine(tree.Text(n)), 300), URL: address})
		if len(links) == limit {
			break
		}
	}
	return links
}

// resolve makes href absolute; nil for what is no web address.
func resolve(base *url.URL, href string) *url.URL {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") {
		return nil
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil
	}
	return u
}

func sameDocument(u, base *url.URL) bool {
	return u.Host == base.Host && u.Path == base.Path && u.RawQuery == base.RawQuery
}

// Base is what the page's links are relative to: <base> where it is a web address, else the page's own.
func Base(root *html.Node, page *url.URL) *url.URL {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Base {
			if u := resolve(page, tree.Attribute(n, "href")); u != nil {
				return u
			}
			return page
		}
	}
	return page
}
