package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
)

// The sections of the tool web_research, in grip's words.
const (
	quotesHeader     = "Key Findings"
	confidenceHeader = "Confidence: "
)

// What stands in place of findings where nothing was read, each with the topic after it.
const (
	noAnswers = "No provider answered for topic: "
	noResults = "No search results found for topic: "
)

// Research renders what research into a topic found as the tool web_research gives it, in grip's form: the quotes of
// each source under its number, title and label, the confidence, the sources. After them, where there are any,
// disagreements and gaps, then coverage. One's own files have no label of grip's; their class stands in its place.
//
// A quote of a document with pages names its page, [page 2]; one that more sources
// bear out names them all, its own first: [1, 3].
func Research(b citewell.Brief) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Research: %s\n\n## %s\n", title(b.Query), quotesHeader)
	n := 0
	bySource := slices.SortedStableFunc(slices.Values(b.Findings), func(a, b citewell.Finding) int {
		return blockOf(a) - blockOf(b)
	})
	for _, f := range bySource {
		if own := blockOf(f); own != n {
			n = own
			fmt.Fprintf(&w, "\n%s\n", blockTitle(n, b.Sources))
		}
		fmt.Fprintf(&w, "%s%s%s%s\n", statement(f.Text, f.Citations), whereSaid(f.Citations), alsoSaid(f.Citations),
			remark(f.Citations)+caveats(f.Citations))
	}
	if len(b.Findings) == 0 && searchcall.NobodyAnswered(b.Coverage.Providers) {
		fmt.Fprintf(&w, "\n%s%s\n", noAnswers, title(b.Query))
	} else if len(b.Findings) == 0 && b.Coverage.DistinctResults == 0 {
		fmt.Fprintf(&w, "\n%s%s\n", noResults, title(b.Query))
	}
	nearest(&w, b)
	fmt.Fprintf(&w, "\n## %s%s — %s\n", confidenceHeader, within(string(b.Confidence.Level)),
		within(b.Confidence.Reason))
	shown := shownSources(b)
	if len(shown) > 0 {
		fmt.Fprintf(&w, "\n## %s\n\n", sourcesHeader)
		for _, s := range shown {
			fmt.Fprintf(&w, "[%d] [%s] %s — %s\n%s", s.N, label(s), sourceTitle(s), link(landing(s)), shortcomings(s))
		}
	}
	disagreements(&w, b)
	listGaps(&w, b.Gaps)
	coverage(&w, b, Options{}, len(b.Sources)-len(shown))
	return w.String()
}

// label is the quality of a source's place, or the class of a source that has none.
func label(s citewell.Source) string { return within(cmp.Or(string(s.Quality.Label), s.Class)) }

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
	return fmt.Sprintf("**[%d] %s** (%s)", n, sourceTitle(s), label(s))
}

func sourceTitle(s citewell.Source) string {
	return within(cmp.Or(text.ShortenAtWord(plain(s.Title), maxTitle), cmp.Or(s.Host, untitled)))
}

// alsoSaid names all sources of a quote that more than one bears out.
func alsoSaid(citations []citewell.Citation) string {
	all := cited(citations)
	if len(all) < 2 {
		return ""
	}
	return " [" + strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]") + "]"
}

// shortcomings are lines below a source: why it was not read, what it says against itself.
func shortcomings(s citewell.Source) string {
	lines := publication(s, "    ")
	if !s.Outcome.Readable() {
		lines += fmt.Sprintf("    not read (%s)", within(cmp.Or(string(s.Outcome), "not fetched")))
		if snippet := plain(s.Snippet); snippet != "" {
			lines += "; the search provider's snippet: " + inline(text.ShortenAtWord(snippet, maxSnippet))
		}
		lines += "\n"
	}
	if copies := alsoAt(s); copies != "" {
		lines += "    " + copies + "\n"
	}
	if warning := plain(s.Warning); warning != "" {
		lines += fmt.Sprintf("    ⚠ %s\n", within(text.ShortenAtWord(warning, maxWarning)))
	}
	return lines
}
