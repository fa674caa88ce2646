package cite

import (
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell/text"
)

// A pole is one of two opposite sides; words of the same axis and other sign say
// opposite things.
type pole struct {
	axis string
	sign int
}

// amount is the axis on which signs multiply: less of a loss is more. On every other
// axis two words are opposites or they are not.
const amount = "amount"

// axes are words with a side, by language and axis; the positive or larger side first.
// Words that mostly carry another sense ("over", "light") are left out, and so are words
// that only some use as opposites ("acute", "chronic"). The lists are general ones,
// written by hand and not taken from any labelled text.
var axes = map[string]map[string][2]string{
	"en": englishAxes,
	"ar": arabicAxes,
	"de": {
		amount: {
			"erhöht erhöhen erhöhte erhöhung steigt steigen stieg stiegen gestiegen anstieg wächst wachsen wuchs gewachsen wachstum mehr höher höhere zunahme zugenommen steigert steigern steigerte gesteigert fördert fördern förderte verstärkt verursacht verursachen verursachte auslöst verlängert",
			"verringert verringern verringerte sinkt sinken sank sanken gesunken senkt senken senkte gesenkt reduziert reduzieren reduzierte rückgang weniger niedriger geringer abnahme abgenommen schrumpft schrumpfte fällt fiel gefallen hemmt hemmen hemmte verhindert verhindern verhinderte mindert vermindert schwächt verkürzt bremst verlust zurückgegangen zurückgehen",
		},
		"quality":    {"verbessert verbesserte verbessern besser beste vorteil gut", "verschlechtert verschlechterte verschlechtern schlechter schlechteste schadet schädlich nachteil schlecht"},
		"permission": {"erlaubt erlauben erlaubte genehmigt genehmigte genehmigen zugelassen zugestimmt", "verbietet verbieten verbot verboten untersagt untersagte abgelehnt lehnte"},
		"opening":    {"geöffnet eröffnet eröffnete offen öffnet öffnete", "geschlossen schließt schloss"},
		"victory":    {"gewinnt gewann gewonnen sieg siegte", "verliert verlor verloren niederlage"},
		"size":       {"größer größte groß größeren", "kleiner kleinste klein kleineren"},
		"age":        {"älter älteste alt", "jünger jüngste jung"},
		"price":      {"teuer teurer teurere", "billig billiger günstig günstiger"},
		"length":     {"länger längste", "kürzer kürzeste"},
		"danger":     {"sicher", "gefährlich unsicher"},
		"frequency":  {"häufig oft", "selten"},
		"heat":       {"heiß heißer warm wärmer", "kalt kälter kühl kühler"},
		"verdict":    {"schuldig verurteilt", "unschuldig freigesprochen"},
		"truth":      {"richtig wahr korrekt", "falsch unwahr"},
		"speed":      {"schneller schnell", "langsamer langsam"},
		"success":    {"erfolgreich erfolg gelang", "gescheitert scheiterte misserfolg erfolglos"},
		"need":       {"pflicht notwendig erforderlich verpflichtend nötig", "freiwillig unnötig optional"},
		"order":      {"vor früher", "nach später"},
	},
	"fr": {
		amount: {
			"augmente augmentent augmenté augmenter augmentation hausse croissance croît accroît accru plus progresse progressé monte monté provoque cause favorise stimule renforce allonge",
			"diminue diminuent diminué diminuer diminution baisse baissé baisser réduit réduisent réduire réduction moins recule recul chute chuté inhibe empêche prévient freine ralentit affaiblit raccourcit perte",
		},
		"quality":    {"améliore amélioré améliorer mieux meilleur meilleure bon bénéfique", "aggrave aggravé pire nuit nuisible nocif détériore mauvais"},
		"permission": {"permet permis autorise autorisé autorisée approuvé", "interdit interdite interdisent refuse refusé rejeté rejette"},
		"opening":    {"ouvert ouverte ouvre ouvrir", "fermé fermée ferme fermer"},
		"victory":    {"gagne gagné remporte remporté victoire", "perd perdu défaite"},
		"size":       {"grand grande", "petit petite"},
		"price":      {"cher chère coûteux coûteuse", "abordable"},
		"danger":     {"sûr sûre sécuritaire", "dangereux dangereuse"},
		"frequency":  {"fréquent fréquente souvent", "rare rarement"},
		"heat":       {"chaud chaude", "froid froide"},
		"verdict":    {"coupable condamné", "innocent acquitté"},
		"truth":      {"vrai exact correct", "faux inexact incorrect"},
		"speed":      {"rapide vite", "lent lente lentement"},
		"success":    {"réussi réussit succès", "échoué échoue échec"},
		"need":       {"obligatoire nécessaire", "facultatif facultative inutile"},
		"order":      {"avant", "après"},
	},
	"es": {
		amount: {
			"aumenta aumentan aumentó aumentado aumentar aumento crece creció crecimiento más mayor sube subió subida incrementa incrementó incremento provoca causa favorece estimula fortalece",
			"disminuye disminuyen disminuyó disminución reduce reducen redujo reducido reducir reducción menos menor baja bajó descenso cae cayó inhibe previene impide frena debilita pérdida",
		},
		"quality":    {"mejora mejoró mejorar mejor bueno buena beneficioso", "empeora empeoró peor daña dañino perjudicial malo mala"},
		"permission": {"permite permitió permitido autoriza autorizó aprobó aprobado", "prohíbe prohibió prohibido rechazó rechazado"},
		"opening":    {"abierto abierta abre abrió", "cerrado cerrada cierra cerró"},
		"victory":    {"gana ganó victoria", "pierde perdió derrota"},
		"size":       {"grande", "pequeño pequeña"},
		"price":      {"caro cara costoso", "barato barata"},
		"danger":     {"seguro segura", "peligroso peligrosa"},
		"frequency":  {"frecuente común", "raro rara"},
		"heat":       {"caliente cálido", "frío fría"},
		"verdict":    {"culpable condenado", "inocente absuelto"},
		"truth":      {"verdadero correcto cierto", "falso incorrecto"},
		"speed":      {"rápido rápida", "lento lenta"},
		"need":       {"obligatorio obligatoria necesario", "opcional voluntario innecesario"},
		"order":      {"antes", "después"},
	},
	"it": {
		amount: {
			"aumenta aumentano aumentato aumento cresce cresciuto crescita più maggiore sale salito provoca causa favorisce rafforza",
			"diminuisce diminuito diminuzione riduce riducono ridotto riduzione meno minore cala calato calo scende sceso inibisce previene impedisce indebolisce perdita",
		},
		"quality":    {"migliora migliorato migliore meglio buono", "peggiora peggiorato peggiore peggio dannoso nocivo cattivo"},
		"permission": {"permette permesso consente autorizza autorizzato", "vieta vietato proibisce proibito"},
		"opening":    {"aperto aperta apre", "chiuso chiusa chiude"},
		"victory":    {"vince vinto vittoria", "perde perso sconfitta"},
		"size":       {"grande", "piccolo piccola"},
		"danger":     {"sicuro sicura", "pericoloso pericolosa"},
	},
	"pt": {
		amount: {
			"aumenta aumentam aumentou aumento cresce cresceu crescimento mais maior sobe subiu provoca causa favorece",
			"diminui diminuiu diminuição reduz reduzem reduziu redução menos menor cai caiu queda inibe previne impede perda",
		},
		"quality":    {"melhora melhorou melhor bom", "piora piorou pior prejudicial nocivo mau"},
		"permission": {"permite permitiu permitido autoriza autorizou", "proíbe proibiu proibido rejeitou"},
		"opening":    {"aberto aberta abriu abre", "fechado fechada fechou fecha"},
		"victory":    {"ganha ganhou venceu vitória", "perde perdeu derrota"},
	},
	"nl": {
		amount: {
			"verhoogt verhogen verhoogde stijgt stijgen steeg gestegen groeit groeide groei meer hoger toename toegenomen veroorzaakt bevordert versterkt",
			"verlaagt verlagen verlaagde daalt dalen daalde gedaald daling minder lager afname afgenomen vermindert verminderde voorkomt remt verzwakt verlies",
		},
		"quality":    {"verbetert verbeterde beter goed", "verslechtert verslechterde slechter schadelijk slecht"},
		"permission": {"toegestaan goedgekeurd", "verbiedt verbood verboden afgewezen"},
		"opening":    {"open geopend opent opende", "gesloten sluit sloot dicht"},
		"victory":    {"wint won gewonnen", "verliest verloor verloren"},
	},
	"ru": {
		amount: {
			"увеличивает увеличил увеличила увеличило увеличилось увеличился увеличилась увеличение вырос выросла выросло выросли растёт рост больше выше повышает повысил повысилась повысился повышение вызывает усиливает способствует",
			"уменьшает уменьшил уменьшила уменьшилось уменьшился уменьшилась уменьшение снизил снизила снизилась снизился снизилось снижает снижение упал упала упало меньше ниже сократил сократилась сократился сократилось сокращение предотвращает подавляет ослабляет потеря",
		},
		"quality":    {"улучшает улучшил улучшилось лучше хороший полезный полезен", "ухудшает ухудшил ухудшилось хуже плохой вредный вреден"},
		"permission": {"позволяет разрешает разрешил разрешено разрешён одобрил", "запрещает запретил запрещено запрещён отклонил"},
		"opening":    {"открыт открыта открыто открылся открылась", "закрыт закрыта закрыто закрылся закрылась"},
		"victory":    {"выиграл выиграла победил победила победа", "проиграл проиграла поражение"},
		"size":       {"большой крупный", "маленький мелкий"},
		"danger":     {"безопасен безопасный безопасно", "опасен опасный опасно"},
		"frequency":  {"часто частый", "редко редкий"},
	},
}

