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
	"github.com/citewell/citewell/internal/realpart"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/score"
)

// writePDF makes a PDF of objects, the first of which is the catalog, with a
// table of their places and a trailer.
func writePDF(trailer string, objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	var places []int
	for i, object := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, place := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return b.Bytes()
}

func stream(dictionary, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// pdfOf makes a PDF with one page for each content stream. Font F1 is plain, F2
// bold, F3 says its codes by a map.
func pdfOf(contents ...string) []byte {
	const fonts = 8
	var kids []string
	objects := []string{"<</Type/Catalog/Pages 2 0 R/Lang(en-GB)>>", "",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding<</Differences[200/eacute/fi/uni0416/afii10017/f_f_i]>>>>",
		"<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/DW 600/W[3[250]]>>]>>",
		stream("", "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0003> <0020> endbfchar 2 beginbfrange <0041> <005a> <0061> <0100> <0101> [<0066006c> <d83dde00>] endbfrange"),
		"<</Title(The Quern Manual)/Author(\xfe\xff\x00A\x00d\x00a)/CreationDate(D:20250304090000Z)>>"}
	for i, content := range contents {
		kids = append(kids, fmt.Sprintf("%d 0 R", fonts+2*i))
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", fonts+2*i+1), stream("", content))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>>>>>", len(contents), strings.Join(kids, " "))
	return writePDF("/Info 7 0 R", objects...)
}

const firstPage = `BT /F2 20 Tf 72 720 Td (Dressing stones) Tj ET
BT /F1 10 Tf 72 690 Td 12 TL (A pair of stones is dressed after 120 hours of work, and the fur-) Tj T*
(rows are cut again with a mill bill. A second sentence stands here, long enough) Tj T*
[(to) -400 (be) -300 (read) -20 ( as prose.)] TJ ET
BT /F2 12 Tf 72 640 Td (Depths) Tj ET
BT /F1 10 Tf 72 620 Td (Furrow) Tj 100 0 Td (Depth) Tj -100 -14 Td (master) Tj 100 0 Td (8 mm) Tj -100 -14 Td (apprentice) Tj 100 0 Td (5 mm) Tj ET
/Artifact <</Type/Pagination>> BDC BT /F1 8 Tf 72 20 Td (Running foot) Tj ET EMC`

const secondPage = `BT /F1 10 Tf 72 720 Td 12 TL (The depths are measured at the rim with a gauge, never at the eye of the stone.) Tj T*
/Span <</ActualText(Actual)>> BDC (xxxx) Tj EMC ( words replace what is drawn.) Tj ET
BT /F2 10 Tf 72 600 Td (\310\311\312\313\314) Tj ET BT /F3 10 Tf 72 560 Td <0041005a0003010001010041> Tj ET
BI /W 4 /H 1 /BPC 8 /CS /G ID (Tj EI) EI
0 1 -1 0 300 300 cm BT /F1 10 Tf (Upright text) Tj ET`

func TestPDF(t *testing.T) {
	document, err := readDocument("http://quern.example/manual.pdf", "application/octet-stream", pdfOf(firstPage, "", secondPage))
	if err != nil {
		t.Fatal(err)
	}
	checkDocument(t, document)
	golden(t, filepath.Join("testdata", "pdf", "manual.golden"), show(t, document))
	again := document
	again.Passages = nil
	for i, p := range Passages(again) {
		if was := document.Passages[i]; p.Heading != was.Heading || p.Page != was.Page || p.Unit != was.Unit {
			t.Errorf("passage %d read back has the heading %q and %s, not %q and %s", i, p.Heading, p.Where(), was.Heading, was.Where())
		}
	}
}

func TestPDFRunningLinesAreLeftOut(t *testing.T) {
	var pages []string
	for i := range 6 {
		pages = append(pages, fmt.Sprintf(`BT /F1 8 Tf 72 780 Td (Quern Manual, page %d of 6) Tj ET BT /F1 10 Tf 72 600 Td (The words of number %d stand by %s.) Tj ET BT /F1 8 Tf 300 20 Td (%d) Tj ET`, i+1, i+1, strings.Repeat("them", i+1), i+1))
	}
	document, err := readDocument("http://quern.example/manual.pdf", pdfType, pdfOf(pages...))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(document.Text, "Quern Manual") || strings.Count(document.Text, "\n\n") != 11 || !strings.Contains(document.Text, "Page 6\n\nThe words of number 6") {
		t.Errorf("text:\n%s", document.Text)
	}
	if last := document.Passages[len(document.Passages)-1]; last.Where() != "page 6" {
		t.Errorf("the last passage is on %q", last.Where())
	}
}

func TestPDFWithoutText(t *testing.T) {
	scan := writePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>", stream("", "/I Do"),
		stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "x"))
	locked := writePDF("/ID[<01><01>]/Encrypt 3 0 R",
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
		{"empty", pdfOf(""), citewell.CodeExtractionFailed, "no readable text"},
		{"broken", []byte("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"), citewell.CodeExtractionFailed, "too damaged"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := readDocument("http://quern.example/a.pdf", pdfType, test.body)
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
	swollen := writePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>", stream("/Filter/FlateDecode", packedSpaces(t, 300)))
	looped := writePDF("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 9/Kids[2 0 R 3 0 R 3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources 5 0 R>>", stream("", "/F Do BT /G 9 Tf (words) Tj ET"),
		"<</XObject<</F 6 0 R>>>>", stream("/Subtype/Form/Resources 5 0 R", "/F Do /F Do /F Do BT /G 9 Tf (more ) Tj ET"))
	slow := pdfOf(firstPage, strings.Repeat("q BT /F1 9 Tf (x) Tj ET ", 200_000), strings.Repeat("[(a)]TJ ", 300_000))
	many := make([]string, 400)
	for i := range many {
		many[i] = "BT /F1 9 Tf 1 1 Td (" + strings.Repeat(fmt.Sprintf("Sentence %d is one of many. ", i), 400) + ") Tj ET"
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
		{"long", pdfOf(many...), Options{Timeout: time.Minute, MaxText: 100_000}, "before the text was as long as is kept"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			begun := time.Now()
			document, err := New(test.o).Extract(context.Background(), citewell.Page{URL: "http://bomb.example/", Body: test.body})
			t.Logf("%v, %v, degraded %q, %d bytes", time.Since(begun), err, document.Degraded, len(document.Text))
			if took := time.Since(begun); took > test.o.Timeout+20*time.Second {
				t.Errorf("it took %v", took)
			}
			if err == nil {
				checkDocument(t, document)
			}
			if said := fmt.Sprint(err, document.Degraded, document.Text); !regexp.MustCompile(test.says).MatchString(said) {
				t.Errorf("nothing says %q: %.200s", test.says, said)
			}
		})
	}
}

