package cite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// An Inquiry asks a judge about one claim that words leave undecided.
type Inquiry struct {
	Text     string   // of the claim
	Look     []string // differences in words, as hints
	Passages []Shown  // of the cited sources; the quoted ones first, then the nearest
}

// Shown is a passage as a judge sees it.
type Shown struct {
	Passage citewell.Passage
	Title   string // of its source
}

// An Opinion is a judge's answer to an Inquiry. The judge may err, and hostile evidence may mislead it:
// [Held.Judged] applies an opinion only if its quote proves true.
type Opinion struct {
	Verdict citewell.Verdict // supported, partly, contradicted or unsupported
	Quote   string           // the deciding words of a passage; empty for unsupported
	Reason  string           // one line
	By      string           // "judge NAME"
	At      time.Time        // when the judge gave it
}

// Bounds of an inquiry and of an opinion's quote.
const (
	maxShown      = 3 // passages of one source
	shortestQuote = 3 // words
)

// inquiry makes the question to a judge.
func (h *holding) inquiry() *Inquiry {
	q := &Inquiry{Text: h.claim.Text}
	for of, e := range h.claim.Evidence {
		var shown []citewell.Passage
		add := func(p citewell.Passage) {
			known := func(o citewell.Passage) bool { return o.ID == p.ID && o.Start == p.Start }
			if len(shown) < maxShown && !slices.ContainsFunc(shown, known) {
				shown = append(shown, p)
			}
		}
		for _, s := range h.spans {
			if s.of == of {
				add(s.passage)
			}
		}
		for _, p := range e.Passages {
			add(p)
		}
		for _, p := range shown {
			known := func(s Shown) bool {
				return s.Passage.ID == p.ID && s.Passage.Start == p.Start && s.Passage.Source == p.Source
			}
			if !slices.ContainsFunc(q.Passages, known) {
				q.Passages = append(q.Passages, Shown{p, e.Title})
			}
		}
	}
	if len(h.missing) > 0 {
		q.Look = append(q.Look, "does it follow from the passages? "+strings.Join(h.missing, ", "))
	}
	for _, s := range h.spans {
		if s.own.look != "" && !slices.Contains(q.Look, s.own.look) {
			q.Look = append(q.Look, s.own.look)
		}
	}
	return q
}

// Stands reports whether one of the passages contains the opinion's quote, of at least three words.
// The verdict unsupported needs no quote.
func (q *Inquiry) Stands(o Opinion) bool {
	if o.Verdict == citewell.VerdictUnsupported {
		return true
	}
	_, _, _, ok := q.locate(o.Quote)
	return ok
}

// locate finds the whole sentences around a quote.
func (q *Inquiry) locate(quote string) (p citewell.Passage, start, end int, ok bool) {
	if len(text.Words(quote)) < shortestQuote {
		return p, 0, 0, false
	}
	for _, s := range q.Passages {
		start, end, found := Locate(quote, s.Passage.Text)
		if !found {
			continue
		}
		start, end = Whole(s.Passage.Text, start, end)
		if start, end, found = trimSpan(s.Passage.Text, start, end); found {
			return s.Passage, start, end, true
		}
	}
	return p, 0, 0, false
}

// Judged applies an opinion: the quoted citation gets its verdict and its reason, and spans the whole
// sentences around the quote. An opinion that does not stand changes nothing, and neither does any
// opinion on a claim that exact facts decide, which has no Inquiry.
func (held Held) Judged(o Opinion) Held {
	if held.Inquiry == nil || !held.Inquiry.Stands(o) {
		return held
	}
	citations := slices.Clone(held.Citations)
	open := func(c citewell.Citation) bool {
		return c.Verdict == citewell.VerdictUndecided || c.By == ByWords && c.Verdict == citewell.VerdictContradicted
	}
	quoted := -1
	if o.Verdict != citewell.VerdictUnsupported {
		p, start, end, _ := held.Inquiry.locate(o.Quote)
		proof := citation(p, start, end)
		quoted = slices.IndexFunc(citations, func(c citewell.Citation) bool {
			return c.N == p.Source && c.Start < proof.End && proof.Start < c.End
		})
		if quoted < 0 {
			quoted = slices.IndexFunc(citations, func(c citewell.Citation) bool { return c.N == p.Source })
		}
		if quoted < 0 {
			return held
		}
		proof.Verdict = citations[quoted].Verdict
		if citations[quoted].Verdict != citewell.VerdictSnippetOnly || o.Verdict == citewell.VerdictContradicted {
			proof.Verdict = o.Verdict
		}
		proof.Reason, proof.By, proof.JudgedAt = cmp.Or(o.Reason, reasonJudged[o.Verdict]), o.By, o.At
		citations[quoted] = proof
	}
	for i := range citations {
		c := &citations[i]
		switch {
		case i == quoted || !open(*c):
		case o.Verdict == citewell.VerdictUnsupported:
			c.Verdict, c.Reason, c.By, c.JudgedAt, c.OtherFigures = o.Verdict, cmp.Or(o.Reason, reasonJudged[o.Verdict]), o.By, o.At, nil
		case o.Verdict == citewell.VerdictContradicted:
		default:
			reason := "together with the quote that the judge names"
			c.Verdict, c.Reason, c.By, c.JudgedAt, c.OtherFigures = o.Verdict, reason, o.By, o.At, nil
		}
	}
	var passages []citewell.Passage
	for _, s := range held.Inquiry.Passages {
		if slices.ContainsFunc(citations, func(c citewell.Citation) bool {
			p := s.Passage
			return c.N == p.Source && c.Passage == p.ID && p.Start <= c.Start && c.End <= p.End
		}) {
			passages = append(passages, s.Passage)
		}
	}
	held.Unstated = known{}.unstatedBy(held.Inquiry.Text, text.Language(held.Inquiry.Text), passages)
	held.Citations, held.Inquiry = citations, nil
	held.Problem = judgedProblem(held.Problem, o)
	return held
}

// reasonJudged is the default reason for each verdict of a judge.
var reasonJudged = map[citewell.Verdict]string{
	citewell.VerdictSupported:    "the source says it",
	citewell.VerdictPartly:       "the source says part of it",
	citewell.VerdictContradicted: "the source says otherwise",
	citewell.VerdictUnsupported:  "the source does not say it",
}

// judgedProblem returns the problem of a claim after a judge's opinion. A problem with a source stays.
func judgedProblem(was Problem, o Opinion) Problem {
	if was.Code != "" && was.Code != ProblemContradicted {
		return was
	}
	reason := cmp.Or(strings.TrimSpace(o.Reason), reasonJudged[o.Verdict])
	switch o.Verdict {
	case citewell.VerdictContradicted:
		return sayOtherwise.of(fmt.Sprintf("%s (“%s”)", reason, text.ShortenAtWord(text.OneLine(o.Quote), maxQuoteShown)))
	case citewell.VerdictUnsupported:
		return sayNothing.of(reason)
	}
	return Problem{}
}
