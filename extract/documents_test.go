package extract

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/office"
	"github.com/citewell/citewell/extract/internal/rtf"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/rogpeppe/go-internal/txtar"
)

// zipped packs the files of a txtar archive, whose first lines say what it is for.
func zipped(t testing.TB, file string) []byte {
	t.Helper()
	source, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var names, texts []string
	for _, f := range source.Files {
		names, texts = append(names, f.Name), append(texts, strings.TrimSuffix(string(f.Data), "\n"))
	}
	return extracttest.Zip(names, texts)
}

func readDocument(address, contentType string, body []byte) (citewell.Document, error) {
	e := New(Options{Timeout: time.Minute}) // a PDF's reader begins as a process of its own
	return e.Extract(context.Background(), citewell.Page{URL: address, FinalURL: address, ContentType: contentType,
		Body: body})
}

// TestGoldenDocuments holds a hand-written document of each type beside HTML and
// text, declared as nothing: the bytes say what they are.
func TestGoldenDocuments(t *testing.T) {
	types := map[string]string{"docx": office.DOCX.Name, "xlsx": office.XLSX.Name, "epub": office.EPUB.Name,
		"odt": office.ODT.Name, "ods": office.ODS.Name, "pptx": office.PPTX.Name, "rtf": rtf.Reader.Name,
		"xml": "application/xml", "json": "application/json", "feed": ""}
	for folder, want := range types {
		files, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files of %s: %v", folder, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".golden") {
				continue
			}
			t.Run(folder+"/"+filepath.Base(file), func(t *testing.T) {
				var body []byte
				if strings.HasSuffix(file, ".txtar") {
					body = zipped(t, file)
				} else if body, err = os.ReadFile(file); err != nil {
					t.Fatal(err)
				}
				document, err := readDocument("http://quern.example/files/a", "", body)
				if err != nil {
					t.Fatal(err)
				}
				if want != "" && document.MediaType != want {
					t.Errorf("read as %s", document.MediaType)
				}
				checkDocument(t, document)
				for _, never := range []string{"root:", "Hidden words", "Deleted words", "never shown", "hidden sheet",
					"999", "unseen", "alert(", "left out"} {
					if strings.Contains(document.Text, never) {
						t.Errorf("the text holds %q", never)
					}
				}
				golden.Check(t, file+".golden", show(t, document))
			})
		}
	}
}

func TestDocumentsAreWhatTheirBytesAre(t *testing.T) {
	docx, epub := zipped(t, "testdata/docx/report.txtar"), zipped(t, "testdata/epub/book.txtar")
	odt, pptx := zipped(t, "testdata/odt/letter.txtar"), zipped(t, "testdata/pptx/talk.txtar")
	atom, err := os.ReadFile("testdata/feed/atom.xml")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, declared string
		body           []byte
		want           string // media type, or empty for unsupported_type
	}{
		{"docx_declared", office.DOCX.Name, docx, office.DOCX.Name},
		{"docx_as_zip", "application/zip", docx, office.DOCX.Name},
		{"docx_as_html", "text/html", docx, office.DOCX.Name},
		{"docx_as_pdf", "application/pdf", docx, office.DOCX.Name},
		{"epub_as_octets", "application/octet-stream", epub, office.EPUB.Name},
		{"html_as_docx", office.DOCX.Name, []byte("<html><body>words"), ""},
		{"other_zip", office.DOCX.Name, extracttest.Zip([]string{"a.txt"}, []string{"word/document.xml"}), ""},
		{"epub_without_its_mark", "", extracttest.Zip([]string{"META-INF/container.xml"}, []string{"x"}), ""},
		{"atom_as_xml", "text/xml", atom, "application/atom+xml"},
		{"atom_as_rss", "application/rss+xml", atom, "application/rss+xml"},
		{"atom_as_text", "text/plain", atom, "text/plain"},
		{"atom_as_html", "text/html", atom, "text/html"},
		{"other_xml", "application/xml", []byte("<?xml version='1.0'?><rsst>words</rsst>"), "application/xml"},
		{"rtf_as_text", "text/plain", []byte(`{\rtf1 words}`), rtf.Reader.Name},
		{"html_as_rtf", rtf.Reader.Name, []byte("<html><body>words"), ""},
		{"odt_as_zip", "application/zip", odt, office.ODT.Name},
		{"ods_as_zip", "application/zip", zipped(t, "testdata/ods/ovens.txtar"), office.ODS.Name},
		{"odt_without_its_mark", "", extracttest.Zip([]string{"content.xml"}, []string{"x"}), ""},
		{"pptx_as_docx", office.DOCX.Name, pptx, office.PPTX.Name},
		{"json_as_text", "text/plain", []byte(`{"a": 1}`), "text/plain"},
		{"json_with_suffix", "application/ld+json; charset=utf-8", []byte(`{"a": 1}`), "application/ld+json"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			document, err := readDocument("http://quern.example/a", test.declared, test.body)
			if test.want == "" && citewell.CodeOf(err) == citewell.CodeUnsupportedType {
				return
			}
			if err != nil || document.MediaType != test.want {
				t.Fatalf("read as %q, %v; want %q", document.MediaType, err, test.want)
			}
			checkDocument(t, document)
		})
	}
}

