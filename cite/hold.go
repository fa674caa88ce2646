package cite

import (
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
	Title      string // of the source: a judge is told it, and it supports nothing by itself
	Text       string // the source's whole text, for figures and quotations in the claim; its passages where empty
	Snippet    bool   // it is a provider's words, not the page's
}

// Held is what holding a claim against its evidence found.
type Held struct {
	Citations []citewell.Citation // at least one for each source that was read, whatever its verdict
	Problem   Problem             // zero where the claim holds, or where nobody has judged it
	Missing   []string            // figures and dates of the claim that no cited source states
	Unstated  []string            // those that no cited passage states, so that Verify knows them
	Foreign   bool                // claim and evidence are in two languages
	Inquiry   *Inquiry            // what a judge is to be asked; nil where words and figures decide
}

// Bounds of holding a claim.
const (
	maxSearched   = 4   // passages of one source that its words are chosen from
	maxHeld       = 6   // citations of one claim, up to which further ones are looked for
	maxQuoteShown = 120 // bytes of a quotation in a problem's message
)

// Hold decides whether a claim is borne out by what it cites, as far as words and exact facts
// can tell. It alone does: a brief, a report, a check and Verify choose the evidence and show the
// result.
//
// Each source gives the sentences that have most of the claim's words, or those that are quoted
// of it. A figure, a date or a quotation of the claim that stands in no cited source, and follows
// from no figures there, makes it unsupported. Beside that words know three things: the claim
// stands there, nothing differs in a near-copy of it, or a near-copy differs in a figure, a date,
// a denial or an opposite. Everything else is undecided, and Held.Inquiry is what a judge is to be
// asked; [Held.Judged] takes the answer in.
func Hold(c Claim) Held {
	h := newHolding(c)
	h.further()
	held := Held{Citations: []citewell.Citation{}, Missing: h.missing, Foreign: h.foreign}
	if quote := h.misquoted(); quote != "" {
		held.Problem = sayQuote.of(text.Shorten(quote, maxQuoteShown))
	} else if slices.ContainsFunc(h.spans, func(s span) bool { return s.own.verdict == citewell.VerdictUnsupported }) {
		held.Problem = sayFigure.of(strings.Join(h.missing, ", "))
	}
	exact := held.Problem.Code != ""
	for _, s := range h.spans {
		held.Citations = append(held.Citations, h.cited(s, held.Problem))
	}
	h.together(held.Citations)
	if p := h.unusable(); p.Code != "" {
		held.Problem = p
	} else if !exact && !supported(held.Citations) {
		if i := slices.IndexFunc(held.Citations, contradicts); i >= 0 {
			held.Problem = sayOtherwise.of(held.Citations[i].Reason)
		}
		if !slices.ContainsFunc(h.spans, func(s span) bool { return s.own.firm }) {
			held.Inquiry = h.inquiry()
		}
	}
	var passages []citewell.Passage
	for _, s := range h.spans {
		passages = append(passages, s.passage)
	}
	held.Unstated = unstatedBy(h.claim.Text, h.claim.Lang, passages)
	return held
}

// unstatedBy are the figures and dates of a statement that passages do not state, the rows of
// their tables with the names of the columns.
func unstatedBy(statement, lang string, passages []citewell.Passage) []string {
	var texts, rows []string
	for _, p := range passages {
		texts, rows = append(texts, p.Text), append(rows, rowsOf(p, lang))
	}
	return unstated(statement, lang, texts, rows)
}

// A holding is a claim on its way through Hold.
type holding struct {
	claim   Claim
	spans   []span
	unread  bool     // a source is cited that has no text
	missing []string // figures and dates of the claim that no cited source states
	foreign bool
}

// A span is what one source says of the claim.
type span struct {
	of         int // index of its evidence
	passage    citewell.Passage
	start, end int    // of the quote, in bytes of the passage's text
	words      string // what is compared: the whole sentences of the quote, or a row with its columns' names
	at         int    // of words in the passage's text; -1 where they are not as they stand there
	own        judgement
}

