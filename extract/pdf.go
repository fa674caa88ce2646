package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sandbox"
)

const pdfType = "application/pdf"

// Caps on the child that reads a PDF.
const (
	maxPDFPages  = 3000
	maxPDFMemory = 512 << 20
)

// readPDF reads a PDF in a child process (pdfchild.go) that is killed at the
// deadline. Pages that were written until then count: the document says that it
// was cut. Each page with text begins with a heading "Page 7", so that every
// passage can say its page.
func readPDF(ctx context.Context, in input) (reading, error) {
	op := "extract " + in.base.Hostname()
	limits := sandbox.Limits{Wall: wallOfWork * in.work, CPU: in.work, Memory: maxPDFMemory, Output: 4*int64(in.options.MaxText) + 1<<20}
	if deadline, ok := ctx.Deadline(); ok {
		limits.Wall = min(limits.Wall, time.Duration(pdfWall(time.Until(deadline).Seconds())*float64(time.Second)))
	}
	order, err := json.Marshal(pdfOrder{Pages: maxPDFPages, Text: in.options.MaxText})
	if err != nil {
		return reading{}, err
	}
	result, err := sandbox.Run(ctx, pdfJob, append(append(order, '\n'), in.raw...), limits)
	switch {
	case ctx.Err() != nil:
		return reading{}, errCut
	case errors.Is(err, sandbox.ErrNotReady):
		return reading{}, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: op, Err: err,
			Message: "PDFs are read by a process of their own, which this program does not start"}
	case err != nil:
		return reading{}, &citewell.Error{Code: citewell.CodeExtractionFailed, Op: op, Err: err,
			Message: "no process could be started to read the PDF in"}
	}
	return pdfReading(op, in, result)
}

// pdfReading makes a reading of what a child wrote, however it ended.
func pdfReading(op string, in input, result sandbox.Result) (reading, error) {
	head, pages := pdfOutput(result.Output)
	r := reading{kind: kindDocument, title: ownTitle(head.Title), author: personName(cleanLine(head.Author)),
		published: pdfDay(head.Created), language: languageTag(head.Lang)}
	r.blocks = pdfDocument(pages, repeated(pages))
	if len(r.blocks) == 0 {
		r.blocks = pdfDocument(pages, nil) // nothing but running lines: they are its text
	}
	if len(r.blocks) == 0 {
		return reading{}, pdfWithoutText(op, in.own, head, pages, result)
	}
	r.cut, r.degraded = pdfCut(head, pages, result)
	if in.cut {
		r.cut = joinReasons(fmt.Sprintf("only the first %d bytes of the PDF were there to read", len(in.raw)), r.cut)
	}
	if r.title == "" {
		r.title = pdfHeading(r.blocks)
	}
	r.affiliation = affiliation(r.title, r.blocks)
	r.markdown = plainMarkdown(r.blocks)
	r.unit = citewell.UnitPage
	return r, nil
}

// pdfOutput reads what a child wrote. A line that its end cut is left out.
func pdfOutput(output []byte) (head pdfHead, pages []pdfPage) {
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

// pdfWithoutText says why there is nothing to read.
func pdfWithoutText(op string, own bool, head pdfHead, pages []pdfPage, result sandbox.Result) error {
	e := &citewell.Error{Code: citewell.CodeExtractionFailed, Op: op, Err: fmt.Errorf("%s: %s", result.End, result.Detail)}
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
		e.Hint = longerHint(own)
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

// pdfCut says where the text ends before the document's does, and what it lacks until
// there.
func pdfCut(head pdfHead, pages []pdfPage, result sandbox.Result) (cut, degraded string) {
	end, last, broken := "", 0, 0
	for _, p := range pages {
		last = max(last, p.Number)
		end = firstOf(p.End, end)
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

// pdfDocument makes blocks of pages without their furniture, the lines that run
// through most of them, each page with a heading of its number. The
// child's words are cleaned here, because it read hostile bytes.
func pdfDocument(pages []pdfPage, furniture map[string]bool) []block {
	var blocks []block
	list := 0
	for _, page := range pages {
		first := true
		for i, b := range page.Blocks {
			text := cleanLine(b.Text)
			if b.Kind == "t" {
				text = cleanRows(b.Text)
			}
			if text == "" || furniture[pageMark(page, i)] {
				continue
			}
			if first {
				blocks = append(blocks, block{kind: heading, level: 2, text: pageHeading(page.Number), page: page.Number})
				first = false
			}
			made := block{text: text, page: page.Number}
			switch b.Kind {
			case "h":
				made.kind, made.level = heading, max(3, min(b.Level+1, 6))
			case "t":
				made.kind = grid
			case "i":
				if last := blocks[len(blocks)-1]; last.kind != item {
					list++
				}
				made.kind, made.level, made.list = item, 1, list
				if space := strings.IndexByte(text, ' '); isItem(text) && space > 0 {
					made.marker = space + 1
				}
			}
			blocks = append(blocks, made)
		}
	}
	return blocks
}

func pageHeading(n int) string { return fmt.Sprintf("Page %d", n) }

// pageMark is the first or last block of a page without its digits, as a running
// header or footer would have it, or empty.
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

func cleanLine(s string) string {
	return oneLine(wellFormedText(strings.ToValidUTF8(s, "")))
}

func cleanRows(s string) string {
	var rows []string
	for row := range strings.SplitSeq(s, "\n") {
		if row = cleanLine(row); row != "" {
			rows = append(rows, row)
		}
	}
	return strings.Join(rows, "\n")
}

// pdfHeading is the largest heading of the first page.
func pdfHeading(blocks []block) string {
	title, level := "", 7
	for _, b := range blocks {
		if b.page > blocks[0].page {
			break
		}
		if b.kind == heading && b.level > 2 && b.level < level {
			title, level = clip(b.text, 300), b.level
		}
	}
	return title
}
