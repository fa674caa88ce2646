package report_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
)

// contradicted is a report whose second "48" a source contradicts.
func contradicted() citewell.Report {
	const statement = "The 48 wardens say that Alder Lake, über 48 hectares, is shallow."
	const quote = "It has, über all, 77 hectares,\nof 48 it is said."
	said, found := strings.LastIndex(statement, "48 hectares"), strings.Index(quote, "77 hectares")
	c := citewell.Citation{N: 1, Quote: quote, Start: 100, End: 100 + len(quote), Verdict: citewell.VerdictContradicted,
		OtherFigures: []citewell.OtherFigure{{SaidStart: said, SaidEnd: said + len("48 hectares"), Start: 100 + found,
			End: 100 + found + len("77 hectares")}}}
	content := "48 hectares.\n\nThe 48 wardens say that *Alder* Lake, über 48 hectares [1], is shallow.\n"
	return citewell.Report{ID: "x", Title: "Alder Lake", Content: content, CreatedAt: made,
		Findings: []citewell.Finding{{Text: statement, Citations: []citewell.Citation{c}}},
		Places:   []citewell.Place{{Start: 14, End: len(content) - 1, Finding: 0}},
		Sources:  []citewell.Source{{N: 1, Title: "A", URL: "https://a.test/"}}}
}

// The figure that decided that a sentence is contradicted is bold in the sentence and in
// the quote, and no other that is written alike.
func TestFiguresAreBold(t *testing.T) {
	page := report.HTML(contradicted())
	for _, want := range []string{
		`<p>48 hectares.</p>`,
		`>The 48 wardens say that </span>`,
		`<span class="said contradicted" data-f="1"><strong>48 hectares</strong></span>`,
		"It has, über all, <strong>77 hectares</strong>,\nof 48 it is said.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if n := strings.Count(page, "<strong>"); n != 2 {
		t.Errorf("%d are bold", n)
	}
	r := contradicted()
	for _, wrong := range [][2]int{{-1, 4}, {0, 900}, {9, 3}, {strings.Index(r.Findings[0].Text, "ü") + 1, 50}} {
		r.Findings[0].Citations[0].OtherFigures = []citewell.OtherFigure{
			{SaidStart: wrong[0], SaidEnd: wrong[1], Start: wrong[0], End: wrong[1]}}
		if page := report.HTML(r); strings.Contains(page, "<strong>") {
			t.Errorf("of %v something is bold", wrong)
		}
	}
}
