package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/report"
	"pgregory.net/rapid"
)

// researched makes research of a brief: each finding below the source of its first
// citation, a label for each source, a confidence.
func researched(b citewell.Brief) citewell.Brief {
	b = clone(b)
	b.Findings = slices.DeleteFunc(b.Findings, func(f citewell.Finding) bool { return len(f.Citations) == 0 })
	slices.SortStableFunc(b.Findings, func(a, b citewell.Finding) int { return a.Citations[0].N - b.Citations[0].N })
	for i := range b.Findings {
		b.Findings[i].Topic = ""
	}
	labels := []citewell.Quality{{Label: citewell.QualityPrimary, Score: 5}, {Label: citewell.QualityUnverified, Score: 2}, {Label: citewell.QualitySecondary, Score: 3}}
	for i := range b.Sources {
		b.Sources[i].Quality = labels[i%len(labels)]
	}
	b.Confidence = citewell.Confidence{Level: citewell.ConfidenceMedium, Reason: "Limited sources or mixed authority: 5 of 6 sources gave text"}
	b.Queries = []string{b.Query, "what is " + b.Query}
	return b
}

func researchedSample(t *testing.T) (citewell.Brief, memory) {
	b, archive := sample(t)
	b = researched(b)
	archive.briefs[b.ID] = b
	return b, archive
}

// TestResearch holds the form that grip's users know, with and without findings, and
// that only "nothing answered" is said where nothing did.
func TestResearch(t *testing.T) {
	b, _ := researchedSample(t)
	golden(t, "research.md", report.Markdown(b, report.Options{Verification: true}))
	if compact := report.Markdown(b, report.Options{Compact: true}); compact != report.Markdown(b, report.Options{}) {
		t.Error("there is a compact form of research")
	}
	for _, test := range []struct {
		want   string
		change func(*citewell.Brief)
	}{
		{"No provider answered for topic: How tall", func(b *citewell.Brief) { b.Coverage.Providers = b.Coverage.Providers[1:2] }},
		{"No search results found for topic: How tall", func(b *citewell.Brief) { b.Coverage.DistinctResults = 0 }},
		{"No source could be quoted for topic: How tall", func(*citewell.Brief) {}},
	} {
		b, archive := researchedSample(t)
		b.Findings, b.Disagreements, b.Sources = nil, nil, nil
		test.change(&b)
		archive.briefs[b.ID] = b
		markdown := report.Markdown(b, inFile)
		if !strings.Contains(markdown, "## Key Findings\n\n"+test.want) {
			t.Errorf("no %q in\n%s", test.want, markdown)
		}
		if codes, v := verified(t, markdown, archive); !v.OK || len(v.Citations) != 0 {
			t.Errorf("%v %+v", codes, v)
		}
	}
}

func TestVerifyResearch(t *testing.T) {
	b, archive := researchedSample(t)
	whole := report.Markdown(b, inFile)
	if codes, v := verified(t, whole, archive); !v.OK || len(v.Citations) != 8 {
		t.Fatalf("%v, %d citations", codes, len(v.Citations))
	}
	for _, test := range []struct{ name, old, new string }{
		{"quote_word", "“The tower reaches", "“The spire reaches"},
		{"quote_figure", "“The Corrin Tower is 330 m", "“The Corrin Tower is 380 m"},
		{"quote_removed", "“The tower reaches a height of 312 metres.”\n", ""},
		{"quote_added", "“The tower reaches", "“It was painted green.”\n“The tower reaches"},
		{"words_added", "## Confidence", "It was painted green.\n\n## Confidence"},
		{"moved_to_another_source", "**[4] A visitor's guide** (PRIMARY)", "**[1] The tower in figures** (PRIMARY)"},
		{"no_source_any_more", "**[4] A visitor's guide** (PRIMARY)\n", ""},
		{"also_added", "31 March 1889.” [2, 3]", "31 March 1889.” [2, 3, 5]"},
		{"also_removed", "31 March 1889.” [2, 3]", "31 March 1889.”"},
		{"also_first_is_another", "31 March 1889.” [2, 3]", "31 March 1889.” [3, 2]"},
		{"remark_removed", "again in 2021.” (snippet-only)", "again in 2021.”"},
		{"source_url", "— https://tower-friends.test/guide", "— https://tower-friends.evil/guide"},
		{"source_removed", "[4] [PRIMARY] A visitor's guide — https://tower-friends.test/guide\n", ""},
		{"section_of_the_other_form", "## Sources", "## Key findings\n- “It was painted green.” [①]\n\n## Sources"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(whole, test.old) {
				t.Fatalf("no %q in\n%s", test.old, whole)
			}
			codes, v := verified(t, strings.Replace(whole, test.old, test.new, 1), archive)
			if v.OK || codes[0] != cite.ProblemChanged {
				t.Errorf("%v", codes)
			}
		})
	}
}

// Words of pages stay words in this form too, and verify as they are.
func TestHostileResearch(t *testing.T) {
	for _, words := range hostile {
		check(t, researched(everywhere(words, "https://a.test/")))
	}
	for _, u := range hostileURLs {
		check(t, researched(everywhere("words", u)))
	}
	rapid.Check(t, func(t *rapid.T) { check(t, researched(hostileBrief().Draw(t, "brief"))) })
	for i, words := range append(slices.Clone(hostile), hostileURLs...) {
		words = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(words, "\ufffd"))
		b, archive := oneSource("The tower is 330 m tall, says "+words+" and so on.", hostileURLs[i%len(hostileURLs)])
		b = researched(b)
		archive.briefs[b.ID] = b
		if codes, v := verified(t, report.Markdown(b, inFile), archive); !v.OK {
			t.Errorf("%q: %v %+v", words, codes, v)
		}
	}
}
