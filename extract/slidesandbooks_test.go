package extract

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/office"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// pptx packs a presentation of slides, each its attributes and its shapes; their links and
// notes are those of one table.
func pptx(t *testing.T, slides ...string) []byte {
	names, texts := []string{"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels", "ppt/notesSlides/n1.xml"},
		[]string{"", "", `<notes><cSld><spTree>
<sp><nvSpPr><nvPr><ph type="body"/></nvPr></nvSpPr><txBody><p><r><t>Say this.</t></r></p></txBody></sp><sp><nvSpPr><nvPr><ph type="sldImg"/></nvPr></nvSpPr><txBody><p><r><t>Not this.</t></r></p></txBody></sp><grpSp/></spTree></cSld></notes>`}
	var shown, related strings.Builder
	for i, slide := range slides {
		fmt.Fprintf(&shown, `<sldId id="%d" r:id="r%d"/>`, 256+i, i)
		fmt.Fprintf(&related, `<Relationship Id="r%d" Target="slides/s%d.xml"/>`, i, i)
		about, shapes, _ := strings.Cut(slide, "|")
		links := `<Relationship Id="web" Target="https://quern.example/a" TargetMode="External"/><Relationship Id="mail" Target="mailto:a@quern.example" TargetMode="External"/>`
		if strings.Contains(about, "notes") {
			links += `<Relationship Id="n" Target="../notesSlides/n1.xml"/>`
		}
		names = append(names, fmt.Sprintf("ppt/slides/s%d.xml", i), fmt.Sprintf("ppt/slides/_rels/s%d.xml.rels", i))
		texts = append(texts, `<sld xmlns:r="r" `+about+`><cSld><spTree>`+shapes+"</spTree></cSld></sld>",
			"<Relationships>"+links+"</Relationships>")
	}
	texts[0], texts[1] = `<presentation xmlns:r="r"><sldIdLst>`+shown.String()+"</sldIdLst></presentation>",
		"<Relationships>"+related.String()+"</Relationships>"
	return extracttest.Zip(names, texts)
}

