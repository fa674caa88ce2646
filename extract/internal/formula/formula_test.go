package formula

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/tree"
)

// settled is what is left of a page's formulas: linear text, or TeX between dollars, two on a
// side where it stands in a line of its own.
func settled(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	w := &deadline.Watch{Ctx: context.Background()}
	Settle(w, root)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "math" {
			mark := "$"
			if tree.Attribute(n, "class") == "display" {
				mark = "$$"
			}
			n.FirstChild.Data = mark + n.FirstChild.Data + mark
		}
	}
	return strings.TrimSpace(tree.Text(root))
}

// MathML is written on one line, with brackets where another formula would be read, and
// spaces where neighbours would run into each other.
func TestLinear(t *testing.T) {
	i, o := func(s string) string { return "<mi>" + s + "</mi>" }, func(s string) string { return "<mo>" + s + "</mo>" }
	in := func(name string, parts ...string) string {
		return "<" + name + ">" + strings.Join(parts, "") + "</" + name + ">"
	}
	sum := in("mrow", i("a"), o("+"), i("b"))
	half := in("mfrac", "<mn>1</mn>", "<mn>2</mn>")
	for _, test := range []struct{ mathml, want string }{
		{in("msup", sum, "<mn>2</mn>"), "(a+b)^2"},
		{in("msup", in("mrow", o("("), sum, o(")")), "<mn>2</mn>"), "(a+b)^2"},
		{in("msup", in("mrow", o("("), i("a"), o(")"), o("("), i("b"), o(")")), "<mn>2</mn>"), "((a)(b))^2"},
		{in("msup", in("msub", i("x"), i("i")), "<mn>2</mn>"), "(x_i)^2"},
		{in("msup", half, "<mn>2</mn>"), "(1/2)^2"},
		{in("msup", i("x"), in("mrow", o("-"), "<mn>1</mn>")), "x^-1"},
		{in("msup", i("x"), half), "x^(1/2)"},
		{in("msup", i("f"), o("′")), "f′"},
		{in("msup", i("A"), o("∗")), "A^(∗)"},
		{in("msup", "<mn>90</mn>", o("°")), "90°"},
		{in("mover", i("x"), o("¯")), "bar(x)"},
		{in("mover", i("v"), o("→")), "vec(v)"},
		{in("mover", i("x"), i("n")), "x^n"},
		{in("munder", o("lim"), in("mrow", i("n"), o("→"), i("∞"))) + i("a"), "lim_(n→∞) a"},
		{in("msubsup", o("∫"), "<mn>0</mn>", "<mn>1</mn>") + i("x"), "∫_0^1 x"},
		{in("msub", i("x"), in("mrow", i("i"), o("="), "<mn>1</mn>")), "x_(i=1)"},
		{half + i("x"), "(1/2)x"},
		{i("x") + half, "x(1/2)"},
		{half + o("+") + i("x"), "1/2+x"},
		{i("x") + o("+") + half, "x+1/2"},
		{in("mfrac", half, i("x")), "(1/2)/x"},
		{in("mfrac", in("msup", i("x"), "<mn>2</mn>"), sum), "x^2/(a+b)"},
		{in("mfrac", sum, in("mrow", o("("), sum, o(")"))), "(a+b)/(a+b)"},
		{in("msqrt", i("x")), "√x"},
		{in("msqrt", sum), "√(a+b)"},
		{in("msqrt", in("mrow", o("("), sum, o(")"))), "√(a+b)"},
		{"<mn>2</mn>" + in("msqrt", "<mn>3</mn>"), "2√3"},
		{i("sin") + in("msqrt", i("x")), "sin √x"},
		{in("mroot", sum, "<mn>3</mn>"), "(a+b)^(1/3)"},
		{in("mroot", i("x"), "<mn>3</mn>") + i("y"), "x^(1/3) y"},
		{"<mn>2</mn><mn>3</mn>", "2 3"},
		{"<mn>2</mn>" + i("x"), "2x"},
		{i("x") + "<mn>2</mn>", "x2"},
		{i("x") + i("y"), "xy"},
		{i("sin") + i("x"), "sin x"},
		{i("x") + i("sin"), "x sin"},
		{"<mn>2</mn>" + i("sin"), "2 sin"},
		{in("msup", i("x"), "<mn>2</mn>") + i("y"), "x^2 y"},
		{in("msup", i("x"), "<mn>2</mn>") + in("mrow", o("("), i("y"), o(")")), "x^2(y)"},
		{in("msup", i("x"), "<mn>2</mn>") + o(")"), "x^2)"},
		{i("a") + o("=") + i("b") + o("≠") + i("c"), "a = b ≠ c"},
		{i("f") + o("\u2061") + o("(") + i("x") + o(",") + i("y") + o(")"), "f(x, y)"},
		{i("a") + o("\u2063") + i("b"), "a, b"},
		{i("a") + o("\u2062") + i("b"), "ab"},
		{i("a") + "<mspace></mspace>" + i("b"), "a b"},
		{"<mtext>if</mtext>" + i("x"), "if x"},
		{"<mfenced>" + i("a") + i("b") + "</mfenced>", "(a, b)"},
		{`<mfenced open="[" close=")">` + i("a") + "</mfenced>", "[a)"},
		{"<mtable><mlabeledtr><mtd>" + i("a") + "</mtd><mtd>" + i("b") + "</mtd></mlabeledtr><mtr><mtd>" + sum +
			"</mtd></mtr><none></none></mtable>", "[a, b; a+b]"},
		{in("mphantom", i("x")) + i("y"), "y"},
		{in("maction", i("x"), i("y")), "x"},
		{in("mstyle", i("x"), o("+"), i("y")), "x+y"},
		{strings.Repeat("<mrow>", 60) + i("x") + strings.Repeat("</mrow>", 60), "x"},
		{strings.Repeat("<mrow>", 70) + i("x") + strings.Repeat("</mrow>", 70), ""},
	} {
		if got := settled(t, "<math>"+test.mathml+"</math>"); got != test.want {
			t.Errorf("%s: %q, want %q", test.mathml, got, test.want)
		}
	}
}

