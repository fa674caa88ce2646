package extract

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
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
}

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
			m.language = languageTag(attribute(n, "lang"))
		case atom.Title:
			if titleTag == "" && n.Namespace == "" {
				titleTag = oneLine(plain(n))
			}
		case atom.Meta:
			m.meta(n, &ogTitle, &dates)
		case atom.Script:
			m.structured(plainAll(n), &ldTitle, &dates)
		case atom.H1:
			if m.heading == "" {
				m.heading = oneLine(plain(n))
			}
		case atom.Time:
			if dates[3] == "" && (attribute(n, "pubdate") != "" || inside(n, atom.Article, atom.Header)) {
				dates[3] = day(attribute(n, "datetime"))
			}
		}
		if itemtype := attribute(n, "itemtype"); itemtype != "" && len(m.things) < maxThings {
			if t, whole := markedThing(n, itemtype); whole {
				m.things = append(m.things, t)
			}
		}
		if item := attribute(n, "itemprop"); dates[2] == "" && (item == "datePublished" || item == "dateCreated") {
			dates[2] = day(firstOf(attribute(n, "content"), attribute(n, "datetime"), plain(n)))
		}
		if m.author == "" && (attribute(n, "rel") == "author" || attribute(n, "itemprop") == "author") && n.DataAtom == atom.A {
			m.author = personName(plain(n))
		}
	}
	for _, date := range append(dates[:], dateInPath(base.Path)) {
		if date != "" {
			m.published = date
			break
		}
	}
	m.title = bestTitle(titleTag, firstOf(ogTitle, ldTitle), m.heading)
	return m
}

func (m *metadata) meta(n *html.Node, ogTitle *string, dates *[4]string) {
	value := strings.TrimSpace(attribute(n, "content"))
	name := strings.ToLower(firstOf(attribute(n, "property"), attribute(n, "name"), attribute(n, "http-equiv")))
	if value == "" {
		return
	}
	switch name {
	case "og:title", "twitter:title", "dc.title":
		if *ogTitle == "" {
			*ogTitle = oneLine(value)
		}
	case "og:type":
		m.ogType = strings.ToLower(value)
		m.types = append(m.types, m.ogType)
	case "description", "og:description", "twitter:description":
		m.describe(value)
	case "author", "article:author", "dc.creator", "parsely-author", "sailthru.author", "citation_author":
		if m.author == "" {
			m.author = personName(value)
		}
	case "generator":
		m.generator = strings.ToLower(clip(value, 200))
	case "content-language":
		if m.language == "" {
			m.language = languageTag(value)
		}
	case "article:published_time", "og:article:published_time", "citation_publication_date", "datepublished",
		"parsely-pub-date", "sailthru.date", "publish-date", "publication_date", "pubdate":
		if dates[0] == "" {
			dates[0] = day(value)
		}
	case "date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "article:modified_time",
		"last-modified", "dcterms.modified", "docbuild:last-update":
		if dates[2] == "" {
			dates[2] = day(value)
		}
	}
}

// structured reads one JSON-LD script: only strings that stand where schema.org
// puts them, at most a few levels deep.
func (m *metadata) structured(script string, title *string, dates *[4]string) {
	var value any
	if len(script) > 1<<20 || json.Unmarshal([]byte(script), &value) != nil {
		return
	}
	m.schema(value, 0, title, dates)
	m.declarations(value, 0)
	m.things = gatherThings(m.things, value, 0)
	m.readProducts(value, 0)
}

