package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// boilerplate says which part of a site an element is, as opposed to the page's
// own content; empty means content.
type boilerplate string

const (
	navigation boilerplate = "navigation"
	contents   boilerplate = "contents" // a table of contents: real words, told again below
	linkList   boilerplate = "links"
	margin     boilerplate = "margin" // header, footer, sidebar, sharing, consent
	remarks    boilerplate = "remarks"
)

// partNames are the words in class names and ids that tell a part of a site.
var partNames = map[string]boilerplate{
	"nav": navigation, "navbar": navigation, "navigation": navigation, "navheader": navigation,
	"navfooter": navigation, "navlinks": navigation, "breadcrumb": navigation, "breadcrumbs": navigation,
	"menu": navigation, "mainmenu": navigation, "submenu": navigation, "menubar": navigation,
	"pagination": navigation, "pager": navigation, "prevnext": navigation, "topnav": navigation,
	"skip": navigation, "dropdown": navigation, "searchbox": navigation, "searchmenu": navigation,
	"toc": contents, "tableofcontents": contents,
	"sidebar": margin, "sphinxsidebar": margin, "footer": margin, "masthead": margin, "topbar": margin,
	"tagline": margin, "social": margin, "share": margin, "sharing": margin, "sharebar": margin,
	"addthis": margin, "sharedaddy": margin, "related": margin, "recommended": margin,
	"recommendations": margin, "promo": margin, "promotion": margin, "advert": margin,
	"advertisement": margin, "ads": margin, "adsbygoogle": margin, "sponsored": margin, "outbrain": margin,
	"taboola": margin, "cookie": margin, "cookies": margin, "consent": margin, "gdpr": margin,
	"newsletter": margin, "subscribe": margin, "signup": margin, "copyright": margin, "paywall": margin,
	"comments": remarks, "comment": remarks, "responses": remarks, "disqus": remarks, "respond": remarks, "commentlist": remarks,
}

// calloutNames tell an aside that is part of the text.
var calloutNames = map[string]bool{
	"note": true, "notes": true, "tip": true, "warning": true, "caution": true, "important": true, "danger": true,
	"info": true, "admonition": true, "callout": true, "example": true, "footnote": true, "footnotes": true,
}

// inCallout reports whether a heading is the label of the box it stands in.
func inCallout(n *html.Node) bool {
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

var partRoles = map[string]boilerplate{
	"navigation": navigation, "banner": margin, "contentinfo": margin, "search": navigation,
	"complementary": margin, "menu": navigation, "menubar": navigation, "toolbar": navigation,
	"tablist": navigation, "dialog": margin, "alertdialog": margin, "directory": contents, "doc-toc": contents,
}

// A site knows how much text each suspicious element of a page holds, so that a
// name like "with-sidebar" around the whole page condemns nothing.
type site struct {
	total int
	held  map[*html.Node]extent
}

// extent is what an element holds.
type extent struct {
	text   int  // bytes
	titled bool // holds the page's main heading or main element
	part   boilerplate
}

func newSite(root *html.Node) *site {
	s := &site{held: map[*html.Node]extent{}}
	s.total = s.measure(root).text
	return s
}

func (s *site) measure(n *html.Node) extent {
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
		e.titled = e.titled || n.DataAtom == atom.H1 || n.DataAtom == atom.Main || attribute(n, "role") == "main"
	}
	return e
}

// judge says what part n is, given what the elements around it are.
func (s *site) judge(n *html.Node, around boilerplate) boilerplate {
	if around != "" {
		return around
	}
	e, suspicious := s.held[n]
	switch {
	case !suspicious:
		return ""
	case e.part == contents:
		return e.part
	case e.titled && n.DataAtom != atom.Nav:
		return ""
	case e.text*5 > s.total*2 && e.part != navigation:
		return ""
	case e.text*5 > s.total*4:
		return ""
	}
	return e.part
}