// Each formula is left once, in the notation that says most: TeX where the page has it.
func TestSettle(t *testing.T) {
	const x = "<math><mi>x</mi></math>"
	for _, test := range []struct{ page, want string }{
		{`<math><semantics><mi>x</mi><annotation encoding="TeX"> x^2 </annotation></semantics></math>`, "$x^2$"},
		{`<math><semantics><mi>x</mi><annotation encoding="StarMath">x sup 2</annotation></semantics></math>`, "x"},
		{`<math><semantics><mi>x</mi><annotation encoding="latex"></annotation></semantics></math>`, "x"},
		{`<math display="block"><semantics><mi>x</mi><annotation encoding="application/x-tex">x</annotation></semantics></math>`, "$$x$$"},
		{`<math alttext="x_1"><mi>x</mi></math>`, "$x_1$"},
		{`<math alttext="x one"><mi>x</mi></math>`, "x"},
		{`<math></math>`, ""},
		{`<script type="math/tex">a</script>`, "$a$"},
		{`<script type="Math/TeX; mode=display">a</script>`, "$$a$$"},
		{`<script>var a</script>b`, "var ab"}, // left to whoever takes scripts out
		{`<img class="tex" alt="a">`, "$a$"},
		{`<img class="thumb latex" alt="$a$">`, "$a$"},
		{`<img class="mwe-math-fallback-image-display" alt="{\displaystyle a}">`, "$$a$$"},
		{`<img class="mwe-math-fallback-image-inline" alt="{\textstyle a}">`, "$a$"},
		{`<img class="thumb" alt="a">b`, "b"},
		{`<img class="tex" alt="$$a$$">`, "$$a$$"},
		{`<img class="tex" alt="\(a\)">`, "$a$"},
		{`<img class="tex" alt="\[a\]">`, "$$a$$"},
		{`<img class="tex" alt="$">`, "$$$"},
		{`<img class="tex" alt="\displaystyle a+b">`, "$a+b$"},
		{`<img class="tex" alt="{\displaystyle a}+{b}">`, `$a}+{b$`},
		{`<img class="tex" alt="{\displaystyle a}+b">`, `${\displaystyle a}+b$`},
		{`<img class="tex" alt="">b`, "b"},
		{`<span class="katex">` + x + `<span>x drawn</span></span>`, "x"},
		{`<span class="katex-display"><span class="katex"><math><semantics><mi>x</mi><annotation encoding="TeX">x</annotation></semantics></math></span></span>`, "$$x$$"},
		{`<span class="mwe-math-element"><img alt="a"><img alt="b"></span>`, "$a$"},
		{`<span class="mwe-math-element">a</span>`, "a"},
		{`<span class="MathJax"><img alt="a">drawn</span>`, "drawn"},
		{`<mjx-container display="true"><math><semantics><mi>x</mi><annotation encoding="TeX">x</annotation></semantics></math>drawn</mjx-container>`, "$$x$$"},
		{`<mjx-container>` + x + `drawn</mjx-container>`, "x"},
		{`<span class="MathJax_Preview">p</span> <span class="MathJax">drawn</span><script type="math/tex">a</script>`,
			"$a$"},
		{`<span class="MathJax">kept</span> and <script type="math/tex">a</script>`, "kept and $a$"},
		{`<span class="MathJax">kept</span><b>and</b><script type="math/tex">a</script>`, "keptand$a$"},
		{`<span class="MathJax">kept</span><script>a</script>`, "kepta"},
		{`<span class="MathJax">kept</span>`, "kept"},
		{`<p>one ` + x + ` two ` + x + `</p>`, "one x two x"},
	} {
		if got := settled(t, test.page); got != test.want {
			t.Errorf("%s: %q, want %q", test.page, got, test.want)
		}
	}
}
