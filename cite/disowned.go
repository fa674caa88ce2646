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

// negationBefore gives the negation before content word i that no other one parts from it,
// -1 for none.
func negationBefore(words []word, i int) int {
	const reach = 3 // words
	for j := i - 1; words[i].content && j >= max(0, i-reach) && words[j].clause == words[i].clause && (!words[j].content || words[j].negation); j-- {
		if words[j].negation {
			return j
		}
	}
	return -1
}

// secrets are words other than disownings that a negation makes a plain statement of.
var secrets = text.SetOf("secret surprise surprised surprising wonder coincidence accident question forget forgotten")

// beyonds are words that put a doubt behind them out of the question: "außer Zweifel".
var beyonds = text.SetOf("nul hors ausser fuori fora fuera buiten вне")

// affirm takes their force from negations of words that disown, and of secrets: "there is
// no doubt that" denies nothing. Nor does "no matter how".
func affirm(words []word, lang string) {
	that := len(words) > 0 && lang != "en" && thats[words[0].low] // "dass …, daran besteht kein Zweifel"
	for i, w := range words {
		if lang == "en" && i > 0 && w.low == "matter" && words[i-1].low == "no" && i+1 < len(words) && indirects["en"][words[i+1].low] {
			words[i-1].negation = false
		}
		if !disownings[lang][w.low] && (lang != "en" || !secrets[w.low]) || !that && !thatNear(words, i) {
			continue
		}
		words[i].denied = i > 0 && beyonds[words[i-1].low] || i > 1 && beyonds[words[i-2].low]
		for at := negationBefore(words, i); at >= 0; at = negationBefore(words, i) {
			words[at].negation, words[i].denied = false, true
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
		"de": text.SetOf("falsch unwahr mythos irrtum märchen gerücht fälschlich fälschlicherweise bestreitet bestritt bestreiten leugnet leugnete dementiert dementierte bezweifelt bezweifelte zweifel"),
		"fr": text.SetOf("faux tort mythe rumeur nie nient nié nia dément démenti doute doutent conteste contesté"),
		"es": text.SetOf("falso mito bulo niega niegan negó negaron desmiente desmintió duda dudan"),
		"it": text.SetOf("falso mito bufala nega negano negò negato smentisce smentito dubita dubbio dubbi"),
		"pt": text.SetOf("falso mito boato nega negam negou negaram desmente desmentiu duvida dúvida"),
		"nl": text.SetOf("onwaar onjuist fabel mythe ontkent ontkende ontkennen betwist betwijfelt twijfel"),
		"ru": text.SetOf("неправда ложно ошибочно слухи ложь миф неверно отрицает отрицал отрицают опровергает опроверг сомневается сомнений сомнения"),
	}
	thats = text.SetOf("that dass que qu che dat что")
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

// opens are words that leave open what a word of asking behind them begins; indirects are
// these words of asking, and "that", behind a word that is denied.
var (
	opens = map[string]map[string]bool{
		"en": text.SetOf("unknown unclear uncertain unsure undecided unresolved unexplained mystery wonder wonders wondered ask asks asked question questions questioned doubtful"),
		"de": text.SetOf("unbekannt unklar ungewiss ungeklärt rätsel fragt fragte fragen"),
		"fr": text.SetOf("inconnu inconnue incertain incertaine ignore ignorent ignorait mystère demande demandent"),
		"es": text.SetOf("desconoce desconocen desconocido desconocida ignora incierto misterio pregunta preguntan"),
		"it": text.SetOf("sconosciuto sconosciuta ignoto ignota ignora incerto mistero chiede chiedono"),
		"pt": text.SetOf("desconhece desconhecem desconhecido desconhecida ignora incerto mistério pergunta perguntam"),
		"nl": text.SetOf("onbekend onduidelijk onzeker raadsel vraagt vragen"),
		"ru": text.SetOf("неизвестно неясно непонятно неизвестен неизвестна неизвестны загадка"),
	}
	indirects = map[string]map[string]bool{
		"en": text.SetOf("how why what who whom whose which when where whether if that"),
		"de": text.SetOf("wie warum weshalb was wer wen wem wessen welche welcher welches wann wo wohin woher wieviel wieviele ob dass"),
		"fr": text.SetOf("comment pourquoi qui quand où combien quel quelle quels quelles si que qu"),
		"es": text.SetOf("cómo porqué qué quién quiénes cuándo dónde cuánto cuánta cuántos cuántas cuál cuáles si que"),
		"it": text.SetOf("come perché cosa chi quando dove quanto quanta quanti quante quale quali se che"),
		"pt": text.SetOf("como porquê quem quando onde quanto quanta quantos quantas qual quais se que"),
		"nl": text.SetOf("hoe waarom wat wie wanneer waar hoeveel welke of dat"),
		"ru": text.SetOf("как почему зачем что кто кого когда где куда откуда сколько какой какая какое какие ли"),
	}
)

// conjunctions are those of the indirects that begin other clauses as well.
var conjunctions = text.SetOf("when where which if wann wo quand où si quando dove se onde qual quale wanneer waar welke of когда где как")

// asks says whether a sentence ends as a question does.
func (s sentence) asks() bool {
	end := strings.TrimRight(s.text, " \n\t\"'”’»)]")
	return strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") || strings.HasSuffix(end, "؟")
}

// disowned says by what a sentence of the evidence leaves open or denies, as a whole, what
// it has of the claim: it asks, or says that it is false, or not known, or that somebody
// denies it.
func (s sentence) disowned() (why string) {
	if s.asks() {
		return "only asks it"
	}
	bare := true
	for i, w := range s.words {
		if why = s.disowns(i, bare); why != "" {
			return why
		}
		switch {
		case whethers[s.lang][w.low] && !(s.lang == "en" && w.comma) && (askings[s.lang] == nil || i > 0 && askings[s.lang][s.words[i-1].low]) && !(i > 1 && s.words[i-2].low == "regardless"):
			if s.mostlyAfter(i - 1) {
				return "leaves it open (" + quoted(s.raw(i)) + ")"
			}
		}
		bare = bare && !w.content
	}
	return ""
}

// disowning says by what a claim leaves open or denies what it has of the evidence.
func (s sentence) disowning() (why string) {
	for i := range s.words {
		if why = s.disowns(i, true); why != "" {
			return why
		}
	}
	return ""
}

// disowns says what word i, which the other side does not have, says of the rest of its
// sentence: that it is not so, or not known. denied is whether a negation before it can
// make it say so.
func (s sentence) disowns(i int, denied bool) string {
	w := s.words[i]
	switch {
	case s.match[i] > 0:
	case disownings[s.lang][w.low] && !w.denied && thatNear(s.words, i):
		if s.mostlyAfter(i) {
			return "says it is not so, or that somebody denies it (" + quoted(s.raw(i)) + ")"
		}
	case disownings[s.lang][w.low] && !w.denied && s.reportedBefore(i):
		return "says it is not so (" + quoted(s.raw(i)) + ")"
	case (opens[s.lang][w.low] && !w.denied || denied && !w.proof && s.deniedBefore(i)) && s.asked(i):
		return "leaves it open, or says it is not so (" + quoted(s.raw(i)) + ")"
	}
	return ""
}

// Relatives say of whom none of a group it is: "no patient who took the drug".
var (
	relatives = text.SetOf("who whom whose qui кто")
	noOnes    = text.SetOf("no none aucun aucune")
)

// deniedBefore says whether a negation stands before word i that is not one of a group.
func (s sentence) deniedBefore(i int) bool {
	at := negationBefore(s.words, i)
	return at >= 0 && !(noOnes[s.words[at].low] && s.words[at+1].low != "one" && i+1 < len(s.words) && relatives[s.words[i+1].low])
}

// asked says whether what the sentence has of the other side is what word i asks: "it is
// not known who …", "who … is unknown". Of words that begin other clauses, too, it must have
// nothing before: "the pump does not run when it rains" asks nothing.
func (s sentence) asked(i int) bool {
	const reach = 2 // words
	for j := i + 1; j <= i+reach && j < len(s.words); j++ {
		if low := s.words[j].low; indirects[s.lang][low] && !(s.lang == "en" && s.words[j].comma) {
			clear := opens[s.lang][s.words[i].low] || !conjunctions[low] && !thats[low]
			return s.mostlyAfter(j) && (clear || !slices.ContainsFunc(s.match[:i], found))
		}
	}
	return indirects[s.lang][s.words[0].low] && s.allBefore(i)
}

// thatNear says whether "that" is one of the three words after i: "false to say that".
func thatNear(words []word, i int) bool {
	for j := i + 1; j <= i+3 && j < len(words); j++ {
		if thats[words[j].low] || strings.HasPrefix(words[j].low, "qu'") || strings.HasPrefix(words[j].low, "qu’") {
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

// allBefore says whether all that the sentence has of the other side stands before word
// i.
func (s sentence) allBefore(i int) bool {
	return slices.ContainsFunc(s.match[:i], found) && !slices.ContainsFunc(s.match[i:], found)
}

func found(match float64) bool { return match > 0 }

// Words that take out of a statement what follows them, and words by which a thing all
// but came to pass.
var (
	exceptions = map[string]map[string]bool{
		"en": text.SetOf("except excepting excluding"), "de": text.SetOf("ausser ausgenommen statt anstatt anstelle"), "fr": text.SetOf("sauf excepté hormis"), "es": text.SetOf("excepto salvo"),
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