// perLanguage builds a table for a language when it is first asked for: most runs of
// the program read one language or two, and stemming all the lists takes milliseconds.
func perLanguage[T any](build func(lang string) T) func(lang string) T {
	var built sync.Map // language → func() T
	return func(lang string) T {
		if axes[lang] == nil { // no list is of another language
			var none T
			return none
		}
		table, ok := built.Load(lang)
		if !ok {
			table, _ = built.LoadOrStore(lang, sync.OnceValue(func() T { return build(lang) }))
		}
		return table.(func() T)()
	}
}

var poles = perLanguage(func(lang string) map[string][]pole {
	table := map[string][]pole{}
	for axis, sides := range axes[lang] {
		for i, words := range sides {
			for word := range strings.FieldsSeq(words) {
				stem, p := termOf(lang, word), pole{axis, 1 - 2*i}
				if !slices.Contains(table[stem], p) {
					table[stem] = append(table[stem], p)
				}
			}
		}
	}
	return table
})

// termOf is the form in which a word of a sentence is looked up: its term, or the
// word itself where it is a function word.
func termOf(lang, word string) string {
	if terms := text.Terms(word, lang); len(terms) == 1 {
		return terms[0]
	}
	return text.Fold(word)
}

// negations deny what follows them.
var negations = map[string]map[string]bool{
	"en": text.SetOf("not no never neither nor cannot none nothing nobody unable without hardly barely non"),
	"de": text.SetOf("nicht kein keine keinen keiner keinem keines nie niemals niemand ohne weder"),
	"fr": text.SetOf("ne pas jamais aucun aucune sans ni n"),
	"es": text.SetOf("no nunca jamás ningún ninguna ninguno nadie sin ni tampoco"),
	"it": text.SetOf("non mai nessun nessuna nessuno senza né"),
	"pt": text.SetOf("não nunca jamais nenhum nenhuma ninguém sem nem"),
	"nl": text.SetOf("niet geen nooit zonder noch niemand"),
	"ru": text.SetOf("не нет ни никогда без нельзя никто"),
	"ar": text.SetOf("لا لم لن ليس ليست ليسوا لست غير بدون دون عدم"),
}

