package extract

import (
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/office"
	"github.com/citewell/citewell/extract/internal/textual"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

func seeds(f *testing.F, files ...string) {
	f.Helper()
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
}

func FuzzJSON(f *testing.F) {
	seeds(f, "testdata/json/station.json", "testdata/json/lines.json")
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, "application/json", body) })
}

func FuzzXML(f *testing.F) {
	seeds(f, "testdata/xml/catalogue.xml", "testdata/jats/paper.xml", "testdata/jats/front.xml")
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, "application/xml", body) })
}

func FuzzCSV(f *testing.F) {
	seeds(f, "testdata/csv/ovens.csv")
	for _, seed := range []string{"a\tb\n1\t2", "\"a;b\n;\"\";", "x|y\n|\n", ",,,\n,,1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, textual.CSV.Name, body) })
}

func FuzzRTF(f *testing.F) {
	seeds(f, "testdata/rtf/letter.rtf")
	for _, seed := range []string{`{\rtf1\ansi\u-10179?\u-8704?}`,
		`{\rtf1{\fonttbl{\f0\fcharset128 x;}}\f0\'82\'a0\bin3 {}{x}`,
		`{\rtf1\trowd\intbl a\cell b\cell\row\pard\ls1\ilvl8{\listtext 1.}x\par}`,
		`{\rtf1{\field{\*\fldinst HYPERLINK "http://a.example/\"><script>"}{\fldrslt x\par y}}`,
		`{\rtf1{\footnote a{\footnote b}}\super <b>}`, "{\\rtf1\\"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, "application/rtf", append([]byte(`{\rtf`), body...)) })
}

func FuzzFeed(f *testing.F) {
	seeds(f, "testdata/feed/rss.xml", "testdata/feed/atom.xml")
	f.Fuzz(func(t *testing.T, body []byte) {
		fuzzed(t, "application/xml", body)
		feed, err := ReadFeed(t.Context(), citewell.Page{URL: "https://a.example/feed", Body: body})
		switch citewell.CodeOf(err) {
		case "", citewell.CodeUnsupportedType, citewell.CodeEmptyBody, citewell.CodeExtractionTimeout:
		default:
			t.Fatal(err)
		}
		for _, item := range feed.Items {
			if s := item.Title + item.URL + item.Text; !utf8.ValidString(s) ||
				strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("%q is no plain text", s)
			}
		}
	})
}

// FuzzArchive eats whole files: mostly zips that are broken somewhere.
func FuzzArchive(f *testing.F) {
	for _, file := range []string{"testdata/docx/report.txtar", "testdata/xlsx/loads.txtar", "testdata/epub/book.txtar",
		"testdata/odt/letter.txtar", "testdata/ods/ovens.txtar", "testdata/pptx/talk.txtar"} {
		f.Add(zipped(f, file))
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzzDocument(t, body) })
}

// FuzzParts eats the part of a document that holds its text.
func FuzzParts(f *testing.F) {
	f.Add(`<document><body><p><r><t>words</t></r></p><tbl><tr><tc><p/></tc></tr></tbl></body></document>`,
		`<worksheet><sheetData><row><c r="B2" s="1"><v>45000.5</v></c></row></sheetData></worksheet>`,
		`<html><body><h1>One</h1><ul><li>two</li></ul></body></html>`)
	f.Add(`<document-content><body><text><h outline-level="2">h</h><list><list-item><p>a<note><note-body><p>n</p></note-body></note></p></list-item></list><table><table-row><table-cell number-columns-spanned="2"><p>c</p></table-cell></table-row></table></text><spreadsheet><table name="s"><table-row number-rows-repeated="9"><table-cell number-columns-repeated="3"><p>1</p></table-cell></table-row></table></spreadsheet></body></document-content>`,
		`<sld><cSld><spTree><sp><nvSpPr><nvPr><ph type="title"/></nvPr></nvSpPr><txBody><p><r><t>T</t></r></p></txBody></sp><graphicFrame><graphic><graphicData><tbl><tr><tc gridSpan="2"><txBody><p><r><t>c</t></r></p></txBody></tc></tr></tbl></graphicData></graphic></graphicFrame></spTree></cSld></sld>`, "<p>x")
	f.Fuzz(func(t *testing.T, document, sheet, chapter string) {
		fuzzDocument(t, extracttest.Zip([]string{"word/document.xml"}, []string{document}))
		fuzzDocument(t, extracttest.Zip([]string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/s.xml",
			"xl/styles.xml"}, []string{
			`<workbook><sheets><sheet name="S" id="r1"/></sheets></workbook>`,
			`<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>`,
			sheet, `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>`}))
		fuzzDocument(t, extracttest.Zip([]string{"mimetype", "content.xml"}, []string{office.ODT.Name, document}))
		fuzzDocument(t, extracttest.Zip([]string{"mimetype", "content.xml"}, []string{office.ODS.Name, document}))
		fuzzDocument(t, extracttest.Zip([]string{"ppt/presentation.xml", "ppt/_rels/presentation.xml.rels",
			"ppt/s.xml"}, []string{
			`<presentation xmlns:r="r"><sldIdLst><sldId r:id="r1"/></sldIdLst></presentation>`,
			`<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>`, sheet}))
		fuzzDocument(t, extracttest.Zip([]string{"mimetype", "META-INF/container.xml", "b.opf", "c.xhtml"},
			[]string{office.EPUB.Name,
				`<container><rootfile full-path="b.opf"/></container>`,
				`<package><manifest><item id="c" href="c.xhtml" media-type="text/html"/></manifest><spine><itemref idref="c"/></spine></package>`, chapter}))
	})
}

func fuzzDocument(t *testing.T, body []byte) {
	t.Helper()
	document, err := readDocument("http://fuzz.example/a/b?c=d", "", body)
	switch citewell.CodeOf(err) {
	case "":
		checkDocument(t, document)
		checkInert(t, document.Markdown)
	case citewell.CodeEmptyBody, citewell.CodeUnsupportedType, citewell.CodeArchiveTooLarge,
		citewell.CodeExtractionFailed:
	default:
		t.Fatal(err)
	}
}
