package extract

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
)

// hostilePages are made to break a parser: by depth, by width, by what grows
// faster than its input.
var hostilePages = map[string]string{
	"nested_div":         strings.Repeat("<div>", 100_000) + "<p>The words at the bottom of it all are still to be read by whoever asks.",
	"nested_b":           strings.Repeat("<b>", 50_000) + "text",
	"nested_a":           strings.Repeat("<a href=x>", 50_000) + "text",
	"misnested":          strings.Repeat("<b><i><p></b></i>", 20_000) + "text",
	"nested_lists":       strings.Repeat("<ul><li>x", 50_000),
	"nested_tables":      strings.Repeat("<table><tr><td>a<td>b", 50_000),
	"tables_in_depth":    strings.Repeat("<table><tr><td>a</td><td>", 120) + "x" + strings.Repeat("</td></tr></table>", 120),
	"nested_blockquotes": strings.Repeat("<blockquote>x", 400) + strings.Repeat("</blockquote>", 400),
	"nested_superscript": strings.Repeat("2<sup>", 400) + "2",
	"nested_fading":      strings.Repeat(`<div style="opacity:0">words that fade in one after the other `, 500) + strings.Repeat("<i>x</i> ", 100_000),
	"many_fading":        strings.Repeat(`<p style="opacity:0">words that fade in</p>`, 60_000),
	"many_cards":         strings.Repeat(`<div class="card item"><h3>Name</h3><p class="price">$ 5</p><a href="/x">More</a></div>`, 30_000),
	"nested_pre":         strings.Repeat("<pre>x\n", 400),
	"wide_attributes":    "<p " + strings.Repeat("a=b c='d' ", 200_000) + ">text</p>",
	"many_attributes":    "<p" + attributes(50_000) + ">text</p>",
	"long_class":         `<div class="` + strings.Repeat("nav-bar ", 300_000) + `">text</div>`,
	"long_style":         `<div style="` + strings.Repeat("color:red;", 300_000) + `">text</div>`,
	"one_long_word":      "<p>" + strings.Repeat("x", 5<<20),
	"one_long_line":      "<p>" + strings.Repeat("word ", 1<<20),
	"many_paragraphs":    strings.Repeat("<p>Some words, none of them new.</p>", 100_000),
	"many_same_links":    strings.Repeat("<a href=/x>y</a> ", 200_000),
	"many_new_links":     manyLinks(100_000),
	"many_cells":         "<table>" + strings.Repeat("<tr><td>1</td><td>2</td></tr>", 60_000) + "</table>",
	"wide_row":           "<table><tr>" + strings.Repeat("<td>1</td>", 200_000) + "</tr></table>",
	"huge_span":          `<table><tr><td colspan="100000000" rowspan="100000000">1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>`,
	"many_headings":      strings.Repeat("<h2>Again</h2>", 100_000) + "<p>end</p>",
	"many_metas":         strings.Repeat(`<meta name=author content=x>`, 100_000) + "text",
	"deep_json":          `<script type="application/ld+json">` + strings.Repeat("[", 100_000) + `</script><p>text`,
	"open_comment":       "<!--" + strings.Repeat("<p>x", 500_000),
	"open_script":        "text<script>" + strings.Repeat("<p>x", 500_000),
	"open_brackets":      strings.Repeat("<", 2_000_000),
	"open_tags":          strings.Repeat("<p ", 500_000),
	"entities":           strings.Repeat("&amp;&#x41;&NotEqualTilde;", 200_000),
	"many_disclaimers":   "<p>" + strings.Repeat("not affiliated unofficial this site ", 60_000),
	"many_sentences":     "<p>" + strings.Repeat("We are. ", 300_000),
	"many_noscripts":     strings.Repeat("<noscript><p>x</noscript>", 50_000),
	"select_soup":        strings.Repeat("<select><option><p>x", 50_000),
	"template_soup":      strings.Repeat("<template><p>x", 50_000),
	"svg_soup":           strings.Repeat("<svg><title>x<p>y", 50_000),
	"many_superscripts":  "<p>" + strings.Repeat("x<sup>2</sup><sup></sup>", 60_000),
	"joined_subscripts":  "<p>" + strings.Repeat("<sub>a</sub>", 100_000),
	"nested_katex":       strings.Repeat("<span class='katex MathJax'>x", 400) + strings.Repeat("<i class=MathJax></i>", 50_000),
	"many_formulas":      "<p>" + strings.Repeat("<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math> ", 20_000),
	"nested_formula":     "<p>a <math>" + strings.Repeat("<msup><mrow><mi>a</mi>", 200) + "</math>",
	"tower_of_exponents": "<p>a <math>" + strings.Repeat("<msup><mi>x</mi>", 400) + "<mi>y</mi>" + strings.Repeat("</msup>", 400) + "</math>",
	"tower_of_accents":   "<p>a <math>" + strings.Repeat("<mover><mi>x</mi>", 400) + "<mo>^</mo>" + strings.Repeat("</mover>", 400) + "</math>",
	"wide_formula":       "<p>a <math>" + strings.Repeat("<mi>a</mi><mo>+</mo>", 100_000) + "</math>",
	"many_spans":         "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td rowspan=99 colspan=99>1</td>", 20)+"</tr>"+strings.Repeat("<tr><td>2</td></tr>", 98), 40) + "</table>",
	"many_tasks":         "<ul>" + strings.Repeat("<li><input type=checkbox disabled>x", 60_000),
	"many_pictures":      "<p>x" + strings.Repeat("<div><img src=a.png alt=b></div>", 60_000) + "<p>y",
	"many_codes":         strings.Repeat("<div class='highlight'>", 300) + strings.Repeat("<pre>x</pre>", 20_000),
	"controls":           "<p>" + strings.Repeat("a\x00\x01\u202e\U000e0041\u200b", 200_000),
}

