package extract

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// A page is bounded by the work that it takes: one of the web by Timeout, a file of the
// user's own by Work.
func TestPagesAreBoundByWork(t *testing.T) {
	extracttest.Measured(t)
	long := []byte("<title>Long</title>" + strings.Repeat("<p>Words of a paragraph.</p>", 200_000))
	for _, test := range []struct {
		name, address string
		body          []byte
		o             Options
		says          string // of the error; empty where there is none
	}{
		{"web", "http://page.example/", long, Options{Timeout: time.Millisecond},
			"limit 1ms of processor time); raise brief.deadlines.extract"},
		{"own", "file:///home/page.html", long, Options{Timeout: time.Nanosecond}, ""},
		{"own_pdf", "file:///home/page.pdf", extracttest.PDFOf(extracttest.FirstPage, extracttest.SecondPage),
			Options{Timeout: time.Nanosecond}, ""},
		{"own_too_long", "FILE:///home/page.html", long, Options{Timeout: time.Minute, Work: time.Nanosecond},
			"limit 1ns of processor time); split it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(test.o).Extract(t.Context(), citewell.Page{URL: test.address, Body: test.body})
			if test.says == "" && err != nil {
				t.Error(err)
			}
			if test.says != "" {
				view := citewell.View(err)
				if said := view.Message + "; " + view.Hint; view.Code != citewell.CodeExtractionTimeout ||
					!strings.Contains(said, test.says) {
					t.Errorf("%v, %q", err, said)
				}
			}
		})
	}
}

// The pages of a file that were read before its work was done are kept.
func TestOwnPDFKeepsItsPages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	slow := extracttest.Deflated(t, "BT /F1 9 Tf (x) Tj ET ", 100_000)
	endless := make([]int, 2000)
	for i := range endless {
		endless[i] = min(i, 1)
	}
	body := extracttest.PagesOf(endless, extracttest.Stream("", extracttest.WordsOfAPage), slow)
	d, err := New(Options{Work: 2 * time.Second}).Extract(t.Context(),
		citewell.Page{URL: "file:///home/long.pdf", Body: body})
	if err != nil || !d.Truncated || !strings.Contains(d.Degraded, "of 2000, in the time allowed") ||
		!strings.Contains(d.Text, "words of the first page") {
		t.Errorf("truncated %v, degraded %q, %d bytes of text, %v", d.Truncated, d.Degraded, len(d.Text), err)
	}
}
