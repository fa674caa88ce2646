package brief

import "github.com/citewell/citewell/internal/lazyregexp"

// A phrasing is how one language asks, and how it joins two topics.
type phrasing struct {
	asked  *lazyregexp.Regexp // a question, by its first words
	joints *lazyregexp.Regexp // what stands between two topics
}

// Marks that join topics in any language; a comma within a number is none.
const jointMarks = `[,;]\s+|[、，；،؛]\s*`

// joining gives the joints of a language with spaces between its words.
func joining(words string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)[,;،؛]?\s+(?:` + words + `)\s+|` + jointMarks)
}

// askingWith gives the pattern of a question by its first words.
func askingWith(words string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)^[¿\s]*(?:` + words + `)(?:\s|['’]|$)`)
}

// anyJoint is for a topic whose language cannot be told.
var anyJoint = joining(`and|or|und|oder|et|ou|y|o|e|en|of|och|eller|og|i|oraz|lub|ve|veya|и|или`)

// plainJoint is for one in plain letters: without the joints that are English words or names.
var plainJoint = joining(`and|or|&|und|oder|ou|ed|och|eller|oraz|lub|ve|veya`)

var phrasings = map[string]phrasing{
	"en": {askingWith(`what|how|why|when|where|who|whose|whom|which|is|are|was|were|do|does|did|can|could|should|will|would|has|have`),
		joining(`and|or|&`)},
	"de": {askingWith(`was|wie|warum|wieso|weshalb|wann|wo|woher|wohin|wer|wen|wem|wessen|welche[rsmn]?|ist|sind|war|kann|können|soll|sollte|gibt`),
		joining(`und|oder|&`)},
	"fr": {askingWith(`que|qu|quoi|comment|pourquoi|quand|où|qui|quel(?:le)?s?|combien|est-ce|est|sont`),
		joining(`et|ou|&`)},
	"es": {askingWith(`qué|cómo|por qué|cuándo|dónde|quién(?:es)?|cuál(?:es)?|cuánt[oa]s?|es|son|puede`),
		joining(`y|e|o|u|&`)},
	"it": {askingWith(`che|cosa|cos|come|perché|quando|dove|chi|qual[ei]?|quant[oiae]|è|sono`),
		joining(`e|ed|o|oppure|&`)},
	"pt": {askingWith(`o que|que|como|por que|quando|onde|quem|qual|quais|quant[oa]s?|é|são`),
		joining(`e|ou|&`)},
	"nl": {askingWith(`wat|hoe|waarom|wanneer|waar|wie|welke?|is|zijn|kan`),
		joining(`en|of|&`)},
	"ru": {askingWith(`что|как|почему|зачем|когда|где|куда|откуда|кто|какой|какая|какое|какие|сколько|чем`),
		joining(`и|или|&`)},
	"ar": {askingWith(`ما|ماذا|كيف|لماذا|متى|أين|من|هل|كم|أي`),
		joining(`و|أو`)},
	"zh": {lazyregexp.New(`什么|什麼|如何|怎么|怎麼|怎样|为什么|為什麼|为何|為何|哪|谁|誰|多少|吗$|嗎$|呢$`),
		lazyregexp.New(`(?i)\s*(?:与|與|以及|或者|还是|還是|和)\s*|` + jointMarks)},
	"ja": {lazyregexp.New(`^(?:なぜ|何故|どう|いつ|どこ|誰|だれ|どの|どれ)|(?:ですか|ますか|のか|とは|何か|何)$`),
		lazyregexp.New(`(?i)\s*(?:および|及び|または)\s*|([\p{Han}\p{Katakana}ーA-Za-z])(?:と|や)([\p{Han}\p{Katakana}A-Za-z])|` + jointMarks)},
	"ko": {lazyregexp.New(`^(?:왜|어떻게|언제|어디|누가|무엇|어떤|얼마)|(?:인가요?|까요?|나요)$`),
		lazyregexp.New(`(?i)([가-힣]{2})(?:와|과)\s+|\s+(?:및|또는|그리고|대)\s+|` + jointMarks)},
}
