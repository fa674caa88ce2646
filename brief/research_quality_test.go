package brief

import (
	"testing"

	"github.com/citewell/citewell"
)

func TestQuality(t *testing.T) {
	const topic = "the Larch file format and Django ORM"
	for host, want := range map[string]string{
		// Known places and all below them, whatever their first label.
		"github.com": "PRIMARY 4", "gist.github.com": "PRIMARY 4", "GitHub.com.": "PRIMARY 4",
		"www.github.com":  "PRIMARY 4",
		"docs.github.com": "PRIMARY 5", "api.github.com": "PRIMARY 4", "mozilla.org": "PRIMARY 4",
		"developer.mozilla.org": "PRIMARY 4",
		"stackoverflow.com":     "SECONDARY 3", "unix.stackexchange.com": "SECONDARY 3", "medium.com": "SECONDARY 2",
		"someone.medium.com": "SECONDARY 2", "docs.medium.com": "SECONDARY 2", "dev.to": "SECONDARY 2",
		"old.reddit.com": "SECONDARY 2",

		// Official documentation: known by name, of a known maker, or of whom the topic names.
		"python.org": "PRIMARY 5", "docs.python.org": "PRIMARY 5", "kernel.org": "PRIMARY 5", "docs.rs": "PRIMARY 5",
		"go.dev": "PRIMARY 5", "learn.microsoft.com": "PRIMARY 5",
		"docs.aws.amazon.com": "PRIMARY 5", "developer.apple.com": "PRIMARY 4", "developers.google.com": "PRIMARY 4",
		"api.stripe.com":     "PRIMARY 4",
		"docs.larch.example": "PRIMARY 5", "developer.larch.example": "PRIMARY 4", "api.larch.example": "PRIMARY 4",
		"docs.djangoproject.com": "PRIMARY 5", "docs.larch-file-format.example": "PRIMARY 5",
		"larch.readthedocs.io": "PRIMARY 5",

		// States, by the public suffix.
		"cdc.gov": "PRIMARY 4", "data.census.gov": "PRIMARY 4", "hmrc.gov.uk": "PRIMARY 4",
		"insee.gouv.fr": "PRIMARY 4", "stat.go.jp": "PRIMARY 4", "bmf.gv.at": "PRIMARY 4", "inegi.gob.mx": "PRIMARY 4",

		// What only looks like one of them.
		"docs.evil.example": "UNVERIFIED 2", "developer.evil.example": "UNVERIFIED 2",
		"api.evil.example": "UNVERIFIED 2", "dev.evil.example": "UNVERIFIED 2",
		"notgithub.com": "UNVERIFIED 2", "github.com.evil.example": "UNVERIFIED 2", "github.io": "UNVERIFIED 2",
		"someone.github.io":      "UNVERIFIED 2",
		"docs.someone.github.io": "UNVERIFIED 2", "x.gov.evil.example": "UNVERIFIED 2",
		"gov.evil.example": "UNVERIFIED 2", "mygov.com": "UNVERIFIED 2",
		"shop.go.it": "UNVERIFIED 2", "docs.python.org.evil.example": "UNVERIFIED 2",
		"mydocs.larch.example": "UNVERIFIED 2", "larch.docs.evil.example": "UNVERIFIED 2",
		"docs.larch.evil.example": "UNVERIFIED 2", "docs.google.com": "UNVERIFIED 2",
		"evil.readthedocs.io": "UNVERIFIED 2", "discuss.python.org": "UNVERIFIED 2",
		"docs.the.example": "UNVERIFIED 2", "xn--gthub-n4a.com": "UNVERIFIED 2",
		"docs.xn--lrch-0qa.example": "UNVERIFIED 2",

		// All others.
		"wikipedia.org": "UNVERIFIED 2", "larch.example": "UNVERIFIED 2", "example.com": "UNVERIFIED 2",
		"10.0.0.1": "UNVERIFIED 2", "docs": "UNVERIFIED 2", "": "UNVERIFIED 2",
	} {
		q := quality(host, topic)
		if got := string(q.Label) + " " + string(rune('0'+q.Score)); got != want {
			t.Errorf("%q is %s, want %s", host, got, want)
		}
	}
}

