// Package report renders a brief as Markdown and reads it back.
//
// Flow: Brief → Markdown → people, models; Parse reads the Verification section
// again, so that `citewell verify` can check a report that was saved or edited.
// Sizes: about 18 KB; compact about 5 KB.
// Safety: words of pages and providers are escaped: nothing of theirs becomes a
// link, an image or HTML. The only URLs are those of the sources.
// Errors: Parse gives invalid_argument for text that is no brief of ours.
// Concurrency: all functions are pure.
package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// Options say how much of a brief is rendered.
type Options struct {
	Compact      bool // leave out the extracts and the additional sources
	Verification bool // add what `citewell verify` needs to check the text again
}

// Bounds of one rendering.
const (
	maxExtract    = 3000   // bytes of one source's extract
	maxExtracts   = 12_000 // bytes of all of them
	maxSnippet    = 300
	maxDetail     = 300
	maxSources    = 20
	undatedSource = "undated"
)

// Markdown renders a brief. Its sections come in this order, empty ones left out:
// Key findings, Disagreements, Gaps, Sources, the extracts, Additional sources,
// Coverage, Verification. It ends in exactly one newline.
func Markdown(b citewell.Brief, o Options) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Research: %s\n", inline(b.Query))
	findings(&w, b)
	disagreements(&w, b)
	if len(b.Gaps) > 0 {
		w.WriteString("\n## Gaps\n")
		for _, gap := range b.Gaps {
			fmt.Fprintf(&w, "- %s\n", inline(gap))
		}
	}
	sources(&w, b)
	if !o.Compact {
		extracts(&w, b)
		additional(&w, b)
	}
	coverage(&w, b)
	if o.Verification {
		verification(&w, b)
	}
	return strings.TrimRight(w.String(), "\n") + "\n"
}

func findings(w *strings.Builder, b citewell.Brief) {
	if len(b.Findings) == 0 {
		return
	}
	w.WriteString("\n## Key findings\n")
	topic := ""
	for _, f := range b.Findings {
		if f.Topic != topic {
			topic = f.Topic
			fmt.Fprintf(w, "### %s\n", inline(topic))
		}
		fmt.Fprintf(w, "- %s%s%s\n", statement(f.Text, f.Citations), marks(f.Citations), remark(f.Citations))
	}
}

// statement puts the words of a finding into quotation marks where they are the
// source's own.
func statement(text string, citations []citewell.Citation) string {
	if len(citations) > 0 && plain(citations[0].Quote) == plain(text) {
		return "“" + inline(text) + "”"
	}
	return inline(text)
}

// marks gives " [①③]", each source once, in the order of the citations.
func marks(citations []citewell.Citation) string {
	var all []int
	for _, c := range citations {
		if !slices.Contains(all, c.N) {
			all = append(all, c.N)
		}
	}
	if len(all) == 0 {
		return ""
	}
	var w strings.Builder
	w.WriteString(" [")
	for _, n := range all {
		w.WriteString(cite.Mark(n))
	}
	w.WriteString("]")
	return w.String()
}

