package cite

import (
	"cmp"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// How many passages Bind cites at most, and how good a further one must be beside
// the best.
const (
	maxBound    = 3
	nearTheBest = 0.6
	// A passage that nobody named is called a support only from this score, above
	// that of Check: passages about one question share many words anyway.
	boundFrom = 0.65
)

// Bind finds the words that support a claim: for each passage that does, the best
// sentence as an exact span, best first and one for each source. Words that lack a
// name which the claim has are weak support at best: another may have done the same.
// A passage that contradicts the claim is cited only when none supports it, so that
// the contradiction is shown. Nothing is returned where no passage speaks of the
// claim.
func Bind(claim, lang string, passages []citewell.Passage) []citewell.Citation {
	type bound struct {
		citation citewell.Citation
		score    float64
	}
	var all []bound
	weigh, rows := rarity(lang, passages), tablesOf(claim, lang, passages)
	for _, p := range passages {
		start, end, judgement := bestSpan(claim, lang, p, rows, weigh)
		if judgement.Verdict == citewell.VerdictSupported && (judgement.Score < boundFrom || !hasNames(claim, p.Text[start:end]+"\n"+p.Above(), lang)) {
			judgement.Verdict, judgement.Reason = citewell.VerdictWeak, "the evidence has words of the claim, but not its names or not enough of them"
		}
		switch judgement.Verdict {
		case citewell.VerdictSupported, citewell.VerdictWeak, citewell.VerdictContradicted:
			all = append(all, bound{citewell.Citation{
				N: p.Source, Passage: p.ID, Quote: p.Text[start:end],
				Start: p.Start + start, End: p.Start + end, Verdict: judgement.Verdict, Reason: judgement.Reason, Judge: judgement.By,
			}, judgement.Score})
		}
	}
	slices.SortStableFunc(all, func(a, b bound) int {
		return cmp.Or(cmp.Compare(grade(b.citation.Verdict), grade(a.citation.Verdict)), cmp.Compare(b.score, a.score))
	})
	var citations []citewell.Citation
	cited := map[int]bool{}
	for _, b := range all {
		further := len(citations) < maxBound && b.citation.Verdict == all[0].citation.Verdict && b.score >= nearTheBest*all[0].score
		if further && !cited[b.citation.N] {
			cited[b.citation.N] = true
			citations = append(citations, b.citation)
		}
	}
	return citations
}

// rarity weighs a term by how few of the passages have it. In passages that answer
// one question nearly all have its subject; what tells them apart is the rest.
func rarity(lang string, passages []citewell.Passage) func(term string) float64 {
	const enough = 4 // passages to tell rare from common by
	if len(passages) < enough {
		return weight
	}
	in := map[string]int{}
	for _, p := range passages {
		for _, term := range unique(text.Terms(p.Text, lang)) {
			in[term]++
		}
	}
	return func(term string) float64 {
		return weight(term) * (1 - 0.9*float64(in[term])/float64(len(passages)))
	}
}

func grade(v citewell.Verdict) int {
	switch v {
	case citewell.VerdictSupported:
		return 3
	case citewell.VerdictWeak:
		return 2
	case citewell.VerdictContradicted:
		return 1
	}
	return 0
}

// bestSpan returns the sentence, or the two neighbouring sentences, of the passage
// that support the claim best. Where none does but the passage as a whole has the
// words, it is the whole passage, and weak.
func bestSpan(claim, lang string, p citewell.Passage, rows tables, weigh func(term string) float64) (start, end int, best Judgement) {
	passage := p.Text
	if start, end, ok := saysVerbatim(claim, lang, passage); ok {
		return start, end, check(claim, passage[start:end], lang, weigh)
	}
	better := func(j Judgement) bool {
		return grade(j.Verdict) > grade(best.Verdict) || j.Verdict == best.Verdict && j.Score > best.Score
	}
	sentences := text.Sentences(passage)
	for window := 1; window <= 2; window++ {
		for i := 0; i+window <= len(sentences); i++ {
			from, to := sentences[i].Start, sentences[i+window-1].End
			words, doubt := rows.read(p, from, to)
			j := check(claim, words, lang, weigh)
			if doubt != "" && grade(j.Verdict) > grade(citewell.VerdictUnsupported) {
				j.Verdict, j.Reason = citewell.VerdictUnsupported, doubt
			}
			if better(j) {
				start, end, best = from, to, j
			}
		}
	}
	if grade(best.Verdict) == 0 {
		if whole := check(claim, passage, lang, weigh); grade(whole.Verdict) >= grade(citewell.VerdictWeak) {
			if from, to, ok := trimSpan(passage, 0, len(passage)); ok {
				whole.Verdict, whole.Reason = citewell.VerdictWeak, "the words of the claim are spread over the passage"
				return from, to, whole
			}
		}
	}
	return start, end, best
}
