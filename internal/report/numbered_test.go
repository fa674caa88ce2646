package report

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
)

// The file of a brief is read as a text that anybody could have written: its marks are numbers of
// pages, what it says again is left out, what somebody added stays, and so do the lines.
func TestNumbered(t *testing.T) {
	b := citewell.Brief{Outcome: citewell.BriefAnswered, Query: "Eels?",
		Findings: []citewell.Finding{{Text: "Eels migrate.",
			Citations: []citewell.Citation{{N: 1, Verdict: citewell.VerdictSupported},
				{N: 21, Verdict: citewell.VerdictUndecided}}}},
		Disagreements: []citewell.Disagreement{{Text: "① says 3", Citations: []citewell.Citation{{N: 1}}}},
		Gaps:          []string{"How far they go"},
		Sources: []citewell.Source{{N: 1, URL: "https://doi.org/10.5555/eels",
			FinalURL: "https://arxiv.example/eels.pdf", Host: "doi.org", Outcome: citewell.FetchOK,
			FetchedAt: time.Unix(0, 0), PageSHA256: "a", TextSHA256: "b", Extractor: citewell.Extractor{ID: "x"},
			Work: &citewell.Work{Year: 2019}},
			{N: 21, URL: "https://press.example/a_b(c)", Host: "press.example", Outcome: citewell.FetchOK}},
		Passages:   []citewell.Passage{{Source: 1, Text: "Eels migrate 3 km. ①"}},
		Additional: []citewell.Additional{{URL: "https://more.example/", Snippet: "More of eels."}}}
	file := Markdown(b, Options{Verification: true}) + "\n## What I think\nEels sleep ①.\n"
	got := Numbered(file)
	if strings.Count(got, "\n") != strings.Count(file, "\n") {
		t.Errorf("the lines have moved:\n%s", got)
	}
	want := []string{"# Research: Eels?", "## Key findings", "- Eels migrate. [1, 21] (undecided)",
		"[1]: https://arxiv.example/eels.pdf", "[21]: https://press.example/a_b(c)", "## What I think",
		"Eels sleep [1]."}
	var lines []string
	for line := range strings.Lines(got) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", lines)
	}
	for _, other := range []string{"# Eels\n\nEels ①.\n\n## Sources\n① press.example [news]\n   Eels\n   " +
		"https://press.example/\n", "## Key findings\nEels [①].\n\n## Sources\n1. https://press.example/\n", ""} {
		if got := Numbered(other); got != other {
			t.Errorf("no brief of ours is read as %q", got)
		}
	}
}
