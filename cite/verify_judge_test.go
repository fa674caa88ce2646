package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// A verdict that a model gave may be better than what words find where a store has it,
// but not against words, nor without the figures; verify says what judged and what words
// find now. A file alone is not believed that a model judged.
func TestVerifyGoesByWordsWhateverJudged(t *testing.T) {
	const passage = "Local kids get swimming lessons in the mill pond. The pond is not deep. It is 2 m wide."
	tests := []struct {
		name, said, judge string
		file, store       bool // what holds by the file alone, and where the store has the brief
		verdict           citewell.Verdict
	}{
		{"in other words, by a model", "Youngsters are shown how one stays above water.", "embedding m", false, true, citewell.VerdictUnsupported},
		{"in other words, by words", "Youngsters are shown how one stays above water.", cite.ByWords, false, false, citewell.VerdictUnsupported},
		{"in other words, by whom nobody says", "Youngsters are shown how one stays above water.", "", false, false, citewell.VerdictUnsupported},
		{"denied, by a model", "The pond is deep.", "model m", false, false, citewell.VerdictContradicted},
		{"words in quotation marks that only the whole text can deny", "Local kids get “swimming lessons in the cold pond”.", "", true, false, citewell.VerdictSupported},
		{"another figure, by a model", "The pond is 5 m wide.", "model m", false, false, citewell.VerdictContradicted},
	}
	for _, test := range tests {
		b := citewell.Brief{Schema: citewell.BriefSchema, ID: strings.Repeat("a", 32), Query: "q",
			Sources:  []citewell.Source{{N: 1, URL: "https://a.example/"}},
			Passages: []citewell.Passage{{ID: strings.Repeat("b", 32), Source: 1, End: len(passage), Text: passage}},
			Findings: []citewell.Finding{{Text: test.said, Citations: []citewell.Citation{{N: 1, Passage: strings.Repeat("b", 32),
				Quote: passage, End: len(passage), Verdict: citewell.VerdictSupported, Judge: test.judge}}}},
		}
		kept := newKeeper()
		page := []byte("<p>" + passage)
		b.Sources[0].PageSHA256, b.Sources[0].TextSHA256 = citewell.SHA256(page), citewell.SHA256([]byte(passage))
		kept.blobs[b.Sources[0].PageSHA256], kept.blobs[b.Sources[0].TextSHA256] = page, []byte(passage)
		kept.records[b.Passages[0].ID] = cite.Record{Brief: b.ID, Source: b.Sources[0], Passage: b.Passages[0]}
		kept.briefs[b.ID] = clone(t, b)
		for _, by := range []struct {
			archive cite.Archive
			ok      bool
			named   string
		}{{nil, test.file, test.judge + ", which no store here confirms"}, {kept, test.store, test.judge}} {
			v, err := cite.Verify(t.Context(), b, by.archive)
			if err != nil {
				t.Fatal(err)
			}
			c := v.Citations[0]
			named := strings.HasSuffix(c.Reason, "the brief says supported by "+by.named)
			if v.OK != by.ok || c.Verdict != test.verdict || named != (test.judge != "" && test.judge != cite.ByWords) {
				t.Errorf("%s, %s: ok %v, %s (%s), %+v", test.name, c.Basis, v.OK, c.Verdict, c.Reason, c.Problems)
			}
		}
		if test.judge == "" || test.judge == cite.ByWords {
			b.Findings[0].Citations[0].Judge = "model forged"
			if v, err := cite.Verify(t.Context(), b, kept); err != nil || v.OK {
				t.Errorf("%s: a forged judge holds: %+v %v", test.name, v, err)
			}
		}
	}
}

// Two citations that together say nothing of a statement do not hold by the file alone.
func TestVerifyOfSeveralForgedVerdicts(t *testing.T) {
	b, _ := written(t)
	b.Coverage.Synthesis.Mode = citewell.SynthesisModel
	b.Findings = []citewell.Finding{{Text: "Youngsters are shown how one stays above water.", Citations: b.Disagreements[0].Citations}}
	for i := range b.Findings[0].Citations {
		b.Findings[0].Citations[i].Verdict, b.Findings[0].Citations[i].Judge = citewell.VerdictSupported, "model m"
	}
	v, err := cite.Verify(t.Context(), clone(t, b), nil)
	if err != nil || v.OK || v.Citations[0].OK || v.Citations[1].OK || !v.Citations[2].OK {
		t.Errorf("%v %+v", err, v)
	}
}
