package cite

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// An Opinion is what a chat model says of a claim and its evidence. It may be wrong, or
// talked into anything by the evidence.
type Opinion struct {
	Verdict citewell.Verdict // supported, weak, unsupported or contradicted
	Quote   string           // the words of the evidence that it leans on
	Reason  string
}

// shortestQuote is how many words of the evidence carry an opinion.
const shortestQuote = 3

// With is a judgement after a model was asked, named by what it is to be called. The
// opinion may only make a supported claim weak, or contradicted by words that really
// stand in the evidence; and it may make a weak one supported, where it quotes words
// of the evidence that speak of the claim, and code finds every figure, date and name
// of the claim in the evidence, and nothing that denies it. Everything else stays as
// code judged it, so that a model that says yes to everything changes little, and one
// that says no hides nothing.
func (j Judgement) With(o Opinion, by, claim, evidence, lang string) Judgement {
	start, end, stands := Locate(o.Quote, evidence)
	stands = stands && start < end
	because := ""
	if o.Reason != "" {
		because = ": " + o.Reason
	}
	switch {
	case j.Verdict == citewell.VerdictSupported && o.Verdict == citewell.VerdictContradicted && stands:
		j.Verdict, j.By, j.Reason = citewell.VerdictContradicted, by, fmt.Sprintf("the evidence says otherwise in %s%s", quoted(evidence[start:end]), because)
	case j.Verdict == citewell.VerdictSupported && (o.Verdict == citewell.VerdictContradicted || o.Verdict == citewell.VerdictUnsupported || o.Verdict == citewell.VerdictWeak):
		j.Verdict, j.By, j.Reason = citewell.VerdictWeak, by, fmt.Sprintf("the words fit, but the model finds it %s%s", o.Verdict, because)
	case j.Verdict == citewell.VerdictWeak && o.Verdict == citewell.VerdictSupported:
		switch {
		case !stands:
			j.Reason += "; the model says supported, but quotes nothing that stands there"
		case !j.carriedBy(start, end, claim, evidence, lang):
			j.Reason += "; the model says supported, but its quote does not carry that"
		default:
			j.Verdict, j.By, j.Reason = citewell.VerdictSupported, by, fmt.Sprintf("the evidence says it in other words%s", because)
		}
	}
	return j
}

// carriedBy says whether nothing that code can see keeps a quote of the evidence, in
// its sentence, from supporting the claim.
func (j Judgement) carriedBy(start, end int, claim, evidence, lang string) bool {
	from, to := Whole(evidence, start, end)
	own := Check(claim, evidence[from:to], lang)
	return (j.open || j.foreign) && len(j.Missing) == 0 && hasNames(claim, evidence, lang) &&
		len(text.Words(evidence[start:end])) >= shortestQuote && own.words.oppose < doubtFrom && (j.foreign || own.words.coverage > 0)
}
