package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// bytes of what a provider or fetch says of itself: what failed, what helps, and up to eight notes
const maxDetail = 900

// coverage tells what happened: each provider's and each fetch's outcome, how the
// findings were made, and the time it took. dropped sources are not shown.
func coverage(w *strings.Builder, b citewell.Brief, o Options, dropped int) {
	c := b.Coverage
	if o.Terse && smooth(b) {
		fmt.Fprintf(w, "\n## %s\n- Searched %s, read %s, in %s.\n- Synthesis: %s.\n", coverageHeader,
			text.Count(len(c.Providers), "provider"),
			text.Count(len(b.Sources), "source"), seconds(c.WallMS), synthesis(c.Synthesis, len(b.Findings) > 0))
		return
	}
	answered := 0
	for _, p := range c.Providers {
		if p.Outcome.Answered() {
			answered++
		}
	}
	fmt.Fprintf(w, "\n## %s\n", coverageHeader)
	if c.Cache {
		fmt.Fprintf(w, "- Retrieved from cache: made %s; the outcomes below are of that time.\n",
			b.CreatedAt.UTC().Format(time.RFC3339))
	}
	if len(b.Queries) > 0 {
		fmt.Fprintf(w, "- Asked: %s.\n", within("“"+strings.Join(b.Queries, "”, “")+"”"))
	}
	fmt.Fprintf(w, "- Searched: %d of %s responded; %s, %d distinct after dedupe.\n",
		answered, text.Count(len(c.Providers), "provider"), text.Count(c.RawResults, "raw result"), c.DistinctResults)
	routing(w, c.Routing)
	for _, p := range c.Providers {
		fmt.Fprintf(w, "  - %s: %s, %s, %s%s\n", inline(p.Name), within(string(p.Outcome)),
			text.Count(p.Results, "result"), seconds(p.ElapsedMS), detail(p.Detail))
	}
	read := 0
	for _, s := range b.Sources {
		if s.Outcome.Readable() {
			read++
		}
	}
	fmt.Fprintf(w, "- Fetched: %d/%s successful; %d fell back to snippet.\n", read,
		text.Count(len(b.Sources), "selected source"), len(b.Sources)-read)
	for _, f := range c.Fetches {
		fmt.Fprintf(w, "  - %s — %s, %s%s\n", link(f.URL), within(string(f.Outcome)), seconds(f.ElapsedMS),
			detail(f.Detail))
	}
	for _, m := range c.Models {
		instead := map[string]string{citewell.UseEmbedding: "words alone say what is near the question",
			citewell.UseReranking: "passages keep their order"}[m.Use]
		fmt.Fprintf(w, "- Model for %s: %s — failed (%s)%s; %s.\n", within(m.Use), within(m.Model),
			within(string(m.Outcome)), detail(m.Detail), instead)
	}
	fmt.Fprintf(w, "- Synthesis: %s.\n", synthesis(c.Synthesis, len(b.Findings) > 0))
	if c.Judge != nil {
		fmt.Fprintf(w, "- Judge: %s.\n", within(judgeLine(*c.Judge)))
	}
	late, more := "", ""
	if c.DeadlineHit {
		late = " (deadline hit): this is what had arrived by then"
	}
	if dropped > 0 {
		more = " +" + text.Count(dropped, "more source") + " dropped from this view."
	}
	fmt.Fprintf(w, "- Total wall time: %s%s.%s\n", seconds(c.WallMS), late, more)
}

// judgeLine says in one line how far the judge is believed.
func judgeLine(j citewell.JudgeReport) string { return text.ShortenAtWord(plain(j.Line()), maxDetail) }

// routing tells why these providers were asked.
func routing(w *strings.Builder, r *citewell.Routing) {
	if r == nil {
		return
	}
	var kinds []string
	for _, s := range r.Sources {
		kinds = append(kinds, within(s.Kind)+" ("+within(text.ShortenAtWord(plain(s.Why), maxDetail))+")")
	}
	fmt.Fprintf(w, "  - Kinds of sources: %s", strings.Join(kinds, ", "))
	if r.LookedUp != "" {
		fmt.Fprintf(w, "; looked up %s", within(plain(r.LookedUp)))
	}
	if len(r.NotAsked) > 0 {
		fmt.Fprintf(w, "; not asked: %s", within(strings.Join(r.NotAsked, ", ")))
	}
	w.WriteString(".\n")
}

// smooth says whether all went well, so that there is nothing that a reader must know of:
// whoever was asked answered, and whatever was chosen was read, now.
func smooth(b citewell.Brief) bool {
	c := b.Coverage
	return !c.Cache && !c.DeadlineHit && len(c.Models) == 0 && (c.Judge == nil || c.Judge.Believed) &&
		(c.Synthesis.Outcome == "ok" || c.Synthesis.Outcome == "" || c.Synthesis.Outcome == "skipped") &&
		c.Synthesis.Detail == "" &&
		!slices.ContainsFunc(c.Providers, func(p citewell.ProviderReport) bool {
			return !p.Outcome.Answered() || p.Detail != ""
		}) &&
		!slices.ContainsFunc(c.Fetches, func(f citewell.FetchReport) bool {
			return f.Outcome != citewell.FetchOK || f.Detail != ""
		}) &&
		!slices.ContainsFunc(b.Sources, func(s citewell.Source) bool { return s.Outcome != citewell.FetchOK })
}

func detail(s string) string {
	if s = plain(s); s == "" {
		return ""
	}
	return " (" + withAddresses(text.ShortenAtWord(s, maxDetail)) + ")"
}

// saidAddress is an address among other words, without what ends their sentence.
var saidAddress = lazyregexp.New("https?://[^\\s`<>\"]*[^\\s`<>\".,:;!?)]")

// withAddresses is within for a line of words of ours that names addresses: those are code, which
// is no link, and reads as it stands where Markdown is shown as it is written.
func withAddresses(line string) string {
	var w strings.Builder
	at := 0
	for _, m := range saidAddress.FindAllStringIndex(line, -1) {
		w.WriteString(escaped([]rune(line[at:m[0]]), -1) + "`" + line[m[0]:m[1]] + "`")
		at = m[1]
	}
	return w.String() + escaped([]rune(line[at:]), -1)
}

func seconds(ms int64) string { return fmt.Sprintf("%.1fs", float64(ms)/1000) }

// synthesis says how the findings were made, and if not by a model, why not.
func synthesis(s citewell.SynthesisReport, found bool) string {
	quoted := ""
	if found {
		quoted = "; findings are quoted from the sources"
	}
	switch {
	case s.Mode == citewell.SynthesisModel:
		return fmt.Sprintf("%s; %s%s", within(s.Model), seconds(s.ElapsedMS), detail(s.Detail))
	case s.Outcome == "" || s.Outcome == "skipped":
		return "skipped" + quoted
	default:
		return fmt.Sprintf("failed (%s)%s%s", within(s.Outcome), detail(s.Detail), quoted)
	}
}
