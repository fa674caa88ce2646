package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/report"
)

// verified reads a Markdown brief and checks it, as `citewell verify` does.
func verified(t *testing.T, markdown string, archive cite.Archive) (codes []string, v cite.Verification) {
	t.Helper()
	b, err := report.Parse(markdown)
	if err != nil {
		t.Fatal(err)
	}
	if v, err = cite.Verify(t.Context(), b, archive); err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Problems {
		codes = append(codes, p.Code)
	}
	for _, c := range v.Citations {
		for _, p := range c.Problems {
			codes = append(codes, p.Code)
		}
	}
	if v.OK != (len(codes) == 0) {
		t.Errorf("ok %v with %v", v.OK, codes)
	}
	return codes, v
}

func TestVerifyUntouched(t *testing.T) {
	b, archive := sample(t)
	for _, o := range []report.Options{{Verification: true}, {Verification: true, Compact: true}} {
		codes, v := verified(t, report.Markdown(b, o), archive)
		if !v.OK || len(v.Citations) != 8 {
			t.Errorf("%v, %d citations: %+v", codes, len(v.Citations), v)
		}
		for _, c := range v.Citations {
			if c.Basis != cite.BasisSnapshot {
				t.Errorf("%s %d was checked against the %s", c.Statement, c.N, c.Basis)
			}
		}
	}
}

