package report_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
)

// A quote of a document with pages names them; a heading that looks like a page is none.
func TestPagesAreCited(t *testing.T) {
	passages := []citewell.Passage{
		{ID: id(2), Source: 1, Heading: "Ovens", Page: 2, Unit: citewell.UnitPage},
		{ID: id(3), Source: 1, Page: 14, Unit: citewell.UnitPage},
		{ID: id(4), Source: 22, Heading: "Sales", Page: 3, Unit: citewell.UnitSlide},
		{ID: id(5), Source: 3, Heading: "Ovens · page 7"}, {ID: id(6), Source: 4},
	}
	by := func(n, passage int) citewell.Citation {
		return citewell.Citation{N: n, Passage: id(passage), Quote: "It is hot.", Verdict: citewell.VerdictSupported}
	}
	for name, c := range map[string]struct {
		topic     string
		citations []citewell.Citation
		want      string
	}{
		"page":      {"How hot is it", []citewell.Citation{by(1, 2)}, " [① page 2]"},
		"two pages": {"How hot is it", []citewell.Citation{by(1, 2), by(1, 3), by(1, 2)}, " [① page 2, page 14]"},
		"two sources": {"", []citewell.Citation{by(4, 6), by(1, 3), by(22, 4), by(3, 5)},
			" [④① page 14; [22] slide 3; ③]"},
		"no page":     {"", []citewell.Citation{by(3, 5), by(4, 6)}, " [③④]"},
		"not its own": {"", []citewell.Citation{by(4, 2)}, " [④]"},
	} {
		t.Run(name, func(t *testing.T) {
			b := citewell.Brief{Schema: citewell.BriefSchema, ID: id(1), CreatedAt: made, Passages: passages,
				Findings: []citewell.Finding{{Topic: c.topic, Text: "It is hot.", Citations: c.citations}}}
			b.NamePages()
			markdown := report.Markdown(b, report.Options{Compact: true, Verification: true})
			if want := "\n- “It is hot.”" + c.want + "\n"; !strings.Contains(markdown, want) {
				t.Errorf("no %q in\n%s", want, markdown)
			}
		})
	}
}

// Research names the page of a quote beside the sources that bear it out.
func TestPagesAreCitedInResearch(t *testing.T) {
	cites := []citewell.Citation{
		{N: 1, Passage: id(2), Quote: "It is hot.", Verdict: citewell.VerdictSupported},
		{N: 2, Passage: id(3), Quote: "It is hot.", Verdict: citewell.VerdictSupported},
	}
	b := citewell.Brief{Schema: citewell.BriefSchema, ID: id(1), CreatedAt: made, Query: "ovens",
		Confidence: citewell.Confidence{Level: citewell.ConfidenceMedium, Reason: "few sources"},
		Sources: []citewell.Source{{N: 1, Title: "Handbook", URL: "file:///handbook.pdf"},
			{N: 2, Title: "Shop", URL: "https://shop.test/"}},
		Passages: []citewell.Passage{{ID: id(2), Source: 1, Page: 2, Unit: citewell.UnitPage},
			{ID: id(3), Source: 2}},
		Findings: []citewell.Finding{{Text: "It is hot.", Citations: cites},
			{Text: "It is hot.", Citations: cites[:1]}, {Text: "It is hot.", Citations: cites[1:]}}}
	b.NamePages()
	markdown := report.Research(b)
	for _, want := range []string{"“It is hot.” [page 2] [1, 2]\n", "“It is hot.” [page 2]\n", "“It is hot.”\n"} {
		if !strings.Contains(markdown, "\n"+want) {
			t.Errorf("no %q in\n%s", want, markdown)
		}
	}
}
