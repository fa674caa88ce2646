package cite

import "github.com/citewell/citewell/text"

// turners are words beside which a denial says what may be said without one: "not until
// May" is "only from May", "granted unless it rains" is "not granted when it rains".
var turners = map[string]map[string]bool{
	"en": text.SetOf("only until till unless except"),
	"de": text.SetOf("nur erst bis außer sondern"),
	"fr": text.SetOf("que qu'à seulement seul seule seuls seules sauf"),
	"es": text.SetOf("solo sólo solamente hasta salvo excepto sino"),
}

// turnsDenial says whether a denial in the sentence, or against it, may say the same as
// none: beside a turner, or of the second of two things, "the door, not the weather".
func (s sentence) turnsDenial() bool {
	for i, w := range s.words {
		if turners[s.lang][w.low] || w.negation && (w.comma || i > 0 && s.words[i-1].low == "but") {
			return true
		}
	}
	return false
}
