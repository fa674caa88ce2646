package extracttest

import (
	"fmt"
	"strings"
	"sync"
)

// HostilePages returns pages that are made to break a parser: by depth, by width, by what grows
// faster than its input. They are 80 MB, made at the first call: a child process of a test does not need them.
var HostilePages = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"nested_div": strings.Repeat("<div>", 100_000) +
			"<p>The words at the bottom of it all are still to be read by whoever asks.",
		"nested_b":      strings.Repeat("<b>", 50_000) + "text",
		"nested_a":      strings.Repeat("<a href=x>", 50_000) + "text",
		"misnested":     strings.Repeat("<b><i><p></b></i>", 20_000) + "text",
		"nested_lists":  strings.Repeat("<ul><li>x", 50_000),
		"nested_tables": strings.Repeat("<table><tr><td>a<td>b", 50_000),
		"tables_in_depth": strings.Repeat("<table><tr><td>a</td><td>", 120) + "x" +
			strings.Repeat("</td></tr></table>", 120),
		"nested_blockquotes": strings.Repeat("<blockquote>x", 400) + strings.Repeat("</blockquote>", 400),
		"nested_superscript": strings.Repeat("2<sup>", 400) + "2",
		"nested_fading": strings.Repeat(`<div style="opacity:0">words that fade in one after the other `, 500) +
			strings.Repeat("<i>x</i> ", 100_000),
		"many_fading": strings.Repeat(`<p style="opacity:0">words that fade in</p>`, 60_000),
		"many_cards": strings.Repeat(
			`<div class="card item"><h3>Name</h3><p class="price">$ 5</p><a href="/x">More</a></div>`, 30_000),
		"nested_pre":        strings.Repeat("<pre>x\n", 400),
		"wide_attributes":   "<p " + strings.Repeat("a=b c='d' ", 200_000) + ">text</p>",
		"many_attributes":   "<p" + Attributes(50_000) + ">text</p>",
		"long_class":        `<div class="` + strings.Repeat("nav-bar ", 300_000) + `">text</div>`,
		"long_style":        `<div style="` + strings.Repeat("color:red;", 300_000) + `">text</div>`,
		"one_long_word":     "<p>" + strings.Repeat("x", 5<<20),
		"one_long_line":     "<p>" + strings.Repeat("word ", 1<<20),
		"many_paragraphs":   strings.Repeat("<p>Some words, none of them new.</p>", 100_000),
		"many_same_links":   strings.Repeat("<a href=/x>y</a> ", 200_000),
		"many_new_links":    manyLinks(100_000),
		"many_cells":        "<table>" + strings.Repeat("<tr><td>1</td><td>2</td></tr>", 60_000) + "</table>",
		"wide_row":          "<table><tr>" + strings.Repeat("<td>1</td>", 200_000) + "</tr></table>",
		"huge_span":         `<table><tr><td colspan="100000000" rowspan="100000000">1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>`,
		"many_headings":     strings.Repeat("<h2>Again</h2>", 100_000) + "<p>end</p>",
		"many_metas":        strings.Repeat(`<meta name=author content=x>`, 100_000) + "text",
		"deep_json":         `<script type="application/ld+json">` + strings.Repeat("[", 100_000) + `</script><p>text`,
		"open_comment":      "<!--" + strings.Repeat("<p>x", 500_000),
		"open_script":       "text<script>" + strings.Repeat("<p>x", 500_000),
		"open_brackets":     strings.Repeat("<", 2_000_000),
		"open_tags":         strings.Repeat("<p ", 500_000),
		"entities":          strings.Repeat("&amp;&#x41;&NotEqualTilde;", 200_000),
		"many_disclaimers":  "<p>" + strings.Repeat("not affiliated unofficial this site ", 60_000),
		"many_sentences":    "<p>" + strings.Repeat("We are. ", 300_000),
		"many_noscripts":    strings.Repeat("<noscript><p>x</noscript>", 50_000),
		"select_soup":       strings.Repeat("<select><option><p>x", 50_000),
		"template_soup":     strings.Repeat("<template><p>x", 50_000),
		"svg_soup":          strings.Repeat("<svg><title>x<p>y", 50_000),
		"many_superscripts": "<p>" + strings.Repeat("x<sup>2</sup><sup></sup>", 60_000),
		"joined_subscripts": "<p>" + strings.Repeat("<sub>a</sub>", 100_000),
		"nested_katex": strings.Repeat("<span class='katex MathJax'>x", 400) +
			strings.Repeat("<i class=MathJax></i>", 50_000),
		"many_formulas": "<p>" + strings.Repeat(
			"<math><mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac></math> ", 20_000),
		"nested_formula": "<p>a <math>" + strings.Repeat("<msup><mrow><mi>a</mi>", 200) + "</math>",
		"tower_of_exponents": "<p>a <math>" + strings.Repeat("<msup><mi>x</mi>", 400) + "<mi>y</mi>" +
			strings.Repeat("</msup>", 400) + "</math>",
		"tower_of_accents": "<p>a <math>" + strings.Repeat("<mover><mi>x</mi>", 400) + "<mo>^</mo>" +
			strings.Repeat("</mover>", 400) + "</math>",
		"wide_formula": "<p>a <math>" + strings.Repeat("<mi>a</mi><mo>+</mo>", 100_000) + "</math>",
		"many_spans": "<table>" + strings.Repeat("<tr>"+strings.Repeat("<td rowspan=99 colspan=99>1</td>", 20)+
			"</tr>"+strings.Repeat("<tr><td>2</td></tr>", 98), 40) + "</table>",
		"many_tasks":    "<ul>" + strings.Repeat("<li><input type=checkbox disabled>x", 60_000),
		"many_pictures": "<p>x" + strings.Repeat("<div><img src=a.png alt=b></div>", 60_000) + "<p>y",
		"many_codes":    strings.Repeat("<div class='highlight'>", 300) + strings.Repeat("<pre>x</pre>", 20_000),
		"controls":      "<p>" + strings.Repeat("a\x00\x01\u202e\U000e0041\u200b", 200_000),
	}
})

// Attributes are n of them, none alike.
func Attributes(n int) string {
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
