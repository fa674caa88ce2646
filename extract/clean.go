package extract

import (
	"context"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxAttribute is what is kept of a class, id or style: longer ones are made to
// keep patterns busy, not to say what an element is for.
const maxAttribute = 512

// neverText are elements whose content is not text that a reader of the page sees
// as part of it.
var neverText = map[atom.Atom]bool{
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

// furniture are class names of small parts inside content that are tools, not
// words of the page.
var furniture = map[string]bool{
	"headerlink": true, "anchorjs-link": true, "heading-anchor": true, "hash-link": true, "header-anchor": true,
	"mw-editsection": true, "linenos": true, "lineno": true, "linenodiv": true, "line-numbers-rows": true,
	"lnt": true, "rouge-gutter": true, "hljs-ln-numbers": true, "blob-num": true, "code-line-number": true,
	"copybtn": true, "copybutton": true, "copy-button": true, "reference-accessdate": true, "noprint": true,
	"viewcode-link": true, "viewcode-back": true, "skip-link": true, "skiplink": true, "skip-to-content": true,
}

// clean removes from root everything that is no visible text, in place: scripts,
// controls, comments, hidden and crossed out elements, marks that only serve as tools. Structured
// data and <meta> in the head stay for the metadata reader. Attributes that no
// later step reads are dropped.
func clean(ctx context.Context, root *html.Node) (revealed bool) {
	settleFormulas(&watch{ctx: ctx}, root)
	c := cleaner{late: shownLate(root), watch: watch{ctx: ctx}}
	c.clean(root)
	return len(c.late) > 0
}

// A cleaner knows the elements that hold most of a page and are hidden until a
// script shows them: what a reader of the page reads.
type cleaner struct {
	late  map[*html.Node]bool
	watch watch
}

func (c *cleaner) clean(root *html.Node) {
	for n := root.FirstChild; n != nil && !c.watch.ended(); {
		next := n.NextSibling
		if box := boxOf(n); box != nil {
			root.InsertBefore(box, n)
		}
		if n.DataAtom == atom.Img && keepPicture(n) {
			n = next
			continue
		}
		if unwanted(n) && !c.late[n] {
			root.RemoveChild(n)
		} else {
			switch n.Type {
			case html.ElementNode:
				n.Attr = trimAttributes(n)
			case html.TextNode:
				n.Data = wellFormedText(n.Data) // a character reference can name any character
			}
			c.clean(n)
		}
		n = next
	}
}

func unwanted(n *html.Node) bool {
	switch n.Type {
	case html.CommentNode:
		return true
	case html.ElementNode:
	default:
		return false
	}
	switch {
	case n.DataAtom == atom.Script && strings.EqualFold(attribute(n, "type"), "application/ld+json"):
		return false
	case n.DataAtom == atom.Link && n.Parent != nil && n.Parent.DataAtom == atom.Head:
		return false
	case neverText[n.DataAtom] || n.Data == "rp" || n.Data == "annotation" || n.Data == "annotation-xml":
		return true
	case n.DataAtom == atom.Html || n.DataAtom == atom.Body:
		return false
	}
	return struck(n) || hidden(n) || isFurniture(n)
}

// struck tells text that the page itself has withdrawn: crossed out, it must not be
// quoted as what the page says.
func struck(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Del, atom.S, atom.Strike:
		return true
	}
	return strings.Contains(clip(attribute(n, "style"), maxAttribute), "line-through")
}

// hidden tells elements that the page itself says are not shown, without its
// style sheets.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return !strings.EqualFold(a.Val, "until-found")
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if hidingStyle(clip(a.Val, maxAttribute)) {
				return true
			}
		}
	}
	for class, rest := nextName(classes(n)); class != ""; class, rest = nextName(rest) {
		if offScreen[class] {
			return true
		}
	}
	return false
}

func hidingStyle(style string) bool {
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
	for class, rest := nextName(classes(n)); class != ""; class, rest = nextName(rest) {
		if furniture[class] {
			return true
		}
	}
	switch n.DataAtom {
	case atom.A:
		// A bare paragraph or number sign beside a heading links to itself.
		switch strings.TrimSpace(plain(n)) {
		case "¶", "#", "§", "🔗", "∞":
			return true
		case "↩", "↩\ufe0e", "↩\ufe0f", "↑", "^", "⏎": // from a note back to its mark
			return strings.HasPrefix(attribute(n, "href"), "#")
		}
	case atom.Sup:
		// Footnote marks such as [1] lead to the foot of the same page.
		mark := strings.TrimSpace(plain(n))
		return len(mark) <= 16 && footnoteLink(n) && (strings.HasPrefix(mark, "[") || isDigits(mark))
	}
	return false
}

func footnoteLink(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.A && strings.HasPrefix(attribute(c, "href"), "#") {
			return true
		}
		if c.Type == html.ElementNode && footnoteLink(c) {
			return true
		}
	}
	return n.Parent != nil && n.Parent.DataAtom == atom.A && strings.HasPrefix(attribute(n.Parent, "href"), "#")
}

// trimAttributes keeps what later steps read, with long values cut.
func trimAttributes(n *html.Node) []html.Attribute {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		switch a.Key {
		case "colspan", "rowspan":
			if len(a.Val) > 2 {
				continue // beyond 99 it serves only to make a table huge
			}
		case "class", "id", "style", "role", "itemprop", "itemtype", "rel", "property", "name", "lang", "align", "title", "summary", "data-lang", "data-language":
			a.Val = clip(a.Val, maxAttribute)
		case "href", "content", "datetime", "pubdate", "type", "http-equiv", "start", "scope", "value", "cite":
			a.Val = clip(a.Val, 4096)
		default:
			continue
		}
		a.Val = wellFormedText(a.Val)
		kept = append(kept, a)
	}
	return kept
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// classes are the class names of n in lower case, for nextName.
func classes(n *html.Node) string {
	return strings.ToLower(clip(attribute(n, "class"), maxAttribute))
}

// nextName cuts the first of the names that white space parts from the others. It is
// strings.Fields for what every element of a page is asked, without its memory.
func nextName(names string) (name, rest string) {
	names = strings.TrimLeftFunc(names, unicode.IsSpace)
	for i, r := range names {
		if unicode.IsSpace(r) {
			return names[:i], names[i:]
		}
	}
	return names, ""
}

// plain is the text of n as it stands, without layout; for short elements.
func plain(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
			if b.Len() > 4096 {
				break
			}
		}
	}
	return b.String()
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
