package page_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// A quote of a retracted work says so on the report's page, in the pane beside it and on the
// page of its source, which names the work and where it was read.
func TestQuoteOfARetractedWork(t *testing.T) {
	r := &citewell.Report{Schema: citewell.ReportSchema, ID: runID, Title: "Cranes", Task: "cranes",
		Outcome: "answered", Content: "There are 212 cranes [1].\n",
		Findings: []citewell.Finding{{Text: "There are 212 cranes.",
			Citations: []citewell.Citation{{N: 1, Passage: "p", Quote: "212 cranes", End: 10,
				Verdict: citewell.VerdictSupported}}}},
		Places: []citewell.Place{{End: 25, Finding: 0}},
		Sources: []citewell.Source{{N: 1, Title: "A census", URL: "https://doi.org/10.5555/crane.1",
			FinalURL: "https://repository.example/crane.pdf", Host: "repository.example", PageSHA256: "aa",
			Extractor: citewell.Extractor{ID: "citewell", Version: 1}, Outcome: citewell.FetchOK,
			Work: &citewell.Work{Authors: []string{"Ada Crane"}, Year: 2024, Venue: "Journal of Cranes",
				DOI: "10.5555/crane.1", Retracted: citewell.WorkRetracted}}}}
	r.Brief().NamePages()
	told := toldRun{state: runstore.RunCompleted, report: r}
	for _, path := range []string{"", "/c/1", "/s/1"} {
		body := told.opens(t, path)
		for _, want := range []string{"Ada Crane · 2024 · Journal of Cranes · doi:10.5555/crane.1",
			"read at: https://repository.example/crane.pdf"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
		if path != "/s/1" && !strings.Contains(body, "the work was RETRACTED") {
			t.Errorf("%s does not say that it was retracted", path)
		}
	}
	if pane := told.opens(t, "/c/1"); strings.Count(pane, "the work was RETRACTED") < 2 {
		t.Error("the pane does not say it beside the quote")
	}
}
