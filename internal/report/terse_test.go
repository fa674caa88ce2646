package report

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// On a terminal Coverage is two lines, and whole as soon as there is anything to know.
func TestTerseCoverage(t *testing.T) {
	for name, change := range map[string]func(*citewell.Brief){
		"":                   func(*citewell.Brief) {},
		"provider_failed":    func(b *citewell.Brief) { b.Coverage.Providers[0].Outcome = citewell.ProviderBlocked },
		"provider_remarked":  func(b *citewell.Brief) { b.Coverage.Providers[0].Detail = "a word was left out" },
		"page_failed":        func(b *citewell.Brief) { b.Coverage.Fetches[0].Outcome = citewell.FetchBlockedRobots },
		"page_cut":           func(b *citewell.Brief) { b.Coverage.Fetches[0].Outcome = citewell.FetchTruncated },
		"page_remarked":      func(b *citewell.Brief) { b.Coverage.Fetches[0].Detail = "read by a fallback" },
		"source_not_read":    func(b *citewell.Brief) { b.Sources[0].Outcome = citewell.FetchLowYield },
		"model_failed":       func(b *citewell.Brief) { b.Coverage.Synthesis.Outcome = "timeout" },
		"statements_dropped": func(b *citewell.Brief) { b.Coverage.Synthesis.Detail = "1 of 3 statements dropped" },
		"from_the_cache":     func(b *citewell.Brief) { b.Coverage.Cache = true },
		"at_the_wall":        func(b *citewell.Brief) { b.Coverage.DeadlineHit = true },
	} {
		b := citewell.Brief{Query: "q", Sources: []citewell.Source{
			{N: 1, URL: "https://a.example/", Outcome: citewell.FetchOK}}, Coverage: citewell.Coverage{
			Providers: []citewell.ProviderReport{{Name: "local", Outcome: citewell.ProviderOK, Results: 1}},
			Fetches:   []citewell.FetchReport{{URL: "https://a.example/", Outcome: citewell.FetchOK}},
			Synthesis: citewell.SynthesisReport{Mode: citewell.SynthesisExtractive, Outcome: "skipped"}, WallMS: 1200}}
		change(&b)
		const short = "\n## Coverage\n- Searched 1 provider, read 1 source, in 1.2s.\n- Synthesis: skipped.\n"
		if got := Markdown(b, Options{Terse: true}); strings.Contains(got, short) != (name == "") ||
			strings.Contains(got, "- Fetched: ") != (name != "") {
			t.Errorf("%s: %s", name, got)
		}
		if strings.Contains(Markdown(b, Options{}), short) {
			t.Errorf("%s: short though nobody asked for it", name)
		}
	}
}