func TestPDFWithoutItsEnd(t *testing.T) {
	whole := pdfOf(firstPage, secondPage, firstPage)
	page := citewell.Page{URL: "http://quern.example/", Body: whole[:len(whole)-900], Outcome: citewell.FetchTruncated}
	document, err := New(Options{Timeout: 30 * time.Second}).Extract(context.Background(), page)
	if err != nil || !strings.Contains(document.Text, "measured at the rim") || !strings.Contains(document.Degraded, "only the first") {
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
	body := pdfOf(pages...)
	for b.Loop() {
		if _, err := readDocument("http://quern.example/", pdfType, body); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPDFCutKeepsItsPages reads what a killed child had written.
func TestPDFCutKeepsItsPages(t *testing.T) {
	head, pages := pdfOutput([]byte(`{"pages":9}` + "\n" + `{"n":1,"b":[{"k":"p","t":"Words of the first page."}]}` + "\n" + `{"n":2,"b":[{"k":"p","t":"Wor`))
	if len(pages) != 1 || head.Pages != 9 {
		t.Fatalf("%+v %+v", head, pages)
	}
	for end, want := range map[sandbox.End]string{
		sandbox.OutOfTime: "the PDF was read to page 1 of 9, in the time allowed",
		sandbox.OutOfRoom: "the PDF was read to page 1 of 9, in 512 MiB of memory",
		sandbox.Crashed:   "the PDF was read to page 1 of 9, before the reader broke",
	} {
		if got, broken := pdfCut(head, pages, sandbox.Result{End: end}); got != want || broken != "" {
			t.Errorf("%s: %q", end, got)
		}
	}
	hostile, _ := pdfOutput([]byte("not what a child writes\n"))
	if hostile != (pdfHead{}) {
		t.Errorf("%+v", hostile)
	}
}

// TestSamplePDFs reads all of them within time and holds their words against
// poppler's where that is installed.
func TestSamplePDFs(t *testing.T) {
	measured(t)
	poppler, missing := exec.LookPath("pdftotext")
	common, ours, theirs, read := 0, 0, 0, 0
	for name, body := range unpack(t, realpart.Data(t, "pdf-sample/pdfs.tar.gz")) {
		if !strings.HasSuffix(name, ".pdf") {
			continue
		}
		document, err := readDocument("http://sample.example/"+name, pdfType, body)
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
	t.Logf("%d PDFs gave text; words in common with pdftotext: F1 %.4f (%d of %d and %d)", read, f1, common, ours, theirs)
	if f1 < 0.97 {
		t.Errorf("F1 %.4f, want 0.97", f1)
	}
}

func withoutPages(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if number, ok := strings.CutPrefix(line, "Page "); !ok || !isDigits(number) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func countWords(s string) map[string]int {
	words := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' }) {
		words[w]++
	}
	return words
}

// FuzzPDF runs the child's work in this process: it ends without a panic, and what
// it writes is read.
func FuzzPDF(f *testing.F) {
	f.Add(pdfOf(firstPage, secondPage))
	f.Add([]byte("%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		var out bytes.Buffer
		if err := pdfInChild(append([]byte(`{"pages":20,"text":100000}`+"\n"), body...), &out); err != nil {
			return
		}
		head, pages := pdfOutput(out.Bytes())
		if head.Error == "" && (len(pages) == 0 || pages[len(pages)-1].End == "") {
			t.Fatalf("the output has no end: %.200s", out.Bytes())
		}
		text, spans, _ := layOut(pdfDocument(pages, repeated(pages)), 1<<20)
		passages := cutPassages(text, spans, "")
		placePassages(citewell.Document{Text: text, Pages: pageStarts(spans), PageUnit: citewell.UnitPage}, spans, passages)
		checkPassages(t, text, passages)
	})
}

// FuzzPDFContent runs hostile bytes as a page's content and as a character map.
func FuzzPDFContent(f *testing.F) {
	f.Add([]byte(firstPage))
	f.Add([]byte(secondPage))
	f.Add([]byte("1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <0041> endbfrange [[[(("))
	f.Fuzz(func(t *testing.T, content []byte) {
		shower := pdfShower{file: &pdfFile{}}
		shower.page(content, nil)
		for _, b := range pdfBlocks(pdfLines(shower.marks), 10) {
			if b.Text == "" {
				t.Errorf("an empty block of kind %q", b.Kind)
			}
		}
		m := readPDFCmap(content)
		for n := 1; n <= 4; n++ {
			m.text(pdfCode{uint32(len(content)), n})
		}
	})
}