func attributes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " a%d=b", i)
	}
	return b.String()
}

func manyLinks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=/%d>y</a> ", i)
	}
	return b.String()
}

func TestHostilePagesEndInTime(t *testing.T) {
	measured(t)
	for name, body := range hostilePages {
		t.Run(name, func(t *testing.T) {
			e := New(Options{Parallel: 1, Timeout: 500 * time.Millisecond})
			begun := time.Now()
			document, err := e.Extract(context.Background(), citewell.Page{URL: "http://hostile.example/", ContentType: "text/html", Body: []byte(body)})
			took := time.Since(begun)
			t.Logf("%v, %d bytes in, %d out, %v, degraded %q", took, len(body), len(document.Text), err, document.Degraded)
			e.places <- struct{}{} // wait for a reader that outlived its deadline
			t.Logf("its reader took %v", time.Since(begun))
			if stuck := time.Since(begun); stuck > 6*time.Second {
				t.Errorf("its reader went on for %v", stuck)
			}
		})
	}
}

// A carriage return, written as a reference, would let a page overwrite what a
// terminal shows.
func TestNoCarriageReturn(t *testing.T) {
	doc, err := Extract(t.Context(), citewell.Page{FinalURL: "http://h.example/", ContentType: "text/html",
		Body: []byte("<html><body><h1>T</h1><p>Enough words to be read as the text of this page, and more of them.</p><pre>one&#13;two&#13;&#10;three</pre></body></html>")})
	if err != nil || strings.ContainsRune(doc.Text+doc.Markdown, '\r') || !strings.Contains(doc.Markdown, "one\ntwo\nthree") {
		t.Errorf("%q %q %v", doc.Text, doc.Markdown, err)
	}
}

// Walks over a page look at the deadline: what is stopped early ends soon after.
func TestStepsEndWithTheirTime(t *testing.T) {
	page := strings.Repeat("<blockquote><ul><li><p>words</p> <math><mi>a</mi></math></ul></blockquote>", 20_000)
	root, _, err := parse(t.Context(), "<body>"+page, true)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	whole := count(root)
	clean(over, root)
	if blocks := render(over, root); len(blocks) > watchSteps {
		t.Errorf("%d blocks of %d elements were made after the time was over", len(blocks), whole)
	}
	base, _ := url.Parse("http://h.example/")
	if links := linksOf(over, root, base, 2000); len(links) > 0 {
		t.Errorf("%d links were taken after the time was over", len(links))
	}
	if n := count(root); n < whole*9/10 {
		t.Errorf("%d of %d elements are left: cleaning went on", n, whole)
	}
	blocks := render(t.Context(), root)
	if markdown := toMarkdown(over, root, blocks, base, 1<<20); markdown != "" {
		t.Errorf("%d bytes of Markdown were written after the time was over", len(markdown))
	}
}

// Quotations in quotations are marked to a depth that cannot cost much.
func TestDeepQuotationsAreCheap(t *testing.T) {
	const depth = 300
	doc, err := Extract(t.Context(), citewell.Page{FinalURL: "http://h.example/", ContentType: "text/html",
		Body: []byte(strings.Repeat("<blockquote>words", depth) + strings.Repeat("</blockquote>", depth))})
	if err != nil || strings.Count(doc.Text, "words") != depth || strings.Count(doc.Markdown, "words") != depth {
		t.Fatalf("%d in the text, %d in Markdown, want %d (%v)", strings.Count(doc.Text, "words"), strings.Count(doc.Markdown, "words"), depth, err)
	}
	if marks := strings.Count(doc.Markdown, ">"); marks > 2*depth*(maxQuotes+1) {
		t.Errorf("%d marks of quotation for %d levels", marks, depth)
	}
}
