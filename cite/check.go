package cite

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/text"
)

// A Judgement says how well evidence supports a claim, and why.
type Judgement struct {
	Verdict citewell.Verdict
	Score   float64  // share of the claim that the evidence has, 0 to 1, with what speaks for and against it
	Reason  string   // one short sentence for a reader
	Missing []string // figures and dates of the claim, as written, that the evidence does not state
	By      string   // what judged: ByWords, or a model by its kind and name

	words   lexical
	others  []otherFigure // where a figure decided that it is contradicted
	open    bool          // the words leave room for meaning: nothing denies, doubts or fails the claim
	foreign bool          // claim and evidence are in two languages
}

// ByWords is Judgement.By where code compared words, and no model was asked.
const ByWords = "words"

// What the check holds on to; set on the even lines of SciFact's labelled claims (lines
// are counted from 1), measured on the odd ones, and kept where the everyday pairs of
// the tests bear them out.
const (
	supportedFrom = 0.39 // score of a supported claim
	sureFrom      = 0.55 // of one that is supported where evidence or claim has a denial alone
	weakFrom      = 0.3  // and of a weakly supported one

	doubtFrom      = 0.45 // opposition from which a claim is weak at best
	agreedFrom     = 0.7  // agreement that shows that the same is said
	contradictFrom = 0.8  // opposition from which it is contradicted
	sameThingFrom  = 0.75 // share of the claim's words that a contradiction has, to be one

	agreementGain  = 0.5 // what full agreement in direction adds to the share of words
	oppositionLoss = 1.0 // what full opposition takes from it
	missingFigure  = 0.5 // what is left of it where a figure is missing
)

// longestClaim is how long a claim may be that is read word by word, in bytes.
const longestClaim = 8000

// Check compares a claim with the words it cites. lang is the claim's language;
// empty means that it is guessed.
//
// A claim that stands in the evidence word for word is supported. Otherwise every
// figure and date of the claim must occur in the evidence, in any unit, and every
// other number as it is, times and versions too; the words of
// the claim are looked up by stem; and the sentences that have most of them are asked
// whose side they take: whether the same things rise or fall, are denied, have an
// effect or none, or are called by a word or its opposite. A claim that is nearly a copy
// of a stretch of the evidence is judged by what differs: a denial, a figure, a quantity, a
// name, the order of words, an opposed small word, whose subject or figure it is.
// What is less sure than the claim, planned where the claim says done, or holds for some
// where the claim says all, is weak, and so is a claim of several facts where the evidence says nothing of one. A claim in another language than its evidence can be weak at best: words
// cannot be compared.
func Check(claim, evidence, lang string) Judgement { return check(claim, evidence, lang, weight) }

// check is Check with the weight of each of the claim's terms given.
func check(claim, evidence, lang string, weigh func(term string) float64) Judgement {
	if strings.TrimSpace(claim) == "" || strings.TrimSpace(evidence) == "" {
		return Judgement{Verdict: citewell.VerdictUnsupported, Reason: "there is nothing to compare", By: ByWords}
	}
	if _, _, ok := saysVerbatim(claim, lang, evidence); ok {
		return Judgement{Verdict: citewell.VerdictSupported, Score: 1, Reason: "the evidence says it word for word", By: ByWords}
	}
	if len(claim) > longestClaim {
		return Judgement{Verdict: citewell.VerdictUnsupported, Reason: "the claim is too long to be one statement, and the evidence does not say it word for word", By: ByWords}
	}
	evidenceLang := text.Language(evidence)
	if lang == "" {
		lang = cmp.Or(text.Language(claim), evidenceLang)
	}
	lang, _, _ = strings.Cut(lang, "-")
	sure := lang // 1.234 may be more than a thousand: figures are read in a language that is known
	if lang == "" {
		lang = text.LikelyLanguage(claim + "\n" + evidence)
	}
	foreign := lang != "" && evidenceLang != "" && lang != evidenceLang
	missing, stated := compareFigures(claim, sure, evidence, cmp.Or(evidenceLang, sure))
	evidenceLang = cmp.Or(evidenceLang, lang)
	support := lexicalSupport(claim, lang, evidence, evidenceLang, missing, stated, weigh)
	j := Judgement{Score: support.score(len(missing) > 0), Missing: missing, By: ByWords, words: support, foreign: foreign}
	figures, near := strings.Join(missing, ", "), support.nearest
	switch {
	case near.near() && near.against != "":
		j.Verdict, j.Reason, j.others = citewell.VerdictContradicted, near.against, near.others
	case len(missing) > 0:
		j.Verdict, j.Reason = citewell.VerdictUnsupported, fmt.Sprintf("the evidence does not state %s", figures)
	case near.near() && near.doubt != "" && (support.oppose < contradictFrom || near.firm):
		j.Verdict, j.Reason = citewell.VerdictWeak, near.doubt
	case near.same() && support.doubt+support.unborne == "":
		j.Verdict, j.Reason, j.Score = citewell.VerdictSupported, "the evidence has the words of the claim and says the same of them", max(j.Score, near.share)
	case foreign && (support.coverage > 0.1 || len(quantity.Figures(claim, lang))+len(quantity.Dates(claim, lang)) > 0):
		j.Verdict, j.Reason = citewell.VerdictWeak, "the evidence is in another language; its figures and names fit"
	case support.oppose >= contradictFrom && support.agree < agreedFrom && support.coverage >= sameThingFrom:
		j.Verdict, j.Reason = citewell.VerdictContradicted, support.reason
	case support.oppose >= doubtFrom && support.coverage >= weakFrom:
		j.Verdict, j.Reason = citewell.VerdictWeak, support.reason
	case support.coverage >= weakFrom && support.doubt+support.unborne != "":
		j.Verdict, j.Reason = citewell.VerdictWeak, cmp.Or(support.doubt, "the evidence says nothing of "+quoted(support.unborne))
	default:
		j.Verdict, j.Reason = support.verdict(j.Score)
		j.open = true
	}
	return j
}

