package tree

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/internal/text"
)

// Boilerplate says which part of a site an element is, as opposed to the page's own content; empty means content.
type Boilerplate string

const (
	Navigation Boilerplate = "navigation"
	Contents   Boilerplate = "contents" // a table of contents: real words, told again below
	LinkList   Boilerplate = "links"
	Margin     Boilerplate = "margin" // header, footer, sidebar, sharing, consent
	Remarks    Boilerplate = "remarks"
)

// partNames are the words in class names and ids that tell a part of a site.
var partNames = map[string]Boilerplate{
	"nav": Navigation, "navbar": Navigation, "navigation": Navigation, "navheader": Navigation,
	"navfooter": Navigation, "navlinks": Navigation, "breadcrumb": Navigation, "breadcrumbs": Navigation,
	"menu": Navigation, "mainmenu": Navigation, "submenu": Navigation, "menubar": Navigation,
	"pagination": Navigation, "pager": Navigation, "prevnext": Navigation, "topnav": Navigation,
	"skip": Navigation, "dropdown": Navigation, "searchbox": Navigation, "searchmenu": Navigation,
	"toc": Contents, "tableofcontents": Contents,
	"sidebar": Margin, "sphinxsidebar": Margin, "footer": Margin, "masthead": Margin, "topbar": Margin,
	"tagline": Margin, "social": Margin, "share": Margin, "sharing": Margin, "sharebar": Margin,
	"addthis": Margin, "sharedaddy": Margin, "related": Margin, "recommended": Margin,
	"recommendations": Margin, "promo": Margin, "promotion": Margin, "advert": Margin,
	"advertisement": Margin, "ads": Margin, "adsbygoogle": Margin, "sponsored": Margin, "outbrain": Margin,
	"taboola": Margin, "cookie": Margin, "cookies": Margin, "consent": Margin, "gdpr": Margin,
	"newsletter": Margin, "subscribe": Margin, "signup": Margin, "copyright": Margin, "paywall": Margin,
	"comments": Remarks, "comment": Remarks, "responses": Remarks, "disqus": Remarks, "respond": Remarks,
	"commentlist": Remarks,
}

// calloutNames tell an aside that is part of the text.
var calloutNames = map[string]bool{
	"note": true, "notes": true, "tip": true, "warning": true, "caution": true, "important": true, "danger": true,
	"info": true, "admonition": true, "callout": true, "example": true, "footnote": true, "footnotes": true,
}

// InCallout reports whether a heading is the label of the box it stands in.
func InCallout(n *html.Node) bool {
	for p, up := n.Parent, 0; p != nil && up < 2; p, up = p.Parent, up+1 {
		if p.DataAtom != atom.Div && p.DataAtom != atom.Aside && p.DataAtom != atom.Blockquote {
			return false
		}
		for _, word := range nameWords(nil, p) {
			if calloutNames[word] {
				return true
			}
		}
	}
	return false
}

var partRoles = map[string]Boilerplate{
	"navigation": Navigation, "banner": Margin, "contentinfo": Margin, "search": Navigation,
	"complementary": Margin, "menu": Navigation, "menubar": Navigation, "toolbar": Navigation,
	"tablist": Navigation, "dialog": Margin, "alertdialog": Margin, "directory": Contents, "doc-toc": Contents,
}

// A Site knows how much text each suspicious element of a page holds: "with-sidebar" around the page condemns nothing.
type Site struct {
	total int
	held  map[*html.Node]extent
}

// extent is what an element holds.
type extent struct {
	text   int  // bytes
	titled bool // holds the page's main heading or main element
	part   Boilerplate
}

// NewSite measures the elements below root.
func NewSite(root *html.Node) *Site {
	s := &Site{held: map[*html.Node]extent{}}
	s.total = s.measure(root).text
	return s
}

func (s *Site) measure(n *html.Node) extent {
	var e extent
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			e.text += len(strings.TrimSpace(c.Data))
		case html.ElementNode:
			if c.DataAtom == atom.Head || c.DataAtom == atom.Script {
				continue
			}
			inner := s.measure(c)
			e.text += inner.text
			e.titled = e.titled || inner.titled
		}
	}
	if n.Type == html.ElementNode && n.DataAtom != atom.Body && n.DataAtom != atom.Html {
		if e.part = partOf(n); e.part != "" {
			s.held[n] = e
		}
		e.titled = e.titled || n.DataAtom == atom.H1 || n.DataAtom == atom.Main || Attribute(n, "role") == "main"
	}
	return e
}

