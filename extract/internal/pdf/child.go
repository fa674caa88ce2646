package pdf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/text"
)

// pdfJob is the name under which a child reads PDFs.
const pdfJob = "pdf"

func init() { sandbox.Register(pdfJob, inChild) }

// A pdfOrder is the first line of a child's input; the PDF follows it.
type pdfOrder struct {
	Pages int `json:"pages"` // to read at most
	Text  int `json:"text"`  // bytes of text to write at most
}

// A pdfHead is the first line of a child's output.
type pdfHead struct {
	Error   string `json:"error,omitempty"` // "encrypted" or "broken", with nothing to follow
	Title   string `json:"title,omitempty"`
	Author  string `json:"author,omitempty"`
	Created string `json:"created,omitempty"`
	Lang    string `json:"lang,omitempty"`
	Pages   int    `json:"pages,omitempty"` // as the file says
}

// A pdfPage is each further line but the last, which has End set.
type pdfPage struct {
	Number int        `json:"n,omitempty"`
	Blocks []pdfBlock `json:"b,omitempty"`
	Broken bool       `json:"broken,omitempty"` // in whole or in part
	Image  bool       `json:"image,omitempty"`  // no text, but pictures
	End    string     `json:"end,omitempty"`    // "whole", "pages" or "text": why it ended
}

// inChild reads a PDF page by page and writes each as it is done.
func inChild(in []byte, out io.Writer) error {
	line, file, _ := bytes.Cut(in, []byte("\n"))
	var order pdfOrder
	if err := json.Unmarshal(line, &order); err != nil {
		return err
	}
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	pdf, err := open(file, order.Pages)
	switch {
	case errors.Is(err, errEncrypted):
		return write.Encode(pdfHead{Error: "encrypted"})
	case err != nil:
		if writeErr := write.Encode(pdfHead{Error: "broken"}); writeErr != nil {
			return writeErr
		}
		return err
	}
	if err := write.Encode(pdf.head()); err != nil {
		return err
	}
	return pdf.write(order, write)
}

// head takes what the file says of itself.
func (f *pdfFile) head() (h pdfHead) {
	defer func() {
		if recover() != nil {
			h = pdfHead{}
		}
	}()
	if f.context.Info != nil {
		info := f.dict(*f.context.Info)
		h.Title, h.Author, h.Created = text.Prefix(f.text(info["Title"]), 1000),
			text.Prefix(f.text(info["Author"]), 1000), text.Prefix(f.text(info["CreationDate"]), 100)
	}
	if f.context.Root != nil {
		root := f.dict(*f.context.Root)
		h.Lang = text.Prefix(f.text(root["Lang"]), 40)
		h.Pages = int(f.number(f.dict(root["Pages"])["Count"], 0))
	}
	return h
}

func (f *pdfFile) write(order pdfOrder, out *json.Encoder) error {
	end, number, text := "whole", 0, 0
	letters := map[float64]int{} // of the document so far, by size
	fonts := map[types.IndirectRef]*pdfFont{}
	var failed error
	f.pages(func(page, resources types.Dict) bool {
		switch {
		case number >= order.Pages:
			end = "pages"
			return false
		case text > order.Text:
			end = "text"
			return false
		}
		number++
		read := f.page(page, resources, fonts, letters)
		read.Number = number
		for _, b := range read.Blocks {
			text += len(b.Text) + 2
		}
		failed = out.Encode(read)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	if f.begun && number >= order.Pages {
		end = "pages"
	}
	return out.Encode(pdfPage{End: end})
}

// page reads one page; one that breaks its reader costs nothing but itself.
func (f *pdfFile) page(page, resources types.Dict, fonts map[types.IndirectRef]*pdfFont,
	letters map[float64]int) (read pdfPage) {
	defer func() {
		if r := recover(); r != nil {
			read = pdfPage{Broken: true}
		}
	}()
	content, sound := f.content(page)
	shower := pdfShower{file: f, fonts: fonts}
	shower.page(content, resources)
	shower.fields(page)
	lines := pdfLines(shower.marks)
	if len(lines) == 0 {
		return pdfPage{Image: f.hasImages(content, resources), Broken: !sound}
	}
	for _, line := range lines {
		letters[line.size] += utf8.RuneCountInString(line.text)
	}
	body, most := 0.0, 0
	for size, n := range letters {
		if n > most || n == most && size < body {
			body, most = size, n
		}
	}
	return pdfPage{Blocks: pdfBlocks(lines, body), Broken: !sound}
}

// dayOf reads "D:20240131…".
func dayOf(s string) string {
	digits := strings.TrimPrefix(s, "D:")
	if len(digits) < 8 || !plain.IsDigits(digits[:8]) {
		return ""
	}
	return imprint.ValidDay(fmt.Sprintf("%s-%s-%s", digits[:4], digits[4:6], digits[6:8]))
}

// wallOf is the part of a page's time, in seconds, that a child may use; the rest is for its output. Of a long time it
// is work's share of all: on a busy machine the rest takes long as well.
func wallOf(remaining float64) float64 {
	return remaining - min(remaining*0.15, max(0.4, remaining/deadline.WallOfWork))
}
