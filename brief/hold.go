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
	maxStatements = 40   // findings; a quarter of it are disagreements and gaps
	maxQuotes     = 8    // of one statement
	maxWords      = 600  // it is asked for at most so many
	cutWords      = 720  // and an answer of more is cut to maxWords, by whole statements
	maxGap        = 300  // bytes
	leastPart     = 0.15 // score from which a quote without all figures still bears out a part
)

// hold keeps of a model's answer what its quotes carry. Every citation must name a
// passage of this brief, and its quote must stand there; a statement without such
// a citation, or whose figures its quotes lack, is dropped. Where more than four
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
		subject := shorten(clean(s.Topic, e.known(q)), maxTopic)
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
		if gap = shorten(clean(gap, e.known(q)), maxGap); gap != "" && !suspect(gap, e.known(q)) && !slices.Contains(found.gaps, gap) {
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

// draft gives a model's statement as it may be shown, with those of its quotes that
// stand in the passages they name, still without a verdict. Without any of either the
// statement may not be shown.
func (e *evidence) draft(s modelStatement, q question) (statement string, quotes []citewell.Citation) {
	quotes = e.locate(first(s.Citations, maxQuotes))
	if len(quotes) == 0 {
		return "", nil
	}
	known := e.known(q) + "\n" + joined(quotes, -1)
	statement = clean(e.unmarked(s.Text), known)
	if statement == "" || suspect(statement, known) {
		return "", nil
	}
	return statement, quotes
}

// bind gives a model's statement and what it says it cites as citations, checked: the
// statement has no figure that none of its quotes has, and something to do with each.
// Without citations it may not be shown.
func (e *evidence) bind(s modelStatement, q question) (statement string, citations []citewell.Citation) {
	statement, quotes := e.draft(s, q)
	if len(quotes) == 0 {
		return "", nil
	}
	sentences := e.whole(quotes)
	all := joined(sentences, -1)
	lang := text.Language(statement)
	if lang == "" {
		lang = q.language
	}
	together := e.meanings.Check(statement, all, lang)
	foreign := lang != "" && lang != text.LikelyLanguage(all)
	switch {
	case len(together.Missing) > 0, len(cite.Check(statement, joined(quotes, -1), lang).Missing) > 0, together.Verdict == citewell.VerdictUnsupported && !foreign:
		return "", nil
	case together.Verdict == citewell.VerdictWeak && !foreign && invents(statement, lang, e.context(quotes, q)):
		return "", nil
	}
	for i, c := range quotes {
		own := e.meanings.Check(statement, sentences[i].Quote, lang)
		c.Verdict, c.Reason, c.Judge = own.Verdict, own.Reason, own.By
		if own.Verdict == citewell.VerdictUnsupported && len(own.Missing) > 0 && own.Score >= leastPart {
			c.Verdict, c.Reason = citewell.VerdictWeak, reasonPart+"; the other sources have its figures"
		}
		if len(quotes) > 1 && worth(e.meanings.Check(statement, joined(sentences, i), lang).Verdict) < worth(together.Verdict) {
			// What quotes carry together is not weak because none does alone.
			c.Verdict, c.Reason, c.Judge = together.Verdict, "together with the other sources: "+together.Reason, together.By
		} else if c.Verdict == citewell.VerdictUnsupported && !foreign {
			continue // true words, but they are about something else
		}
		if together.Verdict == citewell.VerdictContradicted && c.Verdict != citewell.VerdictSupported {
			c.Verdict, c.Reason, c.Judge = together.Verdict, together.Reason, together.By
		}
		if e.sources[c.N-1].Extractor == snippetExtractor && c.Verdict != citewell.VerdictContradicted {
			c.Verdict, c.Reason = citewell.VerdictSnippetOnly, reasonSnippet
		}
		citations = append(citations, c)
	}
	return statement, citations
}

// contradicted says whether what a statement cites speaks against it, and none for it.
func contradicted(citations []citewell.Citation) bool {
	against := 0
	for _, c := range citations {
		if c.Verdict == citewell.VerdictContradicted {
			against++
		}
	}
	return against > 0 && against == len(citations)
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

// mostInvented is the share of a statement's words that may be the model's own.
const mostInvented = 0.3

// invents says whether a statement has more words of its own than a paraphrase needs:
// words that neither its passages nor the question have.
func invents(statement, lang, context string) bool {
	terms := text.Terms(statement, lang)
	return 1-share(terms, text.Terms(context, lang)) > mostInvented
}

// context is all that a statement may take its words from: the passages it quotes,
// what stands above them, and the question.
func (e *evidence) context(quotes []citewell.Citation, q question) string {
	all := []string{q.text}
	for _, c := range quotes {
		if p, ok := e.ledger.Passage(c.Passage); ok {
			all = append(all, e.source(p).Title, p.Heading, p.Text)
		}
	}
	return strings.Join(all, "\n")
}

// worth orders the verdicts that speak for a statement.
func worth(v citewell.Verdict) int {
	return 1 + slices.Index([]citewell.Verdict{citewell.VerdictWeak, citewell.VerdictSupported}, v)
}

// locate gives the quotes that stand in the passages they name, each once, as
// citations without a verdict.
func (e *evidence) locate(named []modelQuote) []citewell.Citation {
	var quotes []citewell.Citation
	for _, n := range named {
		p, ok := e.ledger.Passage(n.Passage)
		if !ok {
			continue
		}
		start, end, ok := cite.Locate(n.Quote, p.Text)
		if !ok || start == end {
			continue
		}
		c := citewell.Citation{N: p.Source, Passage: p.ID, Quote: p.Text[start:end], Start: p.Start + start, End: p.Start + end}
		if !slices.Contains(quotes, c) {
			quotes = append(quotes, c)
		}
	}
	return quotes
}

// whole gives quotes as they are checked: with the whole sentences that they were cut
// from, since the cut may have left out what denies them.
func (e *evidence) whole(quotes []citewell.Citation) []citewell.Citation {
	sentences := slices.Clone(quotes)
	for i := range sentences {
		c := &sentences[i]
		if p, ok := e.ledger.Passage(c.Passage); ok {
			from, to := cite.Whole(p.Text, c.Start-p.Start, c.End-p.Start)
			c.Quote, c.Start, c.End = p.Text[from:to], p.Start+from, p.Start+to
		}
	}
	return sentences
}

// joined are the words of all quotes but the one at an index.
func joined(quotes []citewell.Citation, but int) string {
	var all []string
	for i, c := range quotes {
		if i != but {
			all = append(all, c.Quote)
		}
	}
	return strings.Join(all, "\n")
}
