package cite

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell/text"
)

// A pole is one of two opposite directions; words of the same axis and other sign
// say opposite things.
type pole struct {
	axis string
	sign int
}

// poles are words with a direction by the stem of the word, in the languages that
// have a table. Words that often carry another sense ("low", "over") are left out.
var poles = func() map[string]map[string]pole {
	tables := map[string]map[string]pole{}
	for lang, axes := range map[string]map[string][2]string{
		"en": {
			"amount": {
				"increase increases increased increasing raise raises raised rise rises rising rose grow grows grew growth higher greater more elevate elevates elevated enhance enhances enhanced boost boosts boosted upregulate upregulates upregulated upregulation augment augments promote promotes promoted stimulate stimulates stimulated elevation gain gained larger",
				"decrease decreases decreased decreasing reduce reduces reduced reducing reduction lower lowers lowered lowering fall falls falling fell decline declines declined declining shrink shrank diminish diminishes diminished drop dropped drops fewer less smaller attenuate attenuates attenuated downregulate downregulates downregulated downregulation suppress suppresses suppressed suppression inhibit inhibits inhibited inhibition impair impairs impaired loss",
			},
			"quality": {"improve improves improved improving improvement better beneficial benefit benefits protective protects protect protection", "worsen worsens worsened worse harm harms harmful detrimental deteriorate deteriorates deteriorated damage"},
			"speed":   {"faster accelerate accelerates accelerated quicker", "slower slow slows slowed delays delayed delay"},
			"able":    {"allow allows allowed enable enables enabled permit permits permitted support supports supported", "prevent prevents prevented prevention forbid forbids prohibit prohibits prohibited disallow disallows block blocks blocked reject rejects rejected"},
			"state":   {"enabled", "disabled"},
			"side":    {"positive positively", "negative negatively inverse inversely"},
			"success": {"succeed succeeds succeeded successful success", "fail fails failed failure"},
			"need":    {"mandatory required requires require obligatory", "optional"},
			"order":   {"before earlier", "after later"},
			"act":     {"activate activates activated activation", "inactivate inactivates inactivated inactivation deactivate deactivates"},
			"short":   {"longer lengthen lengthens prolong prolongs prolonged", "shorter shorten shortens shortened"},
		},
		"de": {
			"amount":  {"erhöht erhöhen erhöhte steigt steigen stieg gestiegen wächst wuchs mehr höher zunahme zugenommen", "verringert verringern verringerte sinkt sinken sank gesunken senkt reduziert weniger niedriger abnahme abgenommen schrumpft"},
			"quality": {"verbessert verbesserte besser", "verschlechtert verschlechterte schlechter"},
			"able":    {"erlaubt ermöglicht", "verhindert verbietet verboten"},
		},
		"fr": {
			"amount":  {"augmente augmenté augmentation hausse croissance plus", "diminue diminué diminution baisse réduit réduction moins"},
			"quality": {"améliore amélioré mieux", "aggrave aggravé pire"},
			"able":    {"permet autorise", "empêche interdit"},
		},
		"es": {
			"amount":  {"aumenta aumentó aumentado aumento crece creció más mayor", "disminuye disminuyó reduce redujo reducción menos menor baja bajó"},
			"quality": {"mejora mejoró mejor", "empeora empeoró peor"},
			"able":    {"permite", "impide prohíbe"},
		},
		"ru": {
			"amount": {"увеличивает увеличил увеличилось увеличение вырос выросла растёт рост больше выше", "уменьшает уменьшил уменьшилось уменьшение снизил снизилась снижает снижение упал меньше ниже"},
			"able":   {"позволяет разрешает", "запрещает предотвращает"},
		},
	} {
		tables[lang] = map[string]pole{}
		for axis, sides := range axes {
			for i, words := range sides {
				for word := range strings.FieldsSeq(words) {
					tables[lang][text.Stem(lang, word)] = pole{axis, 1 - 2*i}
				}
			}
		}
	}
	return tables
}()

// negations deny what follows them.
var negations = map[string]map[string]bool{
	"en": wordSet("not no never neither nor cannot none nothing unable unlikely unrelated ineffective unaffected unchanged irrelevant"),
	"de": wordSet("nicht kein keine keinen keiner keinem nie niemals ohne weder"),
	"fr": wordSet("ne pas jamais aucun aucune sans ni n"),
	"es": wordSet("no nunca jamás ningún ninguna ninguno sin ni tampoco"),
	"ru": wordSet("не нет ни никогда без нельзя"),
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// A stance is what a sentence says of a direction: which axes it names with which
// sign, and whether it denies.
type stance struct {
	signs   map[string]int // axis → sign; 0 where both directions occur
	words   map[string]string
	denials int
}

// readStance reads the stance of s. Where about is given, only words near one of
// those terms count: a sentence may deny something else.
func readStance(s, lang string, about map[string]bool) stance {
	st := stance{signs: map[string]int{}, words: map[string]string{}}
	words := text.Words(s)
	near := make([]bool, len(words))
	for i, w := range words {
		if about == nil || about[text.Stem(lang, w.Text)] {
			for j := max(0, i-windowWords); j <= min(len(words)-1, i+windowWords); j++ {
				near[j] = true
			}
		}
	}
	for i, w := range words {
		if !near[i] {
			continue
		}
		if isNegation(lang, w.Text) && (about == nil || denies(words[i+1:], lang, about)) {
			st.denials++
		}
		p, ok := poles[lang][text.Stem(lang, w.Text)]
		if !ok {
			continue
		}
		if sign, known := st.signs[p.axis]; known && sign != p.sign {
			st.signs[p.axis] = 0
			continue
		}
		st.signs[p.axis], st.words[p.axis] = p.sign, s[w.Start:w.End]
	}
	return st
}

func isNegation(lang, word string) bool {
	return negations[lang][word] || lang == "en" && (strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t"))
}

// denies says whether one of the next words, which a negation stands before, is
// about the claim or gives a direction; "not only" denies nothing.
func denies(next []text.Token, lang string, about map[string]bool) bool {
	const reach = 4
	for i, w := range next[:min(reach, len(next))] {
		if i == 0 && (w.Text == "only" || w.Text == "nur" || w.Text == "seulement" || w.Text == "sólo" || w.Text == "только") {
			return false
		}
		stem := text.Stem(lang, w.Text)
		if _, directed := poles[lang][stem]; directed || about[stem] {
			return true
		}
	}
	return false
}

// windowWords is how far from the words of the claim a negation or a direction may
// stand and still be about them.
const windowWords = 6

// opposition says why evidence denies the claim, or nothing where it does not.
func opposition(claim, claimLang, evidence, evidenceLang string) string {
	if poles[claimLang] == nil || claimLang != evidenceLang || evidence == "" {
		return ""
	}
	about := map[string]bool{}
	for _, w := range text.Words(claim) {
		if !text.IsStop(claimLang, w.Text) {
			about[text.Stem(claimLang, w.Text)] = true
		}
	}
	says, shows := readStance(claim, claimLang, nil), readStance(evidence, evidenceLang, about)
	flipped := false
	reason := ""
	for axis, sign := range says.signs {
		other, ok := shows.signs[axis]
		if ok && sign*other == -1 {
			flipped = !flipped
			reason = fmt.Sprintf("the claim says %q, the evidence %q", says.words[axis], shows.words[axis])
		}
	}
	if (says.denials%2 == 1) != (shows.denials%2 == 1) {
		flipped = !flipped
		if reason == "" {
			reason = "one of claim and evidence denies it"
		}
	}
	if !flipped {
		return ""
	}
	return reason
}
