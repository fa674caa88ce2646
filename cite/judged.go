package cite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/verbatim"
)

// Wider returns the inquiry with the further passages among the others.
func (q *Inquiry) Wider() *Inquiry {
	wide := *q
	wide.Passages, wide.Further = slices.Concat(q.Passages, q.Further), nil
	return &wide
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
	maxShown      = 3      // passages of one source
	maxFurther    = 32_000 // bytes of further passages of one source
	shortestQuote = 3      // words
)

// Further returns the first of all passages that are of the source of the nearest ones and not among these,
// each once, up to the bytes that a judge may be shown beside them.
func Further(all, nearest []citewell.Passage) (further []citewell.Passage) {
	left := maxFurther
	for _, p := range all {
		same := func(o citewell.Passage) bool { return samePlace(o, p) }
		other := len(nearest) == 0 || p.Source != nearest[0].Source
		if other || slices.ContainsFunc(nearest, same) || slices.ContainsFunc(further, same) {
			continue
		}
		if left -= len(p.Text); left < 0 {
			break
		}
		further = append(further, p)
	}
	return further
}

func samePlace(a, b citewell.Passage) bool {
	return a.ID == b.ID && a.Start == b.Start && a.Source == b.Source
}

// addShown adds a passage that has words and is not in the list.
func addShown(list []Shown, s Shown) []Shown {
	known := func(o Shown) bool { return samePlace(o.Passage, s.Passage) }
	if strings.TrimSpace(s.Passage.Text) == "" || slices.ContainsFunc(list, known) {
		return list
	}
	return append(list, s)
}

// inquiry makes the question to a judge; nil where no passage has any text to judge by.
func (h *holding) inquiry() *Inquiry {
	q := &Inquiry{Text: h.claim.Text}
	var further []Shown
	for of, e := range h.claim.Evidence {
		var all []citewell.Passage
		for _, s := range h.spans {
			if s.of == of {
				all = append(all, s.passage)
			}
		}
		var list []Shown
		for _, p := range slices.Concat(all, e.Passages, e.Further) {
			list = addShown(list, Shown{p, e.Title})
		}
		most := min(len(list), maxShown)
		for _, s := range list[:most] {
			q.Passages = addShown(q.Passages, s)
		}
		further = append(further, list[most:]...)
	}
	for _, s := range further {
		if len(addShown(q.Passages, s)) > len(q.Passages) {
			q.Further = addShown(q.Further, s)
		}
	}
	if len(q.Passages) == 0 {
		return nil
	}
	if len(h.missing) > 0 {
		q.Look = append(q.Look, "does it follow from the passages? "+strings.Join(h.missing, ", "))
	}
	for _, s := range h.spans {
		if s.own.Look != "" && !slices.Contains(q.Look, s.own.Look) {
			q.Look = append(q.Look, s.own.Look)
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
	for _, s := range q.Wider().Passages {
		start, end, found := verbatim.Locate(quote, s.Passage.Text)
		if !found {
			continue
		}
		start, end = verbatim.Whole(text.Read(s.Passage.Text, ""), start, end)
		if start, end, found = verbatim.Trim(s.Passage.Text, start, end); found {
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
	reason := cmp.Or(o.Reason, reasonJudged[o.Verdict])
	quoted := -1
	if o.Verdict != citewell.VerdictUnsupported {
		p, start, end, _ := held.Inquiry.locate(o.Quote)
		proof := citation(p, start, end)
		quoted = slices.IndexFunc(citations, func(c citewell.Citation) bool { return overlap(c, proof) })
		if quoted < 0 {
			quoted = slices.IndexFunc(citations, func(c citewell.Citation) bool { return c.N == p.Source })
		}
		if quoted < 0 {
			return held
		}
		proof.Verdict = citations[quoted].Verdict
		if proof.Verdict != citewell.VerdictSnippetOnly || o.Verdict == citewell.VerdictContradicted {
			proof.Verdict = o.Verdict
		}
		proof.Reason, proof.By, proof.JudgedAt = reason, o.By, o.At
		citations[quoted] = proof
		reason = "together with the quote that the judge names"
	}
	for i := range citations {
		if c := &citations[i]; i != quoted && open(*c) && o.Verdict != citewell.VerdictContradicted {
			c.Verdict, c.Reason, c.By, c.JudgedAt, c.OtherFigures = o.Verdict, reason, o.By, o.At, nil
		}
	}
	var passages []citewell.Passage
	for _, s := range held.Inquiry.Wider().Passages {
		if slices.ContainsFunc(citations, func(c citewell.Citation) bool {
			p := s.Passage
			return c.N == p.Source && c.Passage == p.ID && p.Start <= c.Start && c.End <= p.End
		}) {
			passages = append(passages, s.Passage)
		}
	}
	held.Unstated = unstatedBy(beginHolding(Claim{Text: held.Inquiry.Text}).said, passages)
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
		return sayOtherwise.of(fmt.Sprintf("%s (“%s”)", reason,
			text.ShortenAtWord(text.OneLine(o.Quote), maxQuoteShown)))
	case citewell.VerdictUnsupported:
		return sayNothing.of(reason)
	}
	return Problem{}
}
