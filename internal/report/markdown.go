// Package report renders briefs and the reports of runs, and tells what was changed in their files.
//
// Flow: Brief → Markdown, Report → OfRun → people, models. A file carries a Stamp, which names the brief or the run by
// its id, and on request its Record. Parse reads both. Record.Changes renders the record of the file or of the store
// again and returns the lines that differ, so `citewell verify` can check a saved or edited file.
// Report → Write → a file in one of Formats:
//
//   - md: OfRun. The content as the run wrote it, sources, Verification with the stamp and
//     the passages behind the citations. WithRecord adds the report itself as one packed line.
//   - html: HTML. One page without scripts or anything remote; each number leads to the
//     source with quote, verdict and time.
//   - json: citewell.Report as it is; passages and hashes whole.
//   - bibtex: BibTeX. The cited sources as biblatex entries, UTF-8.
//   - csl-json: CSLJSON. The same as CSL data 1.0.2, for citation processors.
//   - ris: RIS. The same for reference managers.
//   - wacz: WACZ. The evidence: raw pages, the cited texts, the report.
//
// Bibliographies have an author only if the page named one, a day of access only if the page was read, and a source's
// date as the provider or the page gave it.
// Sizes: a brief has about 18 KB, a compact one about 5 KB; the Verification section adds at most as much. A record is
// read up to 4 MiB packed and 8 MiB unpacked. WACZ has one page in memory at a time, at most 16 MiB as fetch limits it;
// the report's sources alone limit their number.
// Safety: words of pages and providers are escaped: none of them becomes a link, an image, HTML or TeX. The only links
// are the URLs of sources and, in a brief, of results that were not read and of the fetches in Coverage.
// Errors: Parse returns invalid_argument for text that is not one of these briefs or reports; Write for an unknown
// format, not_found for WACZ without a store, and the errors of the store and the writer.
// Concurrency: all functions are pure except for the store and the writer that they are given.
// Sources: WACZ 1.1.1, WARC 1.1 (ISO 28500:2017), CDXJ as cdxj-indexer writes it, CommonMark 0.31, the CSL data schema
// 1.0.2. Why: doc/decision/0022-exports.md, doc/decision/0029-verify.md, doc/decision/0069-verify-by-rendering.md
package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/searchcall"
)

// Options say how much of a brief is rendered.
type Options struct {
	Compact      bool // leave out the extracts and the additional sources
	Verification bool // add the section that names the brief and the passage of each citation
	Record       bool // with Verification, carry the brief itself in the last line, for readers without the store
	Terse        bool // two lines of Coverage where all went well, for who reads on a terminal
}

// The headers of sections.
const (
	findingsHeader      = "Key findings"
	nearestHeader       = "Nearest passages"
	disagreementsHeader = "Disagreements"
	gapsHeader          = "Gaps"
	sourcesHeader       = "Sources"
	additionalHeader    = "Additional sources (snippet-only, not fetched)"
	coverageHeader      = "Coverage"
	verificationHeader  = "Verification"
)

// otherTopic is the heading of findings without a topic that follow one with a topic.
const otherTopic = "Other findings"

// Markdown renders a brief. Its sections come in this order, empty ones left out:
// Key findings, or why there are none and Nearest passages, Disagreements, Gaps, Sources, References, the extracts,
// Additional sources, Coverage, Verification. It ends in exactly one newline.
func Markdown(b citewell.Brief, o Options) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Research: %s\n", title(b.Query))
	findings(&w, b)
	nearest(&w, b)
	disagreements(&w, b)
	listGaps(&w, b.Gaps)
	shown := shownSources(b)
	sources(&w, shown)
	listReferences(&w, b.References)
	if !o.Compact {
		extracts(&w, shown, b.Passages)
		additional(&w, b)
	}
	coverage(&w, b, o, len(b.Sources)-len(shown))
	if o.Verification {
		verification(&w, b, o.Compact)
	}
	if o.Verification && o.Record {
		w.WriteString(Record{Brief: &b, Compact: o.Compact}.line())
	}
	return w.String()
}

func listGaps(w *strings.Builder, gaps []string) {
	if len(gaps) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n", gapsHeader)
	for _, gap := range gaps {
		fmt.Fprintf(w, "- %s\n", inline(gap))
	}
}