func TestSlideRules(t *testing.T) {
	run := func(about, words string) string { return "<r><rPr " + about + "/><t>" + words + "</t></r>" }
	p := func(about, words string) string { return "<p><pPr>" + about + "</pPr>" + run("", words) + "</p>" }
	level := func(level, words string) string { return `<p><pPr lvl="` + level + `"/>` + run("", words) + "</p>" }
	shape := func(ph string, paragraphs ...string) string {
		return "<sp><nvSpPr><cNvPr/><nvPr>" + ph + "</nvPr></nvSpPr><txBody>" + strings.Join(paragraphs, "") +
			"</txBody></sp>"
	}
	groups := func(n int) string {
		return strings.Repeat("<grpSp>", n) + shape("", p("", "Inmost.")) + strings.Repeat("</grpSp>", n)
	}
	hidden := func(value string) string {
		return strings.Replace(shape("", p("", "Hidden "+value+".")), "<cNvPr/>", `<cNvPr hidden="`+value+`"/>`, 1)
	}
	body, title := `<ph type="body"/>`, `<ph type="title"/>`
	holdRules(t, "", func(slides string) []byte { return pptx(t, strings.Split(slides, "\n")...) }, []rule{
		{"titles", "|" + shape(body, p("", "Words.")) + shape(title, p("", "One"), p("", " "), p("", "and two")) +
			"\n|" + shape(`<ph type="ctrTitle"/>`, p("", "Three")) + shape(title, p("", "")),
			"## Slide 1\n\n### One and two\n\nWords.\n\n## Slide 2\n\n### Three"},
		{"hidden slides", `show="0"|` + shape("", p("", "One.")) + "\n" + `show="false"|` + shape("", p("", "Two.")) +
			"\n" + `show="1"|` + shape("", p("", "Three.")), "## Slide 3\n\nThree."},
		{"hidden shapes", "|" + hidden("1") + hidden("true") + hidden("0"), "## Slide 1\n\nHidden 0."},
		{"margins", "|" + shape(`<ph type="sldNum"/>`, p("", "One.")) + shape(`<ph type="dt"/>`, p("", "Two.")) +
			shape(`<ph type="ftr"/>`, p("", "Three.")) + shape(`<ph type="hdr"/>`, p("", "Four.")) +
			shape(`<ph type="subTitle"/>`, p("", "Five.")), "## Slide 1\n\nFive."},
		{"notes", `notes="1"|` + shape("", p("", "Words.")), "## Slide 1\n\nWords.\n\n#### Notes\n\nSay this."},
		{"bodies", "|" + shape(body, p("", "One"), p("", "Two")) + shape("<ph/>", p("", "Three"), p("", "Four")) +
			shape("", p("", "Five"), p("", "Six")) + shape(body, p("", "Alone")),
			"## Slide 1\n\n- One\n- Two\n\n- Three\n- Four\n\nFive\n\nSix\n\nAlone"},
		{"levels", "|" + shape(body, p("", "One"), level("1", "in it"), level("12", "deep"), level("8", "as deep"),
			p("", ""), p("", "Two")), "## Slide 1\n\n- One\n  - in it\n    - - - - - - - deep\n                - as " +
			"deep\n- Two"},
		{"marks", "|" + shape(body, p("<buNone/>", "No item"), p("", "Item"), p("<buNone/>", "None again")) +
			shape("", p("<buAutoNum/>", "First"), p("<buAutoNum/>", "Second"), p(`<buChar char="*"/>`, "Bullet"),
				p("", "Words")), "## Slide 1\n\nNo item\n\n- Item\n\nNone again\n\n1. First\n2. Second\n\n- " +
			"Bullet\n\nWords"},
		{"numbers", "|" + shape("", p(`<buAutoNum type="arabicPeriod"/>`, "One"), level("1", "within"),
			p(`<buAutoNum type="arabicPeriod"/>`, "Two"), p(`<buChar char="*"/>`, "Bullet"),
			p(`<buAutoNum type="arabicPeriod" startAt="3"/>`, "Three"),
			p(`<buAutoNum type="arabicPeriod" startAt="3"/>`, "Four"),
			p(`<buAutoNum type="alphaLcPeriod"/>`, "a"), p("", "Words"), p(`<buAutoNum type="alphaLcPeriod"/>`, "Anew"),
			p(`<buAutoNum type="alphaLcPeriod" startAt="x"/>`, "Unknown"),
			p(`<buAutoNum type="alphaLcPeriod" startAt="0"/>`, "None")) + shape("", p("<buAutoNum/>", "Own")),
			"## Slide 1\n\n1. One\n\nwithin\n\n2. Two\n\n- Bullet\n\n3. Three\n4. Four\n\n1. a\n\nWords\n\n1. " +
				"Anew\n\n1. Unknown\n\n1. None\n\n1. Own"},
		{"numbers by level", "|" + shape("", p("<buAutoNum/>", "One"),
			`<p><pPr lvl="1"><buAutoNum/></pPr>`+run("", "a")+"</p>", `<p><pPr lvl="1"><buAutoNum/></pPr>`+run("", "b")+
				"</p>", p("<buAutoNum/>", "Two"), `<p><pPr lvl="1"><buAutoNum/></pPr>`+run("", "c")+"</p>"),
			"## Slide 1\n\n1. One\n   1. a\n   2. b\n2. Two\n   1. c"},
		{"runs", "|" + shape("", "<p>"+run(`strike="sngStrike"`, "One. ")+run(`strike="noStrike"`, "Two. ")+
			run(`baseline="30000"`, "3")+run(`baseline="-25000"`, "4")+run(`baseline="0"`, " Five.")+
			"<br/><fld><t>Six &amp; seven</t></fld><other><t>Eight.</t></other></p>"),
			"## Slide 1\n\nTwo. 3\\_4 Five.  \nSix & seven"},
		{"links", "|" +
			shape("", `<p><r><rPr><hlinkClick r:id="web"/></rPr><t>one</t></r><r><rPr><hlinkClick r:id="mail"/></rPr><t> two</t></r><r><rPr><hlinkClick id="web"/></rPr><t> three</t></r></p>`), "## Slide 1\n\n[one](https://quern.example/a) two three"},
		{"tables", "|" + shape("", p("", "Words.")) + `<graphicFrame><graphic><graphicData><tbl><tr><tc><txBody>` +
			p("", "a") + p("", "b") + `</txBody></tc><tc rowSpan="2"><txBody>` + p("", "c") +
			`</txBody></tc></tr><tr><tc><txBody>` + p("", "d") + `</txBody></tc><tc vMerge="1"><txBody>` +
			p("", "unseen") + `</txBody></tc></tr><tr><tc gridSpan="2"><txBody>` + p("", "e") +
			`</txBody></tc><tc hMerge="1"/></tr></tbl></graphicData></graphic></graphicFrame>`,
			"## Slide 1\n\nWords.\n\n| a b | c |\n|---|---|\n| d | c |\n| e |  |"},
		{"groups", "|" + groups(12), "## Slide 1\n\nInmost."},
		{"groups too deep", "|" + shape("", p("", "Words.")) + groups(13), "## Slide 1\n\nWords."},
		{"either choice", "|<AlternateContent><Choice>" + shape("", p("", "One.")) + "</Choice><Fallback>" +
			shape("", p("", "Two.")) + "</Fallback></AlternateContent>", "## Slide 1\n\nOne."},
	})
}

// TestSlidesHaveNumbers holds that a place in a presentation is the number of its slide among
// all, the hidden ones too, and how far one is read.
func TestSlidesHaveNumbers(t *testing.T) {
	words := func(s string) string {
		return "<sp><txBody><p><r><t>" + strings.TrimSpace(strings.Repeat(s+" stones turn. ", 60)) +
			"</t></r></p></txBody></sp>"
	}
	document, err := readDocument("http://quern.example/", "",
		pptx(t, "|"+words("One"), `show="0"|`+words("Two"), "|"+words("Three")))
	var places []string
	for _, p := range document.Passages {
		if place := p.Where(); !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if err != nil || strings.Join(places, ", ") != "slide 1, slide 3" {
		t.Errorf("got %q, %v", places, err)
	}
	document, err = New(Options{MaxText: 500}).Extract(t.Context(),
		page("", pptx(t, "|"+words("One"), "|"+words("Two"), "|"+words("Three"), "|"+words("Four"))))
	if err != nil || !strings.HasPrefix(document.Degraded, "the presentation was read to slide 2, as much as "+
		"is kept") || !document.Truncated {
		t.Errorf("degraded %q, %v", document.Degraded, err)
	}
}

// epub packs a book whose package lies in a folder.
func epub(t *testing.T, about, manifest, spine string, parts ...string) []byte {
	names := []string{"mimetype", "META-INF/container.xml", "book/book.opf"}
	texts := []string{office.EPUB.Name,
		`<container><rootfiles><rootfile/><rootfile full-path="book/book.opf"/><rootfile full-path="other.opf"/></rootfiles></container>`,
		"<package><metadata>" + about + "</metadata><manifest>" + manifest + "</manifest><spine>" + spine +
			"</spine></package>"}
	for part := range slices.Chunk(parts, 2) {
		names, texts = append(names, part[0]), append(texts, part[1])
	}
	return extracttest.Zip(names, texts)
}

func TestBookRules(t *testing.T) {
	item := func(id, href string) string {
		return `<item id="` + id + `" href="` + href + `" media-type="application/xhtml+xml"/>`
	}
	refs := func(ids ...string) string {
		return `<itemref idref="` + strings.Join(ids, `"/><itemref idref="`) + `"/>`
	}
	chapter := func(words string) string { return "<html><body>" + words + "</body></html>" }
	both := item("a", "a.xhtml") + item("b", "b.xhtml")
	for _, test := range []struct{ name, manifest, spine, a, b, want, degraded string }{
		{"order", both, refs("b", "a"), chapter("<p>A.</p>"), chapter("<p>B.</p>"), "B.\n\nA.", ""},
		{"once", both, refs("b", "a", "b"), chapter("<p>A.</p>"), chapter("<p>B.</p>"), "B.\n\nA.", ""},
		{"not in the manifest", both, refs("x", "a"), chapter("<p>A.</p>"), chapter("<p>B.</p>"), "A.", ""},
		{"contents of its own", strings.Replace(both, `"/>`, `" properties="scripted nav"/>`, 1), refs("a", "b"),
			chapter("<p>A.</p>"), chapter("<p>B.</p>"), "B.", ""},
		{"other types", strings.NewReplacer(`xhtml" media-type="application/xhtml+xml"/><`,
			`xhtml" media-type="image/png"/><`).Replace(both), refs("a", "b"), chapter("<p>A.</p>"),
			chapter("<p>B.</p>"), "B.", ""},
		{"types of old", strings.Replace(strings.Replace(both, "application/xhtml+xml", "text/html", 1),
			"application/xhtml+xml", "application/x-dtbook+xml", 1), refs("a", "b"), chapter("<p>A.</p>"),
			chapter("<p>B.</p>"), "A.\n\nB.", ""},
		{"address above", item("a", "../book/./a.xhtml") + item("b", "%62.xhtml"), refs("a", "b"), chapter("<p>A.</p>"),
			chapter("<p>B.</p>"), "A.\n\nB.", ""},
		{"missing part", both + item("c", "c.xhtml"), refs("a", "c", "b"), chapter("<p>A.</p>"), chapter("<p>B.</p>"),
			"A.\n\nB.", "of the book's parts, 1 are missing"},
		{"empty part", both, refs("a", "b"), chapter("<p hidden>A.</p>"), chapter("<p>B.</p>"), "B.", ""},
		{"lists", both, refs("a", "b"), chapter("<ol><li>One<li>Two</ol>"), chapter("<ol><li>One<li>Two</ol>"),
			"1. One\n2. Two\n\n1. One\n2. Two", ""},
		{"links", both, refs("a", "b"),
			chapter(`<p><a href="b.xhtml">B</a> <a href="https://quern.example/">mill</a></p>`), chapter("<p>B.</p>"),
			"B [mill](https://quern.example/)\n\nB.", ""},
	} {
		document, err := readDocument("http://quern.example/", "",
			epub(t, "", test.manifest, test.spine, "book/a.xhtml", test.a, "book/b.xhtml", test.b))
		if err != nil || document.Markdown != test.want || document.Degraded != test.degraded {
			t.Errorf("%s: got %q, degraded %q, %v; want %q, degraded %q", test.name, document.Markdown,
				document.Degraded, err, test.want, test.degraded)
			continue
		}
		checkDocument(t, document)
		if test.name == "lists" && document.Text != "1. One\n2. Two\n\n1. One\n2. Two" {
			t.Errorf("lists of two parts run into each other: %q", document.Text)
		}
	}
	about := "<title>Stone  dressing</title><creator>Ada " +
		"Miller</creator><date>2024-05-06</date><language>de-DE</language>"
	long := chapter("<h1>Own</h1><p>" + strings.Repeat("Stones turn. ", 30) +
		"</p><a href='https://quern.example/1'>1</a><a href='https://quern.example/2'>2</a>")
	for _, test := range []struct {
		name, about, title string
		options            Options
		links              int
		degraded           string
	}{
		{"about", about, "Stone dressing", Options{}, 2, ""},
		{"title of a heading", "", "Own", Options{MaxLinks: 1}, 1, ""},
		{"much", "", "Own", Options{MaxText: 300}, 2, "the book was read to part 1 of 2, as much as is kept; " +
			"the text " +
			"was cut after 300 bytes"},
	} {
		document, err := New(test.options).Extract(context.Background(),
			page("", epub(t, test.about, both, refs("a", "b"), "book/a.xhtml", long, "book/b.xhtml",
				chapter("<p>B.</p>"))))
		if err != nil || document.Title != test.title || len(document.Links) != test.links ||
			document.Degraded != test.degraded {
			t.Errorf("%s: got %q with %d links, degraded %q, %v", test.name, document.Title, len(document.Links),
				document.Degraded, err)
		}
		if test.about != "" && (document.Author != "Ada Miller" || document.Published != "2024-05-06" ||
			document.Language != "de") {
			t.Errorf("got %q, %q, %q", document.Author, document.Published, document.Language)
		}
		if test.options.MaxText > 0 && len(document.Markdown) > 450 {
			t.Errorf("%d bytes of Markdown are kept", len(document.Markdown))
		}
	}
}

// TestArchiveRules holds how the parts of a packed document are found and refused.
func TestArchiveRules(t *testing.T) {
	body := "<document><body><p><r><t>Words.</t></r></p></body></document>"
	for _, test := range []struct {
		name  string
		names []string
		want  string
	}{
		{"as named", []string{"word/document.xml"}, "Words."},
		{"first of one name", []string{"word/document.xml", "word/../word/document.xml"}, "Words."},
	} {
		texts := append([]string{body}, make([]string, len(test.names)-1)...)
		document, err := readDocument("http://quern.example/", "", extracttest.Zip(test.names, texts))
		if err != nil || document.Text != test.want {
			t.Errorf("%s: got %q, %v", test.name, document.Text, err)
		}
	}
	locked := extracttest.Zip([]string{"word/document.xml"}, []string{body})
	flags := 8 // in the directory, after its mark and two versions
	locked[strings.Index(string(locked), "PK\x01\x02")+flags] |= 1
	damaged := extracttest.Zip([]string{"word/document.xml"}, []string{body})
	damaged[30+len("word/document.xml")+4] ^= 0xff
	method := extracttest.Zip([]string{"word/document.xml"}, []string{body})
	method[strings.Index(string(method), "PK\x01\x02")+10] = 99
	bomb := extracttest.Zip([]string{"word/document.xml"}, []string{body + strings.Repeat(" ", 2<<20)})
	for _, test := range []struct {
		name string
		body []byte
		code citewell.Code
		says string
	}{
		{"without its directory", damaged[:strings.Index(string(damaged), "PK\x01\x02")], citewell.CodeExtractionFailed,
			"too damaged to be opened"},
		{"locked", locked, citewell.CodeUnsupportedType, "encrypted"},
		{"damaged", damaged, citewell.CodeExtractionFailed, "damaged"},
		{"unknown method", method, citewell.CodeExtractionFailed, "unsupported way"},
		{"unpacks too far", bomb, citewell.CodeArchiveTooLarge, "more than 1048576 bytes"},
	} {
		if _, err := readDocument("http://quern.example/", "", test.body); citewell.CodeOf(err) != test.code ||
			!strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %s that says %q", test.name, err, test.code, test.says)
		}
	}
}