// verdict is what a score says where nothing speaks against the claim.
func (l lexical) verdict(score float64) (citewell.Verdict, string) {
	switch {
	case score >= supportedFrom && l.agree >= agreedFrom:
		return citewell.VerdictSupported, "the evidence has the words of the claim and says the same of them"
	case score >= supportedFrom && (!l.uneven || score >= sureFrom):
		return citewell.VerdictSupported, "the evidence has the words of the claim"
	case score >= weakFrom:
		return citewell.VerdictWeak, "the evidence has part of the claim's words"
	}
	return citewell.VerdictUnsupported, "the evidence is about something else"
}

// score is the share of the claim's words that the evidence has, raised where it says
// the same of them and lowered where it says the opposite.
func (l lexical) score(missing bool) float64 {
	score := l.told * l.coverage * (1 - oppositionLoss*l.oppose + agreementGain*l.agree)
	if missing {
		score *= missingFigure
	}
	return min(1, score)
}

// compareFigures returns the figures, dates and other numbers of the claim that the evidence
// does not state, and where those stand that it does.
func compareFigures(claim, claimLang, evidence, evidenceLang string) (missing []string, stated []text.Span) {
	figures, dates := quantity.Figures(claim, claimLang), quantity.Dates(claim, claimLang)
	loose := looseSpans(claim, claimLang, figures, dates)
	if len(figures)+len(dates)+len(loose) == 0 {
		return nil, nil
	}
	numbers := numberSet(evidence)
	var counted []quantity.Figure
	if len(figures)+len(dates) > 0 {
		counted = quantity.Figures(evidence, evidenceLang)
	}
	for _, f := range figures {
		switch {
		case slices.ContainsFunc(counted, f.Supports):
			stated = append(stated, text.Span{Start: f.Start, End: f.End})
		case !f.Plain() || !standsAs(f, numbers) || slices.ContainsFunc(counted, f.Reverses):
			missing = append(missing, f.Raw)
		}
	}
	if len(dates) > 0 {
		shown := quantity.Dates(evidence, evidenceLang)
		for _, d := range dates {
			asName := func(f quantity.Figure) bool { return d.Month == 0 && f.Raw == d.Raw && namesYear(evidence, f) }
			if slices.ContainsFunc(shown, d.Supports) || slices.ContainsFunc(counted, asName) {
				stated = append(stated, text.Span{Start: d.Start, End: d.End})
			} else {
				missing = append(missing, d.Raw)
			}
		}
	}
	return append(unique(missing), missingNumbers(claim, loose, numbers)...), stated
}

// Words before and behind a year that would else be a count: "the 1979 crisis", "wurde 1877
// von Hall entdeckt".
var (
	beforeYear = text.SetOf("the a an der die das den dem des la le el il o a de l")
	behindYear = text.SetOf("by von vom durch par por da door")
)

// namesYear says whether a bare count of a text is a year.
func namesYear(s string, f quantity.Figure) bool {
	const reach = 12 // bytes
	before, behind := text.Words(s[max(0, f.Start-reach):f.Start]), text.Words(s[f.End:min(len(s), f.End+reach)])
	return len(before) > 0 && beforeYear[before[len(before)-1].Text] || len(behind) > 0 && behindYear[behind[0].Text]
}

// standsAs says whether a bare count is a number of the evidence in whatever role: the
// evidence may give a unit or a name to what the claim only counts ("aged 16 to 24",
// "16-24 years"; "type two", "type 2").
func standsAs(f quantity.Figure, numbers map[string]bool) bool {
	for _, end := range []float64{f.Low, f.High} {
		if math.IsInf(end, 0) {
			end = f.Value
		}
		if same := sameNumber(strconv.FormatFloat(end, 'f', -1, 64)); !numbers[same] && !numbers[halfDayOf+same] { // five pm
			return false
		}
	}
	return true
}
