package cite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// A Claim is one statement and what it says it leans on.
type Claim struct {
	Text     string     // its words, without marks and markup
	Lang     string     // of its words; where empty it is guessed, from what it cites if need be
	Question string     // what was asked: its words are no invention
	Evidence []Evidence // one for each source that is cited, or for each quote
	Unknown  []int      // numbers it cites that no source has
	Sources  int        // how many there are, to say beside Unknown
}

// Evidence is one source that a claim cites.
type Evidence struct {
	// Passages are the source's, those first that say most of the claim. None: the
	// source could not be read.
	Passages   []citewell.Passage
	Start, End int    // the quote, in bytes of the first passage's text; Hold chooses the words where both are 0
	Title      string // of the source; its words are no invention, and support nothing
	Text       string // the source's whole text, for quotations in the claim; its passages where empty
	Snippet    bool   // it is a provider's words, not the page's
}

// Held is what holding a claim against its evidence found.
type Held struct {
	Citations []citewell.Citation // at least one for each source that was read, whatever its verdict
	Problem   Problem             // zero where the claim holds
	Missing   []string            // figures and dates of the claim that no quote states
	Foreign   bool                // claim and evidence are in two languages, and words prove little
}

// Bounds of holding a claim.
const (
	leastPart       = 0.15 // score from which words have something to do with a claim
	mostInvented    = 0.5  // share of a claim's terms that may be its own
	maxHeld         = 6    // citations of one claim, up to which further ones are looked for
	furtherPassages = 3    // of each source that are looked into for a missing figure
	maxQuoteShown   = 120  // bytes of a quotation in a problem's message
)

// Hold decides whether a claim is borne out by what it cites. It alone does: a brief, a
// report and Verify choose the evidence and show what comes back.
//
// Each source gives the words that say most of the claim, or those that are quoted of
// it, and is judged by the whole sentences that these stand in. All must state every
// figure of the claim together; for one that they lack, other sentences of the same
// sources are looked into, and cited too where they bear on the claim. Words in
// quotation marks must stand in a source, and not in a sentence that denies them. A claim
// that is weakly supported may have few words of its own. Meanings are further evidence
// in the bounds of Meanings.Check; the zero value judges by words.
func Hold(c Claim, m Meanings) Held {
	h := newHolding(c, m)
	h.further()
	held := Held{Citations: h.verdicts(), Missing: h.missing, Foreign: h.foreign}
	held.Problem = h.problem(held.Citations)
	return held
}

// MeaningsOf gets the vectors that Hold wants for these claims, in one go.
func MeaningsOf(ctx context.Context, e Embedder, claims []Claim) (Meanings, error) {
	var said, evidence []string
	for _, c := range claims {
		h := newHolding(c, Meanings{})
		said = append(said, c.Text)
		for i, s := range h.spans {
			if of := c.Evidence[s.of]; of.End > of.Start {
				evidence = append(evidence, s.words, h.words(i))
				continue
			}
			for _, p := range c.Evidence[s.of].Passages {
				evidence = append(evidence, p.Text)
			}
		}
		evidence = append(evidence, h.words(-1))
	}
	return NewMeanings(ctx, e, said, evidence)
}

// A holding is a claim on its way through Hold.
type holding struct {
	claim    Claim
	meanings Meanings
	spans    []span
	unread   bool      // a source is cited that has no text
	together Judgement // of the claim against all spans
	missing  []string  // figures of the claim that no quote states
	foreign  bool
}

// A span is what one source says of the claim.
type span struct {
	citation citewell.Citation // its verdict is that of the span alone
	words    string            // what is compared: the whole sentences of the quote
	own      Judgement
	of       int // index of its evidence
	passage  citewell.Passage
	start    int // of words in the passage's text; -1 where they are not as they stand there
}

