package brief

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
)

// Bounds of what is taken from a model.
const (
	maxStatements = 40  // findings; a quarter of it are disagreements and gaps
	maxQuotes     = 8   // of one statement
	maxWords      = 600 // it is asked for at most so many
	cutWords      = 720 // and an answer of more is cut to maxWords, by whole statements
	maxGap        = 300 // bytes
)

// hold keeps of a model's answer what its quotes carry. Every citation must name a
// passage of this brief, and its quote must stand there; a statement without such
// a citation, or that cite.Hold does not find borne out, is dropped. Where more than four
// of five findings are dropped, nothing of the answer is trusted.
func hold(answer modelAnswer, q question, e *evidence) (claims, error) {
	if len(answer.Findings) == 0 && !slices.ContainsFunc(answer.Gaps, func(s string) bool { return clean(s, e.known(q)) != "" }) {
		return claims{}, errUnusable(reasonEmpty)
	}
	found := claims{findings: []citewell.Finding{}, disagreements: []citewell.Disagreement{}, gaps: []string{}}
	bound, denied := 0, 0
	for _, s := range first(answer.Findings, maxStatements) {
		statement, citations := e.bind(s, q)
		if len(citations) == 0 {
			continue
		}
		bound++
		if contradicted(citations) {
			denied++
			found.disagreements = append(found.disagreements, denial(statement, citations))
			continue
		}
		if slices.ContainsFunc(found.findings, func(f citewell.Finding) bool { return text.Fold(f.Text) == text.Fold(statement) }) {
			continue
		}
		subject := text.Shorten(clean(s.Topic, e.known(q)), maxTopic)
		if subject == "" || suspect(subject, e.known(q)) {
			subject = "Findings"
		}
		found.findings = append(found.findings, citewell.Finding{Topic: subject, Text: statement, Citations: citations})
	}
	if n := len(answer.Findings); 5*(n-bound) > 4*n {
		return claims{}, errUnusable(reasonUncited)
	}
	for _, s := range first(answer.Disagreements, maxStatements/4) {
		statement, citations := e.bind(s, q)
		voices := map[int]bool{}
		for _, c := range citations {
			voices[e.voices[c.N-1]] = true
		}
		if len(voices) >= 2 {
			found.disagreements = append(found.disagreements, citewell.Disagreement{Text: statement, Citations: citations})
		}
	}
	for _, gap := range first(answer.Gaps, maxStatements/4) {
		if gap = text.Shorten(clean(gap, e.known(q)), maxGap); gap != "" && !suspect(gap, e.known(q)) && !slices.Contains(found.gaps, gap) {
			found.gaps = append(found.gaps, gap)
		}
	}
	var left []string
	if n := len(answer.Findings); bound < n {
		left = append(left, fmt.Sprintf("%d of %s dropped, their quotes do not carry them", n-bound, text.Count(n, "statement")))
	}
	if denied > 0 {
		left = append(left, fmt.Sprintf("%d contradicted by what they cite and shown as that", denied))
	}
	before := len(found.findings)
	if !found.cut() {
		return claims{}, errUnusable(reasonLong)
	}
	if after := len(found.findings); after < before {
		left = append(left, fmt.Sprintf("cut to %d words", maxWords))
	}
	found.left = strings.Join(left, "; ")
	found.findings = byTopic(found.findings)
	return found, nil
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

// known is what a model may have taken a name of a host from without citing it.
func (e *evidence) known(q question) string {
	var all strings.Builder
	all.WriteString(q.text)
	for _, s := range e.sources {
		all.WriteString("\n" + s.Host)
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
	c = cite.Claim{Text: clean(e.unmarked(s.Text), known), Evidence: quotes}
	if len(quotes) == 0 || c.Text == "" || suspect(c.Text, known) {
		return cite.Claim{}, false
	}
	if c.Lang = text.Language(c.Text); c.Lang == "" {
		c.Lang = q.language
	}
	return c, true
}

// bind gives a model's statement and what it says it cites as citations, checked.
// Without citations it may not be shown: a figure that no source states may be invented,
// and true words may be about something else. A statement in another language than its
// quotes cannot be compared, and is shown with its verdict.
func (e *evidence) bind(s modelStatement, q question) (statement string, citations []citewell.Citation) {
	claim, ok := e.claim(s, q)
	if !ok {
		return "", nil
	}
	held := cite.Hold(claim)
	if held.Problem.Code != "" && held.Problem.Code != cite.ProblemContradicted {
		return "", nil
	}
	return claim.Text, held.Citations
}

// contradicted says whether what a statement cites speaks against it, and none for it.
func contradicted(citations []citewell.Citation) bool {
	return !slices.ContainsFunc(citations, func(c citewell.Citation) bool { return c.Verdict == citewell.VerdictSupported }) &&
		slices.ContainsFunc(citations, func(c citewell.Citation) bool { return c.Verdict == citewell.VerdictContradicted })
}

// denial shows a statement that its own sources contradict as what it is: no finding,
// but nothing to hide either.
func denial(statement string, citations []citewell.Citation) citewell.Disagreement {
	named := ""
	seen := map[int]bool{}
	for _, c := range citations {
		if !seen[c.N] {
			seen[c.N] = true
			named += cite.Mark(c.N)
		}
	}
	return citewell.Disagreement{Text: fmt.Sprintf("%s is contradicted by %s: %s", quoted(statement), named, quoted(citations[0].Quote)), Citations: citations}
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
		start, end, ok := cite.Locate(n.Quote, p.Text)
		known := slices.ContainsFunc(quotes, func(q cite.Evidence) bool { return q.Passages[0].ID == p.ID && q.Start == start && q.End == end })
		if !ok || start == end || known {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(e.passages), func(o citewell.Passage) bool { return o.Source != p.Source || o.ID == p.ID })
		quotes = append(quotes, cite.Evidence{Passages: append([]citewell.Passage{p}, others...), Start: start, End: end,
			Title: e.source(p).Title, Snippet: e.snippetOnly(p)})
	}
	return quotes
}
