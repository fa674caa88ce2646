package textual

import (
	"cmp"
	"context"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/xmltree"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// JATS reads papers in the XML of journals (NISO Z39.96), as archives give them out.
var JATS = media.Reader{Name: citewell.MediaJATS, Called: "JATS", Read: readJATS,
	Files: map[string]string{".nxml": "text/xml"}, Claims: func(page media.Page) string {
		isXML := page.Declared == "text/xml" || strings.HasPrefix(page.Declared, "application/") &&
			strings.HasSuffix(page.Declared, "xml")
		if !isXML && !page.Vague && !page.MayBe(".xml", ".nxml") {
			return ""
		}
		before, rest, isArticle := strings.Cut(string(page.Body[:min(len(page.Body), jatsHead)]), "<article")
		if isArticle && strings.Contains(rest, "<article-meta") && !strings.Contains(before, "<html") {
			return citewell.MediaJATS
		}
		return ""
	}}

// jatsHead is where the beginning of a paper stands, with what an archive writes before it.
const jatsHead = 64 << 10

var texBody = lazyregexp.New(`(?s)\\begin\{document\}(.*?)\\end\{document\}`)

// readJATS reads the title, the abstract and the body of a paper, with its appendices, but no references, funding,
// conflicts and other notes at its end. A paper without a body, as archives have, is its abstract.
func readJATS(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: citewell.KindAbstract}
	root, err := xmltree.Read(ctx, []byte(in.Text))
	if err != nil {
		return r, err
	}
	articles := root.All("article")
	if len(articles) == 0 {
		return readXML(ctx, in)
	}
	article := articles[0]
	meta := article.Kid("front", "article-meta")
	title := meta.Kid("title-group", "article-title")
	r.Title = text.Prefix(plain.CleanLine(title.Words()), 300)
	r.Author = jatsAuthors(meta)
	r.Published = jatsDay(meta)
	r.Language = imprint.Language(article.Attr("lang"))

	j := jats{}
	j.inElement("h1", func() {
		j.within(title, 1)
		if subtitle := plain.CleanLine(meta.Kid("title-group", "subtitle").Words()); subtitle != "" {
			j.WriteString(html.EscapeString(": " + subtitle))
			r.Title = text.Prefix(r.Title+": "+subtitle, 300)
		}
	})
	for _, abstract := range meta.All("abstract") {
		if kind := abstract.Attr("abstract-type"); kind == "graphical" || kind == "toc" {
			continue
		}
		heading := cmp.Or(plain.CleanLine(abstract.Kid("title").Words()), "Abstract")
		j.inElement("h2", func() { j.WriteString(html.EscapeString(heading)) })
		for _, k := range abstract.Kids {
			if k.Name != "title" {
				j.element(k, 3)
			}
		}
	}
	if body := article.Kid("body"); strings.TrimSpace(body.Words()) != "" {
		r.Kind = media.KindArticle
		j.within(body, 2)
	}
	for _, more := range []*xmltree.Node{article.Kid("back", "app-group"), article.Kid("floats-group")} {
		j.within(more, 2)
	}
	return markup.FromHTML(ctx, in, j.String(), r)
}

// jatsAuthors are the names of the authors in their order, groups among them.
func jatsAuthors(meta *xmltree.Node) string {
	var names []string
	for _, group := range meta.All("contrib-group") {
		for _, c := range group.All("contrib") {
			if kind := c.Attr("contrib-type"); kind != "" && kind != "author" {
				continue
			}
			name := c.All("name")
			full := plain.CleanLine(c.Kid("collab").Words())
			if len(name) > 0 {
				full = plain.CleanLine(name[0].Kid("given-names").Words() + " " + name[0].Kid("surname").Words())
			}
			if full = imprint.Person(full); full != "" && !slices.Contains(names, full) {
				names = append(names, full)
			}
		}
	}
	return text.ShortenAtWord(strings.Join(names, ", "), 300)
}

// jatsDay is the first day on which a paper was published, where one is named whole.
func jatsDay(meta *xmltree.Node) string {
	first := ""
	for _, date := range meta.All("pub-date") {
		var parts [3]int
		for i, name := range []string{"year", "month", "day"} {
			parts[i], _ = strconv.Atoi(strings.TrimSpace(date.Kid(name).Words()))
		}
		if day := imprint.ValidDay(dayOf(parts)); day != "" && (first == "" || day < first) {
			first = day
		}
	}
	return first
}

func dayOf(parts [3]int) string {
	two := func(n int) string { return strings.Repeat("0", max(0, 2-len(strconv.Itoa(n)))) + strconv.Itoa(n) }
	return strconv.Itoa(parts[0]) + "-" + two(parts[1]) + "-" + two(parts[2])
}

// A jats writes elements of a paper as those of a page.
type jats struct{ strings.Builder }

