package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/formula"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
)

// maxRaised is the longest text in characters that is a power, an index or a mark; what is longer is small print.
const maxRaised = 12

// ordinals are raised letters that belong to the word or number before them.
var ordinals = map[string]bool{
	"st": true, "nd": true, "rd": true, "th": true, "er": true, "e": true, "re": true, "ère": true, "eme": true,
	"ème": true,
	"o":   true, "a": true, "os": true, "as": true, "me": true, "mes": true, "lle": true, "nde": true, "d": true,
}

// superscript keeps raised text from running into what it stands beside: 10⁶ is
// 10^6 and never 106, the square or cube of a unit has its own character, the mark
// of a note behind a figure or a full stop stands in square brackets.
// It is one table of decisions, the surest first, a case for each thing that is set high.
func (r *renderer) superscript(n *html.Node, p place) {
	raised := plain.OneLine(tree.Text(n))
	last := r.line.last()
	number := raised != "" && strings.Trim(raised, "0123456789+-−") == "" && strings.ContainsAny(raised, "0123456789")
	marks := strings.ContainsAny(raised, "0123456789") && strings.Trim(raised, "0123456789,–-; ") == ""
	alone := utf8.RuneCountInString(raised) == 1 && unicode.IsLetter(firstRune(raised))
	switch {
	case last == 0 || !shortLine(n, raised):
		r.walk(n, p)
	case plain.IsDigits(raised) && strings.ContainsRune(`.,;:!?"”’»…`, last), marks && !number &&
		!unicode.IsDigit(last), alone && r.line.wordBefore() > 1:
		r.replace(n, p, "["+raised+"]")
	case number && unicode.IsLetter(last) && raised == "2":
		r.replace(n, p, "²")
	case number && unicode.IsLetter(last) && raised == "3":
		r.replace(n, p, "³")
	case raised == "TM" || raised == "SM":
		r.replace(n, p, map[string]string{"TM": "™", "SM": "℠"}[raised])
	case raised == "o" && unicode.IsDigit(last) && strings.ContainsRune("CFKNSEW", following(n)):
		r.replace(n, p, "°")
	case ordinals[raised] && (unicode.IsDigit(last) || len(raised) > 1 || unicode.IsUpper(last) && raised != "a" &&
		raised != "d"):
		r.walk(n, p)
	case power(raised) && (unicode.IsDigit(last) || unicode.IsLetter(last) || last == ')' || last == ']'):
		r.replace(n, p, "^"+formula.Script(raised)+gap(n))
	default:
		r.walk(n, p)
	}
}

// subscript does the same for lowered text. A chemical formula stays as it is: H2O is what people look for.
func (r *renderer) subscript(n *html.Node, p place) {
	lowered := plain.OneLine(tree.Text(n))
	last := r.line.last()
	before := unicode.IsDigit(last) || unicode.IsLetter(last) || last == ')' || last == ']'
	switch {
	case !before || !shortLine(n, lowered) || !power(lowered):
		r.walk(n, p)
	case plain.IsDigits(lowered) && !unicode.IsDigit(last) && !unicode.IsDigit(following(n)) &&
		!strings.HasSuffix(r.line.b.String(), "log"):
		r.walk(n, p)
	default:
		r.replace(n, p, "_"+formula.Script(lowered)+gap(n))
	}
}

// shortLine tells text of a few characters that holds no element with a shape of its own.
func shortLine(n *html.Node, words string) bool {
	if words == "" || utf8.RuneCountInString(words) > maxRaised {
		return false
	}
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Img, atom.Math, atom.Sup, atom.Sub, atom.Br:
			return false
		}
		if tree.BlockElements[c.DataAtom] {
			return false
		}
	}
	return true
}

// power tells letters, figures and the signs between them, without spaces.
func power(s string) bool {
	letters := false
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			letters = true
		case !strings.ContainsRune("+-−–*/·=<>,.()|′", r):
			return false
		}
	}
	return letters
}

// gap is the space that keeps what was raised from the word behind it.
func gap(n *html.Node) string {
	if r := following(n); unicode.IsLetter(r) || unicode.IsDigit(r) {
		return " "
	}
	return ""
}

// following is the character that touches the end of n, or 0.
func following(n *html.Node) rune {
	steps := 0
	for at := n; at != nil && !tree.BlockElements[at.DataAtom]; at = at.Parent {
		for s := at.NextSibling; s != nil && steps < formula.MaxSteps; s, steps = s.NextSibling, steps+1 {
			if s.DataAtom == atom.Sup || s.DataAtom == atom.Sub || tree.BlockElements[s.DataAtom] ||
				s.DataAtom == atom.Br {
				return 0
			}
			if words := tree.Text(s); words != "" {
				return firstRune(words)
			}
		}
	}
	return 0
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// replace puts s in place of n's content, in the tree too, so that Markdown says the same.
func (r *renderer) replace(n *html.Node, p place, s string) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	leaf := &html.Node{Type: html.TextNode, Data: s}
	n.AppendChild(leaf)
	r.text(leaf, p)
}
