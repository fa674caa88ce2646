package cite

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/text"
)

// Refusals are verbs that deny the verb behind them: "failed to lower", "refused to
// approve", "weigerte sich, … zu genehmigen". The word after, where one is named, tells
// them from the same verb with an object of its own.
var refusals = map[string]struct{ verbs, next map[string]bool }{
	"en": {text.SetOf("fail fails failed failing refuse refuses refused refusing decline declines declined neglects neglected ceases ceased yet"), text.SetOf("to")},
	"de": {text.SetOf("weigert weigerte weigern weigerten"), text.SetOf("sich")},
	"fr": {text.SetOf("refuse refusé refusa refusent refusée refusait"), text.SetOf("de d")},
	"es": {text.SetOf("negó niega niegan negaron negado"), text.SetOf("a")},
	"it": {text.SetOf("rifiuta rifiutò rifiutato rifiutata rifiutano rifiutarono"), text.SetOf("di")},
	"pt": {text.SetOf("recusou recusa recusaram recusou-se recusa-se recusaram-se"), text.SetOf("a")},
	"nl": {text.SetOf("weigert weigerde weigeren weigerden"), nil},
	"ru": {text.SetOf("отказался отказалась отказалось отказались отказывается отказываются"), nil},
}

// Verbs that deny the noun or the participle behind them: what lacks support, or dropped
// it, has none, and who stopped paying does not pay. A mouse that lacks a gene is another
// thing: there less of the one goes with less of the other.
var (
	lackings  = text.SetOf("lacks lacked")
	droppings = text.SetOf("drop drops dropped dropping end ends ended remove removes removed withdraw withdraws withdrew withdrawn discontinued abandoned abandons lost loses")
	stoppings = text.SetOf("stop stops stopped")
)

// furthers are words for more that after a denial mean "any longer".
var furthers = map[string]map[string]bool{
	"en": text.SetOf("longer"), "de": text.SetOf("mehr"), "fr": text.SetOf("plus"), "it": text.SetOf("più"), "pt": text.SetOf("mais"), "nl": text.SetOf("meer"),
}

// markRefused reads verbs that deny another verb as denials, and takes from the words
// that only help a denial along what they mean elsewhere.
func markRefused(words []word, lang string) {
	list := refusals[lang]
	for i := range words {
		w := &words[i]
		next := ""
		if i+1 < len(words) && words[i+1].clause == w.clause {
			next = words[i+1].low
		}
		switch {
		case list.verbs[w.low] && (list.next == nil || list.next[next] || lang == "fr" && elided(next, "d")):
			w.negation, w.refusal = true, true
			w.mute()
			if lang == "de" { // sich
				words[i+1].mute()
			}
		case lang == "en" && (lackings[w.low] && sideNear(words, i) || stoppings[w.low] && strings.HasSuffix(next, "ing") || droppings[w.low] && supportNear(words, i)):
			w.negation = true
			w.mute()
		}
		if w.negation {
			muteFurther(words, i, lang)
		}
	}
}

// mute takes from a word what it means elsewhere.
func (w *word) mute() { w.poles, w.relation, w.content = nil, false, false }

// comparing follow a word for more that compares: "no longer than".
var comparing = text.SetOf("als que di than dan")

// muteFurther mutes the words for "any longer" behind the negation at i.
func muteFurther(words []word, i int, lang string) {
	const reach = 3 // words
	for j := i + 1; j <= i+reach && j < len(words) && words[j].clause == words[i].clause && words[j].low != "pas"; j++ {
		compares := j+1 < len(words) && comparing[words[j+1].low]
		if furthers[lang][words[j].low] && !compares && (lang != "en" || j == i+1 && words[i].low == "no") {
			words[j].mute()
		}
	}
}

// elided says whether a word begins with a letter and an apostrophe.
func elided(low, letter string) bool {
	return strings.HasPrefix(low, letter+"'") || strings.HasPrefix(low, letter+"’")
}

