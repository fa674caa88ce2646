package cite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/nearcopy"
	"github.com/citewell/citewell/internal/text"
)

// Bounds of holding a claim.
const (
	maxSearched   = 4   // passages of one source that are searched for a quote
	maxHeld       = 6   // citations of one claim, beyond which no further sentence is cited
	maxQuoteShown = 300 // bytes of a quotation in a problem's message
)

// Hold checks a claim against the evidence that it cites, by words and exact facts alone. It is the
// only place that does: briefs, reports and checks choose the evidence and show the result.
//
// Hold cites from each source the given quote, or the sentences that share most words with the claim.
// A claim that a source repeats, exactly or as a near-copy, is supported. A near-copy that differs in
// one figure, date, denial or opposite contradicts the claim. The claim is unsupported if it has a
// quotation that stands in no cited source, or if a near-copy lacks a figure that no source states.
// Every other claim is undecided: [Held.Inquiry] is the question to put to a judge, and [Held.Judged]
// applies the answer.
func Hold(c Claim) Held {
	h := newHolding(c)
	h.further()
	held := Held{Citations: []citewell.Citation{}, Missing: h.missing, Foreign: h.foreign}
	if quote := h.misquoted(); quote != "" {
		held.Problem = sayQuote.of(text.Shorten(quote, maxQuoteShown))
	} else if h.anySpan(func(own nearcopy.Judgement) bool { return own.Verdict == citewell.VerdictUnsupported }) {
		held.Problem = sayFigure.of(strings.Join(h.missing, ", "))
	}
	exact := held.Problem.Code != ""
	for _, s := range h.spans {
		held.Citations = append(held.Citations, h.cited(s, held.Problem))
	}
	if p := h.unusable(); p.Code != "" {
		held.Problem = p
	} else if !exact && indexOf(held.Citations, citewell.VerdictSupported) < 0 {
		if i := indexOf(held.Citations, citewell.VerdictContradicted); i >= 0 {
			held.Problem = sayOtherwise.of(held.Citations[i].Reason)
		}
		if !h.anySpan(func(own nearcopy.Judgement) bool { return own.Firm }) {
			held.Inquiry = h.inquiry()
		}
	}
	var passages []citewell.Passage
	for _, s := range h.spans {
		passages = append(passages, s.passage)
	}
	held.Unstated = unstatedBy(h.said, passages)
	return held
}

// unstatedBy returns the figures and dates of a statement that the passages do not state. Rows of
// tables are read with the names of their columns.
func unstatedBy(statement *text.Reading, passages []citewell.Passage) []string {
	var texts, rows []string
	for _, p := range passages {
		texts, rows = append(texts, p.Text), append(rows, rowsOf(p, statement))
	}
	return unstated(statement, texts, rows)
}

func newHolding(c Claim) *holding {
	h := beginHolding(c)
	for i, e := range c.Evidence {
		switch {
		case len(e.Passages) == 0:
			h.unread = true
		case e.End > e.Start:
			h.spans = append(h.spans, h.quoted(i, e.Passages[0], e.Start, e.End))
		default:
			h.spans = append(h.spans, h.chosen(i, e.Passages))
		}
	}
	h.compare()
	return h
}

// compare finds the figures that no source states, and compares each span with the claim.
func (h *holding) compare() {
	var words []string
	for _, s := range h.spans {
		words = append(words, s.words.Text())
	}
	lang := h.said.Language()
	h.foreign = lang != "" && len(words) > 0 && lang != h.read(strings.Join(words, "\n")).In("").LikelyLanguage()
	h.missing = h.unstated()
	for i := range h.spans {
		h.spans[i].own = nearcopy.Compare(h.said, h.spans[i].words, h.missing)
	}
}

// unstated returns the figures and dates of the claim that no cited source states.
func (h *holding) unstated() []string {
	var passages, others []string
	for _, s := range h.spans {
		passages, others = append(passages, s.passage.Text), append(others, s.words.Text())
	}
	for _, e := range h.claim.Evidence {
		others = append(others, e.text())
	}
	return unstated(h.said, passages, others)
}

// further adds sentences of the same sources that state figures which no quote states.
func (h *holding) further() {
	defer h.compare()
	for of, e := range h.claim.Evidence {
		for _, p := range e.Passages {
			missing := h.notIn("")
			if len(missing) == 0 || len(h.spans) >= maxHeld {
				return
			}
			if len(h.notIn(p.Text)) == len(missing) {
				continue
			}
			for _, sentence := range h.read(p.Text).Sentences() {
				now := h.notIn(p.Text[sentence.Start:sentence.End])
				if len(now) < len(missing) && len(h.spans) < maxHeld {
					h.spans = append(h.spans, h.quoted(of, p, sentence.Start, sentence.End))
					missing = now
				}
			}
		}
	}
}

// notIn returns the claim's figures and dates that neither the quotes nor a further text state.
func (h *holding) notIn(further string) []string {
	shown := []string{further}
	for _, s := range h.spans {
		shown = append(shown, s.passage.Text[s.start:s.end], s.words.Text())
	}
	return unstated(h.said, shown, nil)
}

// cited makes a citation of a span. wrong names the exact fact of the claim that no source states.
func (h *holding) cited(s span, wrong Problem) citewell.Citation {
	c := citation(s.passage, s.start, s.end)
	c.Verdict, c.Reason, c.By = s.own.Verdict, s.own.Reason, ByWords
	switch {
	case c.Verdict == citewell.VerdictContradicted:
		c.OtherFigures = s.places()
	case wrong.Code != "":
		c.Verdict, c.Reason = citewell.VerdictUnsupported, wrong.Message
	case c.Verdict == citewell.VerdictUndecided && len(h.missing) > 0:
		c.Reason = fmt.Sprintf("the cited sources do not state %s; no judge was asked whether it follows",
			strings.Join(h.missing, ", "))
	}
	accused := c.Verdict == citewell.VerdictContradicted || c.Verdict == citewell.VerdictUnsupported
	if h.claim.Evidence[s.of].Snippet && !accused {
		c.Verdict, c.Reason = citewell.VerdictSnippetOnly, reasonSnippet
	}
	return c
}

// unusable returns the problem of a claim whose citations lead to no text.
func (h *holding) unusable() Problem {
	switch {
	case len(h.claim.Unknown) > 0:
		named := make([]string, len(h.claim.Unknown))
		for i, n := range h.claim.Unknown {
			named[i] = fmt.Sprintf("[%d]", n)
		}
		return sayNumber.of(strings.Join(named, ", "), h.claim.Sources)
	case len(h.spans) == 0 && h.unread:
		return sayUnread.of()
	case len(h.spans) == 0:
		return sayUncited.of()
	case h.unread:
		return sayPartUnread.of()
	}
	return Problem{}
}

// Deciding is the index of the citation that decides how a claim stands, of at least one: one that
// bears it out, or else a part of it, or else one that says otherwise, or else the first.
func Deciding(citations []citewell.Citation) int {
	for _, v := range []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictPartly,
		citewell.VerdictContradicted} {
		if i := indexOf(citations, v); i >= 0 {
			return i
		}
	}
	return 0
}

// indexOf returns the index of the first citation with a verdict, or -1.
func indexOf(citations []citewell.Citation, v citewell.Verdict) int {
	return slices.IndexFunc(citations, func(c citewell.Citation) bool { return c.Verdict == v })
}

// anySpan reports whether the comparison of one of the spans is such a one.
func (h *holding) anySpan(is func(nearcopy.Judgement) bool) bool {
	return slices.ContainsFunc(h.spans, func(s span) bool { return is(s.own) })
}
