package brief

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/sayable"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/verbatim"
)

// Bounds of what is taken from a model.
const (
	maxStatements = 40  // findings; a quarter of it are disagreements and gaps
	maxQuotes     = 8   // of one statement
	maxWords      = 600 // it is asked for at most so many
	cutWords      = 720 // and an answer of more is cut to maxWords, by whole statements
	maxGap        = 300 // bytes
)

// A written statement is one of a model's answer, held against what it cites.
type written struct {
	topic, text string
	held        cite.Held
}

// refused reports whether the statement may not be shown: exact facts or a judge speak against it.
func (w written) refused() bool { return w.held.Problem.Code != "" }

// partly reports whether the sources bear out a part of the statement only.
func (w written) partly() bool { return partly(w.held.Citations) }

func partly(citations []citewell.Citation) bool {
	return len(citations) > 0 && citations[cite.Deciding(citations)].Verdict == citewell.VerdictPartly
}

// amiss tells what is wrong with a statement, with the words of its source that decide.
func (w written) amiss() citewell.Dropped {
	d := citewell.Dropped{Text: w.text, Reason: w.held.Problem.Message}
	if len(w.held.Citations) > 0 {
		decides := w.held.Citations[cite.Deciding(w.held.Citations)]
		d.Quote, d.Reason = decides.Quote, cmp.Or(d.Reason, decides.Reason)
	}
	return d
}

// hold keeps of a model's answer what may be shown. Every citation must name a passage of this
// brief, and its quote must stand there. What words and exact facts leave undecided is put to the
// judge. Where nothing of the findings is left, nothing of the answer is trusted.
func (w *Writer) hold(ctx context.Context, limit time.Duration, answer modelAnswer, q question,
	e *evidence) (claims, error) {
	shown := func(gap string) bool { return sayable.Line(gap, e.known(q)) != "" }
	if len(answer.Findings) == 0 && !slices.ContainsFunc(answer.Gaps, shown) {
		return claims{}, errUnusable(reasonEmpty)
	}
	found := claims{findings: []citewell.Finding{}, disagreements: []citewell.Disagreement{}, gaps: []string{}}
	var said []*written
	said, found.uncited = e.statements(answer.Findings, q)
	found.judge, found.unjudged = w.judge(ctx, limit, q, said)
	for _, s := range said {
		if s.refused() || s.partly() {
			found.amiss = append(found.amiss, s.amiss())
		}
		switch {
		case s.refused():
			found.dropped = append(found.dropped, s.amiss())
		case !slices.ContainsFunc(found.findings, func(f citewell.Finding) bool {
			return text.Fold(f.Text) == text.Fold(s.text)
		}):
			found.findings = append(found.findings, citewell.Finding{
				Topic: s.topic, Text: s.text, Citations: s.held.Citations, Unstated: s.held.Unstated})
		}
	}
	if len(answer.Findings) > 0 && len(found.findings) == 0 && len(found.dropped) == 0 {
		return claims{}, errUnusable(reasonUncited)
	}
	sides, _ := e.statements(first(answer.Disagreements, maxStatements/4), q)
	for _, s := range sides {
		sources := map[int]bool{}
		for _, c := range s.held.Citations {
			sources[c.N] = true
		}
		if len(sources) >= 2 {
			found.disagreements = append(found.disagreements, citewell.Disagreement{
				Text: s.text, Citations: s.held.Citations})
		}
	}
	for _, gap := range first(answer.Gaps, maxStatements/4) {
		if gap = text.Shorten(sayable.Line(gap, e.known(q)), maxGap); gap != "" && !slices.Contains(found.gaps, gap) {
			found.gaps = append(found.gaps, gap)
		}
	}
	var left []string
	if found.uncited > 0 {
		left = append(left, text.Count(found.uncited, "statement")+
			" without a quote that stands in its passage, or with an address that is not there")
	}
	before := len(found.findings)
	if !found.cut() {
		return claims{}, errUnusable(reasonLong)
	}
	if len(found.findings) < before {
		left = append(left, fmt.Sprintf("cut to %d words", maxWords))
	}
	found.left = strings.Join(left, "; ")
	found.findings = byTopic(found.findings)
	return found, nil
}

// statements are those of a model's that have a quote, held against it, and how many have none.
func (e *evidence) statements(list []modelStatement, q question) (said []*written, uncited int) {
	for _, s := range first(list, maxStatements) {
		c, ok := e.claim(s, q)
		if !ok {
			uncited++
			continue
		}
		topic := text.Shorten(sayable.Line(s.Topic, e.known(q)), maxTopic)
		if topic == "" {
			topic = "Findings"
		}
		said = append(said, &written{topic, c.Text, cite.Hold(c)})
	}
	return said, uncited
}

