// Package pdf reads PDFs in a child process. The child is killed if it takes too much time, memory or output; what it
// had written by then is kept.
//
// Flow: bytes → child (objects → content streams → glyphs → lines → blocks) → pages as JSON lines → blocks without
// running heads and feet.
// Units: sizes in bytes; coordinates in points of 1/72 inch.
// Errors: pdf_encrypted, extraction_failed, extraction_timeout, unsupported_type.
// Why: doc/decision/0012-pdf.md, 0014-sandbox.md
package pdf

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/text"
)

// Reader reads PDFs.
var Reader = media.Reader{Name: Type, Called: "PDF", Bytes: true, Read: read,
	Files: map[string]string{".pdf": Type}, Claims: func(page media.Page) string {
		if page.Found == Type || page.Declared == Type && bytes.Contains(page.Body[:min(len(page.Body), 1024)],
			[]byte("%PDF-")) {
			return Type
		}
		return ""
	}}

// Type is the media type of PDFs.
const Type = "application/pdf"

// Caps on the child that reads a PDF.
const (
	MaxPages     = 3000
	maxPDFMemory = 512 << 20
)

// read reads a PDF in a child process (pdfchild.go) that is killed at the deadline. Pages that were written until then
// count, and the document says that it was cut. Each page with text begins with a heading "Page 7".
func read(ctx context.Context, in media.Input) (media.Reading, error) {
	op := "extract " + in.Base.Hostname()
	limits := sandbox.Limits{Wall: deadline.WallOfWork * in.Work, CPU: in.Work, Memory: maxPDFMemory,
		Output: 4*int64(in.MaxText) + 1<<20}
	if deadline, ok := ctx.Deadline(); ok {
		limits.Wall = min(limits.Wall, time.Duration(wallOf(time.Until(deadline).Seconds())*float64(time.Second)))
	}
	order, err := json.Marshal(pdfOrder{Pages: MaxPages, Text: in.MaxText})
	if err != nil {
		return media.Reading{}, err
	}
	result, err := sandbox.Run(ctx, pdfJob, append(append(order, '\n'), in.Raw...), limits)
	switch {
	case ctx.Err() != nil:
		return media.Reading{}, deadline.ErrCut
	case errors.Is(err, sandbox.ErrNotReady):
		return media.Reading{}, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: op, Err: err,
			Message: "PDFs are read in a child process, which this program does not start",
			Hint:    "call extract.Main first in the program's main"}
	case err != nil:
		return media.Reading{}, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: op, Err: err,
			Message: "no process could be started to read the PDF in"}
	}
	return readingOf(op, in, result)
}

// readingOf makes a reading of what a child wrote, however it ended.
func readingOf(op string, in media.Input, result sandbox.Result) (media.Reading, error) {
	head, pages := readOutput(result.Output)
	r := media.Reading{Kind: media.KindDocument, Title: imprint.Title(head.Title),
		Author:    imprint.Person(plain.CleanLine(head.Author)),
		Published: dayOf(head.Created), Language: imprint.Language(head.Lang)}
	r.Blocks = blocksOf(pages, repeated(pages))
	if len(r.Blocks) == 0 {
		r.Blocks = blocksOf(pages, nil) // nothing but running lines: they are its text
	}
	if len(r.Blocks) == 0 {
		return media.Reading{}, withoutText(op, in.Own, head, pages, result)
	}
	r.Cut, r.Degraded = cutOf(head, pages, result)
	if in.Cut {
		r.Cut = plain.JoinReasons(fmt.Sprintf("only the first %d bytes of the PDF were there to read", len(in.Raw)),
			r.Cut)
	}
	if r.Title == "" {
		r.Title = largestHeading(r.Blocks)
	}
	r.Affiliation = block.Affiliation(r.Title, r.Blocks)
	r.Markdown = block.Markdown(r.Blocks)
	r.Unit = citewell.UnitPage
	return r, nil
}

// readOutput reads what a child wrote. A line that its end cut is left out.
func readOutput(output []byte) (head pdfHead, pages []pdfPage) {
	lines := bytes.Split(output, []byte("\n"))
	if json.Unmarshal(lines[0], &head) != nil {
		return pdfHead{}, nil
	}
	for _, line := range lines[1:] {
		var page pdfPage
		if json.Unmarshal(line, &page) != nil {
			break
		}
		pages = append(pages, page)
	}
	return head, pages
}