// partOf says what part of a site n's tag, role and names claim.
func partOf(n *html.Node) boilerplate {
	switch n.DataAtom {
	case atom.Nav:
		return navigation
	case atom.Footer:
		if inside(n, atom.Blockquote) {
			return "" // whom it quotes
		}
		return margin
	case atom.Header:
		if !inside(n, atom.Article, atom.Main) {
			return margin
		}
	case atom.Pre, atom.H1, atom.H2, atom.H3:
		return ""
	}
	var room [fewNames]string
	words := nameWords(room[:0], n)
	if slices.Contains(words, "contents") && slices.Contains(words, "topic") {
		return contents // as docutils names it
	}
	if slices.ContainsFunc(words, func(word string) bool { return calloutNames[word] }) {
		return ""
	}
	if n.DataAtom == atom.Aside {
		switch within := inMain(n); {
		case !within:
			return margin
		case attribute(n, "class") == "sidebar":
			return "" // a box beside the text, as docutils names it
		}
	}
	if part := partRoles[strings.ToLower(attribute(n, "role"))]; part != "" {
		return part
	}
	if !blockElements[n.DataAtom] {
		return ""
	}
	for i, word := range words {
		if part := partNames[word]; part != "" && !(n.DataAtom == atom.P && word == "sidebar") {
			return part
		}
		if word == "contents" && i >= 2 && words[i-1] == "of" && words[i-2] == "table" {
			return contents
		}
	}
	return ""
}

func inMain(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Main || p.DataAtom == atom.Article || attribute(p, "role") == "main" {
			return true
		}
	}
	return false
}

func inside(n *html.Node, atoms ...atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		for _, a := range atoms {
			if p.DataAtom == a {
				return true
			}
		}
	}
	return false
}

// maxNameWords is how many words a name may have that tells a part of a site:
// "how-do-i-share-variables" is the address of a section, not a bar for sharing.
const maxNameWords = 3

// fewNames is the room for the words of an element's names; more need memory.
const fewNames = 16

// nameWords adds the lower-case words in the class names and the id of n:
// "site-navBar" has site, nav, bar.
func nameWords(words []string, n *html.Node) []string {
	id := attribute(n, "id")
	switch n.DataAtom {
	case atom.Section, atom.Dt, atom.Dd, atom.Dl, atom.P, atom.Li:
		id = "" // an address within the text, made of its words
	}
	for _, names := range [...]string{attribute(n, "class"), id} {
		for name, rest := nextName(clip(names, maxAttribute)); name != ""; name, rest = nextName(rest) {
			before := len(words)
			if words = splitName(words, name); len(words)-before > maxNameWords {
				words = words[:before]
			}
		}
	}
	return words
}

// splitName adds the words of a name in lower case. They are parts of the name where
// that is possible: there are thousands on a page.
func splitName(words []string, name string) []string {
	lower := strings.ToLower(name) // of the same length where it is used
	from, found := 0, 0
	for i := range len(name) {
		c := name[i]
		if c >= utf8.RuneSelf {
			return splitRunes(words[:len(words)-found], name)
		}
		between := !isLetter(c) && (c < '0' || c > '9')
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

// markLinkLists finds runs of short blocks that are nearly all link: menus
// without a name that tells.
func markLinkLists(blocks []block) {
	for i := 0; i < len(blocks); {
		j := i
		for j < len(blocks) && mostlyLink(blocks[j]) {
			j++
		}
		if j-i >= 4 {
			whole := menuLists(blocks, i, j)
			for k := i; k < j; k++ {
				if blocks[k].boiler == "" && whole(blocks[k].list) {
					blocks[k].boiler = linkList
				}
			}
		}
		i = max(j, i+1)
	}
}

// menuLists tells lists that are links only from those that go on with other items
// before or after the run [i, j) of links.
func menuLists(blocks []block, i, j int) func(list int) bool {
	var before, behind int
	if i > 0 {
		before = blocks[i-1].list
	}
	if j < len(blocks) {
		behind = blocks[j].list
	}
	return func(list int) bool { return list == 0 || list != before && list != behind }
}

func mostlyLink(b block) bool {
	return b.kind != heading && b.kind != code && b.linked*10 >= len(b.text)*8 && len(b.text) < 120
}