// judge puts to the judge what words leave undecided. It returns how far the judge is believed, nil
// where it was not asked, and why opinions are missing, in words; empty where none is.
func (w *Writer) judge(ctx context.Context, limit time.Duration, q question,
	said []*written) (*citewell.JudgeReport, string) {
	held, open := make([]cite.Held, len(said)), false
	for i, s := range said {
		held[i], open = s.held, open || s.held.Inquiry != nil
	}
	judged, err := within(ctx, limit, func(ctx context.Context) ([]cite.Held, error) {
		return cite.Judge(ctx, w.o.Judge, q.Text(), held)
	})
	for i, h := range judged {
		said[i].held = h
	}
	unjudged := ""
	if err != nil {
		w.o.Log("statements were not judged", err)
		unjudged = citewell.View(err).Message
	}
	var report *citewell.JudgeReport
	if open && w.o.Judge != nil && w.o.JudgeReport != nil {
		report = new(w.o.JudgeReport(ctx))
		report.Believed = report.Believed && !errors.Is(err, judge.ErrNotBelieved)
	}
	return report, unjudged
}

// byTopic brings findings of one topic together, topics in the order of their best.
func byTopic(findings []citewell.Finding) []citewell.Finding {
	var order []string
	for _, f := range findings {
		if key := text.Fold(f.Topic); !slices.Contains(order, key) {
			order = append(order, key)
		}
	}
	slices.SortStableFunc(findings, func(a, b citewell.Finding) int {
		return slices.Index(order, text.Fold(a.Topic)) - slices.Index(order, text.Fold(b.Topic))
	})
	return findings
}

func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// cut drops whole statements from the end of an answer that is far too long, and
// says whether anything is left of one that was not empty.
func (c *claims) cut() bool {
	findings, disagreements, words := 0, 0, 0
	for _, f := range c.findings {
		if words += len(text.Words(f.Text)); words <= maxWords {
			findings++
		}
	}
	for _, d := range c.disagreements {
		if words += len(text.Words(d.Text)); words <= maxWords {
			disagreements++
		}
	}
	if words <= cutWords {
		return true
	}
	c.findings, c.disagreements = c.findings[:findings], c.disagreements[:disagreements]
	return findings > 0
}

// known is what a model may have taken an address from without citing it.
func (e *evidence) known(q question) string {
	var all strings.Builder
	all.WriteString(q.Text())
	for _, s := range e.sources {
		all.WriteString("\n" + s.Host + "\n" + s.URL + "\n" + s.FinalURL)
	}
	return all.String()
}

// claim gives a model's statement as it may be shown, with those of its quotes that
// stand in the passages they name. Without any of either there is none.
func (e *evidence) claim(s modelStatement, q question) (c cite.Claim, ok bool) {
	quotes := e.locate(first(s.Citations, maxQuotes))
	known := e.known(q)
	for _, quote := range quotes {
		known += "\n" + quote.Passages[0].Text[quote.Start:quote.End]
	}
	c = cite.Claim{Text: sayable.Line(e.unmarked(s.Text), known), Evidence: quotes}
	if len(quotes) == 0 || c.Text == "" {
		return cite.Claim{}, false
	}
	return c, true
}

// locate gives the quotes that stand in the passages they name, each once, with the other
// passages of their sources.
func (e *evidence) locate(named []modelQuote) []cite.Evidence {
	var quotes []cite.Evidence
	for _, n := range named {
		p, ok := e.ledger.Passage(n.Passage)
		if !ok {
			continue
		}
		start, end, ok := verbatim.Locate(n.Quote, p.Text)
		known := slices.ContainsFunc(quotes, func(q cite.Evidence) bool {
			return q.Passages[0].ID == p.ID && q.Start == start && q.End == end
		})
		if !ok || start == end || known {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(e.passages), func(o citewell.Passage) bool {
			return o.Source != p.Source || o.ID == p.ID
		})
		quotes = append(quotes, cite.Evidence{Passages: append([]citewell.Passage{p}, others...),
			Start: start, End: end, Title: e.source(p).Title, Snippet: e.snippetOnly(p)})
	}
	return quotes
}

// unmarked takes the references to the brief's sources out of a model's statement, in
// whatever notation: what it leans on are the quotes beside it.
func (e *evidence) unmarked(s string) string {
	listed := func(m notation.Reference) string {
		if slices.ContainsFunc(m.Numbers, func(n int) bool { return n > len(e.sources) }) {
			return s[m.Start:m.End]
		}
		return ""
	}
	s = notation.MapMarks(s, listed) // circled numbers: within a sentence Numbered takes them for others
	s = notation.Numbered(s, e.sources)
	return notation.MapMarks(s, listed)
}