// Judge says what part n is, given what the elements around it are.
func (s *Site) Judge(n *html.Node, around Boilerplate) Boilerplate {
	if around != "" {
		return around
	}
	e, suspicious := s.held[n]
	switch {
	case !suspicious:
		return ""
	case e.part == Contents:
		return e.part
	case e.titled && n.DataAtom != atom.Nav:
		return ""
	case e.text*5 > s.total*2 && e.part != Navigation:
		return ""
	case e.text*5 > s.total*4:
		return ""
	}
	return e.part
}

// partOf says what part of a site n's tag, role and names claim.
func partOf(n *html.Node) Boilerplate {
	switch n.DataAtom {
	case atom.Nav:
		return Navigation
	case atom.Footer:
		if Inside(n, atom.Blockquote) {
			return "" // whom it quotes
		}
		return Margin
	case atom.Header:
		if !Inside(n, atom.Article, atom.Main) {
			return Margin
		}
	case atom.Pre, atom.H1, atom.H2, atom.H3:
		return ""
	}
	var room [FewNames]string
	words := nameWords(room[:0], n)
	if slices.Contains(words, "contents") && slices.Contains(words, "topic") {
		return Contents // as docutils names it
	}
	if slices.ContainsFunc(words, func(word string) bool { return calloutNames[word] }) {
		return ""
	}
	if n.DataAtom == atom.Aside {
		switch within := inMain(n); {
		case !within:
			return Margin
		case Attribute(n, "class") == "sidebar":
			return "" // a box beside the text, as docutils names it
		}
	}
	if part := partRoles[strings.ToLower(Attribute(n, "role"))]; part != "" {
		return part
	}
	if !BlockElements[n.DataAtom] {
		return ""
	}
	for i, word := range words {
		if part := partNames[word]; part != "" && !(n.DataAtom == atom.P && word == "sidebar") {
			return part
		}
		if word == "contents" && i >= 2 && words[i-1] == "of" && words[i-2] == "table" {
			return Contents
		}
	}
	return ""
}

func inMain(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Main || p.DataAtom == atom.Article || Attribute(p, "role") == "main" {
			return true
		}
	}
	return false
}

// maxNameWords bounds the words of a name that tells a part of a site: "how-do-i-share-variables" is no bar.
const maxNameWords = 3

// FewNames is the room for the words of an element's names; more need memory.
const FewNames = 16

// nameWords adds the lower-case words in the class names and the id of n: "site-navBar" has site, nav, bar.
func nameWords(words []string, n *html.Node) []string {
	id := Attribute(n, "id")
	switch n.DataAtom {
	case atom.Section, atom.Dt, atom.Dd, atom.Dl, atom.P, atom.Li:
		id = "" // an address within the text, made of its words
	}
	for _, names := range [...]string{Attribute(n, "class"), id} {
		for name, rest := NextName(text.Prefix(names, MaxAttribute)); name != ""; name, rest = NextName(rest) {
			before := len(words)
			if words = SplitName(words, name); len(words)-before > maxNameWords {
				words = words[:before]
			}
		}
	}
	return words
}

// SplitName adds the words of a name in lower case, as parts of the name if possible: there are thousands on a page.
func SplitName(words []string, name string) []string {
	lower := strings.ToLower(name) // of the same length where it is used
	from, found := 0, 0
	for i := range len(name) {
		c := name[i]
		if c >= utf8.RuneSelf {
			return splitRunes(words[:len(words)-found], name)
		}
		between := !charset.IsLetter(c) && (c < '0' || c > '9')
		if !between && (c < 'A' || c > 'Z' || i == 0 || name[i-1] < 'a' || name[i-1] > 'z') {
			continue
		}
		if i > from {
			words, found = append(words, lower[from:i]), found+1
		}
		if from = i; between {
			from++
		}
	}
	if len(name) > from {
		words = append(words, lower[from:])
	}
	return words
}

func splitRunes(words []string, name string) []string {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = word[:0]
		}
	}
	var previous rune
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			flush()
			word = append(word, unicode.ToLower(r))
		default:
			word = append(word, unicode.ToLower(r))
		}
		previous = r
	}
	flush()
	return words
}