// supportNear says whether one of the two words after i is "support".
func supportNear(words []word, i int) bool {
	return slices.ContainsFunc(behind(words, i), func(w word) bool { return w.low == "support" })
}

// sideNear says whether one of the two words after i takes a side, and not that of more
// or less.
func sideNear(words []word, i int) bool {
	return slices.ContainsFunc(behind(words, i), func(w word) bool { return w.directed() && w.sign(amount) == 0 })
}

// behind are up to two words after i in its clause.
func behind(words []word, i int) []word {
	end := i + 1
	for end <= i+2 && end < len(words) && words[end].clause == words[i].clause {
		end++
	}
	return words[i+1 : end]
}

// Words that, with a "that" close behind, say that what follows is not so, or that
// somebody says so.
var (
	disownings = map[string]map[string]bool{
		"en": text.SetOf("false untrue incorrect wrong myth misconception fallacy hoax deny denies denied denying dispute disputes disputed disputing doubt doubts doubted refute refutes refuted debunk debunked rumour rumours rumor rumors falsely wrongly mistakenly allege alleges"),
		"de": text.SetOf("falsch unwahr mythos irrtum märchen gerücht fälschlich fälschlicherweise bestreitet bestritt bestreiten leugnet leugnete dementiert dementierte bezweifelt bezweifelte"),
		"fr": text.SetOf("faux tort mythe rumeur nie nient nié nia dément démenti doute doutent conteste contesté"),
		"es": text.SetOf("falso mito bulo niega niegan negó negaron desmiente desmintió duda dudan"),
		"it": text.SetOf("falso mito bufala nega negano negò negato smentisce smentito dubita"),
		"pt": text.SetOf("falso mito boato nega negam negou negaram desmente desmentiu duvida"),
		"nl": text.SetOf("onwaar onjuist fabel mythe ontkent ontkende ontkennen betwist betwijfelt"),
		"ru": text.SetOf("неправда ложно ошибочно слухи ложь миф неверно отрицает отрицал отрицают опровергает опроверг сомневается"),
	}
	thats = text.SetOf("that dass daß que qu che dat что")
	// whethers leave open what follows; where the word has another sense too, it must
	// follow a word of asking. After a comma the English one says "no matter if".
	whethers = map[string]map[string]bool{"en": text.SetOf("whether"), "de": text.SetOf("ob"), "ru": text.SetOf("ли"), "fr": text.SetOf("si"), "es": text.SetOf("si"), "it": text.SetOf("se"), "pt": text.SetOf("se")}
	askings  = map[string]map[string]bool{
		"fr": text.SetOf("demande demandé demandent demander savoir ignore examiné étudié vérifier déterminer évaluer"),
		"es": text.SetOf("pregunta preguntó preguntan saber ignora examinó estudió verificar determinar evaluar"),
		"it": text.SetOf("chiede chiesto sapere ignora esaminato studiato verificare determinare valutare"),
		"pt": text.SetOf("pergunta perguntou saber ignora examinou estudou verificar determinar avaliar"),
	}
)

// disowned says by what a sentence leaves open or denies, as a whole, what it has of the
// other side: it asks, or says that it is false, or that somebody denies it.
func (s sentence) disowned() (why string) {
	if asks := strings.TrimRight(s.text, " \n\t\"'”’»)]"); strings.HasSuffix(asks, "?") || strings.HasSuffix(asks, "？") || strings.HasSuffix(asks, "؟") {
		return "the evidence only asks it"
	}
	for i, w := range s.words {
		switch {
		case disownings[s.lang][w.low] && !w.denied && (i == 0 || !s.words[i-1].negation) && s.thatNear(i):
			if s.mostlyAfter(i) {
				return "the evidence says it is not so, or that somebody denies it (" + quoted(s.raw(i)) + ")"
			}
		case disownings[s.lang][w.low] && !w.denied && (i == 0 || !s.words[i-1].negation) && s.reportedBefore(i):
			return "the evidence says it is not so (" + quoted(s.raw(i)) + ")"
		case whethers[s.lang][w.low] && !(s.lang == "en" && w.comma) && (askings[s.lang] == nil || i > 0 && askings[s.lang][s.words[i-1].low]) && !(i > 1 && s.words[i-2].low == "regardless"):
			if s.mostlyAfter(i - 1) {
				return "the evidence leaves it open (" + quoted(s.raw(i)) + ")"
			}
		}
	}
	return ""
}