func newHolding(c Claim, m Meanings) *holding {
	if c.Lang == "" {
		c.Lang = text.Language(c.Text)
	}
	for _, e := range c.Evidence { // a short claim is read as what it cites: 48,613 is no figure in an unknown language
		if c.Lang == "" {
			c.Lang = text.Language(e.text())
		}
	}
	h := &holding{claim: c, meanings: m}
	for i, e := range c.Evidence {
		switch {
		case len(e.Passages) == 0:
			h.unread = true
		case e.End > e.Start:
			h.spans = append(h.spans, h.quoted(i, e.Passages[0], e.Start, e.End))
		default:
			h.spans = append(h.spans, h.best(i, e.Passages))
		}
	}
	h.compare()
	return h
}

// check compares the claim with words.
func (h *holding) check(words string) Judgement {
	return h.meanings.Check(h.claim.Text, words, h.claim.Lang)
}

// quoted is a span of a passage, judged by the whole sentences that it lies in: what was
// cut off may deny it.
func (h *holding) quoted(of int, p citewell.Passage, start, end int) span {
	from, to := Whole(p.Text, start, end)
	words, doubt := h.tables(of).read(p, from, to)
	own := h.check(words)
	if doubt != "" && speaksFor(own.Verdict) > 1 {
		own.Verdict, own.Reason = citewell.VerdictWeak, doubt
	}
	if words != p.Text[from:to] { // the cells of a row, with the names of their columns
		from = -1
	}
	return span{of: of, passage: p, words: words, start: from, own: own, citation: citewell.Citation{N: p.Source, Passage: p.ID, Quote: p.Text[start:end],
		Start: p.Start + start, End: p.Start + end, Verdict: own.Verdict, Reason: own.Reason, Judge: own.By}}
}

// tables are those of one source.
func (h *holding) tables(of int) tables {
	return tablesOf(h.claim.Text, h.claim.Lang, h.claim.Evidence[of].Passages)
}

// best is the span of one source that says most of the claim. Where words find none,
// meaning may; where that finds none either, it is the passage with most of the words,
// so that a reader sees what was looked at.
func (h *holding) best(of int, passages []citewell.Passage) span {
	for _, c := range Bind(h.claim.Text, h.claim.Lang, passages) {
		p := passages[slices.IndexFunc(passages, func(p citewell.Passage) bool { return p.ID == c.Passage && p.Start <= c.Start && c.End <= p.End })]
		s := h.quoted(of, p, c.Start-p.Start, c.End-p.Start)
		s.citation = c
		s.own.Verdict, s.own.Reason, s.own.By = c.Verdict, c.Reason, c.Judge
		return s
	}
	var best span
	for i, p := range passages {
		s := h.quoted(of, p, 0, len(p.Text))
		if i == 0 || grade(s.own.Verdict) > grade(best.own.Verdict) || grade(s.own.Verdict) == grade(best.own.Verdict) && s.own.Score > best.own.Score {
			best = s
		}
	}
	return best
}

// compare judges the claim against all spans together.
func (h *holding) compare() {
	all := h.words(-1)
	h.together = h.check(all)
	h.foreign = h.claim.Lang != "" && h.claim.Lang != text.LikelyLanguage(all)
	h.missing = h.figuresNotIn(h.quotes())
}

// words are what is compared of all spans but the one at an index.
func (h *holding) words(but int) string {
	var all []string
	for i, s := range h.spans {
		if i != but {
			all = append(all, s.words)
		}
	}
	return strings.Join(all, "\n")
}

// quotes are the words that a reader is shown, a row of a table with the names of its
// columns.
func (h *holding) quotes() string {
	var all []string
	for _, s := range h.spans {
		quote, from, to := s.citation.Quote, s.citation.Start-s.passage.Start, s.citation.End-s.passage.Start
		if s.passage.IsRow(from, to) {
			quote, _ = h.tables(s.of).read(s.passage, from, to)
		}
		all = append(all, quote)
	}
	return strings.Join(all, "\n")
}

// figuresNotIn are the claim's figures and dates that words do not state.
func (h *holding) figuresNotIn(words string) []string {
	return Check(h.claim.Text, words, h.claim.Lang).Missing
}

