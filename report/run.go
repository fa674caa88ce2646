package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// The parts of a run's report that Parse reads.
const (
	createdLine       = "*Created: "
	taskLine          = "Task: "
	noSource          = "No source is cited."
	notVerifiedHeader = "### Not verified"
	inOtherWords      = "(in other words)"
	noWordsKept       = "no words of it are kept"
)

// OfRun renders the report of a run as the Markdown of its file: title, time,
// content, the cited sources, and a Verification section with the words behind each
// cited sentence. The content is the run's own Markdown, without HTML and with links to
// cited sources only; a code fence that it leaves open is closed. It ends in exactly one
// newline.
//
// The Verification section has the hash of all that stands above it, and for each
// sentence the numbers that stand with it: Parse holds one against the other. Where
// the content does not have a sentence as it was checked, that is said; such a report
// does not verify.
func OfRun(r citewell.Report) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# %s\n\n%s%s*\n\n%s\n\n---\n\n## %s\n", title(r.Title), createdLine, r.CreatedAt.UTC().Format(time.DateTime), CloseFence(tidyContent(r.Content)), sourcesHeader)
	if len(r.Sources) == 0 {
		w.WriteString("\n" + noSource + "\n")
	}
	w.WriteString(SourceList(r.Sources))
	above := sumOf(strings.Split(w.String(), "\n"))
	fmt.Fprintf(&w, "\n## %s\n\nRun %s, outcome %s, text %s. To check every citation again: citewell verify FILE\n%s“%s”\n",
		verificationHeader, within(r.ID), within(r.Outcome), above, taskLine, within(r.Task))
	runEntries(&w, r)
	exact := "\n"
	for _, s := range r.Sources {
		if url := address(s); parseLink(link(url)) != url || strings.Contains(url, " - ") {
			fmt.Fprintf(&w, "%s- S%d “%s”\n", exact, s.N, within(strconv.QuoteToASCII(url)))
			exact = ""
		}
	}
	if len(r.Unverified) > 0 {
		w.WriteString("\n" + notVerifiedHeader + "\n\n")
		for _, u := range r.Unverified {
			fmt.Fprintf(&w, "- “%s”: %s\n", within(cut(u.Text, maxSnippet)), within(u.Detail))
		}
	}
	if n := len(r.Removed); n > 0 {
		fmt.Fprintf(&w, "\nAddresses that are no cited source were removed: %d.\n", n)
	}
	return w.String()
}

// SourceList gives the sources of a run as its report lists them: a paragraph each,
// with what a page warns of itself.
func SourceList(sources []citewell.Source) string {
	var w strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&w, "\n[%d] %s - %s\n", s.N, inline(orElse(cut(plain(s.Title), maxTitle), untitled)), link(address(s)))
		if warning := plain(s.Warning); warning != "" {
			fmt.Fprintf(&w, "⚠ %s\n", within(cut(warning, maxWarning)))
		}
	}
	return w.String()
}

// runEntries writes each checked sentence with the numbers that are shown with it, and
// below it its citations, with the quote where it is not the sentence itself.
func runEntries(w *strings.Builder, r citewell.Report) {
	text := readContent(r.Content)
	for i, f := range r.Findings {
		label := fmt.Sprintf("F%d", i+1)
		shown, found := text.next(f.Text)
		told := inOtherWords + " "
		if found {
			told = squareMarks(shown.all())
		}
		fmt.Fprintf(w, "\n%s %s“%s”\n\n", label, told, within(f.Text))
		for _, c := range f.Citations {
			quote := ""
			if !quotesFirst(f.Text, c) {
				quote = " “" + within(c.Quote) + "”"
			}
			fmt.Fprintf(w, "- %s [%d] %s %d-%d %s%s\n", label, c.N, within(c.Passage), c.Start, c.End, verdict(c), quote)
			if plain(c.Reason) != "" {
				fmt.Fprintf(w, "  %s: %s\n", inline(orElse(c.Judge, cite.ByWords)), within(c.Reason))
			}
		}
		for i, n := range shown.own {
			if !slices.Contains(shown.own[:i], n) && !slices.ContainsFunc(f.Citations, func(c citewell.Citation) bool { return c.N == n }) {
				fmt.Fprintf(w, "- %s [%d] %s\n", label, n, noWordsKept)
			}
		}
	}
}

// squareMarks gives "[1][3] ".
func squareMarks(marks []int) string {
	var w strings.Builder
	for _, n := range marks {
		fmt.Fprintf(&w, "[%d]", n)
	}
	if len(marks) > 0 {
		w.WriteByte(' ')
	}
	return w.String()
}

// tidyContent is the content of a report without what is not seen, and without control
// characters other than line ends and tabs.
func tidyContent(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n"), "\r", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unseen(r) {
			return -1
		}
		return r
	}, s))
}