// thatNear says whether "that" is one of the two words after i.
func (s sentence) thatNear(i int) bool {
	for j := i + 1; j <= i+2 && j < len(s.words); j++ {
		if thats[s.words[j].low] || strings.HasPrefix(s.words[j].low, "qu'") || strings.HasPrefix(s.words[j].low, "qu’") {
			return true
		}
	}
	return false
}

// reportedBefore says whether all that the sentence has of the other side stands between a
// "that" and word i: "reports that the mayor resigned are false". What has the other side's
// words before the "that" too is a relative clause.
func (s sentence) reportedBefore(i int) bool {
	that, between := -1, 0
	for j, w := range s.words {
		switch {
		case j != i && s.match[j] > 0 && (that < 0 || j > i):
			return false
		case j < i && s.match[j] > 0:
			between++
		case j < i && that < 0 && thats[w.low]:
			that = j
		}
	}
	return that >= 0 && between > 0
}

// mostlyAfter says whether most of what the sentence has of the other side stands after
// word i.
func (s sentence) mostlyAfter(i int) bool {
	before, after := 0, 0
	for j := range s.words {
		switch {
		case s.match[j] == 0 || j == i:
		case j < i:
			before++
		default:
			after++
		}
	}
	return after > before
}

// Words that take out of a statement what follows them, and words by which a thing all
// but came to pass.
var (
	exceptions = map[string]map[string]bool{
		"en": text.SetOf("except excepting excluding"), "de": text.SetOf("außer ausgenommen statt anstatt anstelle"), "fr": text.SetOf("sauf excepté hormis"), "es": text.SetOf("excepto salvo"),
		"it": text.SetOf("tranne eccetto anziché"), "pt": text.SetOf("exceto salvo"), "nl": text.SetOf("behalve uitgezonderd"), "ru": text.SetOf("вместо"),
	}
	insteads = text.SetOf("instead|of rather|than lieu|de lugar|de vez|de invece|di plaats|van")
	almosts  = map[string]map[string]bool{
		"en": text.SetOf("almost nearly"), "de": text.SetOf("fast beinahe"), "fr": text.SetOf("presque"), "es": text.SetOf("casi"), "it": text.SetOf("quasi"), "pt": text.SetOf("quase"), "nl": text.SetOf("bijna"), "ru": text.SetOf("почти"),
	}
)

// takesOut names what the sentence has of the other side but takes out of what it says,
// or says only almost.
func (s sentence) takesOut() string {
	const most = 3 // content words that an exception is of
	for i, w := range s.words {
		if almosts[s.lang][w.low] && i+1 < len(s.words) && s.words[i+1].content && s.match[i+1] > 0 && s.words[i+1].clause == w.clause && digitSize(s.text, s.words[i+1].start) == 0 {
			return s.text[w.start:s.words[i+1].end]
		}
		if !exceptions[s.lang][w.low] && (i == 0 || !insteads[s.words[i-1].low+"|"+w.low]) {
			continue
		}
		for j, n := i+1, 0; j < len(s.words) && n < most && s.words[j].clause == w.clause && (j == i+1 || !s.words[j].comma); j++ {
			if !s.words[j].content {
				continue
			}
			n++
			elsewhere := false
			for k := range s.words {
				elsewhere = elsewhere || k < i && s.words[k].term == s.words[j].term
			}
			if s.match[j] > 0 && !elsewhere {
				from := i
				if !exceptions[s.lang][w.low] {
					from--
				}
				return s.text[s.words[from].start:s.words[j].end]
			}
		}
	}
	return ""
}