// remark names every verdict that is less than supported.
func remark(citations []citewell.Citation) string {
	var all []string
	for _, c := range citations {
		if v := string(c.Verdict); c.Verdict != citewell.VerdictSupported && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

func disagreements(w *strings.Builder, b citewell.Brief) {
	if len(b.Disagreements) == 0 {
		return
	}
	w.WriteString("\n## Disagreements\n")
	for _, d := range b.Disagreements {
		fmt.Fprintf(w, "- %s%s\n", inline(d.Text), marks(d.Citations))
	}
}

func sources(w *strings.Builder, b citewell.Brief) {
	if len(b.Sources) == 0 {
		return
	}
	w.WriteString("\n## Sources\n")
	for _, s := range b.Sources[:min(maxSources, len(b.Sources))] {
		title := plain(s.Title)
		if title == "" {
			title = "(no title)"
		}
		fmt.Fprintf(w, "%s %s [%s · %s]\n   %s\n   %s\n", cite.Mark(s.N), inline(hostLabel(s)), s.Class, dated(s.Date), inline(title), link(s))
		if s.Warning != "" {
			fmt.Fprintf(w, "   ⚠ %s\n", inline(s.Warning))
		}
	}
}

// link is the one place where a URL is written as a URL: that of a source, as
// it was fetched.
func link(s citewell.Source) string {
	if s.FinalURL != "" {
		return address(s.FinalURL)
	}
	return address(s.URL)
}

func hostLabel(s citewell.Source) string {
	if s.Host == "" {
		return "local document"
	}
	return s.Host
}

func dated(date string) string {
	if date == "" {
		return undatedSource
	}
	return plain(date)
}

// extracts shows, source by source, the passages that the findings are chosen
// from; a page that could not be read shows why, and the provider's snippet.
func extracts(w *strings.Builder, b citewell.Brief) {
	room := maxExtracts
	for _, s := range b.Sources[:min(maxSources, len(b.Sources))] {
		if !s.Outcome.Readable() {
			fmt.Fprintf(w, "\n### %s (snippet-only)\n_Fetch did not yield extractable content (%s)._\n", cite.Mark(s.N), s.Outcome)
			if s.Snippet != "" {
				w.WriteString(quote(cut(s.Snippet, maxSnippet)))
			}
			continue
		}
		extract, whole := passagesOf(b.Passages, s.N, min(room, maxExtract))
		if extract == "" {
			continue
		}
		room -= len(extract)
		label := ""
		if !whole || s.Outcome == citewell.FetchTruncated {
			label = " (truncated)"
		}
		fmt.Fprintf(w, "\n### %s%s\n%s", cite.Mark(s.N), label, extract)
	}
}

// passagesOf renders a source's passages in the order of its text, up to limit
// bytes, and says whether all of them found room.
func passagesOf(passages []citewell.Passage, n, limit int) (extract string, whole bool) {
	var own []citewell.Passage
	for _, p := range passages {
		if p.Source == n {
			own = append(own, p)
		}
	}
	slices.SortFunc(own, func(a, b citewell.Passage) int { return a.Start - b.Start })
	var w strings.Builder
	heading := ""
	for i, p := range own {
		block := quote(p.Text)
		if p.Heading != heading && p.Heading != "" {
			block = "**" + inline(p.Heading) + "**\n\n" + block
		}
		if i > 0 {
			block = "\n" + block
		}
		if w.Len()+len(block) > limit && w.Len() > 0 {
			return w.String(), false
		}
		heading = p.Heading
		w.WriteString(block)
	}
	return w.String(), true
}

func additional(w *strings.Builder, b citewell.Brief) {
	if len(b.Additional) == 0 {
		return
	}
	w.WriteString("\n## Additional sources (snippet-only, not fetched)\n")
	for i, a := range b.Additional {
		fmt.Fprintf(w, "%s %s [%s] — %s\n", cite.Mark(len(b.Sources)+i+1), inline(a.Host), dated(a.Date), address(a.URL))
		if snippet := plain(a.Snippet); snippet != "" {
			fmt.Fprintf(w, "   %s\n", inline(cut(snippet, maxSnippet)))
		}
	}
}

func coverage(w *strings.Builder, b citewell.Brief) {
	c := b.Coverage
	answered := 0
	for _, p := range c.Providers {
		if p.Outcome.Answered() {
			answered++
		}
	}
	w.WriteString("\n## Coverage\n")
	fmt.Fprintf(w, "- Searched: %d of %d providers responded; %d raw results, %d distinct after dedupe.\n",
		answered, len(c.Providers), c.RawResults, c.DistinctResults)
	for _, p := range c.Providers {
		fmt.Fprintf(w, "  - %s: %s, %d results, %s%s\n", inline(p.Name), p.Outcome, p.Results, seconds(p.ElapsedMS), detail(p.Detail))
	}
	read, snippets := 0, 0
	for _, s := range b.Sources {
		if s.Outcome.Readable() {
			read++
		} else {
			snippets++
		}
	}
	fmt.Fprintf(w, "- Fetched: %d/%d selected sources successful; %d fell back to snippet.\n", read, len(b.Sources), snippets)
	for _, f := range c.Fetches {
		fmt.Fprintf(w, "  - %s: %s, %s%s\n", address(f.URL), f.Outcome, seconds(f.ElapsedMS), detail(f.Detail))
	}
	fmt.Fprintf(w, "- Synthesis: %s.\n", synthesis(c.Synthesis))
	switch {
	case c.Cache:
		fmt.Fprintf(w, "- Retrieved from cache: made %s.\n", b.CreatedAt.UTC().Format(time.RFC3339))
	case c.DeadlineHit:
		w.WriteString("- The time allowed ran out (deadline hit): this is what had arrived by then.\n")
	}
	dropped := ""
	if more := len(b.Sources) - maxSources; more > 0 {
		dropped = fmt.Sprintf(" +%d more sources dropped from this view.", more)
	}
	fmt.Fprintf(w, "- Total wall time: %s.%s\n", seconds(c.WallMS), dropped)
}

func detail(s string) string {
	if s == "" {
		return ""
	}
	return " (" + inline(cut(s, maxDetail)) + ")"
}

func seconds(ms int64) string { return fmt.Sprintf("%.1fs", float64(ms)/1000) }

// synthesis says how the findings were made, and if not by a model, why not.
func synthesis(s citewell.SynthesisReport) string {
	switch {
	case s.Mode == citewell.SynthesisModel:
		return fmt.Sprintf("%s; %s", inline(s.Model), seconds(s.ElapsedMS))
	case s.Outcome == "skipped":
		return "none, findings are quoted from the sources (no model configured)"
	default:
		return fmt.Sprintf("failed (%s), findings are quoted from the sources", inline(s.Outcome))
	}
}