// further looks for figures that no quote states in the sources that are cited.
func (h *holding) further() {
	for of, e := range h.claim.Evidence {
		for _, p := range e.Passages[:min(len(e.Passages), furtherPassages)] {
			for len(h.missing) > 0 && len(h.spans) < maxHeld && h.add(of, p) {
			}
		}
	}
}

// add cites the sentence of a passage that states most of the missing figures, where it
// has something to do with the claim and all bear it out no less then.
func (h *holding) add(of int, p citewell.Passage) bool {
	least := len(h.missing)
	if len(h.figuresNotIn(h.quotes()+"\n"+p.Text)) == least {
		return false
	}
	var best span
	for _, sentence := range text.Sentences(p.Text) {
		missing := len(h.figuresNotIn(h.quotes() + "\n" + p.Text[sentence.Start:sentence.End]))
		if missing >= least {
			continue
		}
		if s := h.quoted(of, p, sentence.Start, sentence.End); s.own.Score >= leastPart {
			best, least = s, missing
		}
	}
	if least == len(h.missing) {
		return false
	}
	before := *h
	h.spans = append(slices.DeleteFunc(slices.Clone(h.spans), best.has), best)
	if h.compare(); len(h.missing) >= len(before.missing) || speaksFor(h.together.Verdict) < speaksFor(before.together.Verdict) {
		*h = before
		return false
	}
	return true
}

// has says whether a span's quote is part of s's.
func (s span) has(part span) bool {
	return s.of == part.of && s.citation.Passage == part.citation.Passage && s.citation.Start <= part.citation.Start && part.citation.End <= s.citation.End
}

// speaksFor orders the verdicts that speak for a claim.
func speaksFor(v citewell.Verdict) int {
	return 1 + slices.Index([]citewell.Verdict{citewell.VerdictWeak, citewell.VerdictSupported}, v)
}

// verdicts gives each span its verdict beside the others.
func (h *holding) verdicts() []citewell.Citation {
	citations := []citewell.Citation{}
	at := 0 // of the span's words in those of all
	for i, s := range h.spans {
		c, others, from := s.citation, s.own.others, 0
		several := len(h.spans) > 1
		switch {
		case several && speaksFor(c.Verdict) < speaksFor(h.together.Verdict) && speaksFor(h.check(h.words(i)).Verdict) < speaksFor(h.together.Verdict):
			// What quotes carry together is not weak because none does alone.
			c.Verdict, c.Reason, c.Judge = h.together.Verdict, reasonTogether+h.together.Reason, h.together.By
		case several && h.part(s.own):
			c.Verdict, c.Reason = citewell.VerdictWeak, reasonOthers
		}
		if h.together.Verdict == citewell.VerdictContradicted && c.Verdict != citewell.VerdictSupported {
			c.Verdict, c.Reason, c.Judge = h.together.Verdict, h.together.Reason, h.together.By
			others, from = h.together.others, at
		}
		if c.Verdict == citewell.VerdictContradicted {
			c.OtherFigures = s.places(others, from)
		}
		at += len(s.words) + len("\n")
		if h.claim.Evidence[s.of].Snippet && speaksFor(c.Verdict) > 0 {
			c.Verdict, c.Reason = citewell.VerdictSnippetOnly, ReasonSnippet
		}
		citations = append(citations, c)
	}
	return citations
}

// places are those of other figures in the text of the source, from being where the span's
// words begin in what was compared.
func (s span) places(others []otherFigure, from int) (all []citewell.OtherFigure) {
	for _, o := range others {
		start, end := o.evidence.Start-from, o.evidence.End-from
		if s.start < 0 || start < 0 || end > len(s.words) {
			continue
		}
		base := s.passage.Start + s.start
		all = append(all, citewell.OtherFigure{SaidStart: o.claim.Start, SaidEnd: o.claim.End, Start: base + start, End: base + end})
	}
	return all
}