// wholes say that something holds for all, parts that it holds for some.
var (
	wholes = map[string]map[string]bool{
		"en": text.SetOf("all every always everyone everybody entirely only solely exclusively"),
		"de": text.SetOf("alle immer jeder jede jedes ausschliesslich nur"),
		"fr": text.SetOf("tous toutes toujours chaque seulement uniquement"),
		"es": text.SetOf("todos todas siempre cada solamente únicamente"),
		"it": text.SetOf("tutti tutte sempre ogni solo soltanto esclusivamente"),
		"pt": text.SetOf("todos todas sempre cada somente apenas exclusivamente"),
		"nl": text.SetOf("alle altijd elke elk iedere ieder uitsluitend alleen"),
		"ru": text.SetOf("все всегда каждый каждая каждое только исключительно"),
		"ar": text.SetOf("كل جميع كافة دائما فقط"),
		"zh": text.SetOf("所有 全部 全体 每个 每所 总是 只有 一律"),
		"ja": text.SetOf("全て すべ 全員 常に 必ず のみ"),
	}
	parts = map[string]map[string]bool{
		"en": text.SetOf("some most many several few sometimes often usually occasionally partly partially rarely also"),
		"de": text.SetOf("einige manche viele mehrere manchmal oft teilweise auch"),
		"fr": text.SetOf("certains certaines plusieurs parfois souvent partiellement aussi"),
		"es": text.SetOf("algunos algunas varios muchos muchas veces también parcialmente"),
		"it": text.SetOf("alcuni alcune molti molte talvolta spesso parzialmente anche"),
		"pt": text.SetOf("alguns algumas muitos muitas vezes frequentemente parcialmente também"),
		"nl": text.SetOf("sommige veel enkele soms vaak gedeeltelijk ook"),
		"ru": text.SetOf("некоторые многие большинство иногда часто частично также"),
		"ar": text.SetOf("بعض معظم كثير غالبية أحيانا غالبا أيضا عدة"),
		"zh": text.SetOf("一些 有些 部分 多数 许多 有时 经常 少数 大多"),
		"ja": text.SetOf("一部 多く 時々 大半 ほと 大多"),
	}
)

