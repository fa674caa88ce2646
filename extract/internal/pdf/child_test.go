package pdf

import (
	"context"
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// TestPDFCutKeepsItsPages reads what a killed child had written.
func TestPDFCutKeepsItsPages(t *testing.T) {
	head, pages := readOutput([]byte(`{"pages":9}` + "\n" + `{"n":1,"b":[{"k":"p","t":"Words of the first page."}]}` +
		"\n" + `{"n":2,"b":[{"k":"p","t":"Wor`))
	if len(pages) != 1 || head.Pages != 9 {
		t.Fatalf("%+v %+v", head, pages)
	}
	for end, want := range map[sandbox.End]string{
		sandbox.OutOfTime: "the PDF was read to page 1 of 9, in the time allowed",
		sandbox.OutOfRoom: "the PDF was read to page 1 of 9, in 512 MiB of memory",
		sandbox.Crashed:   "the PDF was read to page 1 of 9, before the reader broke",
	} {
		if got, broken := cutOf(head, pages, sandbox.Result{End: end}); got != want || broken != "" {
			t.Errorf("%s: %q", end, got)
		}
	}
	hostile, _ := readOutput([]byte("not what a child writes\n"))
	if hostile != (pdfHead{}) {
		t.Errorf("%+v", hostile)
	}
}

// What a child wrote is read when it was killed by the clock, which takes longer where that came to it.
func TestPDFLeavesTimeForItsReading(t *testing.T) {
	for remaining, want := range map[float64]float64{1: 0.85, 2: 1.7, 5: 4.6, 8: 7.6, 20: 19, 100: 95} {
		if got := wallOf(remaining); math.Abs(got-want) > 1e-9 {
			t.Errorf("of %g s a child has %g, want %g", remaining, got, want)
		}
	}
}

// TestPDFChildIsKilled reads PDFs that run against each wall, through the front door
// where the wall is that of the default, and says what is left of the document.
func TestPDFChildIsKilled(t *testing.T) {
	extracttest.Measured(t)
	slow := extracttest.Deflated(t, "BT /F1 9 Tf (x) Tj ET ", 100_000)
	endless := make([]int, 2000)
	for i := range endless {
		endless[i] = min(i, 1)
	}
	in := func(body []byte) []byte {
		order, err := json.Marshal(pdfOrder{Pages: MaxPages, Text: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		return append(append(order, '\n'), body...)
	}
	full := strings.Repeat("(Words that fill a page and are written out as they are read.) Tj T* ", 2000)
	tests := []struct {
		name     string
		body     []byte
		limits   sandbox.Limits
		end      sandbox.End
		degraded string
		code     citewell.Code
		says     string
	}{
		{name: "deadline after pages", body: extracttest.PagesOf(endless,
			extracttest.Stream("", extracttest.WordsOfAPage), slow), limits: sandbox.Limits{Wall: 4 * time.Second},
			end: sandbox.OutOfTime, degraded: "of 2000, in the time allowed"},
		{name: "deadline before any", body: extracttest.PagesOf([]int{0},
			extracttest.Deflated(t, "BT /F1 9 Tf (x) Tj ET ", 2_000_000)),
			limits: sandbox.Limits{Wall: 300 * time.Millisecond, Memory: 4 << 30},
			end:    sandbox.OutOfTime, code: citewell.CodeExtractionTimeout, says: "the PDF took too long to read"},
		{name: "memory after a page", body: extracttest.PagesOf([]int{0, 1},
			extracttest.Stream("", extracttest.WordsOfAPage), extracttest.Deflated(t, "BT (x)Tj ET ", 6_000_000)),
			limits: sandbox.Limits{Wall: time.Minute, Memory: 96 << 20},
			end:    sandbox.OutOfRoom, degraded: "read to page 1 of 2, in 512 MiB of memory"},
		{name: "memory before any", body: extracttest.PagesOf([]int{0},
			extracttest.Deflated(t, "BT /F1 9 Tf (x) Tj ET ", 2_000_000)),
			limits: sandbox.Limits{Wall: time.Minute, Memory: 64 << 20},
			end:    sandbox.OutOfRoom, code: citewell.CodeExtractionFailed,
			says: "needs more memory to read than allowed"},
		{name: "output", body: extracttest.PagesOf(endless[:40], extracttest.Stream("", extracttest.WordsOfAPage),
			extracttest.Stream("", "BT /F1 9 Tf 72 720 Td 12 TL "+full+"ET")),
			limits: sandbox.Limits{Wall: time.Minute, Output: 300 << 10},
			end:    sandbox.Overflow, degraded: "of 40, before the text was as long as is kept"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			extracttest.LeavesNothing(t)
			result, err := sandbox.Run(context.Background(), pdfJob, in(test.body), test.limits)
			if err != nil {
				t.Fatal(err)
			}
			if result.End != test.end {
				t.Fatalf("it ended as %q, want %q: %.300s", result.End, test.end, result.Detail)
			}
			read, err := readingOf("extract", media.Input{Raw: test.body, Base: &url.URL{}, MaxText: 2 << 20}, result)
			if citewell.CodeOf(err) != test.code || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %s: %s", err, test.code, test.says)
			}
			if !strings.Contains(read.Cut, test.degraded) {
				t.Errorf("degraded %q, want %q", read.Cut, test.degraded)
			}
			if err == nil && (len(read.Blocks) < 2 || !strings.Contains(read.Blocks[1].Text,
				"words of the first page")) {
				t.Errorf("%d blocks", len(read.Blocks))
			}
		})
	}
}
