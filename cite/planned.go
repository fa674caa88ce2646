package cite

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/text"
)

// plans are words by which a thing is meant, promised or expected to come.
var plans = map[string]map[string]bool{
	"en": text.SetOf("will shall going plan plans planned planning want wants intend intends intended expect expects expected hope hopes hoped aim aims promise promises promised pledged forecast forecasts predicted projected scheduled"),
	"de": text.SetOf("will wollen wird werden soll sollen plant planen plante geplant geplante beabsichtigt möchte möchten erwartet versprach"),
	"fr": text.SetOf("prévoit prévoient prévu prévue prévus prévues veut veulent compte souhaite espère devrait envisage promet promis va vont"),
	"es": text.SetOf("prevé prevén previsto prevista quiere quieren planea planean espera pretende promete prometió va van"),
}

// conditionals tell a plan where somebody is said to have meant it, and else a deed.
var conditionals = text.SetOf("would")

// pasts are the endings of verbs that tell what was done.
var pasts = map[string][]string{
	"en": {"ed"},
	"de": {"t", "te", "ten"},
	"fr": {"é", "ée", "és", "ées", "i", "ie", "it", "u", "ue", "a", "èrent"},
	"es": {"ó", "aron", "ieron", "ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas"},
}

// planned gives the word by which the evidence has for a plan what the claim, which has no
// such word, tells as done.
func (s sentence) planned(shown sentence) string {
	if s.near(plans[s.lang]) >= 0 || s.near(conditionals) >= 0 {
		return ""
	}
	for i, w := range shown.words {
		if !plans[s.lang][w.low] && !(s.lang == "en" && conditionals[w.low] && shown.reported(i)) {
			continue
		}
		for j := i + 1; j < len(shown.words) && shown.words[j].clause == w.clause; j++ {
			if shown.match[j] > 0 && s.did(shown, j) {
				return shown.raw(i)
			}
		}
	}
	return ""
}

// reported says whether the "would" at i is of what somebody said or meant, "said that it
// would", and not of a life, "in 1890 he would move".
func (s sentence) reported(i int) bool {
	if i > 0 && (s.words[i-1].low == "and" || s.words[i-1].low == "but") {
		return false
	}
	that := false
	for j := i - 1; j >= 0 && !s.words[j+1].comma; j-- {
		that = that || thats[s.words[j].low]
		if w := s.words[j]; (s.past(w) || plans["en"][w.low]) && (that || !prepositions[s.words[j+1].low]) {
			return true
		}
	}
	return false
}

// past says whether a word is a verb that tells what was done.
func (s sentence) past(w word) bool {
	return s.lang == "en" && text.IrregularPast(w.low) || slices.ContainsFunc(pasts[s.lang], func(end string) bool { return strings.HasSuffix(w.low, end) })
}

// did says whether the claim tells the verb at j of a plan in a past tense. "Is removed" may
// be a plan as well.
func (s sentence) did(shown sentence, j int) bool {
	verb, passive := shown.words[j], shown.words[j-1].low == "be"
	for k, w := range s.words {
		if k == 0 || like(w.term, verb.term) == 0 || w.low == verb.low && !passive {
			continue
		}
		before := s.words[k-1].low
		if s.past(w) && before != "is" && before != "are" && before != "be" && !shown.done(w.low, j) {
			return true
		}
	}
	return false
}

// done says whether the sentence has the past of a verb elsewhere than in the plan at j too,
// of something that the other side has.
func (s sentence) done(past string, plan int) bool {
	const reach = 4 // words
	for i, w := range s.words {
		if w.low != past || i == plan {
			continue
		}
		alone := true
		for j := i + 1; j <= i+reach && j < len(s.words) && !plans[s.lang][s.words[j].low]; j++ {
			if s.match[j] > 0 {
				return true
			}
			alone = alone && !s.words[j].content
		}
		if alone {
			return true
		}
	}
	return false
}
