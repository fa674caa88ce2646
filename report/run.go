package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/text"
)

// The parts of a run's report.
const (
	createdLine       = "*Created: "
	taskLine          = "Task: "
	noSource          = "No source is cited."
	needsNoSource     = "No source is cited: it says nothing but what was computed from the task, or what the task says itself."
	notVerifiedHeader = "### Not verified"
)

// OfRun renders the report of a run as the Markdown of its file: title, time, content,
// the cited sources, and a Verification section with the words behind each cited sentence
// and what the file was written from. A sign behind a number tells how the citation stands
// where it is less than supported by words. The content is the run's own Markdown, without HTML
// and with links to cited sources only; a code fence that it leaves open is closed. It
// ends in exactly one newline.
func OfRun(r citewell.Report) string { return RunText(r) + dataLine(Written{Report: &r}) }

// RunText is OfRun for a reader who has the store: without what the file was written from.
func RunText(r citewell.Report) string {
	var w strings.Builder
	content, legend := signed(r)
	fmt.Fprintf(&w, "# %s\n\n%s%s*\n\n%s%s\n\n%s---\n\n## %s\n", title(r.Title), createdLine,
		r.CreatedAt.UTC().Format(time.DateTime), FirstLine(r.Outcome, r.Reason), CloseFence(content), legend, sourcesHeader)
	switch {
	case r.NeedsNoSource:
		w.WriteString("\n" + needsNoSource + "\n")
	case len(r.Sources) == 0:
		w.WriteString("\n" + noSource + "\n")
	}
	w.WriteString(SourceList(r.Sources))
	listReferences(&w, r.References)
	lens := ""
	if r.Lens != "" {
		lens = ", through the lens " + within(r.Lens)
	}
	fmt.Fprintf(&w, "\n## %s\n\nRun %s, outcome %s%s. To check every citation again: citewell verify FILE\n%s“%s”\n",
		verificationHeader, within(r.ID), within(r.Outcome), lens, taskLine, within(r.Task))
	runEntries(&w, r)
	if len(r.Unverified) > 0 {
		w.WriteString("\n" + notVerifiedHeader + "\n\n")
		for _, u := range r.Unverified {
			fmt.Fprintf(&w, "- “%s”: %s\n", within(text.ShortenAtWord(u.Text, maxSnippet)), within(u.Detail))
		}
	}
	if r.Judge != nil {
		fmt.Fprintf(&w, "\nJudge: %s.\n", within(judgeLine(*r.Judge)))
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(&w, "\nNot as it was asked for: %s.\n", within(remark))
	}
	if n := len(r.Removed); n > 0 {
		fmt.Fprintf(&w, "\nAddresses that are no cited source were removed: %d.\n", n)
	}
	return w.String()
}

// maxAbove is how many lines stand above the line of the time: the title, and blank ones.
const maxAbove = 5

// firstLine is FirstLine, whatever the outcome and the reason.
var firstLine = lazyregexp.New(`^\*[a-z][a-z ]{0,40}: .*\.\*$`)

// FirstLine is what stands above the text of a run that is no whole answer: what it came
// to and why, with a blank line below. It is empty where there is no reason.
func FirstLine(outcome, reason string) string {
	if reason == "" {
		return ""
	}
	return fmt.Sprintf("*%s: %s.*\n\n", within(strings.ReplaceAll(outcome, "_", " ")), strings.TrimSuffix(within(reason), "."))
}

// SourceList gives the sources of a run as its report lists them: a paragraph each,
// with what a page warns of itself.
func SourceList(sources []citewell.Source) string {
	var w strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&w, "\n[%d] %s - %s\n", s.N, inline(cmp.Or(text.ShortenAtWord(plain(s.Title), maxTitle), untitled)), link(landing(s)))
		w.WriteString(publication(s, ""))
		if warning := plain(s.Warning); warning != "" {
			fmt.Fprintf(&w, "⚠ %s\n", within(text.ShortenAtWord(warning, maxWarning)))
		}
	}
	return w.String()
}

// runEntries writes each checked sentence and below it its citations, with the quote
// where it is not the sentence itself.
func runEntries(w *strings.Builder, r citewell.Report) {
	var entries strings.Builder
	n := 0
	for i, f := range r.Findings {
		fmt.Fprintf(&entries, "- F%d “%s”\n", i+1, within(f.Text))
		for _, c := range f.Citations {
			n++
			entry(&entries, fmt.Sprintf("F%d [%d]", i+1, c.N), c, !strings.Contains(plain(f.Text), plain(c.Quote)))
		}
	}
	folded(w, n, entries.String())
}

// tidyContent is the content of a report without what is not seen, and without control
// characters other than line ends and tabs.
func tidyContent(s string) string { return strings.TrimSpace(tidied(s)) }

func tidied(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n"), "\r", "\n")
	return withoutUnseen(s, "\n\t")
}

func trimmedLeft(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }
