package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract"
)

func TestMain(m *testing.M) {
	extract.Main()
	os.Exit(m.Run())
}

func TestAnswer(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"museum.md": "# Museum\n\nThe museum opens at nine in the morning. Tickets cost 12 euros.\n",
		"tower.pdf": onePage("The tower of Hallvik is 48 metres high and has 212 steps."),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for question, want := range map[string]string{
		"When does the museum open?":         "“The museum opens at nine in the morning.”",
		"How high is the tower of Hallvik?":  "48 metres high",
		"Who painted the harbour of Ostend?": "Nothing that was read answers this question",
	} {
		var out strings.Builder
		if err := answer(t.Context(), &out, dir, question); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "2 documents are indexed") || !strings.Contains(out.String(), want) {
			t.Errorf("%s\nwant %q in\n%s", question, want, out.String())
		}
	}
}

// onePage is a PDF of one line of text.
func onePage(said string) string {
	content := "BT /F1 12 Tf 72 720 Td (" + said + ") Tj ET"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 " +
			"R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}
	var w strings.Builder
	w.WriteString("%PDF-1.4\n")
	var at []int
	for i, object := range objects {
		at = append(at, w.Len())
		fmt.Fprintf(&w, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := w.Len()
	fmt.Fprintf(&w, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range at {
		fmt.Fprintf(&w, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&w, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return w.String()
}
