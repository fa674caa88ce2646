package nearcopy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	language "github.com/citewell/citewell/internal/text/lang"
	"github.com/citewell/citewell/internal/verbatim"
)

// A Judgement is the result of comparing a claim with a piece of evidence by words.
type Judgement struct {
	Verdict citewell.Verdict // supported, contradicted, unsupported or undecided
	Reason  string           // one short sentence for a reader
	Look    string           // the differences, as a hint to a judge; may be empty
	Others  []OtherFigure    // figures that contradict the claim
	Firm    bool             // a figure or a date decides: no judge overrules it
}

// longestClaim is the length in bytes up to which a claim is aligned word by word.
const longestClaim = 8000

const ReasonUndecided = "words cannot tell whether the source says it, and no judge was asked"

// Compare compares a claim with a piece of evidence by words alone. A claim is supported if the
// evidence has it as whole sentences, or if it is a near-copy of one or two sentences without a
// difference. It is contradicted if a near-copy differs in one figure, date, denial or opposite only.
// Every other claim is undecided: shared words do not tell whether two texts mean the same.
//
// missing are the figures and dates of the claim that no cited source states.
func Compare(claim, evidence *text.Reading, missing []string) Judgement {
	undecided := Judgement{Verdict: citewell.VerdictUndecided, Reason: ReasonUndecided}
	if strings.TrimSpace(claim.Text()) == "" || strings.TrimSpace(evidence.Text()) == "" {
		undecided.Reason = "there is nothing to compare"
		return undecided
	}
	if Verbatim(claim, evidence) {
		return Judgement{Verdict: citewell.VerdictSupported, Reason: "the source says it word for word"}
	}
	if len(claim.Text()) > longestClaim {
		return undecided
	}
	own := evidence.In("").Language()
	sure := cmp.Or(claim.Language(), own)
	lang := sure
	if lang == "" {
		lang = text.LikelyLanguage(claim.Text() + "\n" + evidence.Text())
	}
	if own != "" && own != lang {
		return undecided
	}
	d := nearestCopy(claim.In(lang), evidence.In(lang), sure != "", missing)
	switch {
	case d.against != "":
		return Judgement{citewell.VerdictContradicted, d.against, d.look, d.others, d.firm}
	case !d.open && d.share >= leastRepeated && slices.ContainsFunc(missing, inDigits) && readsNumbers(sure):
		reason := fmt.Sprintf("the source says nearly the same without %s", strings.Join(missing, ", "))
		return Judgement{Verdict: citewell.VerdictUnsupported, Reason: reason, Firm: true}
	case d.same:
		return Judgement{Verdict: citewell.VerdictSupported, Reason: "the source says it in nearly the same words"}
	case d.look != "":
		undecided.Reason = fmt.Sprintf("%s; no judge was asked what that means", d.look)
		undecided.Look = d.look
	}
	return undecided
}

// readsNumbers reports whether numbers are read in the words of a language. Where they are not, a source may state a
// figure that is not found in it.
func readsNumbers(code string) bool {
	l := language.Of(code)
	return l.Knows(language.NumberWords) || l.Is(language.HanNumbers)
}

// inDigits reports whether a figure is written in digits. One in words, as "eight times as many", may
// be the author's own sum.
func inDigits(figure string) bool { return strings.ContainsFunc(figure, unicode.IsDigit) }

// Verbatim reports whether the evidence has the claim word for word, as whole sentences. The rest
// of a sentence could deny a part of it.
func Verbatim(claim, evidence *text.Reading) bool {
	source := evidence.Text()
	for from := 0; ; {
		start, end, ok := verbatim.Locate(claim.Text(), source[from:])
		if !ok {
			return false
		}
		start, end = from+start, from+end
		first, last := verbatim.Whole(evidence, start, end)
		first, last, ok = verbatim.Trim(source, first, last)
		if ok && first == start && strings.Trim(source[end:last], sentenceMarks) == "" {
			return true
		}
		from = end
	}
}

// sentenceMarks may end a sentence that a claim repeats without them.
const sentenceMarks = " .!。！\"”’»)"