func findings(w *strings.Builder, b citewell.Brief) {
	if len(b.Findings) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n", findingsHeader)
	topic := ""
	for _, f := range b.Findings {
		own := title(f.Topic)
		if own == "" && topic != "" {
			own = otherTopic
		}
		if own != topic {
			topic = own
			fmt.Fprintf(w, "### %s\n", topic)
		}
		fmt.Fprintf(w, "- %s\n", findingLine(f))
	}
}

// findingLine is a finding with its marks, and what is said of how it stands.
func findingLine(f citewell.Finding) string {
	return statement(f.Text, f.Citations) + marksWhere(f.Citations) + remark(f.Citations) + caveats(f.Citations)
}

// unanswered is the first thing that a brief without an answer says.
const unanswered = "Nothing that was read answers this question."

// nearest writes what was read where nothing of it answers.
func nearest(w *strings.Builder, b citewell.Brief) {
	if b.Outcome != citewell.BriefUnanswered || searchcall.NobodyAnswered(b.Coverage.Providers) {
		return
	}
	fmt.Fprintf(w, "\n%s\n", unanswered)
	if len(b.Nearest) > 0 {
		fmt.Fprintf(w, "\n## %s\n", nearestHeader)
	}
	for _, n := range b.Nearest {
		fmt.Fprintf(w, "- %s\n", findingLine(citewell.Finding{Text: n.Text, Citations: n.Citations}))
	}
}

// statement writes the words of a finding, in quotation marks where they are the
// source's own: a table's row behind the names of its columns.
func statement(text string, citations []citewell.Citation) string {
	if len(citations) > 0 && quotesFirst(text, citations[0]) {
		quote := "“" + within(text) + "”"
		if columns := plain(citations[0].Columns); columns != "" {
			return inline(columns) + ": " + quote
		}
		return quote
	}
	return inline(text)
}

// quotesFirst says whether a statement is the quote of its first citation.
func quotesFirst(text string, first citewell.Citation) bool { return plain(first.Quote) == plain(text) }

// cited gives the source numbers of citations, each once, in their order.
func cited(citations []citewell.Citation) []int {
	var all []int
	for _, c := range citations {
		if !slices.Contains(all, c.N) {
			all = append(all, c.N)
		}
	}
	return all
}

// marks gives " [①③]", each source once, in the order of the citations.
func marks(citations []citewell.Citation) string {
	if len(citations) == 0 {
		return ""
	}
	var w strings.Builder
	w.WriteString(" [")
	for _, n := range cited(citations) {
		w.WriteString(notation.Mark(n))
	}
	w.WriteString("]")
	return w.String()
}

// remark names every verdict that is less than supported, and where a judge alone supports it.
func remark(citations []citewell.Citation) string {
	var all []string
	for _, c := range citations {
		word := verdict(c)
		if stands := standsAs(c); stands == ByJudge {
			word = "by a judge"
		} else if stands == citewell.VerdictSupported {
			continue
		}
		if !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// verdict is the word for what the check of a citation found.
func verdict(c citewell.Citation) string {
	return within(cmp.Or(string(c.Verdict), string(citewell.VerdictNoSource)))
}

// disagreements gets no remarks: a side that is contradicted by the other is what the section is about.
func disagreements(w *strings.Builder, b citewell.Brief) {
	if len(b.Disagreements) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n", disagreementsHeader)
	for _, d := range b.Disagreements {
		fmt.Fprintf(w, "- %s\n", disagreementLine(d))
	}
}

func disagreementLine(d citewell.Disagreement) string {
	named := ""
	if !namesAll(d.Text, d.Citations) {
		named = marks(d.Citations)
	}
	return inline(d.Text) + named + caveats(d.Citations)
}

// namesAll says whether a text itself says who says what, as in "①④ say “212” …
// ⑥ says “187” …": its marks are just those of its citations.
func namesAll(text string, citations []citewell.Citation) bool {
	named, all := circled(text), cited(citations)
	slices.Sort(named)
	slices.Sort(all)
	return len(all) > 0 && slices.Equal(named, all)
}

// circled returns the source numbers ① to ⑳ that stand in a text, each once.
func circled(text string) []int {
	var all []int
	for _, r := range text {
		if n := int(r-'①') + 1; r >= '①' && r <= '⑳' && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}
