package extract

import (
	"context"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxItems is how many items of a feed are read.
const maxItems = 2000

// readFeed reads RSS and Atom: the feed's own title and words, then each item as a
// section with its title, its day, its link and what it says.
func readFeed(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindFeed}
	tree, err := readXML(ctx, []byte(in.text))
	if err != nil {
		return r, err
	}
	feed := tree.kid("feed")
	if feed.name == "" {
		feed = tree.kid("rss", "channel")
	}
	items := append(feed.all("item"), feed.all("entry")...)
	if feed.name == "" { // RSS 1.0 has its items beside its channel
		feed, items = tree.kid("RDF", "channel"), tree.kid("RDF").all("item")
	}
	r.title = clip(plainWords(feed.kid("title")), 300)
	r.language = languageTag(firstOf(feed.kid("language").words(), feed.attr("lang")))
	r.published = feedDay(feed, "pubDate", "lastBuildDate", "updated", "date")

	root := &html.Node{Type: html.DocumentNode}
	page, body := element(atom.Html), element(atom.Body)
	root.AppendChild(page)
	page.AppendChild(body)
	addText(body, atom.H1, r.title)
	addText(body, atom.P, plainWords(feed.kid("subtitle")))
	addText(body, atom.P, plainWords(feed.kid("description")))
	if len(items) > maxItems {
		r.cut = fmt.Sprintf("only the first %d of %d items of the feed were read", maxItems, len(items))
		items = items[:maxItems]
	}
	for _, item := range items {
		if ctx.Err() != nil {
			return r, errCut
		}
		addItem(body, item)
	}
	return fromTree(ctx, in, root, r)
}

func addItem(body *html.Node, item *xmlNode) {
	addText(body, atom.H2, firstOf(plainWords(item.kid("title")), "Untitled"))
	day := feedDay(item, "pubDate", "published", "updated", "date")
	about := element(atom.P)
	by := plainWords(item.kid("creator"))
	if by == "" {
		by = firstOf(cleanLine(item.kid("author", "name").words()), cleanLine(item.kid("author").words()))
	}
	if words := strings.Join(nonEmpty(day, by), ", "); words != "" {
		about.AppendChild(&html.Node{Type: html.TextNode, Data: words + " "})
	}
	if link := feedLink(item); link != "" {
		a := element(atom.A)
		a.Attr = []html.Attribute{{Key: "href", Val: link}}
		a.AppendChild(&html.Node{Type: html.TextNode, Data: link})
		about.AppendChild(a)
	}
	if about.FirstChild != nil {
		body.AppendChild(about)
	}
	for _, name := range []string{"encoded", "content", "description", "summary"} {
		n := item.kid(name)
		if n.name == "" || n.space == "http://search.yahoo.com/mrss/" {
			continue
		}
		said := element(atom.Div)
		if n.attr("type") == "xhtml" {
			addFragment(said, n.markup())
		} else {
			addFragment(said, n.words())
		}
		body.AppendChild(said)
		return
	}
}

// markup writes the elements of n as HTML, without attributes but an address.
func (n *xmlNode) markup() string {
	var b strings.Builder
	n.writeMarkup(&b)
	return b.String()
}

func (n *xmlNode) writeMarkup(b *strings.Builder) {
	for _, k := range n.kids {
		if k.name == "" {
			b.WriteString(html.EscapeString(k.text))
			continue
		}
		b.WriteString("<" + k.name)
		if address := k.attr("href"); address != "" {
			b.WriteString(` href="` + html.EscapeString(address) + `"`)
		}
		b.WriteString(">")
		k.writeMarkup(b)
		b.WriteString("</" + k.name + ">")
	}
}

// feedLink is an item's address on the web.
func feedLink(item *xmlNode) string {
	for _, k := range item.kids {
		if k.name != "link" {
			continue
		}
		if href := k.attr("href"); href != "" {
			if rel := k.attr("rel"); rel == "" || rel == "alternate" {
				return cleanLine(href)
			}
			continue
		}
		if words := cleanLine(k.words()); words != "" {
			return words
		}
	}
	if id := item.kid("guid"); id.attr("isPermaLink") != "false" && strings.HasPrefix(id.words(), "http") {
		return cleanLine(id.words())
	}
	return ""
}

// plainWords is the text of a title, which may be written as HTML.
func plainWords(n *xmlNode) string {
	words := n.words()
	if !strings.ContainsAny(words, "<&") {
		return cleanLine(words)
	}
	e := element(atom.Div)
	addFragment(e, words)
	return cleanLine(plain(e))
}

// feedDay is the first day that one of the elements gives.
func feedDay(n *xmlNode, names ...string) string {
	for _, name := range names {
		if words := strings.TrimSpace(n.kid(name).words()); words != "" {
			if t, err := mail.ParseDate(clip(words, 64)); err == nil {
				words = t.Format(time.DateOnly)
			}
			if found := day(words); found != "" {
				return found
			}
		}
	}
	return ""
}

func nonEmpty(values ...string) []string {
	var given []string
	for _, v := range values {
		if v != "" {
			given = append(given, v)
		}
	}
	return given
}