// TestDocumentBombs holds that what unpacks or nests too far ends by name and in time.
func TestDocumentBombs(t *testing.T) {
	extracttest.Measured(t)
	zeros := strings.Repeat("\x00", 60<<20)
	var names, texts []string
	for i := range office.MaxEntries + 1 {
		names, texts = append(names, fmt.Sprintf("part%d", i)), append(texts, "")
	}
	const body = `<w:document xmlns:w="w"><w:body>`
	deep := body + strings.Repeat("<w:p><w:r>", 50_000) + "<w:t>words</w:t>"
	tables := body + strings.Repeat("<w:tbl><w:tr><w:tc>", 20_000) + "<w:p><w:r><w:t>words</w:t></w:r></w:p>"
	entities := `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>` + body +
		`<w:p><w:r><w:t>kept &b;</w:t></w:r></w:p>`
	cut := zipped(t, "testdata/docx/report.txtar")
	cut = cut[:len(cut)-100]
	tests := []struct {
		name string
		body []byte
		code citewell.Code // empty: it is read
		says string
	}{
		{"one_part", extracttest.Zip([]string{"word/document.xml"}, []string{zeros}), citewell.CodeArchiveTooLarge,
			"unpacks to more than"},
		{"many_parts", extracttest.Zip(append(names, "word/document.xml"), append(texts, "x")),
			citewell.CodeArchiveTooLarge, "more than 20000 parts"},
		{"cut", cut, citewell.CodeExtractionFailed, "damaged"},
		{"nested", extracttest.Zip([]string{"word/document.xml"}, []string{deep}), citewell.CodeExtractionFailed, ""},
		{"nested_tables", extracttest.Zip([]string{"word/document.xml"}, []string{tables}),
			citewell.CodeExtractionFailed, ""},
		{"entities", extracttest.Zip([]string{"word/document.xml"}, []string{entities}), "", "kept"},
		{"way_out", extracttest.Zip([]string{"word/document.xml", "../../etc/x"},
			[]string{body + "<w:p><w:r><w:t>kept</w:t></w:r></w:p>", "x"}), "", "kept"},
		{"wide_sheet", extracttest.Zip([]string{"xl/workbook.xml", "xl/_rels/workbook.xml.rels", "xl/s.xml"}, []string{
			`<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`,
			`<Relationships><Relationship Id="r1" Target="s.xml"/></Relationships>`,
			`<worksheet><sheetData>` + strings.Repeat(`<row><c r="XFD1"><v>1</v></c><c r="A1"><v>2</v></c></row>`,
				10_000)}), "", "1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			begun := time.Now()
			document, err := readDocument("http://bomb.example/a", "", test.body)
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			if citewell.CodeOf(err) != test.code {
				t.Fatalf("got %v, want %q; text %.80q", err, test.code, document.Text)
			}
			if err != nil && !strings.Contains(err.Error(), test.says) || err == nil &&
				!strings.Contains(document.Text, test.says) {
				t.Errorf("got %v, %.80q; want %q", err, document.Text, test.says)
			}
		})
	}
	t.Run("truncated_page", func(t *testing.T) {
		page := citewell.Page{URL: "http://bomb.example/", Body: zipped(t, "testdata/docx/report.txtar"),
			Outcome: citewell.FetchTruncated}
		if _, err := Extract(context.Background(), page); citewell.CodeOf(err) != citewell.CodeResponseTooLarge {
			t.Errorf("got %v", err)
		}
	})
	t.Run("locked_book", func(t *testing.T) {
		source, err := os.ReadFile("testdata/epub/book.txtar")
		if err != nil {
			t.Fatal(err)
		}
		locked := filepath.Join(t.TempDir(), "locked.txtar")
		if err := os.WriteFile(locked, bytes.Replace(source, []byte("OEBPS/fonts/a.otf"), []byte("OEBPS/a.xhtml"), 1),
			0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readDocument("http://bomb.example/", "", zipped(t, locked)); citewell.CodeOf(
			err) != citewell.CodeUnsupportedType {
			t.Errorf("got %v", err)
		}
	})
}

func TestJSONThatIsNone(t *testing.T) {
	tests := []struct{ name, body, text, degraded string }{
		{"cut", `{"a": {"b": [1, 2`, "a:\n  b:\n    - 1\n    - 2", "ends before"},
		{"wrong", `{"a": 1,, "b": 2}`, `{"a": 1,, "b": 2}`, "no JSON"},
		{"deep", strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
			strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "no JSON"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			document, err := readDocument("http://quern.example/", "application/json", []byte(test.body))
			if err != nil || document.Text != test.text || !strings.Contains(document.Degraded, test.degraded) {
				t.Errorf("got %q, %q, %v", document.Text, document.Degraded, err)
			}
		})
	}
}
