package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/golden"
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
	labels := []citewell.Quality{{Label: citewell.QualityPrimary, Score: 5},
		{Label: citewell.QualityUnverified, Score: 2}, {Label: citewell.QualitySecondary, Score: 3}}
	for i := range b.Sources {
		b.Sources[i].Quality = labels[i%len(labels)]
	}
	b.Confidence = citewell.Confidence{Level: citewell.ConfidenceMedium,
		Reason: "Limited sources or mixed authority: 5 of 6 sources gave text"}
	b.Queries = []string{b.Query, "what is " + b.Query}
	return b
}

// TestResearch holds the form that grip's users know, with and without findings, and
// that only "nothing answered" is said where nothing did. One's own file has its class.
func TestResearch(t *testing.T) {
	whole, _ := sample(t)
	whole = researched(whole)
	whole.Sources[2].Quality, whole.Sources[2].Class = citewell.Quality{}, "local"
	slices.Reverse(whole.Findings) // which stand below their sources all the same
	golden.Check(t, "testdata/research.md", report.Research(whole))
	for _, test := range []struct {
		want   string
		change func(*citewell.Brief)
	}{
		{"No provider answered for topic: How tall", func(b *citewell.Brief) {
			b.Coverage.Providers = b.Coverage.Providers[1:2]
		}},
		{"No search results found for topic: How tall", func(b *citewell.Brief) { b.Coverage.DistinctResults = 0 }},
		{"Nothing that was read answers this question.", func(*citewell.Brief) {}},
	} {
		b := clone(whole)
		b.Findings, b.Disagreements, b.Sources, b.Outcome = nil, nil, nil, citewell.BriefUnanswered
		test.change(&b)
		if markdown := report.Research(b); !strings.Contains(markdown, "## Key Findings\n\n"+test.want) {
			t.Errorf("no %q in\n%s", test.want, markdown)
		}
	}
}

// Words of pages stay words in this form too.
func TestHostileResearch(t *testing.T) {
	for _, words := range hostile {
		check(t, researched(everywhere(words, "https://a.test/")))
	}
	for _, u := range hostileURLs {
		check(t, researched(everywhere("words", u)))
	}
	rapid.Check(t, func(t *rapid.T) { check(t, researched(hostileBrief().Draw(t, "brief"))) })
}