func newHolding(c Claim) *holding {
	if c.Lang == "" {
		c.Lang = text.Language(c.Text)
	}
	for _, e := range c.Evidence { // a short claim is read as what it cites: 48,613 is no figure in an unknown language
		if c.Lang == "" {
			c.Lang = text.Language(e.text())
		}
	}
	c.Lang, _, _ = strings.Cut(c.Lang, "-")
	h := &holding{claim: c}
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

// quoted is a span of a passage, compared by the whole sentences that it lies in: what was
// cut off may deny it.
func (h *holding) quoted(of int, p citewell.Passage, start, end int) span {
	s := span{of: of, passage: p, start: start, end: end}
	from, to := Whole(p.Text, start, end)
	s.words, s.at = p.Text[from:to], from
	if p.IsRow(from, to) {
		s.words, s.at = rowWords(p, from, to, h.claim.Lang), -1
	}
	return s
}

// compare notes what no source states, and what each span says by itself.
func (h *holding) compare() {
	var words []string
	for _, s := range h.spans {
		words = append(words, s.words)
	}
	h.foreign = h.claim.Lang != "" && len(words) > 0 && h.claim.Lang != text.LikelyLanguage(strings.Join(words, "\n"))
	h.missing = h.unstated()
	for i := range h.spans {
		h.spans[i].own = compareWords(h.claim.Text, h.spans[i].words, h.claim.Lang, h.missing)
	}
}

// unstated are the figures and dates of the claim that no cited source states.
func (h *holding) unstated() []string {
	var passages, others []string
	for _, s := range h.spans {
		passages, others = append(passages, s.passage.Text), append(others, s.words)
	}
	for _, e := range h.claim.Evidence {
		others = append(others, e.text())
	}
	return unstated(h.claim.Text, h.claim.Lang, passages, others)
}

// further cites sentences of the same sources that state figures which no quote states.
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
			for _, sentence := range text.Sentences(p.Text) {
				now := h.notIn(p.Text[sentence.Start:sentence.End])
				if len(now) < len(missing) && len(h.spans) < maxHeld {
					h.spans = append(h.spans, h.quoted(of, p, sentence.Start, sentence.End))
					missing = now
				}
			}
		}
	}
}

// notIn are the claim's figures and dates that neither the quotes nor further words state.
func (h *holding) notIn(further string) []string {
	shown := []string{further}
	for _, s := range h.spans {
		shown = append(shown, s.passage.Text[s.start:s.end], s.words)
	}
	return unstated(h.claim.Text, h.claim.Lang, shown, nil)
}

// cited gives a span as a citation. wrong is the exact fact that the claim has and no source
// states.
func (h *holding) cited(s span, wrong Problem) citewell.Citation {
	c := citewell.Citation{N: s.passage.Source, Passage: s.passage.ID, Quote: s.passage.Text[s.start:s.end],
		Start: s.passage.Start + s.start, End: s.passage.Start + s.end, Verdict: s.own.verdict, Reason: s.own.reason, By: ByWords}
	switch {
	case c.Verdict == citewell.VerdictContradicted:
		c.OtherFigures = s.places()
	case wrong.Code != "":
		c.Verdict, c.Reason = citewell.VerdictUnsupported, wrong.Message
	case c.Verdict == citewell.VerdictUndecided && len(h.missing) > 0:
		c.Reason = fmt.Sprintf("the cited sources do not state %s; no judge was asked whether it follows", strings.Join(h.missing, ", "))
	}
	if h.claim.Evidence[s.of].Snippet && (c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictUndecided) {
		c.Verdict, c.Reason = citewell.VerdictSnippetOnly, ReasonSnippet
	}
	return c
}

// together gives quotes that bear the claim out only beside each other the verdict of all.
func (h *holding) together(citations []citewell.Citation) {
	if len(h.spans) < 2 || len(h.missing) > 0 || supported(citations) {
		return
	}
	var all []string
	for _, s := range h.spans {
		all = append(all, strings.TrimSpace(s.words))
	}
	if j := compareWords(h.claim.Text, strings.Join(all, "\n\n"), h.claim.Lang, nil); j.verdict != citewell.VerdictSupported {
		return
	}
	for i := range citations {
		if c := &citations[i]; c.Verdict == citewell.VerdictUndecided {
			c.Verdict, c.Reason = citewell.VerdictSupported, reasonTogether
		}
	}
}

// places are those of other figures in the text of the source.
func (s span) places() (all []citewell.OtherFigure) {
	for _, o := range s.own.others {
		if s.at >= 0 {
			base := s.passage.Start + s.at
			all = append(all, citewell.OtherFigure{SaidStart: o.claim.Start, SaidEnd: o.claim.End, Start: base + o.evidence.Start, End: base + o.evidence.End})
		}
	}
	return all
}

// unusable names what keeps a claim from being held against anything.
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
	for _, v := range []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictPartly, citewell.VerdictContradicted} {
		if i := slices.IndexFunc(citations, func(c citewell.Citation) bool { return c.Verdict == v }); i >= 0 {
			return i
		}
	}
	return 0
}

// supported reports whether a citation bears the claim out.
func supported(citations []citewell.Citation) bool {
	return slices.ContainsFunc(citations, func(c citewell.Citation) bool { return c.Verdict == citewell.VerdictSupported })
}

func contradicts(c citewell.Citation) bool { return c.Verdict == citewell.VerdictContradicted }

// text is all that is known of the source.
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
