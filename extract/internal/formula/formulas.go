// Package formula writes the formulas of pages as TeX or on one line.
//
// Flow: tree → each formula in its most precise notation → one text in its place.
// Units: lengths in bytes; depths of elements.
package formula

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// maxFormula is what is kept of one formula, in bytes.
const maxFormula = 4096

// typeset are the class names of what scripts draw for a formula: words that no reader of the text can use.
var typeset = map[string]bool{
	"mathjax": true, "mathjax_display": true, "mathjax_svg": true, "mathjax_svg_display": true, "mathjax_chtml": true,
	"mathjax_preview": true, "mjx-chtml": true, "mathjax_process": true, "mathjax_processed": true,
}

// Settle leaves each formula under root once: a <math> element with its TeX as text, if the page has it (an annotation,
// a script, the words of a picture), else a <span> with linear text such as x^2/(a+b). KaTeX, MathJax and MediaWiki
// write a formula several times, hidden for some readers, so it comes before hidden elements go.
func Settle(w *deadline.Watch, root *html.Node) {
	for c := root.FirstChild; c != nil && !w.Ended(); {
		next := c.NextSibling
		if c.Type == html.ElementNode {
			if f, found := formulaOf(c); found {
				if f != nil {
					root.InsertBefore(f, c)
				}
				root.RemoveChild(c)
			} else {
				Settle(w, c)
			}
		}
		c = next
	}
}

// formulaOf is what stands for n, if n is a formula or a drawing of one; nil when the formula itself stands elsewhere.
func formulaOf(n *html.Node) (formula *html.Node, found bool) {
	switch {
	case n.DataAtom == atom.Math && n.Namespace == "math":
		return fromMathML(n, tree.Attribute(n, "display") == "block"), true
	case n.DataAtom == atom.Script:
		kind := strings.ToLower(tree.Attribute(n, "type"))
		if !strings.HasPrefix(kind, "math/tex") {
			return nil, false
		}
		return texElement(tree.AllText(n), strings.Contains(kind, "mode=display")), true
	case n.DataAtom == atom.Img:
		for class, rest := tree.NextName(tree.Classes(n)); class != ""; class, rest = tree.NextName(rest) {
			if class == "tex" || class == "latex" || strings.HasPrefix(class, "mwe-math-fallback") {
				return texElement(tree.Attribute(n, "alt"), strings.HasSuffix(class, "display")), true
			}
		}
		return nil, false
	}
	drawn, container := n.Data == "mjx-container", false
	for class, rest := tree.NextName(tree.Classes(n)); class != ""; class, rest = tree.NextName(rest) {
		drawn = drawn || typeset[class]
		container = container || class == "katex" || class == "mwe-math-element"
	}
	if !drawn && !container {
		return nil, false
	}
	if drawn && beforeScript(n) {
		return nil, true
	}
	display := tree.Attribute(n, "display") == "true" || strings.Contains(tree.Attribute(n, "class"), "isplay") ||
		n.Parent != nil && strings.Contains(tree.Attribute(n.Parent, "class"), "katex-display")
	var picture *html.Node
	for c := range n.Descendants() {
		switch {
		case c.DataAtom == atom.Math && c.Namespace == "math":
			return fromMathML(c, display || tree.Attribute(c, "display") == "block"), true
		case c.DataAtom == atom.Img && picture == nil:
			picture = c
		}
	}
	if container && picture != nil {
		return texElement(tree.Attribute(picture, "alt"), display), true
	}
	return nil, false
}

// MaxSteps is how many neighbours of an element are looked at.
const MaxSteps = 8

// beforeScript tells a drawing that the script with its formula follows.
func beforeScript(n *html.Node) bool {
	for s, steps := n.NextSibling, 0; s != nil && steps < MaxSteps; s, steps = s.NextSibling, steps+1 {
		switch {
		case s.DataAtom == atom.Script:
			return strings.HasPrefix(strings.ToLower(tree.Attribute(s, "type")), "math/")
		case s.Type == html.TextNode && strings.TrimSpace(s.Data) != "":
			return false
		case s.Type == html.ElementNode && !strings.Contains(strings.ToLower(tree.Attribute(s, "class")), "mathjax"):
			return false
		}
	}
	return false
}

func fromMathML(n *html.Node, display bool) *html.Node {
	for c := range n.Descendants() {
		if c.Data == "annotation" {
			switch strings.ToLower(tree.Attribute(c, "encoding")) {
			case "application/x-tex", "tex", "latex", "application/x-latex", "text/x-tex":
				if f := texElement(tree.Text(c), display); f != nil {
					return f
				}
			}
		}
	}
	if alt := tree.Attribute(n, "alttext"); strings.ContainsAny(alt, `\^_{`) {
		return texElement(alt, display)
	}
	words := text.Prefix(linear(n, 0).text, maxFormula)
	if words == "" {
		return nil
	}
	span := tree.Element(atom.Span)
	span.AppendChild(&html.Node{Type: html.TextNode, Data: words})
	return span
}

var texStyle = lazyregexp.New(`^\{?\s*\\(?:displaystyle|textstyle|scriptstyle)\b\s*`)

// texElement is a formula that its author wrote as TeX; nil for an empty one.
func texElement(tex string, display bool) *html.Node {
	tex = plain.OneLine(charset.WellFormedText(text.Prefix(tex, maxFormula)))
	for _, marks := range [][2]string{{"$$", "$$"}, {"$", "$"}, {`\(`, `\)`}, {`\[`, `\]`}} {
		if len(tex) > len(marks[0])+len(marks[1]) && strings.HasPrefix(tex, marks[0]) &&
			strings.HasSuffix(tex, marks[1]) {
			tex = strings.TrimSpace(tex[len(marks[0]) : len(tex)-len(marks[1])])
			display = display || len(marks[0]) == 2 && marks[0] != `\(`
			break
		}
	}
	if style := texStyle.FindString(tex); style != "" {
		whole := strings.HasPrefix(style, "{") && strings.HasSuffix(tex, "}")
		switch {
		case whole:
			tex = strings.TrimSpace(tex[len(style) : len(tex)-1])
		case !strings.HasPrefix(style, "{"):
			tex = tex[len(style):]
		}
	}
	if tex == "" {
		return nil
	}
	n := tree.Element(atom.Math)
	if display {
		n.Attr = []html.Attribute{{Key: "class", Val: "display"}}
	}
	n.AppendChild(&html.Node{Type: html.TextNode, Data: tex})
	return n
}