// withoutText says why there is nothing to read.
func withoutText(op string, own bool, head pdfHead, pages []pdfPage, result sandbox.Result) error {
	e := &citewell.Error{Code: citewell.CodeExtractionFailed, Op: op,
		Err: fmt.Errorf("%s: %s", result.End, result.Detail)}
	pictures, broken := 0, 0
	for _, p := range pages {
		if p.Image {
			pictures++
		}
		if p.Broken {
			broken++
		}
	}
	switch {
	case head.Error == "encrypted":
		e.Code, e.Message = citewell.CodePDFEncrypted, "the PDF is encrypted"
		e.Hint = "it needs a password; look for a version of the document without one"
	case result.End == sandbox.OutOfTime:
		e.Code, e.Message = citewell.CodeExtractionTimeout, "the PDF took too long to read"
		e.Hint = deadline.LongerHint(own)
	case result.End == sandbox.OutOfRoom:
		e.Message = fmt.Sprintf("the PDF needs more memory to read than allowed (limit %d MiB)", maxPDFMemory>>20)
	case head.Error != "" || result.End != sandbox.Finished || broken > 0:
		e.Message = "the PDF is too damaged to be read, or unpacks too far"
	case pictures > 0:
		e.Message = "the PDF holds pictures of pages and no text, as a scan does"
		e.Hint = "look for a version of the document with text"
	default:
		e.Message = "the PDF holds no readable text"
	}
	return e
}

// cutOf says where the text ends before the document's does, and what it lacks until there.
func cutOf(head pdfHead, pages []pdfPage, result sandbox.Result) (cut, degraded string) {
	end, last, broken := "", 0, 0
	for _, p := range pages {
		last = max(last, p.Number)
		end = cmp.Or(p.End, end)
		if p.Broken {
			broken++
		}
	}
	switch {
	case result.End == sandbox.OutOfTime:
		cut = "in the time allowed"
	case result.End == sandbox.OutOfRoom:
		cut = fmt.Sprintf("in %d MiB of memory", maxPDFMemory>>20)
	case result.End == sandbox.Overflow || end == "text":
		cut = "before the text was as long as is kept"
	case end == "pages":
		cut = "as a document may have"
	case end == "":
		cut = "before the reader broke"
	}
	if cut != "" {
		of := ""
		if head.Pages > last {
			of = fmt.Sprintf(" of %d", head.Pages)
		}
		cut = fmt.Sprintf("the PDF was read to page %d%s, %s", last, of, cut)
	}
	if broken > 0 {
		degraded = fmt.Sprintf("of the PDF's pages, %d are too damaged to be read wholly", broken)
	}
	return cut, degraded
}

// blocksOf makes blocks of pages without running lines, each page with a heading of its number. It cleans the child's
// words, which are of hostile bytes.
func blocksOf(pages []pdfPage, furniture map[string]bool) []block.Block {
	var blocks []block.Block
	list := 0
	for _, page := range pages {
		first := true
		for i, b := range page.Blocks {
			text := plain.CleanLine(b.Text)
			if b.Kind == "t" {
				text = cleanRows(b.Text)
			}
			if text == "" || furniture[pageMark(page, i)] {
				continue
			}
			if first {
				blocks = append(blocks, block.Block{Kind: block.Heading, Level: 2, Text: pageHeading(page.Number),
					Page: page.Number})
				first = false
			}
			made := block.Block{Text: text, Page: page.Number}
			switch b.Kind {
			case "h":
				made.Kind, made.Level = block.Heading, max(3, min(b.Level+1, 6))
			case "t":
				made.Kind = block.Grid
			case "i":
				if last := blocks[len(blocks)-1]; last.Kind != block.Item {
					list++
				}
				made.Kind, made.Level, made.List = block.Item, 1, list
				if space := strings.IndexByte(text, ' '); block.IsItem(text) && space > 0 {
					made.Marker = space + 1
				}
			}
			blocks = append(blocks, made)
		}
	}
	return blocks
}

func pageHeading(n int) string { return fmt.Sprintf("Page %d", n) }

// pageMark is the first or last block of a page without its digits, as a running header or footer, or empty.
func pageMark(page pdfPage, i int) string {
	if i > 1 && i < len(page.Blocks)-2 || len(page.Blocks[i].Text) > 150 {
		return ""
	}
	mark := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, page.Blocks[i].Text)
	if mark = strings.TrimSpace(mark); mark == "" {
		return "#"
	}
	return mark
}

// repeated are the marks that stand at the edge of most pages.
func repeated(pages []pdfPage) map[string]bool {
	seen, written := map[string]int{}, 0
	for _, page := range pages {
		if len(page.Blocks) > 0 {
			written++
		}
		here := map[string]bool{}
		for i := range page.Blocks {
			if mark := pageMark(page, i); mark != "" && !here[mark] {
				here[mark] = true
				seen[mark]++
			}
		}
	}
	found := map[string]bool{}
	for mark, n := range seen {
		if n >= 3 && n*3 >= written || mark == "#" && n*2 > written && written > 1 {
			found[mark] = true
		}
	}
	return found
}

func cleanRows(s string) string {
	var rows []string
	for row := range strings.SplitSeq(s, "\n") {
		if row = plain.CleanLine(row); row != "" {
			rows = append(rows, row)
		}
	}
	return strings.Join(rows, "\n")
}

// largestHeading is the largest heading of the first page.
func largestHeading(blocks []block.Block) string {
	title, level := "", 7
	for _, b := range blocks {
		if b.Page > blocks[0].Page {
			break
		}
		if b.Kind == block.Heading && b.Level > 2 && b.Level < level {
			title, level = text.Prefix(b.Text, 300), b.Level
		}
	}
	return title
}
