package extract

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/score"
)

func TestHostilePagesEndInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	extracttest.Measured(t)
	for name, body := range extracttest.HostilePages() {
		t.Run(name, func(t *testing.T) {
			e := New(Options{Parallel: 1, Timeout: 500 * time.Millisecond})
			keepPlaces(t, e)
			begun, used := time.Now(), score.ProcessorTime()
			document, err := e.Extract(context.Background(), citewell.Page{
				URL: "http://hostile.example/", ContentType: "text/html", Body: []byte(body)})
			took := time.Since(begun)
			t.Logf("%v, %d bytes in, %d out, %v, degraded %q", took, len(body), len(document.Text), err,
				document.Degraded)
			takePlace(t, e)                        // wait for a reader that outlived its deadline
			worked := score.ProcessorTime() - used // the clock tells how busy the machine is
			t.Logf("its reader took %v, of which %v on a processor", time.Since(begun), worked)
			if worked > 3*time.Second {
				t.Errorf("its reader worked for %v", worked)
			}
		})
	}
}

// A carriage return, written as a reference, would let a page overwrite what a
// terminal shows.
func TestNoCarriageReturn(t *testing.T) {
	doc, err := Extract(t.Context(), citewell.Page{FinalURL: "http://h.example/", ContentType: "text/html",
		Body: []byte("<html><body><h1>T</h1><p>Enough words to be read as the text of this page, and more of " +
			"them.</p><pre>one&#13;two&#13;&#10;three</pre></body></html>")})
	if err != nil || strings.ContainsRune(doc.Text+doc.Markdown, '\r') ||
		!strings.Contains(doc.Markdown, "one\ntwo\nthree") {
		t.Errorf("%q %q %v", doc.Text, doc.Markdown, err)
	}
}

// Quotations in quotations are marked to a depth of twelve, which cannot cost much.
func TestDeepQuotationsAreCheap(t *testing.T) {
	const depth = 300
	doc, err := Extract(t.Context(), citewell.Page{FinalURL: "http://h.example/", ContentType: "text/html",
		Body: []byte(strings.Repeat("<blockquote>words", depth) + strings.Repeat("</blockquote>", depth))})
	if err != nil || strings.Count(doc.Text, "words") != depth || strings.Count(doc.Markdown, "words") != depth {
		t.Fatalf("%d in the text, %d in Markdown, want %d (%v)", strings.Count(doc.Text, "words"),
			strings.Count(doc.Markdown, "words"), depth, err)
	}
	if marks := strings.Count(doc.Markdown, ">"); marks > 2*depth*13 {
		t.Errorf("%d marks of quotation for %d levels", marks, depth)
	}
}