// part says whether a span that lacks figures, which the others have, bears out its own
// part of the claim. One that gives other figures in place of all of them contradicts.
func (h *holding) part(own Judgement) bool {
	if len(own.Missing) == 0 || len(h.missing) > 0 || own.Score < leastPart {
		return false
	}
	return own.Verdict == citewell.VerdictUnsupported ||
		own.Verdict == citewell.VerdictContradicted && len(own.Missing) < len(h.figuresNotIn("."))
}

// problem names what keeps the claim from holding; the first that is found.
func (h *holding) problem(citations []citewell.Citation) Problem {
	if len(h.claim.Unknown) > 0 {
		named := make([]string, len(h.claim.Unknown))
		for i, n := range h.claim.Unknown {
			named[i] = fmt.Sprintf("[%d]", n)
		}
		return sayNumber.of(strings.Join(named, ", "), h.claim.Sources)
	}
	if len(h.spans) == 0 && h.unread {
		return sayUnread.of()
	} else if len(h.spans) == 0 {
		return sayUncited.of()
	}
	if p := h.quotations(citations); p.Code != "" {
		return p
	}
	supported := Speaks(citations)
	switch {
	case !supported && slices.ContainsFunc(citations, contradicts):
		return sayOtherwise.of(citations[slices.IndexFunc(citations, contradicts)].Reason)
	case len(h.missing) > 0:
		return sayFigure.of(strings.Join(h.missing, ", "))
	case h.unread:
		return sayPartUnread.of()
	case !supported:
		return sayNothing.of(citations[0].Reason)
	case h.together.Verdict == citewell.VerdictWeak && h.together.By == ByWords && !h.foreign: // a model may know the words for others
		if own := h.invented(); own != "" {
			return sayInvented.of(own)
		}
	}
	return Problem{}
}

// Speaks says whether one of a claim's citations speaks for it, if only in part.
func Speaks(citations []citewell.Citation) bool {
	return slices.ContainsFunc(citations, func(c citewell.Citation) bool {
		return speaksFor(c.Verdict) > 0 || c.Verdict == citewell.VerdictSnippetOnly
	})
}

func contradicts(c citewell.Citation) bool { return c.Verdict == citewell.VerdictContradicted }

// invented names the terms of a claim that are its own, where it, or what it asserts
// besides, has more of them than a paraphrase needs: neither its passages, what stands above
// them, nor the question have them.
func (h *holding) invented() string {
	context := h.claim.Question
	for _, s := range h.spans {
		context += "\n" + h.claim.Evidence[s.of].Title + "\n" + s.passage.Above() + "\n" + s.passage.Text
	}
	known := text.Terms(context, h.claim.Lang)
	for _, said := range []string{h.claim.Text, h.together.words.unborne} {
		terms := text.Terms(said, h.claim.Lang)
		own := slices.DeleteFunc(slices.Clone(terms), func(term string) bool { return slices.Contains(known, term) })
		if float64(len(own)) > mostInvented*float64(len(terms)) {
			return strings.Join(unique(own), ", ")
		}
	}
	return ""
}

// Weigh puts a model's opinion of a claim into its citations, whose passages it is given
// in their order. What the opinion quotes speaks for the passage that has the words; where
// none has them, all are meant. It moves verdicts in the bounds of Judgement.With.
func Weigh(claim, lang string, citations []citewell.Citation, passages []citewell.Passage, o Opinion, by string) {
	quoting := slices.IndexFunc(passages, func(p citewell.Passage) bool {
		_, _, ok := Locate(o.Quote, p.Text)
		return ok
	})
	for i := range citations {
		c := &citations[i]
		if quoting >= 0 && passages[i].ID != passages[quoting].ID {
			continue
		}
		j := Check(claim, passages[i].Text, lang)
		j.Verdict, j.Reason, j.By = c.Verdict, c.Reason, c.Judge
		j = j.With(o, by, claim, passages[i].Text, lang)
		c.Verdict, c.Reason, c.Judge = j.Verdict, j.Reason, j.By
	}
}
