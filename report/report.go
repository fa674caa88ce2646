// Package report writes briefs and the reports of runs.
//
// Flow: Brief → Markdown or Research → people, models. Brief → OfBrief → Report → Write → a file
// in one of Formats: md, html (one page without scripts or anything remote), json, bibtex,
// csl-json, ris, and wacz (the evidence: raw pages, the texts that were cited, the report).
//
// Bibliographies have an author only where the page named one; a day of access only where it was
// read; a source's date as the provider or the page gave it.
// Sizes: a brief about 18 KB; compact about 5 KB; the Verification section comes on top. WACZ has one
// page in memory at a time.
// Safety: words of pages and providers are escaped: nothing of theirs becomes a link, an image, a
// heading or a row of a table.
// Errors: invalid_argument names the formats or styles there are; Snapshots' errors pass through.
// Concurrency: every function is safe for many goroutines.
package report

import (
	"context"
	"io"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
)

// The names of the formats.
const (
	FormatMarkdown = report.FormatMarkdown
	FormatHTML     = report.FormatHTML
	FormatJSON     = report.FormatJSON
	FormatBibTeX   = report.FormatBibTeX
	FormatCSLJSON  = report.FormatCSLJSON
	FormatRIS      = report.FormatRIS
	FormatWACZ     = report.FormatWACZ
)

// The styles of lists of references.
const (
	StyleAPA     = report.StyleAPA     // 7th edition
	StyleChicago = report.StyleChicago // 18th edition, author-date
	StyleIEEE    = report.StyleIEEE    // reference guide of 2023
)

// Options say how much of a brief Markdown renders: Compact leaves out the extracts and the additional
// sources, Verification adds the section that names the brief and the passage of each citation, and
// Record, with Verification, carries the brief itself for readers without the store. Terse keeps
// Coverage to two lines where all went well.
type Options = report.Options

// Snapshots is where the pages of a report are kept; [store.Snapshots] is one. Each method returns
// not_found for what is not kept.
//
// [store.Snapshots]: https://pkg.go.dev/github.com/citewell/citewell/store#Snapshots
type Snapshots = report.Snapshots

// Markdown renders a brief: findings with numbered citations, disagreements, gaps, sources, coverage.
func Markdown(b citewell.Brief, o Options) string { return report.Markdown(b, o) }

// Research renders a brief of research into a topic: the quotes of each source under its number, title
// and label, the confidence, the sources.
func Research(b citewell.Brief) string { return report.Research(b) }

// OfBrief makes a report of a brief, with the brief's id; agent names who wrote it.
func OfBrief(b citewell.Brief, agent string) citewell.Report { return report.OfBrief(b, agent) }

// Write writes a report in the format with that name. kept may be nil: then authors are not known,
// and there is nothing to make a WACZ file of. After an error part of the report may have been written.
func Write(ctx context.Context, w io.Writer, format string, r citewell.Report, kept Snapshots) error {
	return report.Write(ctx, w, format, r, kept)
}

// WithReferences adds a list of a report's sources as references in a style. kept may be nil, as in Write.
func WithReferences(ctx context.Context, r citewell.Report, kept Snapshots, style string) (citewell.Report, error) {
	return report.WithReferences(ctx, r, kept, style)
}

// BriefWithReferences adds a list of a brief's sources as references in a style, as WithReferences does.
func BriefWithReferences(ctx context.Context, b citewell.Brief, kept Snapshots, style string) (citewell.Brief, error) {
	return report.BriefWithReferences(ctx, b, kept, style)
}
