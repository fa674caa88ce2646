package office

import (
	"archive/zip"
	"bytes"
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
)

// packed is a zip of parts, in pairs of a name and a content.
func packed(t *testing.T, method uint16, parts ...string) media.Input {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: parts[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return media.Input{
		Raw:      b.Bytes(),
		Base:     &url.URL{Scheme: "http", Host: "quern.example"},
		MaxText:  1 << 20,
		MaxLinks: 100,
	}
}

func codeOf(t *testing.T, in media.Input, part string) citewell.Code {
	t.Helper()
	a, err := openArchive(context.Background(), in)
	if err == nil {
		_, err = a.read(part)
	}
	if err == nil {
		return ""
	}
	return citewell.CodeOf(err)
}

// What a part unpacks to is bounded by what it was packed to, whatever it claims to be.
func TestUnpackingIsBounded(t *testing.T) {
	small := packed(t, zip.Deflate, "a.xml", strings.Repeat("x", freeRatio))
	if code := codeOf(t, small, "a.xml"); code != "" {
		t.Errorf("a part of %d bytes is %s", freeRatio, code)
	}
	large := packed(t, zip.Deflate, "a.xml", strings.Repeat("x", freeRatio+1))
	if code := codeOf(t, large, "a.xml"); code != citewell.CodeArchiveTooLarge {
		t.Errorf("a byte more at more than %d to 1 is %q", maxRatio, code)
	}
	stored := packed(t, zip.Store, "a.xml", strings.Repeat("x", freeRatio+1))
	if code := codeOf(t, stored, "a.xml"); code != "" {
		t.Errorf("a byte more that is not packed is %s", code)
	}
	if code := codeOf(t, stored, "none.xml"); code != "" {
		t.Errorf("a part that is not there is %s", code)
	}
	a, err := openArchive(context.Background(), small)
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	for ; err == nil && reads < 10; reads++ {
		_, err = a.read("a.xml")
	}
	if reads != 5 || citewell.CodeOf(err) != citewell.CodeArchiveTooLarge {
		t.Errorf(
			"a part that is named again and again is read %d times, then %v; four times %d bytes are free",
			reads,
			err,
			freeRatio,
		)
	}
	var many []string
	for i := range MaxEntries + 1 {
		many = append(many, "part"+strings.Repeat("i", i%7)+string(rune('a'+i%26)), "")
	}
	if code := codeOf(t, packed(t, zip.Store, many...), "a"); code != citewell.CodeArchiveTooLarge {
		t.Errorf("%d parts are %q", MaxEntries+1, code)
	}
}

func TestDocumentsThatAreNotOpened(t *testing.T) {
	in := packed(t, zip.Store, "a.xml", "text")
	cut := in
	cut.Cut = true
	damaged := in
	damaged.Raw = damaged.Raw[:len(damaged.Raw)-10]
	secret := in
	secret.Raw = bytes.Clone(in.Raw)
	directory := bytes.Index(secret.Raw, []byte(directoryTag))
	secret.Raw[directory+8] |= 1 // the flag of an encrypted part
	for name, test := range map[string]struct {
		in   media.Input
		want citewell.Code
	}{
		"whole":     {in, ""},
		"cut":       {cut, citewell.CodeResponseTooLarge},
		"damaged":   {damaged, citewell.CodeExtractionFailed},
		"encrypted": {secret, citewell.CodeUnsupportedType},
	} {
		if got := codeOf(t, test.in, "a.xml"); got != test.want {
			t.Errorf("%s: %q; want %q", name, got, test.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	a, err := openArchive(ctx, in)
	cancel()
	if err == nil {
		_, err = a.read("a.xml")
	}
	if err == nil {
		t.Error("a part is read for somebody who has gone")
	}
}

// No way of writing a part's name leads out of the document, and the first of two parts of one name counts.
func TestPartNames(t *testing.T) {
	for name, want := range map[string]string{"word/document.xml": "word/document.xml",
		"/word/document.xml": "word/document.xml",
		`word\document.xml`:  "word/document.xml", "../../etc/passwd": "etc/passwd", "a/./b/../c": "a/c"} {
		if got := partName(name); got != want {
			t.Errorf("%q is the part %q; want %q", name, got, want)
		}
	}
	a, err := openArchive(
		context.Background(),
		packed(t, zip.Store, "a.xml", "first", "./a.xml", "second", "folder/", ""),
	)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.read(`.\a.xml`); err != nil || string(got) != "first" {
		t.Errorf("%q, %v", got, err)
	}
	if a.parts["folder"] != nil {
		t.Error("a folder is a part")
	}
}

func TestRelations(t *testing.T) {
	long := "http://long.example/" + strings.Repeat("x", maxTarget)
	a, err := openArchive(context.Background(), packed(t, zip.Store, "word/_rels/document.xml.rels", `<Relationships>
		<Relationship Id="r1" Target="styles.xml"/><Relationship Id="r2" Target="/docProps/core.xml"/>
		<Relationship Id="r3" Target="http://quern.example/a b" TargetMode="External"/><Relationship Id="r4" Target="../../../x.xml"/>
		<Relationship Id="r5" Target="`+long+`" TargetMode="External"/></Relationships>`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.relations("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"r1": "word/styles.xml",
		"r2": "docProps/core.xml",
		"r3": "http://quern.example/a b",
		"r4": "x.xml",
	}
	for id, target := range want {
		if got[id] != target {
			t.Errorf("%s leads to %q; want %q", id, got[id], target)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d relations; want %d", len(got), len(want))
	}
}

// A zip is claimed by the name of one of its entries, not by a name that stands in a text of it.
func TestClaims(t *testing.T) {
	word := packed(t, zip.Store, docxPart, "<w/>").Raw
	book := packed(t, zip.Store, "mimetype", epubType, containerPart, "<c/>").Raw
	for name, test := range map[string]struct {
		reader media.Reader
		body   []byte
		want   string
	}{
		"word":           {DOCX, word, docxType},
		"book":           {EPUB, book, epubType},
		"named in text":  {DOCX, packed(t, zip.Store, "a.txt", "it has "+docxPart+" as a part").Raw, ""},
		"book as word":   {DOCX, book, ""},
		"no zip":         {DOCX, append([]byte("MZ"), word...), ""},
		"no type first":  {EPUB, packed(t, zip.Store, containerPart, "<c/>").Raw, ""},
		"sheet":          {XLSX, packed(t, zip.Store, xlsxPart, "<s/>").Raw, xlsxType},
		"slides as book": {EPUB, packed(t, zip.Store, pptxPart, "<p/>").Raw, ""},
	} {
		if got := test.reader.Claims(media.Page{Body: test.body}); got != test.want {
			t.Errorf("%s: %q; want %q", name, got, test.want)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, test := range [][3]string{{"2", "3", ` colspan="2" rowspan="3"`}, {"1", "", ""},
		{"100", "99", ` rowspan="99"`}, {"-2", "x", ""}} {
		if got := spans(test[0], test[1]); got != test[2] {
			t.Errorf("%s and %s: %q; want %q", test[0], test[1], got, test[2])
		}
	}
}

// What a cell shows is a number by the format that it names: the code of Excel, or a number of a built-in one.
func TestNumbersAsTheyAreShown(t *testing.T) {
	x := sheetReader{epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	for _, test := range []struct {
		n          float64
		code, want string
	}{
		{0.1 + 0.2, "General", "0.3"}, {1234567, "#,##0", "1234567"}, {0.125, "0.0%", "12.5%"}, {1e20, "0", "1e+20"},
		{45000, "yyyy-mm-dd", "2023-03-15"}, {45000, "d. mmmm", "2023-03-15"},
		{45000.75, `dd/mm/yy hh:mm`, "2023-03-15 18:00:00"},
		{0.5, "hh:mm", "12:00:00"}, {1.104166667, "[h]:mm", "26:30"}, {0.25, "[mm]", "360"}, {0.0001, "[ss]", "9"},
		{45000, `"day"0`, "45000"}, {45000, `\d0`, "45000"}, {45000, `[Red]0`, "45000"}, {45000, "0;yyyy", "45000"},
		{-1, "yyyy-mm-dd", "-1"}, {2_958_466, "yyyy-mm-dd", "2958466"}, {2_958_465, "yyyy-mm-dd", "9999-12-31"},
	} {
		if got := x.shown(test.n, kindOfFormat(test.code)); got != test.want {
			t.Errorf("%v as %s is %s; want %s", test.n, test.code, got, test.want)
		}
	}
	for n, want := range map[int]numberKind{0: plainNumber, 9: percentNumber, 10: percentNumber, 11: plainNumber,
		13: plainNumber, 14: dateNumber, 17: dateNumber,
		18: timeNumber, 22: timeNumber, 23: plainNumber, 44: plainNumber, 45: timeNumber, 46: elapsedUnits,
		47: timeNumber, 48: plainNumber} {
		if got := builtinFormat(n); got != want {
			t.Errorf("format %d shows %v; want %v", n, got, want)
		}
	}
}

func TestColumnOf(t *testing.T) {
	for reference, want := range map[string]int{"A1": 0, "Z9": 25, "AA1": 26, "AB12": 27} {
		if got, ok := columnOf(reference); !ok || got != want {
			t.Errorf("%s is column %d, %v; want %d", reference, got, ok, want)
		}
	}
	for _, reference := range []string{"", "12", "a1", "ZZZZZZ1"} {
		if got, ok := columnOf(reference); ok {
			t.Errorf("%q is column %d", reference, got)
		}
	}
}

func TestFirstNumber(t *testing.T) {
	for start, want := range map[string]int{"": 1, "x": 1, "-4": 1, "0": 1, "7": 7} {
		if got := firstNumber(start); got != want {
			t.Errorf("%q begins at %d; want %d", start, got, want)
		}
	}
}

// shownAs reads a document and returns its Markdown.
func shownAs(t *testing.T, reader media.Reader, parts ...string) (media.Reading, string) {
	t.Helper()
	r, err := reader.Read(t.Context(), packed(t, zip.Deflate, parts...))
	if err != nil {
		t.Fatalf("%s: %v", reader.Called, err)
	}
	return r, r.Markdown
}

func TestReadDOCX(t *testing.T) {
	r, got := shownAs(
		t,
		DOCX,
		docxPart,
		`<w:document xmlns:w="w" xmlns:r="r"><w:body>
<w:p><w:pPr><w:pStyle w:val="H"/></w:pPr><w:r><w:t>The mill</w:t></w:r></w:p>
<w:p><w:r><w:t>It has </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>ovens</w:t></w:r></w:hyperlink><w:hyperlink r:id="r2"><w:r><w:t> inside</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r><w:del><w:r><w:delText>Gone.</w:delText></w:r></w:del><w:r><w:footnoteReference w:id="2"/></w:r></w:p>
<w:sdt><w:sdtContent><w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Hidden.</w:t></w:r><w:r><w:t>In a field.</w:t></w:r></w:p></w:sdtContent></w:sdt>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="5"/></w:numPr></w:pPr><w:r><w:t>third</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="5"/></w:numPr></w:pPr><w:r><w:t>fourth</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Rows</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>oven</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>3</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
</w:body></w:document>`,
		"word/styles.xml",
		`<w:styles xmlns:w="w"><w:style w:styleId="H"><w:name w:val="heading 2"/></w:style></w:styles>`,
		"word/numbering.xml",
		`<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
		"word/footnotes.xml",
		`<w:footnotes xmlns:w="w"><w:footnote w:id="2"><w:p><w:r><w:t>Counted in 1990.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/_rels/document.xml.rels",
		`<Relationships><Relationship Id="r1" Target="http://quern.example/ovens" TargetMode="External"/><Relationship Id="r2" Target="mailto:a@b.example" TargetMode="External"/></Relationships>`,
		"docProps/core.xml",
		`<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>Mills</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>`,
	)
	const want = `## The mill

It has [ovens](http://quern.example/ovens) inside.\[1]

In a field.

3. third
4. fourth

| Name | Rows |
|---|---|
| oven | 3 |

\[1] Counted in 1990.`
	if got != want || r.Title != "Mills" || r.Author != "Ann" || len(r.Links) != 1 ||
		r.Links[0].URL != "http://quern.example/ovens" {
		t.Errorf("%q by %q with the links %v:\n%s", r.Title, r.Author, r.Links, got)
	}
}

func TestReadXLSX(t *testing.T) {
	_, got := shownAs(
		t,
		XLSX,
		xlsxPart,
		`<workbook xmlns:r="r"><sheets><sheet name="Ovens" sheetId="1" r:id="r1"/><sheet name="Secret" sheetId="2" state="hidden" r:id="r2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels",
		`<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="worksheets/sheet2.xml"/></Relationships>`,
		"xl/sharedStrings.xml",
		`<sst><si><t>Built</t></si><si><r><t>Big </t></r><r><t>oven</t></r></si></sst>`,
		"xl/styles.xml",
		`<styleSheet><numFmts><numFmt numFmtId="170" formatCode="yyyy-mm-dd"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml",
		`<worksheet><sheetData><row><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="C1" t="s"><v>0</v></c><c r="D1" t="str"><v>Hot</v></c></row>
<row hidden="1"><c r="A2"><v>99</v></c></row><row><c r="A3" t="s"><v>1</v></c><c r="C3" s="1"><v>45000</v></c><c r="D3" t="b"><v>1</v></c></row></sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml",
		`<worksheet><sheetData><row><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row></sheetData></worksheet>`,
	)
	const want = `## Ovens

| Name | Built | Hot |
|---|---|---|
| Big oven | 2023-03-15 | TRUE |`
	if got != want {
		t.Error(got)
	}
}

func TestReadPPTX(t *testing.T) {
	_, got := shownAs(
		t,
		PPTX,
		pptxPart,
		`<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels",
		`<Relationships><Relationship Id="r1" Target="slides/slide1.xml"/></Relationships>`,
		"ppt/slides/_rels/slide1.xml.rels",
		`<Relationships><Relationship Id="n" Type="http://x/notesSlide" Target="../notesSlides/notesSlide1.xml"/></Relationships>`,
		"ppt/slides/slide1.xml",
		`<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>
<p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>It has ovens.</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>Three.</a:t></a:r></a:p></p:txBody></p:sp>
<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>The mill</a:t></a:r></a:p></p:txBody></p:sp>
<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc gridSpan="2"><a:txBody><a:p><a:r><a:t>Wide</a:t></a:r></a:p></a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>left</a:t></a:r></a:p></a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>right</a:t></a:r></a:p></a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>
</p:spTree></p:cSld></p:sld>`,
		"ppt/notesSlides/notesSlide1.xml",
		`<p:notes xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="body"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Say it slowly.</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>`,
	)
	const want = `## Slide 1

### The mill

- It has ovens.
  - Three.

| Wide |  |
|---|---|
| left | right |

#### Notes

Say it slowly.`
	if got != want {
		t.Error(got)
	}
}

func TestReadOpenDocuments(t *testing.T) {
	_, got := shownAs(
		t,
		ODT,
		"mimetype",
		odtType,
		odfPart,
		`<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:xlink="x"><office:body><office:text>
<text:h text:outline-level="2">The mill</text:h><text:p>It<text:s text:c="2"/>has <text:a xlink:href="http://quern.example/o">ovens</text:a>.</text:p>
<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>within</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Rows</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>oven</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row></table:table>
</office:text></office:body></office:document-content>`,
	)
	const text = `## The mill

It has [ovens](http://quern.example/o).

- one

  - within
- two

| Name | Rows |
|---|---|
| oven | 3 |`
	if got != text {
		t.Error(got)
	}
	_, got = shownAs(
		t,
		ODS,
		"mimetype",
		odsType,
		odfPart,
		`<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:spreadsheet>
<table:table table:name="Ovens"><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>Rows</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="2"><table:table-cell><text:p>oven</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>3</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="100000"><table:table-cell/></table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`,
	)
	const sheet = `## Ovens

| Name | Rows |
|---|---|
| oven | 3 | 3 |
| oven | 3 | 3 |`
	if got != sheet {
		t.Error(got)
	}
}

func TestReadEPUB(t *testing.T) {
	r, got := shownAs(
		t,
		EPUB,
		"mimetype",
		epubType,
		containerPart,
		`<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
		"OEBPS/book.opf",
		`<package xmlns:dc="d"><metadata><dc:title>Mills</dc:title><dc:creator>Ann</dc:creator><dc:language>en</dc:language></metadata><manifest>
<item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/>
<item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="c" href="style.css" media-type="text/css"/></manifest>
<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="a"/><itemref idref="c"/></spine></package>`,
		"OEBPS/one.xhtml",
		`<html><body><h1>One</h1><p>The mill has three ovens, and all of them are hot.</p></body></html>`,
		"OEBPS/two b.xhtml",
		`<html><body><h1>Two</h1><p>See <a href="one.xhtml">one</a> and <a href="http://quern.example/">the site</a>.</p></body></html>`,
		"OEBPS/nav.xhtml",
		`<html><body><p>Contents</p></body></html>`,
		"OEBPS/style.css",
		`p { color: red }`,
	)
	const want = `# One

The mill has three ovens, and all of them are hot.

# Two

See one and [the site](http://quern.example/).`
	if got != want || r.Title != "Mills" || r.Author != "Ann" || len(r.Links) != 1 {
		t.Errorf("%q by %q with the links %v:\n%s", r.Title, r.Author, r.Links, got)
	}
}
