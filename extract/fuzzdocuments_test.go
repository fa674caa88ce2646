package extract

import (
	"os"
	"testing"

	"github.com/citewell/citewell"
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

func FuzzFeed(f *testing.F) {
	seeds(f, "testdata/feed/rss.xml", "testdata/feed/atom.xml")
	f.Fuzz(func(t *testing.T, body []byte) { fuzzed(t, "application/xml", body) })
}

// FuzzArchive eats whole files: mostly zips that are broken somewhere.
func FuzzArchive(f *testing.F) {
	for _, file := range []string{"testdata/docx/report.txtar", "testdata/xlsx/loads.txtar", "testdata/epub/book.txtar"} {
		f.Add(zipped(f, file))
	}
	f.Fuzz(func(t *testing.T, body []byte) { fuzzDocument(t, body) })
}

// FuzzParts eats the part of a document that holds its text.
func FuzzParts(f *testing.F) {
	f.Add(`<document><body><p><r><t>words</t></r></p><tbl><tr><tc><p/></tc></tr></tbl></body></document>`,
		`<worksheet><sheetData><row><c r="B2" s="1"><v>45000.5</v></c></row></sheetData></worksheet>`,
		`<html><body><h1>One</h1><ul><li>two</li></ul></body></html>`)
	f.Fuzz(func(t *testing.T, document, sheet, chapter string) {
		fuzzDocument(t, pack(t, []string{"word/document.xml"}, []string{document}))
		fuzzDocument(t, pack(t, []string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/s.xml", "xl/styles.xml"}, []string{
			`<workbook><sheets><sheet name="S" id="r1"/></sheets></workbook>`, `<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>`,
			sheet, `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>`}))
		fuzzDocument(t, pack(t, []string{"mimetype", "META-INF/container.xml", "b.opf", "c.xhtml"}, []string{epubType,
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
	case citewell.CodeEmptyBody, citewell.CodeUnsupportedType, citewell.CodeResponseTooLarge, citewell.CodeExtractionFailed:
	default:
		t.Fatal(err)
	}
}