// A brief about a page that is full of Markdown verifies like any other.
func TestVerifyUntouchedHostile(t *testing.T) {
	for i, words := range append(slices.Clone(hostile), hostileURLs...) {
		words = strings.Map(func(r rune) rune { // what no canonical text has
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(words, "\ufffd"))
		said := "The tower is 330 m tall, says " + words + " and so on."
		b, archive := oneSource(said, hostileURLs[i%len(hostileURLs)])
		if codes, v := verified(t, report.Markdown(b, report.Options{Verification: true}), archive); !v.OK {
			t.Errorf("%q: %v %+v", words, codes, v)
		}
	}
}

// oneSource makes a brief of one source that says one thing, and its archive.
func oneSource(said, url string) (citewell.Brief, memory) {
	s := citewell.Source{N: 1, Title: said, URL: url, FinalURL: url, Host: "a.test", Outcome: citewell.FetchOK,
		PageSHA256: citewell.SHA256([]byte("page")), TextSHA256: citewell.SHA256([]byte(said))}
	p := citewell.Passage{ID: id(1), Source: 1, End: len(said), Text: said}
	c := citewell.Citation{N: 1, Passage: p.ID, Quote: said, End: len(said), Verdict: citewell.VerdictSupported}
	b := citewell.Brief{Schema: citewell.BriefSchema, ID: id(9), Query: said, CreatedAt: made, Sources: []citewell.Source{s}, Passages: []citewell.Passage{p},
		Findings: []citewell.Finding{{Topic: said, Text: said, Citations: []citewell.Citation{c}}}}
	return b, memory{
		records: map[string]cite.Record{p.ID: {Brief: b.ID, Source: s, Passage: p}},
		blobs:   map[string][]byte{s.PageSHA256: []byte("page"), s.TextSHA256: []byte(said)},
		briefs:  map[string]citewell.Brief{b.ID: b},
	}
}

// TestTampering changes one thing in the Markdown: each change is found, as what
// it is.
func TestTampering(t *testing.T) {
	b, archive := sample(t)
	whole := report.Markdown(b, report.Options{Verification: true})
	for _, test := range []struct{ name, old, new, want string }{
		{"finding_word", "- “The tower reaches", "- “The spire reaches", cite.ProblemStatement},
		{"finding_figure", "- “The Corrin Tower is 330 m", "- “The Corrin Tower is 380 m", cite.ProblemFigure},
		{"finding_date", "- “The Corrin Tower was finished on 31 March", "- “The Corrin Tower was finished on 30 March", cite.ProblemFigure},
		{"finding_negated", "- “The tower reaches a height", "- “The tower never reaches a height", cite.ProblemStatement},
		{"finding_removed", "- “The tower reaches a height of 312 metres.” [④]\n", "", cite.ProblemStatement},
		{"finding_added", "### Finished\n", "### Finished\n- “It was painted green.” [①]\n", cite.ProblemStatement},
		{"finding_added_as_text", "### Finished\n", "### Finished\nIt was painted green.\n", cite.ProblemStatement},
		{"finding_added_at_the_end", "(snippet-only)\n", "(snippet-only)\nIt was painted green.\n", cite.ProblemUncited},
		{"finding_copied", "### Finished\n", "### Finished\n- “The tower reaches a height of 312 metres.” [④]\n", cite.ProblemStatement},
		{"findings_swapped", "- “The tower reaches a height of 312 metres.” [④]\n### Finished\n- “The Corrin Tower was finished on 31 March 1889.” [②③]\n",
			"- “The Corrin Tower was finished on 31 March 1889.” [②③]\n### Finished\n- “The tower reaches a height of 312 metres.” [④]\n", cite.ProblemStatement},
		{"mark", "mast.” [①②]", "mast.” [③②]", cite.ProblemSource},
		{"mark_unknown", "mast.” [①②]", "mast.” [⑨②]", cite.ProblemSource},
		{"mark_added", "mast.” [①②]", "mast.” [①②③]", cite.ProblemPassage},
		{"mark_removed", "mast.” [①②]", "mast.” [①]", cite.ProblemSource},
		{"mark_of_no_kind", "mast.” [①②]", "mast.” [x]", cite.ProblemSource},
		{"marks_removed", "mast.” [①②]", "mast.”", cite.ProblemSource},
		{"disagreement_word", "④ says “312 metres”: “The tower reaches", "④ says “312 metres”: “The tower lacks", cite.ProblemStatement},
		{"disagreement_figure", "④ says “312 metres”", "④ says “321 metres”", cite.ProblemFigure},
		{"disagreement_mark", "④ says “312", "③ says “312", cite.ProblemSource},
		{"disagreement_marks_swapped", "- ① says “330 m”", "- ④ says “330 m”", cite.ProblemStatement},
		{"disagreement_removed", "- ① says", "① says\n- ", cite.ProblemStatement},
		{"entry_mark", "- F2 ④", "- F2 ③", cite.ProblemSource},
		{"entry_mark_bad", "- F2 ④", "- F2 x", cite.ProblemSource},
		{"entry_label", "- F2 ④", "- F3 ④", cite.ProblemSource},
		{"entry_label_unknown", "- F2 ④", "- F9 ④", cite.ProblemStatement},
		{"entry_label_bad", "- F2 ④", "- X2 ④", cite.ProblemStatement},
		{"entry_removed", "- F2 ④ " + id(400) + " 29-70 supported\n", "", cite.ProblemPassage},
		{"passage", "- F2 ④ " + id(400), "- F2 ④ " + id(401), cite.ProblemSpan},
		{"passage_of_other_source", "- F2 ④ " + id(400), "- F2 ④ " + id(100), cite.ProblemSource},
		{"passage_unknown", "- F2 ④ " + id(400), "- F2 ④ " + id(4001), cite.ProblemPassage},
		{"passage_malformed", "- F2 ④ " + id(400), "- F2 ④ S4.p1", cite.ProblemPassage},
		{"span_start", "29-70", "30-70", cite.ProblemQuote},
		{"span_end", "29-70", "29-69", cite.ProblemQuote},
		{"span_far", "29-70", "29-1099511627776", cite.ProblemSpan},
		{"span_negative", "29-70", "-29-70", cite.ProblemSpan},
		{"span_empty", "29-70", "29", cite.ProblemSpan},
		{"span_other_words", "29-70", "0-28", cite.ProblemQuote},
		{"quote_word", "“The Corrin Tower, at 330 metres, was the tallest", "“The Corrin Tower, at 330 metres, was the highest", cite.ProblemQuote},
		{"quote_figure", "“The Corrin Tower, at 330 metres", "“The Corrin Tower, at 333 metres", cite.ProblemQuote},
		{"quote_removed", " “The Corrin Tower, at 330 metres, was the tallest building of the coast for forty years.”", "", cite.ProblemQuote},
		{"quote_added", "0-77 supported\n", "0-77 supported “The Corrin Tower is tall.”\n", cite.ProblemQuote},
		{"brief", "\nBrief " + id(1), "\nBrief " + id(2), cite.ProblemPassage},
		{"source_mark", "\n③ courier.test", "\n⑤ courier.test", cite.ProblemSource},
		{"source_url", "   https://courier.test/1989/03/a-hundred-years", "   https://evil.test/1989/03/a-hundred-years", cite.ProblemSourceData},
		{"source_url_removed", "   https://courier.test/1989/03/a-hundred-years\n", "", cite.ProblemSourceData},
		{"source_title_removed", "   A hundred years of iron\n", "", cite.ProblemSourceData},
		{"source_removed", "④ tower-friends.test [unknown · undated]\n   A visitor's guide\n   https://tower-friends.test/guide\n", "", cite.ProblemSource},
		{"sources_swapped", "\n① corrin-tower.test", "\n② corrin-tower.test", cite.ProblemSource},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(whole, test.old) {
				t.Fatalf("%q is not in the brief", test.old)
			}
			if codes, _ := verified(t, strings.Replace(whole, test.old, test.new, 1), archive); !slices.Contains(codes, test.want) {
				t.Errorf("found %v, not %s", codes, test.want)
			}
		})
	}
}

