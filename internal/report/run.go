package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// The parts of a run's report.
const (
	createdLine   = "*Created: "
	taskLine      = "Task: "
	noSource      = "No source is cited."
	needsNoSource = "No source is cited: it says nothing but what was computed from the task, or what the task " +
		"says itself."
	notVerifiedHeader = "### Not verified"
)

// OfRun renders the report of a run as the Markdown of its file: title, time, content, the cited sources, and a
// Verification section with its stamp and the words behind the citations. A sign behind a number tells how the citation
// stands where it is less than supported by words. The content is the run's own Markdown, without HTML and with links
// to cited sources only; a code fence that it leaves open is closed. It ends in exactly one newline.
func OfRun(r citewell.Report) string {
	var w strings.Builder
	content, legend := signed(r)
	fmt.Fprintf(&w, "# %s\n\n%s%s*\n\n%s%s\n\n%s---\n\n## %s\n", title(r.Title), createdLine,
		r.CreatedAt.UTC().Format(time.DateTime), FirstLine(r.Outcome, r.Reason), CloseFence(content), legend,
		sourcesHeader)
	switch {
	case r.NeedsNoSource:
		w.WriteString("\n" + needsNoSource + "\n")
	case len(r.Sources) == 0:
		w.WriteString("\n" + noSource + "\n")
	}
	w.WriteString(SourceList(r.Sources))
	listReferences(&w, r.References)
	var entries []string
	for i, f := range r.Findings {
		for _, c := range f.Citations {
			entries = append(entries, entry(fmt.Sprintf("F%d [%d]", i+1, c.N), f.Text, c))
		}
	}
	name, rest := runStamp(r)
	rest += fmt.Sprintf("%s“%s”\n", taskLine, within(text.ShortenAtWord(plain(r.Task), maxSnippet)))
	appendix(&w, "\n## "+verificationHeader+"\n\n", name, rest, entries, remarks(r))
	return w.String()
}

// WithRecord is OfRun for a reader without the store: its last line carries the report itself, unless Parse would not
// read that back ([CarriesRecord]).
func WithRecord(r citewell.Report) string { return OfRun(r) + Record{Report: &r}.line() }

// remarks are what a reader of a report must know of it: what did not pass, and what is not as it was asked for.
func remarks(r citewell.Report) string {
	var w strings.Builder
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
	return fmt.Sprintf("*%s: %s.*\n\n", within(strings.ReplaceAll(outcome, "_", " ")),
		strings.TrimSuffix(within(reason), "."))
}

// SourceList gives the sources of a run as its report lists them: a paragraph each, with what a page warns of itself.
func SourceList(sources []citewell.Source) string {
	var w strings.Builder
	for _, s := range sources {
		fmt.Fprintf(&w, "\n[%d] %s - %s\n", s.N, inline(cmp.Or(text.ShortenAtWord(plain(s.Title), maxTitle), untitled)),
			link(landing(s)))
		w.WriteString(publication(s, ""))
		if warning := plain(s.Warning); warning != "" {
			fmt.Fprintf(&w, "⚠ %s\n", within(text.ShortenAtWord(warning, maxWarning)))
		}
	}
	return w.String()
}

// tidyContent is the content of a report without what is not seen, and without control
// characters other than line ends and tabs.
func tidyContent(s string) string { return strings.TrimSpace(tidied(s)) }

func tidied(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n"), "\r", "\n")
	return withoutUnseen(s, "\n\t")
}

func trimmedLeft(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }
