package extract

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/pdf"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
)

func TestPDF(t *testing.T) {
	document, err := readDocument("http://quern.example/manual.pdf", "application/octet-stream",
		extracttest.PDFOf(extracttest.FirstPage, "", extracttest.SecondPage))
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, document)
	golden.Check(t, filepath.Join("testdata", "pdf", "manual.golden"), show(t, document))
	again := document
	again.Passages = nil
	for i, p := range Passages(again) {
		if was := document.Passages[i]; p.Heading != was.Heading || p.Page != was.Page || p.Unit != was.Unit {
			t.Errorf("passage %d read back has the heading %q and %s, not %q and %s", i, p.Heading, p.Where(),
				was.Heading, was.Where())
		}
	}
}

func TestPDFRunningLinesAreLeftOut(t *testing.T) {
	var pages []string
	for i := range 6 {
		pages = append(pages, fmt.Sprintf(
			`BT /F1 8 Tf 72 780 Td (Quern Manual, page %d of 6) Tj ET BT /F1 10 Tf 72 600 Td (The words of number %d stand by %s.) Tj ET BT /F1 8 Tf 300 20 Td (%d) Tj ET`, i+1, i+1, strings.Repeat("them", i+1), i+1))
	}
	document, err := readDocument("http://quern.example/manual.pdf", pdf.Type, extracttest.PDFOf(pages...))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(document.Text, "Quern Manual") || strings.Count(document.Text, "\n\n") != 11 ||
		!strings.Contains(document.Text, "Page 6\n\nThe words of number 6") {
		t.Errorf("text:\n%s", document.Text)
	}
	if last := document.Passages[len(document.Passages)-1]; last.Where() != "page 6" {
		t.Errorf("the last passage is on %q", last.Where())
	}
}

func TestPDFWithoutText(t *testing.T) {
	scan := extracttest.WritePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>", extracttest.Stream("", "/I Do"),
		extracttest.Stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
			"x"))
	locked := extracttest.WritePDF("/ID[<01><01>]/Encrypt 3 0 R",
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 0/Kids[]>>",
		"<</Filter/Standard/V 2/R 3/Length 128/P -4/O<"+strings.Repeat("ab", 32)+">/U<"+strings.Repeat("cd", 32)+">>>")
	tests := []struct {
		name string
		body []byte
		code citewell.Code
		says string
	}{
		{"scan", scan, citewell.CodeExtractionFailed, "pictures of pages and no text"},
		{"encrypted", locked, citewell.CodePDFEncrypted, "the PDF is encrypted"},
		{"empty", extracttest.PDFOf(""), citewell.CodeExtractionFailed, "no readable text"},
		{"broken", []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"), citewell.CodeExtractionFailed, "too damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readDocument("http://quern.example/a.pdf", pdf.Type, test.body)
			if citewell.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v (%v), want %q", err, errors.Unwrap(err), test.says)
			}
		})
	}
}

// packedSpaces is a zlib stream of so many MiB of spaces: one that was packed, again and
// again, since under the race detector packing them all takes half a minute.
func packedSpaces(t *testing.T, pieces int) string {
	t.Helper()
	const size, modulus = 1 << 20, 65521 // RFC 1950
	var piece bytes.Buffer
	w, err := flate.NewWriter(&piece, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(bytes.Repeat([]byte(" "), size)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil { // it ends at a byte, and what follows leans on nothing before it
		t.Fatal(err)
	}
	n := uint64(pieces) * size // the sums of Adler-32 over bytes that are all the same
	first, second := (1+n*' ')%modulus, (n%modulus+n*(n+1)/2%modulus*' ')%modulus
	sum := binary.BigEndian.AppendUint32(nil, uint32(second<<16|first))
	return "\x78\x9c" + strings.Repeat(piece.String(), pieces) + "\x03\x00" + string(sum)
}

// TestPackedSpaces holds that it is what it says.
func TestPackedSpaces(t *testing.T) {
	z, err := zlib.NewReader(strings.NewReader(packedSpaces(t, 2)))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(z); err != nil || len(all) != 2<<20 || len(bytes.Trim(all, " ")) > 0 {
		t.Errorf("%d bytes, %v", len(all), err)
	}
}

// TestPDFBombs holds that a PDF made to take time, memory or space ends by name,
// and that what was read before counts.
func TestPDFBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	swollen := extracttest.WritePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", extracttest.Stream("/Filter/FlateDecode", packedSpaces(t, 300)))
	looped := extracttest.WritePDF("", "<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 9/Kids[2 0 R 3 0 R 3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources 5 0 R>>",
		extracttest.Stream("", "/F Do BT /G 9 Tf (words) Tj ET"),
		"<</XObject<</F 6 0 R>>>>", extracttest.Stream("/Subtype/Form/Resources 5 0 R",
			"/F Do /F Do /F Do BT /G 9 Tf (more ) Tj ET"))
	slow := extracttest.PDFOf(extracttest.FirstPage, strings.Repeat("q BT /F1 9 Tf (x) Tj ET ", 200_000),
		strings.Repeat("[(a)]TJ ", 300_000))
	many := make([]string, 400)
	for i := range many {
		many[i] = "BT /F1 9 Tf 1 1 Td (" + strings.Repeat(fmt.Sprintf("Sentence %d is one of many. ", i),
			400) + ") Tj ET"
	}
	unpacks := "unpacks too far"
	if score.RaceDetector { // which takes memory of its own, so that either wall may be met first
		unpacks = "too far|more memory"
	}
	tests := []struct {
		name string
		body []byte
		o    Options
		says string // of what was read, or of the error; a regular expression
	}{
		{"swollen", swollen, Options{Timeout: time.Minute}, unpacks},
		{"looped", looped, Options{Timeout: time.Minute}, "words"},
		{"slow", slow, Options{Timeout: time.Minute}, "Dressing"},
		{"long", extracttest.PDFOf(many...), Options{Timeout: time.Minute, MaxText: 100_000},
			"before the text was as long as is kept"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			begun := time.Now()
			document, err := New(test.o).Extract(context.Background(),
				citewell.Page{URL: "http://bomb.example/", Body: test.body})
			t.Logf("%v, %v, degraded %q, %d bytes", time.Since(begun), err, document.Degraded, len(document.Text))
			if took := time.Since(begun); took > test.o.Timeout+20*time.Second {
				t.Errorf("it took %v", took)
			}
			if err == nil {
				checkDocument(t, document)
			}
			if said := fmt.Sprint(err, document.Degraded, document.Text); !regexp.MustCompile(test.says).
				MatchString(said) {
				t.Errorf("nothing says %q: %.200s", test.says, said)
			}
		})
	}
}

func TestPDFWithoutItsEnd(t *testing.T) {
	whole := extracttest.PDFOf(extracttest.FirstPage, extracttest.SecondPage, extracttest.FirstPage)
	page := citewell.Page{URL: "http://quern.example/", Body: whole[:len(whole)-900], Outcome: citewell.FetchTruncated}
	document, err := New(Options{Timeout: 30 * time.Second}).Extract(context.Background(), page)
	if err != nil || !strings.Contains(document.Text, "measured at the rim") ||
		!strings.Contains(document.Degraded, "only the first") {
		t.Errorf("%v, degraded %q, text %.200q", err, document.Degraded, document.Text)
	}
}

// BenchmarkPDF reads a document of 300 pages, the start of the child included.
func BenchmarkPDF(b *testing.B) {
	pages := make([]string, 300)
	for i := range pages {
		var page strings.Builder
		page.WriteString("BT /F1 10 Tf 72 740 Td 12 TL ")
		for line := range 50 {
			fmt.Fprintf(&page, "(Line %d of page %d has about as many words as a line of a book has.) Tj T* ", line, i)
		}
		page.WriteString("ET")
		pages[i] = page.String()
	}
	body := extracttest.PDFOf(pages...)
	for b.Loop() {
		if _, err := readDocument("http://quern.example/", pdf.Type, body); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSamplePDFs reads all of them within time and holds their words against
// poppler's where that is installed.
func TestSamplePDFs(t *testing.T) {
	extracttest.Measured(t)
	poppler, missing := exec.LookPath("pdftotext")
	common, ours, theirs, read := 0, 0, 0, 0
	for name, body := range extracttest.Unpack(t, realpart.Data(t, "pdf-sample/pdfs.tar.gz")) {
		if !strings.HasSuffix(name, ".pdf") {
			continue
		}
		document, err := readDocument("http://sample.example/"+name, pdf.Type, body)
		switch citewell.CodeOf(err) {
		case "":
			read++
			checkDocument(t, document)
		case citewell.CodePDFEncrypted, citewell.CodeUnsupportedType, citewell.CodeExtractionFailed:
		default:
			t.Errorf("%s: %v", name, err)
		}
		if missing != nil {
			continue
		}
		command := exec.Command(poppler, "-q", "-enc", "UTF-8", "-", "-")
		command.Stdin = bytes.NewReader(body)
		out, err := command.Output()
		if err != nil && len(out) == 0 {
			continue
		}
		a, b := countWords(withoutPages(document.Text)), countWords(string(out))
		for word, n := range a {
			common += min(n, b[word])
			ours += n
		}
		for _, n := range b {
			theirs += n
		}
	}
	if read < 45 {
		t.Errorf("%d PDFs gave text", read)
	}
	if missing != nil {
		realpart.Lacking(t, "pdftotext is not installed, words are not compared: apt-get install poppler-utils")
	}
	f1 := 2 * float64(common) / float64(ours+theirs)
	t.Logf("%d PDFs gave text; words in common with pdftotext: F1 %.4f (%d of %d and %d)", read, f1, common,
		ours, theirs)
	if f1 < 0.97 {
		t.Errorf("F1 %.4f, want 0.97", f1)
	}
}

func withoutPages(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if number, ok := strings.CutPrefix(line, "Page "); !ok || !plain.IsDigits(number) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func countWords(s string) map[string]int {
	words := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_'
	}) {
		words[w]++
	}
	return words
}