// prefixOpposites reports whether one word is the other with a prefix that turns it
// round, as in able and unable, or both have prefixes that are opposites.
func prefixOpposites(a, b, lang string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	const least = 5
	if len(a) < least {
		return false
	}
	for _, prefix := range turning[lang] {
		if len(b) == len(prefix)+len(a) && strings.HasPrefix(b, prefix) && strings.HasSuffix(b, a) {
			return true
		}
	}
	for _, pair := range opposedPrefixes {
		for k := range pair {
			if rest, ok := strings.CutPrefix(a, pair[k]); ok && len(rest) >= least-1 && b == pair[1-k]+rest {
				return true
			}
		}
	}
	return false
}

var (
	turning = map[string][]string{
		"en": {"un", "in", "im", "il", "ir", "non", "dis", "de", "anti"},
		"de": {"un", "nicht", "anti"},
		"fr": {"in", "im", "il", "ir", "non", "dé", "anti"},
		"es": {"in", "im", "i", "no", "des", "anti"},
		"it": {"in", "im", "il", "ir", "non", "dis", "anti"},
		"pt": {"in", "im", "i", "não", "des", "anti"},
		"nl": {"on", "niet", "anti"},
		"ru": {"не", "без", "анти"},
	}
	opposedPrefixes = [][2]string{{"over", "under"}, {"hyper", "hypo"}, {"up", "down"}, {"pro", "anti"},
		{"inter", "intra"}, {"macro", "micro"}, {"pre", "post"}}
)
