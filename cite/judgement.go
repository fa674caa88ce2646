package cite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// ByWords is [citewell.Citation.By] where code compared words, and no judge was asked.
const ByWords = "words"

// A judgement is what comparing words finds out about a claim and a piece of evidence.
type judgement struct {
	verdict citewell.Verdict // supported, contradicted, unsupported or undecided
	reason  string           // one short sentence for a reader
	look    string           // what a judge should look at; empty where nothing stands out
	others  []otherFigure    // the figures that make a verdict contradicted
	firm    bool             // a figure or a date decided it: no judge overrules that
}

// longestClaim is the length in bytes up to which a claim is aligned word by word.
const longestClaim = 8000

const reasonUndecided = "words cannot tell whether the source says it, and no judge was asked"

// compareWords compares a claim with a piece of evidence by words alone. A claim that stands in
// the evidence as whole sentences is supported, and so is a near-copy of a sentence or of two
// neighbours in which nothing differs. A near-copy is contradicted where one figure, date,
// denial or opposite is all that differs. Everything else is undecided: words that two texts share do
// not tell whether one says what the other says.
//
// lang is the language of the claim. missing are the figures and dates that no cited source states.
func compareWords(claim, evidence, lang string, missing []string) judgement {
	undecided := judgement{verdict: citewell.VerdictUndecided, reason: reasonUndecided}
	if strings.TrimSpace(claim) == "" || strings.TrimSpace(evidence) == "" {
		undecided.reason = "there is nothing to compare"
		return undecided
	}
	if saysVerbatim(claim, evidence) {
		return judgement{verdict: citewell.VerdictSupported, reason: "the source says it word for word"}
	}
	if len(claim) > longestClaim {
		return undecided
	}
	sure := cmp.Or(lang, text.Language(claim), text.Language(evidence))
	if lang = sure; lang == "" {
		lang = text.LikelyLanguage(claim + "\n" + evidence)
	}
	lang, _, _ = strings.Cut(lang, "-")
	if evidenceLang := text.Language(evidence); evidenceLang != "" && evidenceLang != lang {
		return undecided
	}
	d := nearestCopy(claim, evidence, lang, sure != "", missing)
	switch {
	case d.against != "":
		return judgement{verdict: citewell.VerdictContradicted, reason: d.against, look: d.look, others: d.others, firm: d.firm}
	case d.share >= leastRepeated && slices.ContainsFunc(missing, inDigits):
		return judgement{verdict: citewell.VerdictUnsupported, reason: fmt.Sprintf("the source says nearly the same without %s", strings.Join(missing, ", ")), firm: true}
	case d.same:
		return judgement{verdict: citewell.VerdictSupported, reason: "the source says it in nearly the same words"}
	case d.look != "":
		undecided.reason = fmt.Sprintf("%s; no judge was asked what that means", d.look)
		undecided.look = d.look
	}
	return undecided
}

// inDigits reports whether a figure is written exactly: "eight times as many" may be of a sum.
func inDigits(figure string) bool { return strings.ContainsFunc(figure, unicode.IsDigit) }

// saysVerbatim reports whether a claim stands in the evidence word for word, as one or
// more whole sentences. Part of a sentence is not enough: the rest of it may deny the part.
func saysVerbatim(claim, evidence string) bool {
	for from := 0; ; {
		start, end, ok := Locate(claim, evidence[from:])
		if !ok {
			return false
		}
		start, end = from+start, from+end
		first, last := Whole(evidence, start, end)
		if first, last, ok = trimSpan(evidence, first, last); ok && first == start && strings.Trim(evidence[end:last], sentenceMarks) == "" {
			return true
		}
		from = end
	}
}

// sentenceMarks may stand behind a sentence that a claim repeats without them.
const sentenceMarks = " .!。！\"”’»)"
