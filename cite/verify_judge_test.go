package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// A verdict that a model gave may be better than what words find, but not against
// them, nor without the figures; verify says what judged and what words find now.
func TestVerifyGoesByWordsWhateverJudged(t *testing.T) {
	const passage = "Local kids get swimming lessons in the mill pond. The pond is not deep. It is 2 m wide."
	tests := []struct {
		name, said, judge string
		ok                bool
		verdict           citewell.Verdict
	}{
		{"in other words, by a model", "Youngsters are shown how one stays above water.", "embedding m", true, citewell.VerdictUnsupported},
		{"in other words, by words", "Youngsters are shown how one stays above water.", cite.ByWords, false, citewell.VerdictUnsupported},
		{"in other words, by whom nobody says", "Youngsters are shown how one stays above water.", "", false, citewell.VerdictUnsupported},
		{"denied, by a model", "The pond is deep.", "model m", false, citewell.VerdictContradicted},
		{"another figure, by a model", "The pond is 5 m wide.", "model m", false, citewell.VerdictContradicted},
	}
	for _, test := range tests {
		b := citewell.Brief{Schema: citewell.BriefSchema, ID: strings.Repeat("a", 32), Query: "q",
			Sources:  []citewell.Source{{N: 1, URL: "https://a.example/"}},
			Passages: []citewell.Passage{{ID: strings.Repeat("b", 32), Source: 1, End: len(passage), Text: passage}},
			Findings: []citewell.Finding{{Text: test.said, Citations: []citewell.Citation{{N: 1, Passage: strings.Repeat("b", 32),
				Quote: passage, End: len(passage), Verdict: citewell.VerdictSupported, Judge: test.judge}}}},
		}
		v, err := cite.Verify(t.Context(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := v.Citations[0]
		named := strings.Contains(c.Reason, "the brief says supported by "+test.judge)
		if v.OK != test.ok || c.Verdict != test.verdict || named != (test.judge != "" && test.judge != cite.ByWords) {
			t.Errorf("%s: ok %v, %s (%s), %+v", test.name, v.OK, c.Verdict, c.Reason, c.Problems)
		}
	}
}
