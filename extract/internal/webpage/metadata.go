package webpage

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// metadata is what a page says about itself in its head and structured data.
type metadata struct {
	title         string
	heading       string // the page's first h1
	author        string
	published     string
	language      string
	generator     string
	types         []string // of og:type and JSON-LD, lower-case
	ogType        string
	schemaTypes   []string // every type of structured data
	things        []thing  // what structured data is about
	products      int      // JSON-LD products that have an offer
	product       product  // the first of them
	described     []string // what descriptions and structured data say of the content
	body          string   // the article, as structured data has it
	describedSize int
	transcript    string  // what is said in a recording, as structured data has it
	tracks        []track // where structured data says that it is
}

// readMetadata reads what a page says about itself, and resolves entities in structured data and doubly escaped titles.
func readMetadata(root *html.Node, base *url.URL) metadata {
	var m metadata
	var titleTag, ogTitle, ldTitle string
	var dates [4]string // by trust: article metadata, structured data, other metadata, <time>
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Html:
			m.language = imprint.Language(tree.Attribute(n, "lang"))
		case atom.Title:
			if titleTag == "" && n.Namespace == "" {
				titleTag = plain.OneLine(tree.Text(n))
			}
		case atom.Meta:
			m.meta(n, &ogTitle, &dates)
		case atom.Script:
			m.structured(tree.AllText(n), base, &ldTitle, &dates)
		case atom.H1:
			if m.heading == "" {
				m.heading = plain.OneLine(tree.Text(n))
			}
		case atom.Time:
			if dates[3] == "" && (tree.Attribute(n, "pubdate") != "" || tree.Inside(n, atom.Article, atom.Header)) {
				dates[3] = imprint.Day(tree.Attribute(n, "datetime"))
			}
		}
		if itemtype := tree.Attribute(n, "itemtype"); itemtype != "" && len(m.things) < maxThings {
			if t, whole := markedThing(n, itemtype); whole {
				m.things = append(m.things, t)
			}
		}
		if item := tree.Attribute(n, "itemprop"); dates[2] == "" && (item == "datePublished" || item == "dateCreated") {
			dates[2] = imprint.Day(cmp.Or(tree.Attribute(n, "content"), tree.Attribute(n, "datetime"), tree.Text(n)))
		}
		if m.author == "" && (tree.Attribute(n, "rel") == "author" || tree.Attribute(n, "itemprop") == "author") &&
			n.DataAtom == atom.A {
			m.author = imprint.Person(tree.Text(n))
		}
	}
	for _, date := range append(dates[:], imprint.DayInPath(base.Path)) {
		if date != "" {
			m.published = date
			break
		}
	}
	if html.UnescapeString(m.heading) == m.heading { // else the page is about entities
		titleTag, ogTitle, ldTitle = html.UnescapeString(titleTag), html.UnescapeString(ogTitle),
			html.UnescapeString(ldTitle)
	}
	m.author = html.UnescapeString(m.author)
	m.title = plain.OneLine(bestTitle(titleTag, cmp.Or(ogTitle, ldTitle), m.heading))
	return m
}

func (m *metadata) meta(n *html.Node, ogTitle *string, dates *[4]string) {
	value := strings.TrimSpace(tree.Attribute(n, "content"))
	name := strings.ToLower(cmp.Or(tree.Attribute(n, "property"), tree.Attribute(n, "name"),
		tree.Attribute(n, "http-equiv")))
	if value == "" {
		return
	}
	switch name {
	case "og:title", "twitter:title", "dc.title":
		if *ogTitle == "" {
			*ogTitle = plain.OneLine(value)
		}
	case "og:type":
		m.ogType = strings.ToLower(value)
		m.types = append(m.types, m.ogType)
	case "description", "og:description", "twitter:description":
		m.describe(value)
	case "author", "article:author", "dc.creator", "parsely-author", "sailthru.author", "citation_author":
		if m.author == "" {
			m.author = imprint.Person(value)
		}
	case "generator":
		m.generator = strings.ToLower(text.Prefix(value, 200))
	case "content-language":
		if m.language == "" {
			m.language = imprint.Language(value)
		}
	case "article:published_time", "og:article:published_time", "citation_publication_date", "datepublished",
		"parsely-pub-date", "sailthru.date", "publish-date", "publication_date", "pubdate":
		if dates[0] == "" {
			dates[0] = imprint.Day(value)
		}
	case "date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "article:modified_time",
		"last-modified", "dcterms.modified", "docbuild:last-update":
		if dates[2] == "" {
			dates[2] = imprint.Day(value)
		}
	}
}

