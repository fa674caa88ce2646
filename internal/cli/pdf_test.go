package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// pdf FILE PAGES writes a PDF with the words of the text file PAGES.
func cmdPDF(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), pdfOf(ts.ReadFile(args[1])), 0o600))
}

// pdfOf is a PDF with these words, in which a line of dashes begins a new page and each
// other line is one of the page's.
func pdfOf(pages string) []byte {
	const firstPage = 4 // the objects before are the catalog, the pages and their font
	var objects []string
	var kids strings.Builder
	for i, page := range strings.Split(pages, "---\n") {
		var content strings.Builder
		content.WriteString("BT /F1 11 Tf 72 720 Td 14 TL\n")
		for line := range strings.Lines(page) {
			words := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(strings.TrimSuffix(line, "\n"))
			fmt.Fprintf(&content, "(%s) Tj T*\n", words)
		}
		content.WriteString("ET")
		number := firstPage + 2*i
		fmt.Fprintf(&kids, "%d 0 R ", number)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Contents %d 0 R>>", number+1),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", content.Len(), content.String()))
	}
	objects = append([]string{"<</Type/Catalog/Pages 2 0 R>>",
		fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]/MediaBox[0 0 600 800]/Resources<</Font<</F1 3 0 R>>>>>>",
			len(objects)/2, kids.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}, objects...)

	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var places strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&places, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, places.String(), len(objects)+1, start)
	return b.Bytes()
}
