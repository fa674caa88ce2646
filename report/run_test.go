package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/report"
)

func TestOfRun(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	golden(t, "run.md", report.OfRun(citewell.Report{Schema: citewell.ReportSchema, ID: "sgr_agent_0123", Agent: "sgr_agent", Task: "How long is it?",
		Title: "<img src=x> The bridge", Content: "## Length\n\nThe bridge is 503 metres long [2]. It was painted in 1999 (⚠ uncited).", Outcome: "partial", CreatedAt: at,
		Findings: []citewell.Finding{{Topic: "Length", Text: "The bridge is 503 metres long.", Citations: []citewell.Citation{{N: 2, Passage: "p1", Quote: "the span is 503 m", Start: 10, End: 27,
			Verdict: citewell.VerdictSupported, Reason: "the evidence has the words of the claim", Judge: "words"}}}},
		Unverified: []citewell.UnverifiedPhrase{{Text: "It was painted in 1999", Problem: "uncited", Detail: "it states a fact without a source's number"}},
		Removed:    []string{"https://evil.test"},
		Sources:    []citewell.Source{{N: 2, Title: "Bridges [of](http://evil.test) the world", URL: "https://bridges.example/a_b", Warning: "says it is not official"}}}))
	if empty := report.OfRun(citewell.Report{Title: "x", CreatedAt: at}); !strings.Contains(empty, "No source is cited.") || !strings.HasSuffix(empty, "\n") {
		t.Error(empty)
	}
}
