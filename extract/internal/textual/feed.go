package textual

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/extract/internal/xmltree"
	"github.com/citewell/citewell/internal/text"
)

// Feed reads RSS and Atom, which many servers declare as XML.
var Feed = media.Reader{Name: atomType, Called: "feeds", Read: readFeed,
	Files: map[string]string{".rss": rssType, ".atom": atomType}, Claims: func(page media.Page) string {
		switch page.Declared {
		case rssType, atomType, "text/xml", "application/xml", "application/rdf+xml":
		default:
			if !page.Vague {
				return ""
			}
		}
		kind := feedRoot(page.Body)
		if kind != "" && (page.Declared == rssType || page.Declared == atomType) {
			return page.Declared
		}
		return kind
	}}

const (
	rssType  = "application/rss+xml"
	atomType = "application/atom+xml"
)

// MaxItems is how many items of a feed are read.
const MaxItems = 2000

// readFeed reads RSS and Atom: the feed's title and words, then each item as a section with title, day, link and words.
func readFeed(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindFeed}
	feed, items, err := feedParts(ctx, in.Text)
	if err != nil {
		return r, err
	}
	r.Title = text.Prefix(plainWords(feed.Kid("title")), 300)
	r.Language = imprint.Language(cmp.Or(feed.Kid("language").Words(), feed.Attr("lang")))
	r.Published = feedDay(feed, "pubDate", "lastBuildDate", "updated", "date")

	root := &html.Node{Type: html.DocumentNode}
	page, body := tree.Element(atom.Html), tree.Element(atom.Body)
	root.AppendChild(page)
	page.AppendChild(body)
	markup.AddText(body, atom.H1, r.Title)
	markup.AddText(body, atom.P, plainWords(feed.Kid("subtitle")))
	markup.AddText(body, atom.P, plainWords(feed.Kid("description")))
	if len(items) > MaxItems {
		r.Cut = fmt.Sprintf("only the first %d of %d items of the feed were read", MaxItems, len(items))
		items = items[:MaxItems]
	}
	for _, item := range items {
		if ctx.Err() != nil {
			return r, deadline.ErrCut
		}
		itemOf(item).addTo(body)
	}
	return markup.FromTree(ctx, in, root, r)
}

// feedParts are what holds a feed's own words, and its items.
func feedParts(ctx context.Context, xml string) (feed *xmltree.Node, items []*xmltree.Node, err error) {
	parsed, err := xmltree.Read(ctx, []byte(xml))
	if err != nil {
		return nil, nil, err
	}
	feed = parsed.Kid("feed")
	if feed.Name == "" {
		feed = parsed.Kid("rss", "channel")
	}
	items = append(feed.All("item"), feed.All("entry")...)
	if feed.Name == "" { // RSS 1.0 has its items beside its channel
		feed, items = parsed.Kid("RDF", "channel"), parsed.Kid("RDF").All("item")
	}
	return feed, items, nil
}

// An Item is one entry of a feed. Each of its fields may be empty.
type Item struct {
	Title, Day, By, Link string
	said                 *html.Node // what it says; nil where it says nothing
}

// Words is what the item says, as plain text on one line, cut after some kilobytes.
func (i Item) Words(ctx context.Context) string {
	if i.said == nil {
		return ""
	}
	markup.Clean(ctx, i.said)
	var lines []string
	size := 0
	for _, b := range markup.Render(ctx, i.said) {
		if size > maxItemWords {
			break
		}
		lines = append(lines, b.Text)
		size += len(b.Text)
	}
	return text.Prefix(plain.CleanLine(strings.Join(lines, " ")), maxItemWords)
}

// maxItemWords bounds in bytes what Words gives: a feed may hold whole articles.
const maxItemWords = 8 << 10

// Items reads the items of a feed, at most MaxItems of them, and the feed's title. isFeed is false for what is none.
func Items(ctx context.Context, xml string) (title string, items []Item, isFeed bool, err error) {
	if feedRoot([]byte(text.Prefix(xml, 4096))) == "" {
		return "", nil, false, nil
	}
	feed, nodes, err := feedParts(ctx, xml)
	if err != nil || feed.Name == "" {
		return "", nil, false, err
	}
	for _, node := range nodes[:min(len(nodes), MaxItems)] {
		if ctx.Err() != nil {
			return "", nil, false, deadline.ErrCut
		}
		items = append(items, itemOf(node))
	}
	return text.Prefix(plainWords(feed.Kid("title")), 300), items, true, nil
}

