// Package nearcopy tells by words alone whether a text repeats a claim, exactly or as a near-copy, and how a near-copy
// differs.
//
// Flow: claim and evidence as [text.Reading] → sentences in pieces → their alignment → the differences → Judgement.
// Units: spans are bytes, half-open, of the claim or of the evidence.
// Errors: none; what words cannot tell is undecided.
// Concurrency: all functions are safe for many goroutines.
// Source: the lists of internal/text/lang. Why: doc/decision/0066-words-and-a-judge.md
package nearcopy

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/text"
)

// Bounds of a near-copy, chosen on the tuning half of the near-copies (doc/bench.md).
const (
	leastTied     = 0.81 // share of the claim's content that a near-copy repeats in the same order
	leastRepeated = 0.75 // the same share, for a claim with a figure that no source states
	tryFrom       = 0.5  // share of the claim's content that a stretch must have, in any order, to be aligned
	mostTried     = 40   // stretches of one evidence that are aligned
)

// A difference describes how a claim differs from the nearest stretch of its evidence.
type difference struct {
	share   float64 // of the claim's content that the stretch repeats
	same    bool    // nothing differs, or a single word that replaces another
	against string  // the only difference of a near-copy, where it contradicts the claim
	look    string  // the differences in words, for a judge; empty where there are many
	firm    bool    // against is a figure or a date
	open    bool    // figures differ in a sentence with a denial
	others  []OtherFigure
}

// An OtherFigure is a figure or date of the claim with the one that replaces it in the evidence.
type OtherFigure struct{ Claim, Evidence text.Span }

// nearestCopy finds the sentence of the evidence, or the two neighbouring sentences, nearest to a
// claim, and describes the difference. A claim that joins several sentences is a near-copy if each of
// its clauses is one.
func nearestCopy(claim, evidence *text.Reading, sure bool, missing []string) difference {
	d := differ{
		sentence: newSentence(claim),
		parts:    claimPieces(claim),
		evidence: evidence,
		sure:     sure,
		missing:  missing,
	}
	stretches := stretchesOf(evidence)
	best := d.nearest(stretches)
	if best.same || best.against != "" {
		return best
	}
	if clauses := d.clauses(); len(clauses) > 1 {
		for _, part := range clauses {
			if !part.nearest(stretches).same {
				return best
			}
		}
		best.same = true
	}
	return best
}

// A differ compares one claim with the stretches of one evidence.
type differ struct {
	sentence // the claim
	parts    []piece
	evidence *text.Reading
	sure     bool     // the language is known: 1.234 has one reading
	missing  []string // figures and dates of the claim that no cited source states
}

// A stretch is a sentence of the evidence, or two neighbouring ones, cut into pieces for alignment.
type stretch struct {
	sentence
	pieces []piece
	start  int // in the evidence
}

// stretchesOf returns the sentences of the evidence as stretches.
func stretchesOf(evidence *text.Reading) []stretch {
	return text.Keep(evidence, func() (all []stretch) {
		for _, span := range SentencesOf(evidence) {
			part := evidence.Part(span.Start, span.End)
			all = append(all, stretch{newSentence(part), shownPieces(part), span.Start})
		}
		return all
	})
}

// nearest compares the claim with each sentence that shares enough of its content, alone and together
// with the next sentence, and returns the smallest difference.
func (d differ) nearest(stretches []stretch) (best difference) {
	tried := 0
	try := func(s stretch) bool {
		if tried == mostTried || d.shared(s.pieces) < tryFrom {
			return false
		}
		tried++
		if one := d.from(s); one.better(best) {
			best = one
		}
		return best.same
	}
	for _, s := range stretches {
		if try(s) {
			return best
		}
	}
	for i := 1; i < len(stretches); i++ {
		a, b := stretches[i-1], stretches[i]
		if d.shared(a.pieces) < 1 && d.shared(b.pieces) < 1 && try(d.join(a, b)) {
			return best
		}
	}
	return best
}

// better reports whether d says more about the claim than another difference.
func (d difference) better(than difference) bool {
	if d.same != than.same {
		return d.same
	}
	if (d.against != "") != (than.against != "") {
		return d.against != ""
	}
	return d.share > than.share
}

// shared returns the share of the claim's content that occurs among the pieces, in any order.
func (d differ) shared(pieces []piece) float64 {
	all, found := 0, 0
	for _, p := range d.parts {
		if p.weight() < 1 {
			continue
		}
		all++
		if slices.ContainsFunc(pieces, func(q piece) bool { return p.like(q) > 0 }) {
			found++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(found) / float64(all)
}

// join combines two neighbouring stretches.
func (d differ) join(a, b stretch) stretch {
	by := b.start - a.start
	whole := sentence{Reading: d.evidence.Part(a.start, b.start+len(b.Text())), lang: a.lang}
	both := stretch{whole, slices.Clone(a.pieces), a.start}
	for _, p := range b.pieces[:min(len(b.pieces), max(0, maxStretch-len(a.pieces)))] {
		p.start, p.end = p.start+by, p.end+by
		both.pieces = append(both.pieces, p)
	}
	return both
}

// clauses splits a claim at commas, semicolons and joining words. It returns nil if a part has no
// content.
func (d differ) clauses() (parts []differ) {
	from := 0
	for i := 1; i <= len(d.parts); i++ {
		if i < len(d.parts) && !d.border(i) {
			continue
		}
		run := d.parts[from:i]
		if joiners[run[0].low] && len(run) > 1 {
			run = run[1:]
		}
		if content := slices.IndexFunc(run, func(p piece) bool { return p.weight() == 1 }); content < 0 {
			return nil
		}
		part := d
		part.parts = run
		parts, from = append(parts, part), i
	}
	return parts
}

// border reports whether piece i may begin another clause.
func (d differ) border(i int) bool {
	between := d.Text()[min(d.parts[i-1].end, d.parts[i].start):d.parts[i].start]
	return strings.ContainsAny(between, ",;，；、،؛") || joiners[d.parts[i].low]
}

// joiners are words that begin a further clause.
var joiners = text.SetOf("and und et y и e en و")
