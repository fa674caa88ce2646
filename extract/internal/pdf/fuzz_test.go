package pdf

import (
	"bytes"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/passage"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// FuzzPDF runs the child's work in this process: it ends without a panic, and what
// it writes is read.
func FuzzPDF(f *testing.F) {
	f.Add(extracttest.PDFOf(extracttest.FirstPage, extracttest.SecondPage))
	f.Add([]byte("%PDF-1.7\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>"))
	f.Fuzz(func(t *testing.T, body []byte) {
		var out bytes.Buffer
		if err := inChild(append([]byte(`{"pages":20,"text":100000}`+"\n"), body...), &out); err != nil {
			return
		}
		head, pages := readOutput(out.Bytes())
		if head.Error == "" && (len(pages) == 0 || pages[len(pages)-1].End == "") {
			t.Fatalf("the output has no end: %.200s", out.Bytes())
		}
		text, spans, _ := block.LayOut(blocksOf(pages, repeated(pages)), 1<<20)
		passages := passage.Cut(text, spans, "")
		passage.Place(citewell.Document{Text: text, Pages: passage.Starts(spans), PageUnit: citewell.UnitPage},
			spans, passages)
		extracttest.CheckPassages(t, text, passages, passage.Longest)
	})
}

// FuzzPDFContent runs hostile bytes as a page's content, as a character map and as a font.
func FuzzPDFContent(f *testing.F) {
	f.Add([]byte("\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00headxxxx\x00\x00\x00\x2c\x00\x00\x00\x36maxpxxxx" +
		"\x00\x00\x00\x2c\xff\xff\xff\xff"))
	f.Add([]byte(extracttest.FirstPage))
	f.Add([]byte(extracttest.SecondPage))
	f.Add([]byte("1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <0041> endbfrange [[[(("))
	f.Fuzz(func(t *testing.T, content []byte) {
		shower := pdfShower{file: &pdfFile{}}
		shower.page(content, nil)
		for _, b := range pdfBlocks(pdfLines(shower.marks), 10) {
			if b.Text == "" {
				t.Errorf("an empty block of kind %q", b.Kind)
			}
		}
		glyphRunes(content)
		m := readCmap(content)
		for n := 1; n <= 4; n++ {
			m.text(pdfCode{uint32(len(content)), n})
		}
	})
}
