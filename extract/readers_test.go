package extract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/pdf"
	"github.com/citewell/citewell/extract/internal/textual"
)

// TestReadersAreWhole names what a reader lacks: the extension of its files, a page that it reads, the golden document
// of that page, and a fuzz target that begins with the page.
func TestReadersAreWhole(t *testing.T) {
	targets, err := filepath.Glob("fuzz*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var fuzz strings.Builder
	for _, file := range targets {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fuzz.Write(source)
	}
	e := New(Options{})
	read := map[string]bool{pdf.Type: true} // its pages are drawn in pdf_test.go, its fuzz target is its own package's
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		file = filepath.ToSlash(file)
		folder := strings.Split(file, "/")[1]
		if _, err := os.Stat(file + ".golden"); err != nil {
			t.Errorf("%s has no golden document: add its folder to the map of TestGolden or of TestGoldenDocuments, "+
				"then run with -update", file)
		}
		if !strings.Contains(fuzz.String(), "testdata/"+folder+"/") &&
			!strings.Contains(fuzz.String(), `addGolden(f, "`+folder+`")`) {
			t.Errorf("no fuzz target begins with a page of testdata/%s: add one to fuzzdocuments_test.go", folder)
		}
		found, err := e.sniff(pageOf(t, file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		read[found.reader.Name] = true
	}
	for _, r := range e.readers {
		if !read[r.Name] {
			t.Errorf("no page below testdata is read by the reader of %s: add one. If there is one, the reader stands "+
				"below that of %s, which claims all text that is left, or lacks Bytes", r.Called, textual.Text.Called)
		}
		if len(r.Files) == 0 {
			t.Errorf("the reader of %s has no Files, so that no file's name states its media type", r.Called)
		}
		for extension, declared := range r.Files {
			words := citewell.Page{URL: "http://quern.example/a", ContentType: declared, Body: []byte("words")}
			if _, err := e.sniff(words); err != nil && !r.Bytes {
				t.Errorf("Files of the reader of %s state %s as %s, which no reader claims", r.Called, extension,
					declared)
			}
		}
	}
}

// pageOf is a file of testdata as a page, declared as its extension has it.
func pageOf(t *testing.T, file string) citewell.Page {
	t.Helper()
	page := citewell.Page{URL: "http://quern.example/" + file, ContentType: MediaType(file)}
	if strings.HasSuffix(file, ".txtar") {
		page.Body = zipped(t, file)
		return page
	}
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page.Body = body
	return page
}
