package extract

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sandbox"
	"go.uber.org/goleak"
)

// deflated is a stream that unpacks to content repeated n times.
func deflated(t *testing.T, content string, n int) string {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(bytes.Repeat([]byte(content), n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return stream("/Filter/FlateDecode", packed.String())
}

// pagesOf makes a PDF whose pages show the given content streams by number, as
// often as they are named.
func pagesOf(shown []int, contents ...string) []byte {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}
	objects = append(objects, contents...)
	var kids strings.Builder
	for _, n := range shown {
		objects = append(objects, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", 4+n))
		fmt.Fprintf(&kids, "%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>>>", len(shown), kids.String())
	return writePDF("", objects...)
}

const wordsOfAPage = "BT /F1 10 Tf 72 720 Td (The words of the first page are read before anything goes wrong.) Tj ET"

// leavesNothing fails the test if a process or a goroutine outlives it.
func leavesNothing(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		goleak.VerifyNone(t, before)
		for _, child := range children(t) {
			t.Errorf("process %s is left", child)
		}
	})
}

// children are the processes, dead ones that nobody waited for too, whose parent
// is this one.
func children(t *testing.T) (found []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		if of, err := os.ReadFile(list); err == nil { // a thread may have ended
			found = append(found, strings.Fields(string(of))...)
		}
	}
	return found
}

// TestPDFChildIsKilled reads PDFs that run against each wall, through the front door
// where the wall is that of the default, and says what is left of the document.
func TestPDFChildIsKilled(t *testing.T) {
	measured(t)
	slow := deflated(t, "BT /F1 9 Tf (x) Tj ET ", 100_000)
	endless := make([]int, 2000)
	for i := range endless {
		endless[i] = min(i, 1)
	}
	in := func(body []byte) []byte {
		order, err := json.Marshal(pdfOrder{Pages: maxPDFPages, Text: 64 << 20})
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
		{name: "deadline after pages", body: pagesOf(endless, stream("", wordsOfAPage), slow), limits: sandbox.Limits{Wall: 4 * time.Second},
			end: sandbox.OutOfTime, degraded: "of 2000, in the time allowed"},
		{name: "deadline before any", body: pagesOf([]int{0}, deflated(t, "BT /F1 9 Tf (x) Tj ET ", 2_000_000)), limits: sandbox.Limits{Wall: 300 * time.Millisecond, Memory: 4 << 30},
			end: sandbox.OutOfTime, code: citewell.CodeExtractionTimeout, says: "the PDF took too long to read"},
		{name: "memory after a page", body: pagesOf([]int{0, 1}, stream("", wordsOfAPage), deflated(t, "BT (x)Tj ET ", 1_500_000)), limits: sandbox.Limits{Wall: time.Minute, Memory: 128 << 20},
			end: sandbox.OutOfRoom, degraded: "read to page 1 of 2, in 512 MiB of memory"},
		{name: "memory before any", body: pagesOf([]int{0}, deflated(t, "BT /F1 9 Tf (x) Tj ET ", 2_000_000)), limits: sandbox.Limits{Wall: time.Minute, Memory: 64 << 20},
			end: sandbox.OutOfRoom, code: citewell.CodeExtractionFailed, says: "needs more memory to read than allowed"},
		{name: "output", body: pagesOf(endless[:40], stream("", wordsOfAPage), stream("", "BT /F1 9 Tf 72 720 Td 12 TL "+full+"ET")), limits: sandbox.Limits{Wall: time.Minute, Output: 300 << 10},
			end: sandbox.Overflow, degraded: "of 40, before the text was as long as is kept"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			leavesNothing(t)
			result, err := sandbox.Run(context.Background(), pdfJob, in(test.body), test.limits)
			if err != nil {
				t.Fatal(err)
			}
			if result.End != test.end {
				t.Fatalf("it ended as %q, want %q: %.300s", result.End, test.end, result.Detail)
			}
			read, err := pdfReading("extract", input{raw: test.body, base: &url.URL{}, options: Options{}.withDefaults()}, result)
			if citewell.CodeOf(err) != test.code || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want %s: %s", err, test.code, test.says)
			}
			if !strings.Contains(read.cut, test.degraded) {
				t.Errorf("degraded %q, want %q", read.cut, test.degraded)
			}
			if err == nil && (len(read.blocks) < 2 || !strings.Contains(read.blocks[1].text, "words of the first page")) {
				t.Errorf("%d blocks", len(read.blocks))
			}
		})
	}
}

// The same through the front door: the deadline is the page's, and the caller's end
// kills the child too.
func TestPDFEndsWithItsCaller(t *testing.T) {
	measured(t)
	leavesNothing(t)
	endless := make([]int, 2500)
	for i := range endless {
		endless[i] = min(i, 1)
	}
	page := citewell.Page{URL: "http://slow.example/", Body: pagesOf(endless, stream("", wordsOfAPage), deflated(t, "BT /F1 9 Tf (x) Tj ET ", 100_000))}
	document, err := New(Options{Timeout: 5 * time.Second}).Extract(context.Background(), page)
	if err != nil || !strings.Contains(document.Degraded, "in the time allowed") || !strings.Contains(document.Text, "words of the first page") {
		t.Errorf("%v, degraded %q", err, document.Degraded)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	e := New(Options{Timeout: time.Minute, Parallel: 1})
	if _, err := e.Extract(ctx, page); citewell.CodeOf(err) != citewell.CodeCanceled {
		t.Errorf("%v, want %s", err, citewell.CodeCanceled)
	}
	e.places <- struct{}{} // the reader has ended
}

// TestPDFCaps reads whole files that lie about themselves or are larger than is read.
func TestPDFCaps(t *testing.T) {
	deep := []string{"<</Type/Catalog/Pages 2 0 R>>"}
	for n := range 300 {
		deep = append(deep, fmt.Sprintf("<</Type/Pages/Count 1/Kids[%d 0 R]>>", n+3))
	}
	deep = append(deep, "<</Type/Page/Contents 303 0 R>>", stream("", wordsOfAPage))
	lying := func(length int) []byte {
		return pagesOf([]int{0}, fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", length, wordsOfAPage))
	}
	rings := writePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 3/Kids[3 0 R]>>", "<</Type/Pages/Parent 2 0 R/Count 3/Kids[4 0 R 2 0 R 3 0 R]>>",
		"<</Type/Page/Parent 3 0 R/Contents 5 0 R/Resources<</Font<</F1 6 0 R>>>>>>", stream("", wordsOfAPage), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	tests := []struct {
		name string
		body []byte
		says string // of the text, what it lacks, or the error
	}{
		{"page count", pagesOf(make([]int, maxPDFPages+5), stream("", wordsOfAPage)), fmt.Sprintf("read to page %d of %d, as a document may have", maxPDFPages, maxPDFPages+5)},
		{"count that lies", writePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 2000000000/Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>", stream("", wordsOfAPage), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"), "words of the first page"},
		{"kids in rings", rings, "words of the first page"},
		{"kids in depth", writePDF("", deep...), "the PDF"},
		{"length too long", lying(1 << 30), "too damaged"},
		{"length too short", lying(5), ""},
		{"length below nothing", lying(-1), ""},
		{"array of a million", pagesOf([]int{0}, stream("", wordsOfAPage), "["+strings.Repeat("4 0 R ", 1_000_000)+"]"), "words of the first page"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			leavesNothing(t)
			document, err := New(Options{Timeout: time.Minute}).Extract(context.Background(), citewell.Page{URL: "http://bomb.example/", Body: test.body})
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
