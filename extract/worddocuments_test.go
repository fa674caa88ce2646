package extract

import (
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/office"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// The parts of a Word document that most rules need. Names have no prefix here: the
// documents' own space is the default one.
const (
	wordStyles = `<styles><style styleId="T"><name val="Title"/></style><style styleId="H1"><name val="heading 1"/></style>
<style styleId="H8"><name val="heading 8"/></style><style styleId="H0"><name val="heading 0"/></style>
<style styleId="Grandchild"><name val="Grandchild"/><basedOn val="Child"/></style><style styleId="Child"><name val="Child"/><basedOn val="H1"/></style>
<style styleId="Round"><name val="Round"/><basedOn val="Round"/></style>
<style styleId="Own2"><name val="Own"/><pPr><outlineLvl val="1"/></pPr></style><style styleId="Own9"><name val="Deep"/><pPr><outlineLvl val="8"/></pPr></style>
<style styleId="Body"><name val="Body"/><pPr><outlineLvl val="9"/></pPr></style></styles>`
	wordLists = `<numbering><abstractNum abstractNumId="7"><lvl><numFmt val="decimal"/></lvl><lvl><numFmt val="bullet"/></lvl><lvl><numFmt val="none"/></lvl><lvl/></abstractNum>
<num numId="1"><abstractNumId val="7"/></num><abstractNum abstractNumId="8"><lvl><numFmt val="decimal"/></lvl><lvl><numFmt val="lowerLetter"/></lvl></abstractNum><num numId="2"><abstractNumId val="8"/></num>
<abstractNum abstractNumId="9"><lvl><start val="5"/><numFmt val="decimal"/></lvl><lvl><start val="3"/><numFmt val="bullet"/></lvl><lvl><start val="0"/><numFmt val="decimal"/></lvl></abstractNum><num numId="3"><abstractNumId val="9"/></num>
<num numId="4"><abstractNumId val="9"/><lvlOverride ilvl="0"><startOverride val="8"/></lvlOverride><lvlOverride ilvl="1"><startOverride val="2"/></lvlOverride><lvlOverride ilvl="7"><startOverride val="2"/></lvlOverride><lvlOverride ilvl="2"><lvl><start val="4"/><numFmt val="lowerLetter"/></lvl></lvlOverride></num><num numId="6"><abstractNumId val="9"/></num></numbering>`
	wordNotes = `<footnotes><footnote id="0" type="separator"><p><r><t>A line.</t></r></p></footnote><footnote id="1"><p><r><t>At the rim.</t></r></p><p><r><t>Twice.</t></r></p></footnote>
<footnote id="2" type="normal"><p><r><t>See above</t></r><r><footnoteReference id="1"/></r></p></footnote></footnotes>`
	wordEnds  = `<endnotes><endnote id="1"><p><r><t>In the end.</t></r></p></endnote></endnotes>`
	wordLinks = `<Relationships><Relationship Id="web" Target="https://quern.example/a" TargetMode="External"/><Relationship Id="plain" Target="http://quern.example/b" TargetMode="External"/>
<Relationship Id="mail" Target="mailto:a@quern.example" TargetMode="External"/></Relationships>`
)

// docx packs a Word document with that body.
func docx(t *testing.T) func(body string) []byte {
	return func(body string) []byte {
		return extracttest.Zip([]string{"word/document.xml", "word/styles.xml", "word/numbering.xml",
			"word/footnotes.xml", "word/endnotes.xml", "word/_rels/document.xml.rels"},
			[]string{"<document><body>" + body + "</body></document>", wordStyles, wordLists, wordNotes,
				wordEnds, wordLinks})
	}
}

func TestWordRules(t *testing.T) {
	// A paragraph with what is said of it, and a run with what is said of that.
	p := func(about, words string) string { return "<p><pPr>" + about + "</pPr><r><t>" + words + "</t></r></p>" }
	run := func(about, words string) string { return "<r><rPr>" + about + "</rPr><t>" + words + "</t></r>" }
	item := func(list, level string) string {
		return `<numPr><ilvl val="` + level + `"/><numId val="` + list + `"/></numPr>`
	}
	style := func(id string) string { return `<pStyle val="` + id + `"/>` }
	end := p("", "End.")
	nested := func(n int) string {
		return strings.Repeat("<tbl><tr><tc>", n) + p("", "Inmost.") + strings.Repeat("</tc></tr></tbl>", n)
	}
	boxes := func(n int) string {
		return strings.Repeat("<p><r><txbxContent>", n) + p("", "Inmost.") + strings.Repeat("</txbxContent></r></p>", n)
	}
	holdRules(t, "", docx(t), []rule{
		{"title", p(style("T"), "Mill") + end, "# Mill\n\nEnd."},
		{"heading", p(style("H1"), "Mill") + end, "# Mill\n\nEnd."},
		{"deepest heading", p(style("H8"), "Mill") + end, "###### Mill\n\nEnd."},
		{"no such heading", p(style("H0"), "Mill") + end, "Mill\n\nEnd."},
		{"style of a style", p(style("Grandchild"), "Mill") + end, "# Mill\n\nEnd."},
		{"style of itself", p(style("Round"), "Mill") + end, "Mill\n\nEnd."},
		{"outline of a style", p(style("Own2"), "Mill") + end, "## Mill\n\nEnd."},
		{"deep outline of a style", p(style("Own9"), "Mill") + end, "###### Mill\n\nEnd."},
		{"outline of body text", p(style("Body"), "Mill") + end, "Mill\n\nEnd."},
		{"outline of a paragraph", p(`<outlineLvl val="0"/>`, "Mill") + end, "# Mill\n\nEnd."},
		{"last outline of a paragraph", p(`<outlineLvl val="5"/>`, "Mill") + end, "###### Mill\n\nEnd."},
		{"outline that is none", p(`<outlineLvl val="9"/>`, "Mill") + end, "Mill\n\nEnd."},
		{"outline before style", p(style("H1")+`<outlineLvl val="2"/>`, "Mill") + end, "### Mill\n\nEnd."},
		{"empty heading", p(style("H1"), " ") + end, "End."},
		{"list", p(item("1", "0"), "One") + p(item("1", "1"), "in it") + p(item("1", "0"), "Two") + end,
			"1. One\n   - in it\n2. Two\n\nEnd."},
		{"list without numbers", p(item("1", "2"), "One") + p(item("1", "2"), "Two") + end,
			"- - - One\n    - Two\n\nEnd."},
		{"list of no format", p(item("1", "3"), "One") + p(item("1", "3"), "Two") + end,
			"- - - - One\n      - Two\n\nEnd."},
		{"numbers go on", p(item("1", "0"), "One") + p(item("1", "0"), "Two") + p(item("5", "0"), "Bullet") +
			p(item("1", "0"), "Three") + end + p(item("1", "0"), "Four") + p(style("H1"), "Head") +
			p(item("1", "0"), "Own"), "1. One\n2. Two\n\n- Bullet\n\n3. Three\n\nEnd.\n\n4. Four\n\n# Head\n\n1. Own"},
		{"numbers within an item", p(item("2", "0"), "One") + p(item("2", "1"), "a") + p(item("2", "1"), "b") +
			p(item("2", "0"), "Two") + p(item("2", "1"), "c"), "1. One\n   1. a\n   2. b\n2. Two\n   1. c"},
		{"first number", p(item("3", "0"), "Five") + p(item("3", "1"), "in it") + p(item("3", "0"), "Six") +
			p(item("3", "2"), "a") + p(item("3", "2"), "b"), "5. Five\n   - in it\n6. Six\n   1. 1. a\n      2. b"},
		{"first number of a list alone", p(item("4", "0"), "Eight") + p(item("4", "1"), "in it") +
			p(item("4", "0"), "Nine") + p(item("4", "2"), "a"), "8. Eight\n   - in it\n9. Nine\n   1. 4. a"},
		{"lists counted together", p(item("3", "0"), "Five") + p("", "Between.") + p(item("6", "0"), "Six") +
			p("", "Between.") + p(item("4", "0"), "Eight") + p("", "Between.") + p(item("3", "0"), "Nine") +
			p("", "Between.") + p(item("4", "0"), "Ten"),
			"5. Five\n\nBetween.\n\n6. Six\n\nBetween.\n\n8. Eight\n\nBetween.\n\n9. Nine\n\nBetween.\n\n10. Ten"},
		{"list of no level", p(`<numPr><numId val="1"/></numPr>`, "One") + p(`<numPr><numId val="1"/></numPr>`, "Two") +
			end, "1. One\n2. Two\n\nEnd."},
		{"deep list", p(item("1", "0"), "One") + p(item("1", "12"), "in it") + p(item("1", "8"), "as deep") + end,
			"1. One\n   - - - - - - - - in it\n                 - as deep\n\nEnd."},
		{"list that is ended", p(item("0", "0"), "One") + end, "One\n\nEnd."},
		{"heading after a list", p(item("1", "0"), "One") + p(style("H1"), "Mill") + end, "1. One\n\n# Mill\n\nEnd."},
		{"table after a list", p(item("1", "0"), "One") + "<tbl><tr><tc>" + p("", "a") + "</tc><tc>" + p("", "b") +
			"</tc></tr></tbl>" + end, "1. One\n\n| a | b |\n|---|---|\n\nEnd."},
		{"list at the end", p(item("1", "0"), "One") + p(item("1", "1"), "in it"), "1. One\n   - in it"},
		{"hidden", "<p>" + run("<vanish/>", "Unseen. ") + run("", "Seen.") + "</p>", "Seen."},
		{"not hidden", "<p>" + run(`<vanish val="0"/>`, "One. ") + run(`<vanish val="false"/>`, "Two. ") +
			run(`<vanish val="off"/>`, "Three. ") + run(`<vanish val="1"/>`, "Four. ") + "</p>", "One. Two. Three."},
		{"crossed out", "<p>" + run("<strike/>", "Once. ") + run("<dstrike/>", "Twice. ") +
			run("<strike val=\"0\"/>", "Never.") + "</p>", "Never."},
		{"hidden mark", `<p><pPr><rPr><vanish/></rPr></pPr><hyperlink id="mail"><r><t>Seen.</t></r></hyperlink></p>`,
			"Seen."},
		{"signs", "<p><r><t>a</t><tab/><t>b</t><ptab/><t>c</t><br/><t>d</t><cr/><t>e</t><noBreakHyphen/><t>f</t>" +
			"</r></p>", "a b c  \nd  \ne-f"},
		{"links", `<p><hyperlink id="web"><r><t>one</t></r></hyperlink><hyperlink id="plain"><r><t> two</t></r></hyperlink><hyperlink id="mail"><r><t> three</t></r></hyperlink><hyperlink anchor="x"><r><t> four</t></r></hyperlink></p>`, "[one](https://quern.example/a) [two](http://quern.example/b) three four"},
		{"notes", `<p><r><t>One</t><footnoteReference id="2"/><t>, two</t><endnoteReference id="1"/><t>, none</t><footnoteReference id="0"/><footnoteReference id="9"/><t>.</t></r></p>`, "One\\[1], two\\[2], none.\n\n\\[1] See above\\[3]\n\n\\[2] In the end.\n\n\\[3] At the rim. Twice."},
		{"moved and inserted", "<moveTo>" + p("", "One.") + "</moveTo><ins>" + p("", "Two.") + "</ins><smartTag>" +
			p("", "Three.") + "</smartTag><customXml>" + p("", "Four.") + "</customXml><moveFrom>" + p("", "Five.") +
			"</moveFrom>", "One.\n\nTwo.\n\nThree.\n\nFour."},
		{"within a paragraph", "<p><ins><r><t>One. </t></r></ins><smartTag><r><t>Two. " +
			"</t></r></smartTag><moveFrom><r><t>Three. </t></r></moveFrom><del><r><t>Four. " +
			"</t></r></del><r><instrText>PAGE</instrText><delText>Five.</delText></r><fldSimple><r><t>Six.</t></r></" +
			"fldSimple></p>", "One. Two. Six."},
		{"either choice", "<AlternateContent><Choice>" + p("", "One.") + "</Choice><Fallback>" + p("", "Two.") +
			"</Fallback></AlternateContent><p><r><AlternateContent><Choice><t>Three.</t></Choice><Fallback><t>Four.</" +
			"t></Fallback></AlternateContent></r></p>", "One.\n\nThree."},
		{"wide cell", `<tbl><tr><tc>` + p("", "a") + `</tc><tc>` + p("", "b") +
			`</tc></tr><tr><tc><tcPr><gridSpan val="2"/></tcPr>` + p("", "both") + `</tc></tr><tr><tc>` + p("", "c") +
			`</tc><tc>` + p("", "d") + `</tc></tr></tbl>`, "| a | b |\n|---|---|\n| both |  |\n| c | d |"},
		{"nested tables", nested(12) + end, "Inmost.\n\nEnd."},
		{"tables nested too deep", nested(13) + end, "End."},
		{"nested boxes", boxes(12) + end, "Inmost.\n\nEnd."},
		{"boxes nested too deep", boxes(13) + end, "End."},
		{"box after its paragraph", "<p><r><t>Before.</t><txbxContent>" + p("", "Box.") +
			"</txbxContent><t> Still before.</t></r></p>", "Before. Still before.\n\nBox."},
	})
}

const (
	odtStyles = `<document-styles><automatic-styles><style name="Gone"><text-properties display="none"/></style><style name="Shown"><text-properties display="true"/></style>
<style name="Struck"><text-properties text-line-through-style="solid"/></style><style name="Struck2"><text-properties text-line-through-type="double"/></style>
<style name="Whole"><text-properties text-line-through-style="none"/></style><style name="P1" parent-style-name="Title"/><style name="P2" parent-style-name="Standard"/>
<list-style name="L1"><list-level-style-number level="1" num-format="1"/><list-level-style-bullet level="2"/><list-level-style-number level="3" num-format=""/></list-style>
<list-style name="L5"><list-level-style-number level="1" num-format="1" start-value="5"/><list-level-style-number level="2" num-format="a" start-value="0"/></list-style>
</automatic-styles></document-styles>`
	odtMeta = `<document-meta><meta><initial-creator>Ada Miller</initial-creator><creator>Bo Baker</creator><creation-date>2024-05-06T07:08:09</creation-date><date>2025-01-01</date><title>Stone dressing</title><language>de-DE</language></meta></document-meta>`
)

// odt packs an OpenDocument text with that body.
func odt(t *testing.T) func(body string) []byte {
	return func(body string) []byte {
		return extracttest.Zip([]string{"mimetype", "content.xml", "styles.xml", "meta.xml"},
			[]string{office.ODT.Name, "<document-content><body><text>" + body + "</text></body></document-content>",
				odtStyles, odtMeta})
	}
}

func TestOpenTextRules(t *testing.T) {
	span := func(style, words string) string { return `<span style-name="` + style + `">` + words + "</span>" }
	tables := func(n int) string {
		return strings.Repeat("<table><table-row><table-cell>", n) + "<p>Inmost.</p>" +
			strings.Repeat("</table-cell></table-row></table>", n)
	}
	holdRules(t, "", odt(t), []rule{
		{"headings", `<h outline-level="1">One</h><h outline-level="3">Three</h><h outline-level="9">Nine</h><h>None</h><h outline-level="0">Nought</h><p>End.</p>`, "# One\n\n### Three\n\n###### Nine\n\n# None\n\n# Nought\n\nEnd."},
		{"titles", `<p style-name="Title">Mill</p><p style-name="P1">Quern</p><p style-name="P2">Stone</p>`,
			"# Mill\n\n# Quern\n\nStone"},
		{"styles", "<p>" + span("Gone", "One. ") + span("Shown", "Two. ") + span("Struck", "Three. ") +
			span("Struck2", "Four. ") + span("Whole", "Five.") + "</p>", "Two. Five."},
		{"hidden paragraph", `<p style-name="Gone">Unseen.</p><p>Seen.</p>`, "Seen."},
		{"signs", "<p>a<s/>b<tab/>c<line-break/>d</p>", "a b c  \nd"},
		{"links", `<p><a href="https://quern.example/a">one</a> <a href="http://quern.example/b">two</a> <a href="mailto:a@quern.example">three</a></p>`, "[one](https://quern.example/a) [two](http://quern.example/b) three"},
		{"notes", `<p>One<note><note-citation>*</note-citation><note-body><p>At the rim<note><note-body><p>Or below.</p></note-body></note>.</p><p>Twice.</p></note-body></note>.</p>`, "One\\[1].\n\n\\[1] At the rim\\[2]. Twice.\n\n\\[2] Or below."},
		{"lists", `<list style-name="L1"><list-item><p>One</p><list><list-item><p>in it</p></list-item></list></list-item><list-header><p>Head</p></list-header><list-item><p>Two</p></list-item></list>
<list><list-item><p>Bullet</p></list-item></list>`, "1. One\n\n   - in it\n\n   Head\n2. Two\n\n- Bullet"},
		{"lists that only hold others",
			`<list style-name="L5"><list-item><p>Five</p><list><list-item><p>a</p></list-item></list></list-item></list><p>Between.</p>
<list style-name="L5" continue-numbering="true"><list-item><list continue-numbering="true"><list-item><p>b</p></list-item></list></list-item><list-item><p>Six</p><list><list-item><p>a again</p></list-item></list></list-item></list>`,
			"5. Five\n\n   1. a\n\nBetween.\n\n2. b\n\n6. Six\n\n   1. a again"},
		{"first numbers",
			`<list style-name="L5"><list-item><p>Five</p><list><list-item><p>a</p></list-item><list-item start-value="4"><p>d</p></list-item><list-item><p>e</p></list-item></list></list-item><list-item start-value="9"><p>Nine</p></list-item><list-item><p>Ten</p></list-item></list>`,
			"5. Five\n\n   1. a\n   4. d\n   5. e\n9. Nine\n10. Ten"},
		{"lists that go on",
			`<list style-name="L1" id="l1"><list-item><p>One</p></list-item></list><p>Between.</p><list style-name="L1" continue-numbering="true"><list-item><p>Two</p></list-item></list>
<list style-name="L5"><list-item><p>Five</p></list-item></list><list style-name="L1" continue-list="l1"><list-item><p>Two again</p></list-item></list><list style-name="L1" continue-list="none"><list-item><p>Anew</p></list-item></list>
<list style-name="L1"><list-item><p>One</p></list-item></list><list style-name="L2" continue-numbering="true"><list-item><p>Bullet</p></list-item></list>`,
			"1. One\n\nBetween.\n\n2. Two\n\n5. Five\n\n2. Two again\n\n1. Anew\n\n1. One\n\n- Bullet"},
		{"number without a format",
			`<list style-name="L1"><list-item><p>One</p><list><list-item><p>Two</p><list><list-item><p>Three</p></list-item></list></list-item></list></list-item></list>`, "1. One\n\n   - Two\n\n     - Three"},
		{"tables", `<table><table-row><table-cell><p>a</p></table-cell><table-cell><p>b</p></table-cell></table-row><table-row><table-cell number-columns-spanned="2"><p>both</p></table-cell><covered-table-cell><p>unseen</p></covered-table-cell></table-row>
<table-row><table-cell number-rows-spanned="2"><p>c</p></table-cell><table-cell><p>d</p></table-cell></table-row><table-row><covered-table-cell/><table-cell><p>e</p></table-cell></table-row></table>`, "| a | b |\n|---|---|\n| both |  |\n| c | d |\n| c | e |"},
		{"nested tables", tables(9) + "<p>End.</p>", "Inmost.\n\nEnd."},
		{"tables nested too deep", tables(14) + "<p>End.</p>", "End."},
		{"left out", "<tracked-changes><p>One.</p></tracked-changes><annotation><p>Two.</p></annotation>" +
			"<table-of-content><p>Three.</p></table-of-content><alphabetical-index><p>Four.</p></alphabetical-index>" +
			"<section><p>Five.</p></section>", "Five."},
		{"left out of a paragraph",
			"<p>One.<annotation><p>Two.</p></annotation><hidden-text>Three.</hidden-text><ruby><ruby-base> " +
				"Four.</ruby-base><ruby-text>Five.</ruby-text></ruby></p>", "One. Four."},
		{"frames", "<p>Before.<frame><text-box><p>Box.</p></text-box></frame> Still before.</p><p><a " +
			"href=\"https://quern.example/\">Link<frame><text-box><p>In it.</p></text-box></frame></a></p>",
			"Before. Still before.\n\nBox.\n\n[Link](https://quern.example/)\n\nIn it."},
	})
	document, err := readDocument("http://quern.example/", "", odt(t)("<p>Words.</p>"))
	if err != nil || document.Title != "Stone dressing" || document.Author != "Ada Miller" ||
		document.Published != "2024-05-06" || document.Language != "de" {
		t.Errorf("got %q by %q of %q in %q, %v", document.Title, document.Author, document.Published,
			document.Language, err)
	}
}

// TestRichTextRules holds what control words do.
func TestRichTextRules(t *testing.T) {
	as := func(body string) []byte {
		return []byte(
			`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Serif;}{\f1\fcharset204 Cyrillic;}{\f2\fcharset999 None;}}{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s2 Title;}{\s3\outlinelevel1 Own;}{\s4 heading 9;}{\s5 heading x;}{\s6\outlinelevel9 Deep;}}` + body + "}")
	}
	holdRules(t, "", as, []rule{
		{"styles", `\pard\s1 One\par\pard\s2 Two\par\pard\s3 Three\par\pard\s4 Four\par\pard\s5 Five\par\pard\s6 Six\par\pard Seven\par`, "# One\n\n# Two\n\n## Three\n\n###### Four\n\nFive\n\nSix\n\nSeven"},
		{"outline levels",
			`\pard\outlinelevel0 One\par\pard\outlinelevel5 Two\par\pard\outlinelevel6 Three\par\pard\s1\outlinelevel2 Four\par`, "# One\n\n###### Two\n\nThree\n\n### Four"},
		{"signs", `a\~b\_c\-d\tab e\emdash f\endash g\lquote h\rquote\ldblquote i\rdblquote\bullet j\{k\}\\\line l`,
			"a b-cd e—f–g‘h’“i”•j{k}\\\\  \nl"},
		{"bytes", `caf\'e9 and {\f1 \'cc\'f3\'ea\'e0} and {\f2 \'e9}\'zz`, "café and Мука and ézz"},
		{"unicode", `\u233?, \uc0\u233, \uc2\u233??, \uc1\u-10179?\u-8704?, {\uc0 \u233}\u233?.`, "é, é, é, 😀, éé."},
		{"half a character", `a\u-10179?b\u-8704?c`, "ab\uFFFDc"},
		{"pages of code", `{\mac\'8e}`, "é"},
		{"code page 437", `\pc\'82`, "é"},
		{"code page 850", `\pca\'82\'9b`, "éø"},
		{"code page of numbers", `\ansicpg1251\'cc\ansicpg99999\'cc\ansicpg932\'88\'ea`, "ММ一"},
		{"hidden", `One. {\v Two. }{\v0 Three. }{\deleted Four. }{\v Five. \plain Six. }\v Seven. \v0 Eight.`,
			"One. Three. Six. Eight."},
		{"crossed out", `One. {\strike Two. }{\strike0 Three. }{\striked1 Four. }\strike Five. \plain Six.`,
			"One. Three. Six."},
		{"raised", `10{\super 6} H{\sub 2}O x{\super 2\nosupersub y} {\super 3\plain z}`, "10^6 H2O x²y 3z"},
		{"left out", `One.{\header Head}{\footer Foot}{\pict 00ff}{\*\unknown Two.}{\unknown  Three.}{\*\bkmkstart mark}{\info{\title Mill}{\author Ada Miller}{\operator Bo}}`, "One. Three."},
		{"shape", `{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt Two.\par}}}One.`, "Two.\n\nOne."},
		{"notes", `One{\footnote  At the rim.\par Twice.}, two{\footnote  } three{\footnote Else.}.`,
			"One\\[1], two three\\[2].\n\n\\[1] At the rim. Twice.\n\n\\[2] Else."},
		{"broken off in a link",
			`Text{\footnote Note.} {\field{\*\fldinst HYPERLINK "https://quern.example/a"}{\fldrslt {one`,
			"Text\\[1] [one](https://quern.example/a)\n\n\\[1] Note."},
		{"links", `{\field{\*\fldinst HYPERLINK "https://quern.example/a"}{\fldrslt one}} {\field{\*\fldinst HYPERLINK http://quern.example/b }{\fldrslt two}} {\field{\*\fldinst HYPERLINK "mailto:x"}{\fldrslt three}} {\field{\*\fldinst PAGE}{\fldrslt 4}}`, "[one](https://quern.example/a) [two](http://quern.example/b) three 4"},
		{"lists", `\pard\ilvl0{\listtext 1.\tab}One\par\pard\ilvl1{\listtext \bullet\tab}in it\par\pard\ilvl0{\pntext 2.\tab}Two\par\pard End.\par`, "1. One\n   - in it\n2. Two\n\nEnd."},
		{"numbers go on",
			`\pard{\listtext 1.\tab}One\par\pard{\listtext 2.\tab}Two\par\pard{\listtext *}Bullet\par\pard{\listtext 3.\tab}Three\par\pard End.\par\pard{\listtext (4)\tab}Four\par\pard{\listtext 1.5.\tab}Five\par`,
			"1. One\n2. Two\n\n- Bullet\n\n3. Three\n\nEnd.\n\n4. Four\n5. Five"},
		{"numbers begin anew",
			`\pard{\listtext 1.\tab}One\par\pard{\listtext 2.\tab}Two\par\pard{\listtext 1.\tab}Other\par\pard End.\par\pard{\listtext 99999999999999999999.\tab}Vast\par\pard End.\par\pard{\listtext 0.\tab}None\par`,
			"1. One\n2. Two\n\n1. Other\n\nEnd.\n\n1. Vast\n\nEnd.\n\n1. None"},
		{"deep list", `\pard\ilvl0{\listtext *}One\par\pard\ilvl12{\listtext *}in it\par\pard\ilvl8{\listtext *}as deep\par`, "- One\n  - - - - - - - - in it\n                - as deep"},
		{"tables", `\pard Before.\par\pard\intbl a\cell b\cell\row\pard\intbl c\par d\cell e\cell\row\pard After.\par\pard\intbl f\cell g\cell\row`, "Before.\n\n| a | b |\n|---|---|\n| c, d | e |\n\nAfter.\n\n| f | g |\n|---|---|"},
		{"cell without its end", `\pard\intbl a\cell b\par\row\intbl c\cell d\cell\row`,
			"| a | b |\n|---|---|\n| c | d |"},
		{"heading after a table", `\pard\intbl a\cell b\cell\row\pard\s1 Head\par`, "| a | b |\n|---|---|\n\n# Head"},
		{"item after a table", `\pard\intbl a\cell b\cell\row\pard{\listtext *}Item\par`,
			"| a | b |\n|---|---|\n\n- Item"},
		{"table after an item", `\pard{\listtext *}Item\par\pard\intbl a\cell b\cell\row\pard End.`,
			"- Item\n\n| a | b |\n|---|---|\n\nEnd."},
		{"nested cells", `\pard\intbl a\nestcell b\nestcell\nestrow c\cell d\cell\row`,
			"| a \\| b \\| c | d |\n|---|---|"},
		{"line breaks", "One\\\nTwo\npieces\r\\\rThree\\page Four\\sect Five",
			"One\n\nTwopieces\n\nThree\n\nFour\n\nFive"},
		{"skipped bytes", `One\bin3 xyz. Two\bin-1 .`, "One. Two."},
		{"long words", `One\abcdefghijklmnopqrstuvwxyzabcdefgh two.`, "Onegh two."},
		{"more closed than opened", `One.}} Two.`, "One."},
	})
	// A document that breaks off is read to there.
	for _, broken := range []string{`{\rtf1 One.`, `{\rtf1 One.\`, `{\rtf1 One.\par`, `{\rtf1 One.\par1`,
		`{\rtf1 One.\'`, `{\rtf1 One.{\*`, `{\rtf1 One.\u`, `{\rtf1 One.{\footnote`, `{\rtf1 One.\bin9`} {
		if d, err := readDocument("", "", []byte(broken)); err != nil || d.Text != "One." {
			t.Errorf("%s: got %q, %v", broken, d.Text, err)
		}
	}
	if d, err := readDocument("", "", []byte(`{\rtf1 One.\'e9`)); err != nil || d.Text != "One.é" {
		t.Errorf("the last byte: got %q, %v", d.Text, err)
	}
	document, err := readDocument("http://quern.example/", "",
		as(`{\info{\title Stone dressing}{\author Ada Miller}}Words.`))
	if err != nil || document.Title != "Stone dressing" || document.Author != "Ada Miller" {
		t.Errorf("got %q by %q, %v", document.Title, document.Author, err)
	}
}