func TestConfidence(t *testing.T) {
	for _, test := range []struct {
		name               string
		sources, read, few int
		average            float64
		agreed, disputed   int
		gaps               int
		want               citewell.ConfidenceLevel
		reason             string
	}{
		{"three_good_that_agree", 3, 3, 0, 4, 1, 0, 0, "HIGH", "Multiple authoritative sources agree: 3 of 3 sources " +
			"answered, average quality 4.0, 1 finding is supported by independent sources"},
		{"just_good_enough", 5, 4, 0, 3.5, 2, 0, 0, "HIGH", "Multiple authoritative sources agree: 4 of 5 sources " +
			"answered, average quality 3.5, 2 findings are supported by independent sources"},
		{"not_good_enough", 5, 5, 0, 3.4, 3, 0, 0, "MEDIUM", "Limited sources or mixed authority: 5 of 5 sources " +
			"answered, average quality 3.4, 3 findings are supported by independent sources"},
		{"a_part_is_open", 3, 3, 0, 4, 1, 0, 1, "MEDIUM", "Limited sources or mixed authority: 3 of 3 sources " +
			"answered, average quality 4.0, 1 finding is supported by independent sources, 1 part of the question " +
			"without an answer"},
		{"nobody_seconds", 4, 4, 0, 5, 0, 0, 0, "MEDIUM", "Limited sources or mixed authority: 4 of 4 sources " +
			"answered, average quality 5.0, no finding is supported by two independent sources"},
		{"they_disagree", 4, 4, 0, 5, 2, 1, 0, "MEDIUM", "Limited sources or mixed authority: 4 of 4 sources " +
			"answered, average quality 5.0, 2 findings are supported by independent sources, sources disagree " +
			"on 1 point"},
		{"two_of_any_kind", 5, 2, 0, 2, 0, 0, 0, "MEDIUM", "Limited sources or mixed authority: 2 of 5 sources " +
			"answered, average quality 2.0, no finding is supported by two independent sources"},
		{"one_good", 1, 1, 0, 3, 0, 0, 0, "MEDIUM", "Limited sources or mixed authority: 1 of 1 source answered, " +
			"average quality 3.0, no finding is supported by two independent sources"},
		{"one_unknown", 3, 1, 0, 2, 0, 0, 0, "LOW", "Few sources or only unofficial references: 1 of 3 sources " +
			"answered, average quality 2.0, no finding is supported by two independent sources"},
		{"none_was_read", 5, 0, 0, 0, 0, 0, 0, "LOW", "Few sources or only unofficial references: no source answered"},
		{"few_words_only", 2, 0, 1, 0, 1, 0, 0, "LOW", "Few sources or only unofficial references: no source gave " +
			"more than a few words"},
		{"few_words_beside", 3, 1, 2, 3, 0, 0, 0, "MEDIUM", "Limited sources or mixed authority: 1 of 3 sources " +
			"answered, average quality 3.0, 2 more gave a few words only, no finding is supported by two " +
			"independent sources"},
		{"no_sources", 0, 0, 0, 0, 0, 0, 0, "LOW", "Few sources or only unofficial references: no source answered"},
	} {
		got := rated(test.sources, test.read, test.few, test.average, test.agreed, test.disputed, test.gaps)
		if got.Level != test.want || got.Reason != test.reason {
			t.Errorf("%s: %s — %s\nwant %s — %s", test.name, got.Level, got.Reason, test.want, test.reason)
		}
	}
}

// What failed counts for nothing, however good its place.
func TestConfidenceCountsOnlyWhatWasReadAndQuoted(t *testing.T) {
	source := func(n, score int, outcome citewell.FetchOutcome) citewell.Source {
		return citewell.Source{N: n, Quality: citewell.Quality{Score: score}, Outcome: outcome}
	}
	finding := func(verdict citewell.Verdict, numbers ...int) citewell.Finding {
		f := citewell.Finding{}
		for _, n := range numbers {
			f.Citations = append(f.Citations, citewell.Citation{N: n, Verdict: verdict})
			verdict = citewell.VerdictSupported
		}
		return f
	}
	e := &evidence{sources: []citewell.Source{source(1, 5, citewell.FetchTimeout),
		source(2, 5, citewell.FetchBlockedRobots),
		source(3, 5, citewell.FetchLowYield), source(4, 2, citewell.FetchOK), source(5, 5, citewell.FetchOK)}}
	findings := []citewell.Finding{finding(citewell.VerdictSnippetOnly, 1, 4), finding(citewell.VerdictSnippetOnly, 2),
		finding(citewell.VerdictSupported, 3), finding(citewell.VerdictSupported, 4)}
	got := confidence(e, findings, nil, nil)
	want := "Few sources or only unofficial references: 1 of 5 sources answered, average quality 2.0, 1 more gave a " +
		"few words only, no finding is supported by two independent sources"
	if got.Level != citewell.ConfidenceLow || got.Reason != want {
		t.Errorf("%s — %s", got.Level, got.Reason)
	}
	findings = append(findings, finding(citewell.VerdictSupported, 5, 4))
	if got := confidence(e, findings, nil, nil); got.Level != citewell.ConfidenceMedium {
		t.Errorf("%s — %s", got.Level, got.Reason)
	}
}
