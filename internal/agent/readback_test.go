package agent

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/report"
	"pgregory.net/rapid"
)

// Each sentence that is checked is found again in the file of the report, with the
// numbers that stand with it: what takes Markdown apart here and what reads it back
// there agree.
func TestSentencesAreReadBack(t *testing.T) {
	pieces := []string{"The bridge is 503 m long", "It was built in 1884", "Die Brücke ist alt", "塔の高さは三百メートルです",
		"a*b*c", "see `code` now", "**bold words** here", "_so_ it is", "__x__ and y",
		"~~gone~~ words", "[linked words](https://a.test/x_(y))", "[2](https://a.test/)", "R&D &lt;b> &amp; x",
		"3.5 % of −2 °C", "*48*", "`48`", "“quoted words”", "e.g. this", "Dr. Who", "a | b", "x\\*y", "①",
		"it is so (⚠ figure)", "- 5 degrees", "1. not an item", "#tag", "he said: yes!", "why?"}
	marks := []string{"", "", " [1]", "[2]", " [1][2]", " [1, 2]", " ①", " ①②", " [3]"}
	ends := []string{".", ".", "!", "?", "。", "", ". [1]", ".[2]", ". [1]. "}
	starts := []string{"", "", "- ", "* ", "+ ", "1. ", "2) ", "> ", "> - ", "## ", "| ",
		"| **a** | b (kg) [2] |\n|---|---|\n| ", "  - ", "[1] ", "- [2] ", "```\n", "---\n", "    "}
	rapid.Check(t, func(t *rapid.T) {
		var content strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			start := rapid.SampledFrom(starts).Draw(t, "start")
			content.WriteString(start)
			for i := range rapid.IntRange(1, 3).Draw(t, "sentences") {
				if i > 0 {
					content.WriteString(rapid.SampledFrom([]string{" ", " ", "\n", " | "}).Draw(t, "glue"))
				}
				content.WriteString(rapid.SampledFrom(pieces).Draw(t, "words") +
					rapid.SampledFrom(marks).Draw(t, "marks") + rapid.SampledFrom(ends).Draw(t, "end"))
			}
			if strings.HasSuffix(start, "| ") {
				content.WriteString(" |")
			}
			content.WriteString(rapid.SampledFrom([]string{"\n", "\n\n", "\n   "}).Draw(t, "break"))
		}
		r := citewell.Report{ID: "a_1", Task: "x", Title: "x", Content: strings.TrimSpace(
			envelope.Neutralize(content.String())), Sources: []citewell.Source{{N: 1, URL: "https://a.test/"}}}
		for _, s := range statements(r.Content) {
			f := citewell.Finding{Text: s.claim}
			for _, n := range s.marks {
				f.Citations = append(f.Citations, citewell.Citation{N: n, Passage: "p", Quote: "q",
					Verdict: citewell.VerdictSupported})
			}
			r.Findings = append(r.Findings, f)
		}
		file := report.WithRecord(r)
		stamp, record, err := report.Parse(file)
		if err != nil || record.Report == nil {
			t.Fatalf("%v\n%s", err, file)
		}
		if _, stray := HandedIn(*record.Report); len(stray) > 0 || len(record.Changes(file, stamp)) > 0 {
			t.Fatalf("%+v %+v\n%s", stray, record.Changes(file, stamp), file)
		}
	})
}
