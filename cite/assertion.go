package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// An assertion is a run of words of a claim that says something by itself: it is cut at
// clause borders, commas and words that join.
type assertion struct {
	start, end int // in the claim
	terms      []int
	in         int  // the sentence of the evidence that has most of it
	cause      bool // it gives the cause of the one before
}

const (
	leastAsserted = 2   // content words of an assertion; fewer belong to the one before
	borneFrom     = 0.2 // share of its words below which the evidence says nothing of it
)

// joiners begin a further assertion in a sentence.
var joiners = text.SetOf("and which who whose where und welche welcher et qui dont y и который которая которое которые")

// causes begin what is said to be why.
var causes = map[string]map[string]bool{
	"en": text.SetOf("because due thanks owing"), "de": text.SetOf("wegen aufgrund dank"), "fr": text.SetOf("faute grâce"), "es": text.SetOf("debido gracias"),
}

// attributions begin words that only say whose statement follows.
var attributions = map[string]map[string]bool{
	"en": text.SetOf("according"), "fr": text.SetOf("selon"), "es": text.SetOf("según"), "it": text.SetOf("secondo"), "pt": text.SetOf("segundo"), "ru": text.SetOf("согласно"),
}

// attributes says whether an assertion that a claim begins with only names its source, and
// not by a name or a number: "according to the report".
func (s sentence) attributes(a assertion) bool {
	if !attributions[s.lang][s.words[0].low] || a.start > s.words[0].start {
		return false
	}
	_, size := utf8.DecodeRuneInString(s.text[a.start:])
	return strings.IndexFunc(s.text[a.start+size:a.end], func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) < 0
}

// assertions cuts a claim into what it asserts.
func (s sentence) assertions(terms []term) []assertion {
	var all []assertion
	for i, w := range s.words {
		switch whole := i == 0 || len(all[len(all)-1].terms) >= leastAsserted; {
		case i == 0 || whole && (w.comma || w.clause != s.words[i-1].clause || joiners[w.low]):
			all = append(all, assertion{start: w.start})
		case whole && causes[s.lang][w.low]:
			all = append(all, assertion{start: w.start, cause: true})
		}
		a := &all[len(all)-1]
		a.end = w.end
		if k := slices.IndexFunc(terms, func(t term) bool { return w.content && t.text == w.term }); k >= 0 && !slices.Contains(a.terms, k) {
			a.terms = append(a.terms, k)
		}
	}
	if n := len(all); n > 1 && len(all[n-1].terms) < leastAsserted && !(all[n-1].cause && len(all[n-1].terms) > 0) {
		all[n-2].end, all[n-2].terms = all[n-1].end, append(all[n-2].terms, all[n-1].terms...)
		all = all[:n-1]
	}
	if len(all) > 1 && s.attributes(all[0]) {
		all = all[1:]
	}
	return all
}

// weigh returns the weight of an assertion's words, and how much of it the evidence has:
// half of what the sentence has that has most, half of what all of them have.
func (a *assertion) weigh(terms []term, candidates []candidate) (all, found float64) {
	best := 0.0
	for _, k := range a.terms {
		all += terms[k].weight * (1 - terms[k].aside)
		found += terms[k].most * terms[k].weight
	}
	for i, c := range candidates {
		in := 0.0
		for _, k := range a.terms {
			in += c.has[k] * terms[k].weight
		}
		if in > best {
			best, a.in = in, i
		}
	}
	return all, (best + found) / 2
}

// unfounded says whether neither the sentence that has most of the assertion before nor a
// neighbour of it has more than half of a cause's words. The word that begins it, "thanks", counts for nothing.
func (a *assertion) unfounded(before assertion, terms []term, candidates []candidate) bool {
	all, found := 0.0, 0.0
	for _, k := range a.terms {
		if terms[k].start == a.start {
			continue
		}
		best := 0.0
		for _, c := range candidates[max(0, before.in-1):min(len(candidates), before.in+2)] {
			best = max(best, c.has[k])
		}
		all, found = all+1, found+best
	}
	return a.cause && all > 0 && found <= all/2
}

// eachSame says whether different sentences of the evidence each say one assertion of the
// claim: what one of them lacks another has.
func (d differ) eachSame(asserted []assertion, candidates []candidate) bool {
	if !slices.ContainsFunc(asserted, func(a assertion) bool { return a.in != asserted[0].in }) {
		return false
	}
	for _, a := range asserted {
		part := differ{sentence: newSentence(d.text[a.start:a.end], d.lang), evidence: d.evidence, missing: d.missing}
		part.parts = part.pieces(maxAligned)
		if !part.from(candidates[a.in].stretch()).same() {
			return false
		}
	}
	return true
}