// TestDamagedParts holds that a document whose parts are damaged fails, unless the part is one
// that is not read: then it says what it said.
func TestDamagedParts(t *testing.T) {
	for file, read := range map[string]int{"docx/report": 6, "xlsx/loads": 6, "pptx/talk": 8, "odt/letter": 3,
		"ods/ovens": 2, "epub/book": 4} {
		body := zipped(t, "testdata/"+file+".txtar")
		whole, err := readDocument("http://quern.example/", "", body)
		if err != nil {
			t.Fatal(err)
		}
		archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for _, part := range archive.File {
			at, err := part.DataOffset()
			if err != nil || part.CompressedSize64 == 0 || part.Method == zip.Store {
				continue
			}
			damaged := bytes.Clone(body)
			for i := range part.CompressedSize64 {
				damaged[uint64(at)+i] = 0xff
			}
			d, err := readDocument("http://quern.example/", "", damaged)
			switch {
			case citewell.CodeOf(err) == citewell.CodeExtractionFailed && strings.Contains(err.Error(), "damaged"):
				failed++
			case err != nil || d.Text != whole.Text || d.Title != whole.Title || d.Author != whole.Author ||
				len(d.Links) != len(whole.Links):
				t.Errorf("%s without %s: %v, %q", file, part.Name, err, d.Text)
			}
		}
		if failed < read {
			t.Errorf("%s: %d parts are read, want %d", file, failed, read)
		}
	}
}
