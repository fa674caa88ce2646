package extract

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/pdf"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// The same through the front door: the deadline is the page's, and the caller's end
// kills the child too.
func TestPDFEndsWithItsCaller(t *testing.T) {
	extracttest.Measured(t)
	extracttest.LeavesNothing(t)
	endless := make([]int, 2500)
	for i := range endless {
		endless[i] = min(i, 1)
	}
	page := citewell.Page{URL: "http://slow.example/", Body: extracttest.PagesOf(endless,
		extracttest.Stream("", extracttest.WordsOfAPage), extracttest.Deflated(t, "BT /F1 9 Tf (x) Tj ET ", 100_000))}
	document, err := New(Options{Timeout: 5 * time.Second}).Extract(context.Background(), page)
	if err != nil || !strings.Contains(document.Degraded, "in the time allowed") ||
		!strings.Contains(document.Text, "words of the first page") {
		t.Errorf("%v, degraded %q", err, document.Degraded)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	e := New(Options{Timeout: time.Minute, Parallel: 1})
	keepPlaces(t, e)
	if _, err := e.Extract(ctx, page); citewell.CodeOf(err) != citewell.CodeCanceled {
		t.Errorf("%v, want %s", err, citewell.CodeCanceled)
	}
	takePlace(t, e) // the reader has ended
}

// TestPDFCaps reads whole files that lie about themselves or are larger than is read.
func TestPDFCaps(t *testing.T) {
	extracttest.Measured(t)
	deep := []string{"<</Type/Catalog/Pages 2 0 R>>"}
	for n := range 300 {
		deep = append(deep, fmt.Sprintf("<</Type/Pages/Count 1/Kids[%d 0 R]>>", n+3))
	}
	deep = append(deep, "<</Type/Page/Contents 303 0 R>>", extracttest.Stream("", extracttest.WordsOfAPage))
	lying := func(length int) []byte {
		return extracttest.PagesOf([]int{0}, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", length,
			extracttest.WordsOfAPage))
	}
	rings := extracttest.WritePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 3/Kids[3 0 R]>>",
		"<</Type/Pages/Parent 2 0 R/Count 3/Kids[4 0 R 2 0 R 3 0 R]>>",
		"<</Type/Page/Parent 3 0 R/Contents 5 0 R/Resources<</Font<</F1 6 0 R>>>>>>",
		extracttest.Stream("", extracttest.WordsOfAPage), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	tests := []struct {
		name string
		body []byte
		says string // of the text, what it lacks, or the error
	}{
		{"page count", extracttest.PagesOf(make([]int, pdf.MaxPages+5),
			extracttest.Stream("", extracttest.WordsOfAPage)), fmt.Sprintf("read to page %d of %d, as a document "+
			"may have", pdf.MaxPages, pdf.MaxPages+5)},
		{"count that lies", extracttest.WritePDF("", "<</Type/Catalog/Pages 2 0 R>>",
			"<</Type/Pages/Count 2000000000/Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R/Resources<</Font<</F1 5 0 "+
				"R>>>>>>", extracttest.Stream("", extracttest.WordsOfAPage),
			"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"), "words of the first page"},
		{"kids in rings", rings, "words of the first page"},
		{"kids in depth", extracttest.WritePDF("", deep...), "the PDF"},
		{"length too long", lying(1 << 30), "too damaged"},
		{"length too short", lying(5), ""},
		{"length below nothing", lying(-1), ""},
		{"array of a million", extracttest.PagesOf([]int{0}, extracttest.Stream("", extracttest.WordsOfAPage),
			"["+strings.Repeat("4 0 R ", 1_000_000)+"]"), "words of the first page"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			extracttest.LeavesNothing(t)
			document, err := New(Options{Timeout: time.Minute}).Extract(context.Background(),
				citewell.Page{URL: "http://bomb.example/", Body: test.body})
			if err == nil {
				checkDocument(t, document)
			} else if code := citewell.CodeOf(err); code != citewell.CodeExtractionFailed {
				t.Errorf("%s: %v", code, err)
			}
			if said := fmt.Sprint(err, document.Degraded, document.Text); !strings.Contains(said, test.says) {
				t.Errorf("nothing says %q: %.300s", test.says, said)
			}
		})
	}
}