// jatsAs are the elements of a page that stand for a paper's. Others are written without their tags.
var jatsAs = map[string]string{
	"p": "p", "list-item": "li", "disp-quote": "blockquote", "verse-group": "blockquote", "preformat": "pre",
	"code": "pre", "def-list": "dl", "term": "dt", "def": "dd",
	"bold": "b", "italic": "i", "sup": "sup", "sub": "sub", "monospace": "code", "table": "table", "thead": "thead",
	"tbody": "tbody", "tfoot": "tfoot",
	"tr": "tr", "td": "td", "th": "th", "break": "br", "caption": "div", "label": "span",
}

// jatsSkipped are elements that are no text of the paper where they stand.
var jatsSkipped = map[string]bool{"ref-list": true, "fn-group": true, "object-id": true, "graphic": true,
	"inline-graphic": true, "media": true,
	"supplementary-material": true, "alt-text": true, "long-desc": true, "permissions": true, "attrib": true,
	"sec-meta": true, "comment": true, "processing-meta": true}

func (j *jats) inElement(name string, write func()) {
	j.WriteString("<" + name + ">")
	write()
	j.WriteString("</" + name + ">")
}

// within writes what is in n, whose headings are of that level.
func (j *jats) within(n *xmltree.Node, level int) {
	for _, k := range n.Kids {
		j.element(k, level)
	}
}

func (j *jats) element(n *xmltree.Node, level int) {
	inside := func() { j.within(n, level) }
	switch as := jatsAs[n.Name]; {
	case n.Name == "":
		j.WriteString(html.EscapeString(n.Text))
	case jatsSkipped[n.Name], n.Name == "sup" && isReferences(n):
	case n.Name == "sec", n.Name == "app", n.Name == "boxed-text":
		j.inElement("section", func() { j.section(n, level) })
	case n.Name == "title": // of a caption or a list; those of sections are written there
		j.inElement("p", inside)
	case n.Name == "list":
		kind, items := "ul", xmltree.Node{}
		if marks := n.Attr("list-type"); marks == "order" || strings.Contains(marks, "roman") ||
			strings.Contains(marks, "alpha") {
			kind = "ol"
		}
		for _, k := range n.Kids {
			if k.Name == "title" { // is no item
				j.element(k, level)
			} else {
				items.Kids = append(items.Kids, k)
			}
		}
		j.inElement(kind, func() { j.within(&items, level) })
	case n.Name == "alternatives":
		j.formula(n)
	case n.Name == "math":
		j.inElement("math", func() { j.WriteString(n.Markup()) })
	case n.Name == "tex-math":
		j.formula(&xmltree.Node{Kids: []*xmltree.Node{n}})
	case n.Name == "disp-formula", n.Name == "fig", n.Name == "table-wrap", n.Name == "statement":
		j.inElement("div", inside)
	case as != "":
		j.WriteString("<" + as)
		for _, span := range []string{"colspan", "rowspan"} {
			if count, err := strconv.Atoi(n.Attr(span)); err == nil && count > 1 && (as == "td" || as == "th") {
				j.WriteString(" " + span + `="` + strconv.Itoa(count) + `"`)
			}
		}
		j.WriteString(">")
		inside()
		j.WriteString("</" + as + ">")
	default:
		inside()
	}
}

// section writes a section with its heading, which has its label before it.
func (j *jats) section(n *xmltree.Node, level int) {
	name := "h" + strconv.Itoa(min(level, 6))
	if heading := plain.CleanLine(n.Kid("label").Words() + " " + n.Kid("title").Words()); heading != "" {
		j.inElement(name, func() { j.WriteString(html.EscapeString(heading)) })
	}
	for _, k := range n.Kids {
		if k.Name != "title" && k.Name != "label" {
			j.element(k, level+1)
		}
	}
}

// formula writes one of the forms that a formula is given in: MathML before TeX.
func (j *jats) formula(n *xmltree.Node) {
	if math := n.All("math"); len(math) > 0 {
		j.element(math[0], 1)
		return
	}
	if all := n.All("tex-math"); len(all) > 0 {
		source := all[0].Words()
		if body := texBody.FindStringSubmatch(source); body != nil {
			source = body[1]
		}
		source = strings.Trim(strings.TrimSpace(source), "$ \n\t")
		j.inElement("math", func() {
			j.inElement("semantics", func() {
				j.inElement("mtext", func() { j.WriteString(html.EscapeString(source)) })
				j.WriteString(`<annotation encoding="application/x-tex">` + html.EscapeString(source) + "</annotation>")
			})
		})
		return
	}
	j.within(n, 1)
}

// isReferences reports whether raised text is numbers of references alone, which would be read as powers.
func isReferences(n *xmltree.Node) bool {
	found := false
	for _, k := range n.Kids {
		switch {
		case k.Name == "xref" && k.Attr("ref-type") == "bibr":
			found = true
		case k.Name != "" || strings.Trim(k.Text, " ,;–-\n\t[]()") != "":
			return false
		}
	}
	return found
}
