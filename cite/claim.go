package cite

import (
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/nearcopy"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/verbatim"
)

// A Claim is one statement with the evidence that it cites.
type Claim struct {
	Text     string     // without marks and markup
	Lang     string     // of Text; guessed from Text or the evidence if empty
	Evidence []Evidence // one for each cited source, or for each quote
	Unknown  []int      // cited numbers that no source has
	Sources  int        // number of sources, for the message about Unknown

	Readings *text.Readings // keeps what is read for further claims; nil keeps it for this claim alone
}

// Evidence is one source that a claim cites.
type Evidence struct {
	// Passages are passages of the source, the nearest to the claim first. A source without passages
	// could not be read.
	Passages   []citewell.Passage
	Further    []citewell.Passage // what [Further] gives: a judge that misses something in these sees them too
	Start, End int                // bytes of the quote in the first passage; if both are 0, Hold chooses a quote
	Title      string             // of the source; shown to a judge, and no evidence by itself
	Text       string             // whole text of the source, to look up figures and quotations; the passages if empty
	Snippet    bool               // the text is a search provider's, not the page's
}

// text returns the source's whole text, or its passages if that is not known.
func (e Evidence) text() string {
	if e.Text != "" {
		return e.Text
	}
	var all []string
	for _, p := range e.Passages {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n\n")
}

// Held is the result of Hold.
type Held struct {
	Citations []citewell.Citation // at least one for each source that was read, whatever its verdict
	Problem   Problem             // zero if the claim holds or is undecided
	Missing   []string            // figures and dates of the claim that no cited source states
	Unstated  []string            // figures and dates of the claim that no cited passage states, for Verify
	Foreign   bool                // claim and evidence are in two languages
	Inquiry   *Inquiry            // the question to a judge; nil if words and figures decide
}

// An Inquiry asks a judge about one claim that words leave undecided.
type Inquiry struct {
	Text     string   // of the claim
	Look     []string // differences in words, as hints
	Passages []Shown  // of the cited sources; the quoted ones first, then the nearest
	Further  []Shown  // further passages of the same sources, for a judge that misses something in these
}

// Shown is a passage as a judge sees it.
type Shown struct {
	Passage citewell.Passage
	Title   string // of its source
}

// A holding is the state of one call of Hold.
type holding struct {
	claim   Claim
	said    *text.Reading // the claim
	spans   []span
	unread  bool     // a cited source could not be read
	missing []string // figures and dates of the claim that no cited source states
	foreign bool
}

// read returns the reading of a text of the evidence in the claim's language.
func (h *holding) read(s string) *text.Reading { return h.said.Beside(s) }

// beginHolding reads a claim.
func beginHolding(c Claim) *holding {
	readings := c.Readings
	if readings == nil {
		readings = new(text.Readings)
	}
	said := readings.Read(c.Text, c.Lang)
	lang := said.Language()
	for _, e := range c.Evidence { // a short claim is read as what it cites: 48,613 is no figure in an unknown language
		if lang == "" {
			lang = readings.Read(e.text(), "").Language()
		}
	}
	return &holding{claim: c, said: said.In(lang)}
}

// A span is a quote from one source with its comparison.
type span struct {
	of         int // index of the evidence
	passage    citewell.Passage
	start, end int // bytes of the quote in the passage's text
	// the text to compare: the whole sentences of the quote, or a row with its columns' names
	words *text.Reading
	at    int                // byte of words in the passage's text; -1 if words is rewritten
	own   nearcopy.Judgement // of this span alone
}

// places returns the other figures with their bytes in the source's text.
func (s span) places() (all []citewell.OtherFigure) {
	for _, o := range s.own.Others {
		if s.at >= 0 {
			base := s.passage.Start + s.at
			all = append(all, citewell.OtherFigure{SaidStart: o.Claim.Start, SaidEnd: o.Claim.End,
				Start: base + o.Evidence.Start, End: base + o.Evidence.End})
		}
	}
	return all
}

// citation cites the bytes of a passage, without a verdict.
func citation(p citewell.Passage, start, end int) citewell.Citation {
	return citewell.Citation{N: p.Source, Passage: p.ID, Quote: p.Text[start:end],
		Start: p.Start + start, End: p.Start + end}
}

// ByWords is the [citewell.Citation.By] of a verdict that no judge gave.
const ByWords = "words"

// quoted returns the span of a quote. The whole sentences around the quote are compared: the words that
// a quote leaves out may deny it.
func (h *holding) quoted(of int, p citewell.Passage, start, end int) span {
	s := span{of: of, passage: p, start: start, end: end}
	from, to := verbatim.Whole(h.read(p.Text), start, end)
	s.words, s.at = h.read(p.Text[from:to]), from
	if p.IsRow(from, to) {
		s.words, s.at = h.read(rowWords(p, from, to, h.said)), -1
	}
	return s
}
