package report

import (
	"bytes"
	"fmt"
	stdhtml "html"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/yuin/goldmark/ast"
)

// mark is the number of a source, which leads to what the sentence cites of it.
func (c *contentWriter) mark(n int) string {
	var found Cited
	if c.at >= 0 && c.places[c.at].Finding >= 0 {
		found = markOf(c.of[c.places[c.at].Finding], n)
	}
	if found.K == 0 {
		return fmt.Sprintf(`<a class="mark" href="#s%d">[%d]</a>`, n, n)
	}
	if c.marked[c.at] == nil {
		c.marked[c.at] = map[int]bool{}
	}
	c.marked[c.at][n] = true
	id := fmt.Sprintf("m%d", found.K)
	named := ""
	if !c.ids[id] {
		c.ids[id], named = true, fmt.Sprintf(` id="%s"`, id)
	}
	said := Said(found.Stands)
	title, glyph := "", ""
	if found.Stands != citewell.VerdictSupported {
		title, glyph = fmt.Sprintf(` title="%s"`, said.Long), Glyph(found.Stands)
	}
	return fmt.Sprintf(`<a class="mark %s"%s href="%s" aria-label="Source %d, %s, citation %d of %d"%s>[%d%s]</a>`,
		found.Stands, named, stdhtml.EscapeString(c.leads(found)), n, said.Word, found.K, c.citations, title, n, glyph)
}

// unmarked writes the numbers of sources that a sentence leans on and does not name.
func (c *contentWriter) unmarked(place int) {
	if c.places[place].Finding < 0 {
		return
	}
	for _, cited := range c.of[c.places[place].Finding] {
		if c.marked[place][cited.N] {
			continue
		}
		if _, known := c.sources[cited.N]; known {
			c.w.WriteString(`<span class="unmarked">` + c.mark(cited.N) + `</span>`)
		}
	}
}

// link writes a link to a cited source, at the address that the run knows of; of another the words only.
func (c *contentWriter) link(n ast.Node, url string) {
	source, cited := c.cited[weburl.Canonical(url)]
	if !cited || c.verbatim {
		c.children(n)
		return
	}
	c.flush()
	before := c.w.Len()
	c.open(source)
	inside := c.w.Len()
	c.verbatim = true
	c.children(n)
	c.flush()
	c.verbatim = false
	if words := string(c.w.Bytes()[inside:]); words == strconv.Itoa(source) || words == "" { // [2](URL)
		c.w.Truncate(before)
		if bytes.HasSuffix(c.w.Bytes(), []byte(" ")) {
			c.w.Truncate(before - 1)
			c.w.WriteString("\u00a0")
		}
		c.w.WriteString(c.mark(source))
		return
	}
	c.w.WriteString("</a>")
}

func (c *contentWriter) open(source int) {
	fmt.Fprintf(&c.w, `<a href="%s" rel="noreferrer nofollow">`, stdhtml.EscapeString(wholeURL(c.sources[source])))
}

func (c *contentWriter) autoLink(n *ast.AutoLink) {
	words := stdhtml.EscapeString(string(n.Label(c.source)))
	source, cited := c.cited[weburl.Canonical(string(n.URL(c.source)))]
	if !cited || c.verbatim {
		c.run.WriteString(words)
		return
	}
	c.flush()
	c.open(source)
	c.w.WriteString(words + "</a>")
}
