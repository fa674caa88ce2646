package cite

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/text"
)

// plans are words by which a thing is meant, promised or expected to come.
var plans = map[string]map[string]bool{
	"en": text.SetOf("will would shall going plan plans planned planning want wants intend intends intended expect expects expected hope hopes hoped aim aims promise promises promised pledged forecast forecasts predicted projected scheduled"),
	"de": text.SetOf("will wollen wird werden soll sollen plant planen plante geplant geplante beabsichtigt möchte möchten erwartet versprach"),
	"fr": text.SetOf("prévoit prévoient prévu prévue prévus prévues veut veulent compte souhaite espère devrait envisage promet promis va vont"),
	"es": text.SetOf("prevé prevén previsto prevista quiere quieren planea planean espera pretende promete prometió va van"),
}

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
	if s.findNear(plans[s.lang]) != "" {
		return ""
	}
	for i, w := range shown.words {
		if !plans[s.lang][w.low] {
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

// did says whether the claim tells the verb at j of a plan in a past tense. "Is removed" may
// be a plan as well.
func (s sentence) did(shown sentence, j int) bool {
	verb, passive := shown.words[j], shown.words[j-1].low == "be"
	for k, w := range s.words {
		if k == 0 || like(w.term, verb.term) == 0 || w.low == verb.low && !passive {
			continue
		}
		before := s.words[k-1].low
		past := slices.ContainsFunc(pasts[s.lang], func(end string) bool { return strings.HasSuffix(w.low, end) })
		if past && before != "is" && before != "are" && before != "be" {
			return true
		}
	}
	return false
}
