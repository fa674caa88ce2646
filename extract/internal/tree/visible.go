package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/text"
)

// NeverText are elements whose content is not text that a reader of the page sees as part of it.
var NeverText = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true,
	atom.Iframe: true, atom.Object: true, atom.Embed: true, atom.Applet: true, atom.Canvas: true,
	atom.Audio: true, atom.Video: true, atom.Map: true, atom.Select: true, atom.Button: true,
	atom.Input: true, atom.Textarea: true, atom.Datalist: true, atom.Progress: true, atom.Meter: true,
	atom.Img: true, atom.Source: true, atom.Track: true, atom.Param: true,
	atom.Frame: true, atom.Frameset: true, atom.Noframes: true, atom.Noembed: true,
	atom.Area: true, atom.Link: true, atom.Dialog: true,
}

// offScreen are class names by which pages hide text from everyone who can see.
var offScreen = map[string]bool{
	"sr-only": true, "visually-hidden": true, "visuallyhidden": true, "screen-reader-text": true,
	"screenreader-only": true, "hidden": true, "d-none": true, "is-hidden": true, "u-hidden": true,
}

// furniture are class names of small parts inside content that are tools, not words of the page.
var furniture = map[string]bool{
	"headerlink": true, "anchorjs-link": true, "heading-anchor": true, "hash-link": true, "header-anchor": true,
	"mw-editsection": true, "linenos": true, "lineno": true, "linenodiv": true, "line-numbers-rows": true,
	"lnt": true, "rouge-gutter": true, "hljs-ln-numbers": true, "blob-num": true, "code-line-number": true,
	"copybtn": true, "copybutton": true, "copy-button": true, "reference-accessdate": true, "noprint": true,
	"viewcode-link": true, "viewcode-back": true, "skip-link": true, "skiplink": true, "skip-to-content": true,
}

// Unwanted says whether n is no visible text of its page.
func Unwanted(n *html.Node) bool {
	switch n.Type {
	case html.CommentNode:
		return true
	case html.ElementNode:
	default:
		return false
	}
	switch {
	case n.DataAtom == atom.Script && strings.EqualFold(Attribute(n, "type"), "application/ld+json"):
		return false
	case n.DataAtom == atom.Link && n.Parent != nil && n.Parent.DataAtom == atom.Head:
		return false
	case NeverText[n.DataAtom] || n.Data == "rp" || n.Data == "annotation" || n.Data == "annotation-xml":
		return true
	case n.DataAtom == atom.Html || n.DataAtom == atom.Body:
		return false
	}
	return struck(n) || Hidden(n) || isFurniture(n)
}

// struck tells text that the page itself has withdrawn: crossed out, it must not be quoted as what the page says.
func struck(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Del, atom.S, atom.Strike:
		return true
	}
	return strings.Contains(text.Prefix(Attribute(n, "style"), MaxAttribute), "line-through")
}

// Hidden tells elements that the page itself says are not shown, without its style sheets.
func Hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return !strings.EqualFold(a.Val, "until-found")
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if HidingStyle(text.Prefix(a.Val, MaxAttribute)) {
				return true
			}
		}
	}
	for class, rest := NextName(Classes(n)); class != ""; class, rest = NextName(rest) {
		if offScreen[class] {
			return true
		}
	}
	return false
}

// HidingStyle says whether a style attribute hides its element.
func HidingStyle(style string) bool {
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		property, value, _ := strings.Cut(declaration, ":")
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		switch strings.TrimSpace(property) {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "opacity":
			if value == "0" || value == "0.0" || value == "0%" {
				return true
			}
		case "font-size":
			if value == "0" || value == "0px" || value == "0pt" || value == "0em" || value == "0%" {
				return true
			}
		}
	}
	return false
}

func isFurniture(n *html.Node) bool {
	for class, rest := NextName(Classes(n)); class != ""; class, rest = NextName(rest) {
		if furniture[class] {
			return true
		}
	}
	switch n.DataAtom {
	case atom.A:
		// A bare paragraph or number sign beside a heading links to itself.
		switch strings.TrimSpace(Text(n)) {
		case "¶", "#", "§", "🔗", "∞":
			return true
		case "↩", "↩\ufe0e", "↩\ufe0f", "↑", "^", "⏎": // from a note back to its mark
			return strings.HasPrefix(Attribute(n, "href"), "#")
		}
	case atom.Sup:
		// Footnote marks such as [1] lead to the foot of the same page.
		mark := strings.TrimSpace(Text(n))
		return len(mark) <= 16 && footnoteLink(n) && (strings.HasPrefix(mark, "[") || plain.IsDigits(mark))
	}
	return false
}

func footnoteLink(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.A && strings.HasPrefix(Attribute(c, "href"), "#") {
			return true
		}
		if c.Type == html.ElementNode && footnoteLink(c) {
			return true
		}
	}
	return n.Parent != nil && n.Parent.DataAtom == atom.A && strings.HasPrefix(Attribute(n.Parent, "href"), "#")
}

// TrimAttributes keeps what later steps read, with long values cut.
func TrimAttributes(n *html.Node) []html.Attribute {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		switch a.Key {
		case "colspan", "rowspan":
			if len(a.Val) > 2 {
				continue // beyond 99 it serves only to make a table huge
			}
		case "class", "id", "style", "role", "itemprop", "itemtype", "rel", "property", "name", "lang", "align",
			"title", "summary", "data-lang", "data-language":
			a.Val = text.Prefix(a.Val, MaxAttribute)
		case "href", "content", "datetime", "pubdate", "type", "http-equiv", "start", "scope", "value", "cite":
			a.Val = text.Prefix(a.Val, 4096)
		default:
			continue
		}
		a.Val = charset.WellFormedText(a.Val)
		kept = append(kept, a)
	}
	return kept
}