// structured reads one JSON-LD script: only strings that stand where schema.org puts them, at most a few levels deep.
func (m *metadata) structured(script string, base *url.URL, title *string, dates *[4]string) {
	var value any
	if len(script) > 1<<20 || json.Unmarshal([]byte(script), &value) != nil {
		return
	}
	m.schema(value, 0, title, dates)
	m.declarations(value, 0)
	m.things = gatherThings(m.things, value, 0)
	m.readProducts(value, 0)
	m.recordings(value, base, 0)
}

// declarations gathers the types of structured data and what it says of things in whole sentences.
func (m *metadata) declarations(value any, depth int) {
	if depth > 8 {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			m.declarations(one, depth+1)
		}
	case map[string]any:
		if len(m.schemaTypes) < 200 {
			m.schemaTypes = append(m.schemaTypes, strings.Fields(strings.ToLower(
				text.Prefix(strings.Join(imprint.Texts(v["@type"]), " "), 200)))...)
		}
		for _, key := range []string{"description", "articleBody", "text", "reviewBody"} {
			for _, s := range imprint.Texts(v[key]) {
				m.describe(s)
				if key == "articleBody" && len(s) < maxDescribed && len(s) > len(m.body) {
					m.body = s
				}
			}
		}
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item",
			"acceptedAnswer", "suggestedAnswer", "comment", "review", "hasPart"} {
			m.declarations(v[key], depth+1)
		}
	}
}

func (m *metadata) schema(value any, depth int, title *string, dates *[4]string) {
	if depth > 6 {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			m.schema(one, depth+1, title, dates)
		}
	case map[string]any:
		kinds := strings.ToLower(strings.Join(imprint.Texts(v["@type"]), " "))
		if strings.Contains(kinds, "article") || strings.Contains(kinds, "posting") ||
			strings.Contains(kinds, "report") {
			m.types = append(m.types, strings.Fields(kinds)...)
			if *title == "" {
				*title = plain.OneLine(cmp.Or(imprint.Texts(v["headline"])...))
			}
			if m.author == "" {
				m.author = imprint.Person(strings.Join(imprint.Names(v["author"]), ", "))
			}
			if dates[1] == "" {
				dates[1] = imprint.Day(cmp.Or(imprint.Texts(v["datePublished"])...))
			}
		}
		if strings.Contains(kinds, "qapage") {
			m.types = append(m.types, "qapage")
		}
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage"} {
			m.schema(v[key], depth+1, title, dates)
		}
	}
}

// maxDescribed bounds what is kept of descriptions.
const maxDescribed = 128 << 10

func (m *metadata) describe(s string) {
	if m.describedSize += len(s) + 1; m.describedSize < maxDescribed {
		m.described = append(m.described, s)
	}
}

// isArticle reports whether the page declares itself an article.
func (m *metadata) isArticle() bool {
	return slices.ContainsFunc(m.types, func(t string) bool {
		return strings.HasSuffix(t, "article") || strings.HasSuffix(t, "posting")
	})
}

// bestTitle prefers the page's own heading if it is one of the title's parts, or most of it.
func bestTitle(tag, declared, heading string) string {
	title := cmp.Or(declared, tag, heading)
	for _, candidate := range []string{heading, declared} {
		if len(candidate) < 3 || len(candidate) >= len(title) {
			continue
		}
		if partOfTitle(title, candidate) || len(candidate)*3 >= len(title)*2 &&
			strings.Contains(strings.ToLower(title), strings.ToLower(candidate)) {
			return text.Prefix(candidate, 300)
		}
	}
	return text.Prefix(title, 300)
}

func partOfTitle(title, candidate string) bool {
	rest, found := cutFold(title, candidate)
	return found && rest != "" && strings.ContainsAny(rest[:min(len(rest), 4)], "|-–—·:»•")
}

// cutFold returns what stands behind prefix, or before it where it ends title.
func cutFold(title, part string) (rest string, found bool) {
	switch n := len(part); {
	case len(title) < n:
		return "", false
	case strings.EqualFold(title[:n], part):
		return strings.TrimSpace(title[n:]), true
	case strings.EqualFold(title[len(title)-n:], part):
		before := strings.TrimSpace(title[:len(title)-n])
		_, size := utf8.DecodeLastRuneInString(before)
		return before[len(before)-size:], true
	}
	return "", false
}
