package formula

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
)

// maxMathDepth is how deep the elements of a formula are followed.
const maxMathDepth = 64

// A shape is what a part of a formula is to its neighbours.
type shape int

const (
	single   shape = iota // a number, a letter, a name, what stands in brackets
	scripted              // with something raised or lowered
	fraction
	operator
	several // more than one part: in brackets wherever that would be misread
)

// A term of a formula as linear text.
type linearTerm struct {
	text  string
	shape shape
}

// linear writes MathML on one line, as one would type it: x^2/(a+b), √(x+1), ∑_(i=1)^n a_i, 8^(1/3), with brackets
// against misreading.
func linear(n *html.Node, depth int) linearTerm {
	if depth > maxMathDepth {
		return linearTerm{}
	}
	part := func(i int) linearTerm {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			if i == 0 {
				return linear(c, depth+1)
			}
			i--
		}
		return linearTerm{}
	}
	switch n.Data {
	case "mi", "mn", "mtext", "ms":
		return linearTerm{text: plain.OneLine(tree.Text(n))}
	case "mo":
		return linearTerm{operatorText(tree.Text(n)), operator}
	case "mfrac":
		return linearTerm{over(part(0)) + "/" + over(part(1)), fraction}
	case "msup", "mover":
		upper := part(1).text // once: a tower of exponents would double at each step
		if accent, named := mathAccents[strings.TrimSpace(upper)]; named {
			return linearTerm{accent + "(" + part(0).text + ")", single}
		}
		return scriptedTerm(part(0), "", upper)
	case "msub", "munder":
		return scriptedTerm(part(0), part(1).text, "")
	case "msubsup", "munderover":
		return scriptedTerm(part(0), part(1).text, part(2).text)
	case "msqrt":
		return linearTerm{"√" + bracketed(row(n, depth)), single}
	case "mroot":
		return linearTerm{bracketed(part(0)) + "^(1/" + part(1).text + ")", scripted}
	case "mtable":
		return linearTerm{matrix(n, depth), single}
	case "mfenced":
		return linearTerm{fenced(n, depth), single}
	case "semantics", "maction":
		return part(0)
	case "mspace":
		return linearTerm{" ", operator}
	case "annotation", "annotation-xml", "mphantom", "none", "mprescripts":
		return linearTerm{}
	}
	return row(n, depth)
}

// mathAccents are the names of the marks over a letter.
var mathAccents = map[string]string{
	"^": "hat", "ˆ": "hat", "¯": "bar", "‾": "bar", "_": "bar", "→": "vec", "⃗": "vec", "~": "tilde", "˜": "tilde",
	"˙": "dot", "¨": "ddot",
}

// relations stand between spaces.
const relations = "=≠<>≤≥≈≡∼≃≅→←↔⇒⇐⇔∈∉⊂⊃⊆⊇∝↦:∣"

// operatorText drops the unseen operators of a function, a product and a sum, but for the comma between two indices.
func operatorText(written string) string {
	switch s := plain.OneLine(strings.ReplaceAll(written, "\u2063", ",")); {
	case s == "," || s == ";":
		return s + " "
	case s != "" && strings.Trim(s, relations) == "":
		return " " + s + " "
	default:
		return s
	}
}

// row joins the parts of n in their order.
func row(n *html.Node, depth int) linearTerm {
	var terms []linearTerm
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			if t := linear(c, depth+1); t.text != "" {
				terms = append(terms, t)
			}
		}
	}
	if len(terms) == 1 {
		return terms[0]
	}
	var b strings.Builder
	for i, t := range terms {
		words := t.text
		before := i > 0 && terms[i-1].shape != operator
		if t.shape == fraction && (before || i+1 < len(terms) && terms[i+1].shape != operator) {
			words = "(" + words + ")"
		}
		if before && t.shape != operator && apart(terms[i-1], words) {
			b.WriteByte(' ')
		}
		b.WriteString(words)
		if b.Len() > maxFormula {
			break
		}
	}
	text := plain.OneLine(b.String())
	if enclosed(text) {
		return linearTerm{text, single}
	}
	return linearTerm{text, several}
}

// apart tells neighbours that would run into each other: 2 and 3, sin and x, x^2 and y.
func apart(left linearTerm, right string) bool {
	last, _ := utf8.DecodeLastRuneInString(left.text)
	first, _ := utf8.DecodeRuneInString(right)
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) && first != '√' || !unicode.IsLetter(last) &&
		!unicode.IsDigit(last) {
		return left.shape == scripted && first != ')' && first != '('
	}
	return left.shape == scripted || unicode.IsDigit(first) && unicode.IsDigit(last) ||
		utf8.RuneCountInString(left.text) > 1 && unicode.IsLetter(last) || isWord(right)
}

func isWord(s string) bool {
	return utf8.RuneCountInString(s) > 1 && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// enclosed tells text in one pair of brackets.
func enclosed(s string) bool {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	open := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			open++
		case ')':
			open--
		}
		if open == 0 && i < len(s)-1 {
			return false
		}
	}
	return true
}

func bracketed(t linearTerm) string {
	if t.shape == single || t.shape == operator {
		return t.text
	}
	return "(" + t.text + ")"
}

// over is a part above or below the bar of a fraction.
func over(t linearTerm) string {
	if t.shape == scripted {
		return t.text
	}
	return bracketed(t)
}

func scriptedTerm(base linearTerm, lower, upper string) linearTerm {
	words := strings.TrimSpace(base.text)
	if base.shape != operator {
		words = bracketed(base)
	}
	if lower != "" {
		words += "_" + Script(lower)
	}
	switch {
	case upper == "":
	case strings.Trim(upper, "′″‴'*†°") == "":
		words += upper
	default:
		words += "^" + Script(upper)
	}
	return linearTerm{words, scripted}
}

// Script is what is raised or lowered, in brackets unless it is one word or one number with its sign.
func Script(s string) string {
	s = tightRelations.Replace(strings.TrimSpace(s))
	word := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
	if word || plain.IsDigits(strings.Trim(s, "-−+")) || enclosed(s) {
		return s
	}
	return "(" + s + ")"
}

// tightRelations takes the spaces from around the relations.
var tightRelations = func() *strings.Replacer {
	var pairs []string
	for _, r := range relations {
		pairs = append(pairs, " "+string(r)+" ", string(r))
	}
	return strings.NewReplacer(pairs...)
}()

// matrix writes rows as [1, 0; 0, 1].
func matrix(n *html.Node, depth int) string {
	var rows []string
	for r := n.FirstChild; r != nil; r = r.NextSibling {
		if r.Data != "mtr" && r.Data != "mlabeledtr" {
			continue
		}
		var cells []string
		for c := r.FirstChild; c != nil; c = c.NextSibling {
			if c.Data == "mtd" {
				cells = append(cells, row(c, depth+2).text)
			}
		}
		rows = append(rows, strings.Join(cells, ", "))
	}
	return "[" + strings.Join(rows, "; ") + "]"
}

func fenced(n *html.Node, depth int) string {
	left, right := "(", ")"
	for _, a := range n.Attr {
		switch a.Key {
		case "open":
			left = a.Val
		case "close":
			right = a.Val
		}
	}
	var parts []string
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			parts = append(parts, linear(c, depth+1).text)
		}
	}
	return left + strings.Join(parts, ", ") + right
}