// declarations gathers the types of structured data and what it says of things in
// whole sentences.
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
			m.schemaTypes = append(m.schemaTypes, strings.Fields(strings.ToLower(clip(strings.Join(texts(v["@type"]), " "), 200)))...)
		}
		for _, key := range []string{"description", "articleBody", "text", "reviewBody"} {
			for _, s := range texts(v[key]) {
				m.describe(s)
				if key == "articleBody" && len(s) < maxDescribed && len(s) > len(m.body) {
					m.body = s
				}
			}
		}
		for _, key := range []string{"@graph", "mainEntity", "mainEntityOfPage", "itemListElement", "item", "acceptedAnswer", "suggestedAnswer", "comment", "review", "hasPart"} {
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
		kinds := strings.ToLower(strings.Join(texts(v["@type"]), " "))
		if strings.Contains(kinds, "article") || strings.Contains(kinds, "posting") || strings.Contains(kinds, "report") {
			m.types = append(m.types, strings.Fields(kinds)...)
			if *title == "" {
				*title = oneLine(firstOf(texts(v["headline"])...))
			}
			if m.author == "" {
				m.author = personName(strings.Join(names(v["author"]), ", "))
			}
			if dates[1] == "" {
				dates[1] = day(firstOf(texts(v["datePublished"])...))
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

func texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

func names(value any) []string {
	switch v := value.(type) {
	case map[string]any:
		return texts(v["name"])
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, names(one)...)
		}
		return all
	}
	return texts(value)
}

// isArticle reports whether the page declares itself an article.
func (m *metadata) isArticle() bool {
	return slices.ContainsFunc(m.types, func(t string) bool { return strings.HasSuffix(t, "article") || strings.HasSuffix(t, "posting") })
}

// bestTitle prefers the page's own heading where the title only adds the site's
// name to it: where it is one of the title's parts, or most of it.
func bestTitle(tag, declared, heading string) string {
	title := firstOf(declared, tag, heading)
	for _, candidate := range []string{heading, declared} {
		if len(candidate) < 3 || len(candidate) >= len(title) {
			continue
		}
		if partOfTitle(title, candidate) || len(candidate)*3 >= len(title)*2 && strings.Contains(strings.ToLower(title), strings.ToLower(candidate)) {
			return clip(candidate, 300)
		}
	}
	return clip(title, 300)
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

var (
	isoDay    = regexp.MustCompile(`^\s*(\d{4})-(\d{2})-(\d{2})(?:[T ]|\s*$)`)
	pathDay   = regexp.MustCompile(`/((?:19|20)\d{2})[/-](\d{1,2})[/-](\d{1,2})(?:/|-|$)`)
	otherDays = []string{time.RFC1123, time.RFC1123Z, time.RFC850, "20060102", "2006/01/02", "2006/1/2", "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "2006-1-2"}
)

// day reads a date that stands for nothing else; "" when it is not sure, so that
// 03/04/2025 is no date.
func day(s string) string {
	s = strings.TrimSpace(clip(s, 64))
	if found := isoDay.FindStringSubmatch(s + " "); found != nil {
		return validDay(found[1] + "-" + found[2] + "-" + found[3])
	}
	for _, layout := range otherDays {
		if t, err := time.Parse(layout, s); err == nil {
			return validDay(t.Format(time.DateOnly))
		}
	}
	return ""
}

func dateInPath(path string) string {
	found := pathDay.FindStringSubmatch(path)
	if found == nil {
		return ""
	}
	t, err := time.Parse("2006-1-2", found[1]+"-"+found[2]+"-"+found[3])
	if err != nil {
		return ""
	}
	return validDay(t.Format(time.DateOnly))
}

// validDay refuses days that no web page was published on.
func validDay(s string) string {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1990 || t.Year() > 2100 {
		return ""
	}
	return s
}

var tag = regexp.MustCompile(`^[A-Za-z]{2,3}(?:[-_].*)?$`)

// languageTag gives the language of a tag such as "en-GB", lower-case.
func languageTag(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), ",")
	if !tag.MatchString(s) {
		return ""
	}
	s, _, _ = strings.Cut(s, "-")
	s, _, _ = strings.Cut(s, "_")
	if s = strings.ToLower(s); s == "und" || s == "mul" {
		return ""
	}
	return s
}

// personName drops what is an address or a slogan rather than a name.
func personName(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(oneLine(s), "By "), "by ")
	if s == "" || len(s) > 120 || strings.Contains(s, "://") {
		return ""
	}
	return s
}

// oneLine makes a well-formed line of what a page says, escapes of its structured
// data included.
func oneLine(s string) string {
	return strings.Join(strings.Fields(wellFormedText(strings.ToValidUTF8(s, "\uFFFD"))), " ")
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// plainAll is the text of a script, whole.
func plainAll(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
