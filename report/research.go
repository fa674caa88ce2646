package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
)

// The sections of research that are its own, in grip's words.
const (
	quotesHeader     = "Key Findings"
	confidenceHeader = "Confidence: "
)

// What stands in place of findings where there are none, each with the topic after it.
const (
	noAnswers = "No provider answered for topic: "
	noResults = "No search results found for topic: "
	noQuotes  = "No source could be quoted for topic: "
)

// research renders what research into a topic found, in grip's form: the quotes of
// each source under its number, title and label, the confidence, the sources. After
// them, where there are any, disagreements and gaps, then coverage and Verification.
//
// A quote of a document with pages names its page, [page 2]; one that more sources
// bear out names them all, its own first: [1, 3].
func research(b citewell.Brief, o Options) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Research: %s\n\n## %s\n", title(b.Query), quotesHeader)
	n := 0
	for _, f := range b.Findings {
		if own := blockOf(f); own != n {
			n = own
			fmt.Fprintf(&w, "\n%s\n", blockTitle(n, b.Sources))
		}
		fmt.Fprintf(&w, "%s%s%s%s\n", statement(f.Text, f.Citations), whereSaid(f.Citations), alsoSaid(f.Citations), remark(f.Citations))
	}
	if len(b.Findings) == 0 {
		fmt.Fprintf(&w, "\n%s%s\n", noFindings(b.Coverage), title(b.Query))
	}
	nearest(&w, b)
	fmt.Fprintf(&w, "\n## %s%s — %s\n", confidenceHeader, within(string(b.Confidence.Level)), within(b.Confidence.Reason))
	shown := shownSources(b)
	if len(shown) > 0 {
		fmt.Fprintf(&w, "\n## %s\n\n", sourcesHeader)
		for _, s := range shown {
			fmt.Fprintf(&w, "[%d] [%s] %s — %s\n%s", s.N, within(string(s.Quality.Label)), sourceTitle(s), link(address(s)), shortcomings(s))
		}
	}
	disagreements(&w, b)
	listGaps(&w, b.Gaps)
	coverage(&w, b, o, len(b.Sources)-len(shown))
	if o.Verification {
		verification(&w, b, o)
	}
	return w.String()
}

// blockOf is the source under which a finding stands: that of its first citation.
func blockOf(f citewell.Finding) int {
	if len(f.Citations) == 0 {
		return 0
	}
	return f.Citations[0].N
}

func blockTitle(n int, all []citewell.Source) string {
	var s citewell.Source
	if i := slices.IndexFunc(all, func(s citewell.Source) bool { return s.N == n }); i >= 0 {
		s = all[i]
	}
	return fmt.Sprintf("**[%d] %s** (%s)", n, sourceTitle(s), within(string(s.Quality.Label)))
}

func sourceTitle(s citewell.Source) string {
	return within(orElse(cut(plain(s.Title), maxTitle), orElse(s.Host, untitled)))
}

// alsoSaid names all sources of a quote that more than one bears out.
func alsoSaid(citations []citewell.Citation) string {
	all := cited(citations)
	if len(all) < 2 {
		return ""
	}
	return " [" + strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]") + "]"
}

// noFindings says why there is nothing; nobody answering is not nothing being there.
func noFindings(c citewell.Coverage) string {
	switch {
	case allFailed(c):
		return noAnswers
	case c.DistinctResults == 0:
		return noResults
	}
	return noQuotes
}

func allFailed(c citewell.Coverage) bool {
	return !slices.ContainsFunc(c.Providers, func(p citewell.ProviderReport) bool { return p.Outcome.Answered() })
}

// shortcomings are lines below a source: why it was not read, what it says against
// itself.
func shortcomings(s citewell.Source) string {
	lines := ""
	if !s.Outcome.Readable() {
		lines = fmt.Sprintf("    not read (%s)", within(orElse(string(s.Outcome), "not fetched")))
		if s.Snippet != "" {
			lines += "; the quote is the search provider's snippet"
		}
		lines += "\n"
	}
	if copies := alsoAt(s); copies != "" {
		lines += "    " + copies + "\n"
	}
	if warning := plain(s.Warning); warning != "" {
		lines += fmt.Sprintf("    ⚠ %s\n", within(cut(warning, maxWarning)))
	}
	return lines
}