func itemOf(n *xmltree.Node) Item {
	item := Item{Title: plainWords(n.Kid("title")), Day: feedDay(n, "pubDate", "published", "updated", "date"),
		By: plainWords(n.Kid("creator")), Link: feedLink(n), said: itemBody(n)}
	if item.By == "" {
		item.By = cmp.Or(plain.CleanLine(n.Kid("author", "name").Words()), plain.CleanLine(n.Kid("author").Words()))
	}
	return item
}

// itemBody is the longest form of what an item says.
func itemBody(item *xmltree.Node) *html.Node {
	for _, name := range []string{"encoded", "content", "description", "summary"} {
		n := item.Kid(name)
		if n.Name == "" || n.Space == "http://search.yahoo.com/mrss/" {
			continue
		}
		said := tree.Element(atom.Div)
		if n.Attr("type") == "xhtml" {
			markup.AddFragment(said, n.Markup())
		} else {
			markup.AddFragment(said, n.Words())
		}
		return said
	}
	return nil
}

// addTo appends the item to a page as a section.
func (i Item) addTo(body *html.Node) {
	markup.AddText(body, atom.H2, cmp.Or(i.Title, "Untitled"))
	about := tree.Element(atom.P)
	if words := plain.Join(", ", i.Day, i.By); words != "" {
		about.AppendChild(&html.Node{Type: html.TextNode, Data: words + " "})
	}
	if i.Link != "" {
		a := tree.Element(atom.A)
		a.Attr = []html.Attribute{{Key: "href", Val: i.Link}}
		a.AppendChild(&html.Node{Type: html.TextNode, Data: i.Link})
		about.AppendChild(a)
	}
	if about.FirstChild != nil {
		body.AppendChild(about)
	}
	if i.said != nil {
		body.AppendChild(i.said)
	}
}

// feedLink is an item's address on the web.
func feedLink(item *xmltree.Node) string {
	for _, k := range item.Kids {
		if k.Name != "link" {
			continue
		}
		if href := k.Attr("href"); href != "" {
			if rel := k.Attr("rel"); rel == "" || rel == "alternate" {
				return plain.CleanLine(href)
			}
			continue
		}
		if words := plain.CleanLine(k.Words()); words != "" {
			return words
		}
	}
	if id := item.Kid("guid"); id.Attr("isPermaLink") != "false" && strings.HasPrefix(id.Words(), "http") {
		return plain.CleanLine(id.Words())
	}
	return ""
}

// plainWords is the text of a title, which may be written as HTML.
func plainWords(n *xmltree.Node) string {
	words := n.Words()
	if !strings.ContainsAny(words, "<&") {
		return plain.CleanLine(words)
	}
	e := tree.Element(atom.Div)
	markup.AddFragment(e, words)
	return plain.CleanLine(tree.Text(e))
}

// feedDay is the first day that one of the elements gives.
func feedDay(n *xmltree.Node, names ...string) string {
	for _, name := range names {
		if words := strings.TrimSpace(n.Kid(name).Words()); words != "" {
			if t, err := mail.ParseDate(text.Prefix(words, 64)); err == nil {
				words = t.Format(time.DateOnly)
			}
			if found := imprint.Day(words); found != "" {
				return found
			}
		}
	}
	return ""
}

// feedRoot is the media type of the feed that body begins as, or empty: by the name of its first element.
func feedRoot(body []byte) string {
	head := bytes.TrimPrefix(body[:min(len(body), 4096)], []byte("\xef\xbb\xbf"))
	for {
		head = bytes.TrimLeft(head, " \t\r\n")
		end := ">"
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			end = "-->"
		case !bytes.HasPrefix(head, []byte("<?")) && !bytes.HasPrefix(head, []byte("<!")):
			return feedType(head)
		default:
			if i := bytes.IndexAny(head, "[>"); i >= 0 && head[i] == '[' {
				end = "]>" // a document type with declarations of its own
			}
		}
		_, rest, found := bytes.Cut(head, []byte(end))
		if !found {
			return ""
		}
		head = rest
	}
}

func feedType(head []byte) string {
	name, found := bytes.CutPrefix(head, []byte("<"))
	if !found {
		return ""
	}
	if end := bytes.IndexAny(name, " \t\r\n>"); end >= 0 {
		name = name[:end]
	}
	switch {
	case string(name) == "feed" && bytes.Contains(head, []byte("http://www.w3.org/2005/Atom")):
		return atomType
	case string(name) == "rss", string(name) == "rdf:RDF" && bytes.Contains(head, []byte("purl.org/rss/1.0")):
		return rssType
	}
	return ""
}