// A verdict is what a reader is shown, beside the statement: it cannot be bettered
// in either of the two places without being found.
func TestTamperingWithVerdicts(t *testing.T) {
	b, archive := sample(t)
	b = clone(b)
	b.Coverage.Synthesis.Mode = citewell.SynthesisModel
	b.Findings[1].Text = "The tower reaches a height of 330 metres, not 312 metres."
	b.Findings[1].Citations[0].Verdict = citewell.VerdictContradicted
	archive.briefs[b.ID] = b
	whole := report.Markdown(b, report.Options{Verification: true})
	if codes, v := verified(t, whole, archive); v.Citations[2].Verdict != citewell.VerdictContradicted || slices.Contains(codes, cite.ProblemVerdict) {
		t.Fatalf("untouched: %v, found %s", codes, v.Citations[2].Verdict)
	}
	line := "metres. [④] (contradicted)\n"
	entry := "29-70 contradicted"
	for name, changed := range map[string]string{
		"remark_removed": strings.Replace(whole, line, "metres. [④]\n", 1),
		"remark_milder":  strings.Replace(whole, line, "metres. [④] (weak)\n", 1),
		"both_removed":   strings.Replace(strings.Replace(whole, line, "metres. [④]\n", 1), entry, "29-70 supported", 1),
	} {
		if codes, _ := verified(t, changed, archive); changed == whole || !slices.Contains(codes, cite.ProblemVerdict) {
			t.Errorf("%s: %v", name, codes)
		}
	}
	// The entry alone is not what a reader is shown; the remark is.
	for _, change := range []struct {
		old, new string
		finding  int
		want     citewell.Verdict
	}{
		{entry, "29-70 supported", 1, citewell.VerdictContradicted},
		{entry, "29-70 maybe", 1, citewell.VerdictContradicted},
		{line, "metres. [④] (weak, no-source)\n", 1, citewell.VerdictWeak},
		{"1889.” [②③]", "1889.” [②③] (contradicted)", 2, citewell.VerdictContradicted},
	} {
		b, err := report.Parse(strings.Replace(whole, change.old, change.new, 1))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Findings[change.finding].Citations[0].Verdict; got != change.want {
			t.Errorf("%q is read as %s", change.new, got)
		}
	}
}

// The lines that carry a URL which could not be written as it is change nothing
// by themselves.
func TestTamperingWithExactURLs(t *testing.T) {
	const url = "https://a.test/x?q=<b>"
	b, archive := oneSource("The tower is 330 m tall.", url)
	whole := report.Markdown(b, report.Options{Verification: true})
	line := "- S1 “\"https\\://a.test/x?q=\\<b>\"”\n"
	for _, change := range [][2]string{{"   <https://a.test/", "   <https://b.test/"}, {line, ""}, {line, strings.Replace(line, "a.test", "b.test", 1)}} {
		if !strings.Contains(whole, change[0]) {
			t.Fatalf("%q is not in\n%s", change[0], whole)
		}
		if codes, _ := verified(t, strings.Replace(whole, change[0], change[1], 1), archive); !slices.Contains(codes, cite.ProblemSourceData) {
			t.Errorf("%q: %v", change, codes)
		}
	}
}
