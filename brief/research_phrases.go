package brief

import "regexp"

// A phrasing is how one language asks about a topic, and how it joins two topics.
// Each form has the topic at its %s; a topic in a language without a phrasing is
// asked as it is.
type phrasing struct {
	is, explained, works, why, weighed string
	// subject finds the topic in a question that asks what it is or how it works: in
	// its first group that is not empty.
	subject *regexp.Regexp
	// asked says that the topic is a question already.
	asked *regexp.Regexp
	// joints are what stands between two topics.
	joints *regexp.Regexp
}

// Marks that join topics in any language; a comma within a number is none.
const (
	jointMarks = `[,;]\s+|[、，；،؛]\s*`
	versus     = `\s+(?:vs\.?|versus)\s+`
)

// joining gives the joints of a language with spaces between its words.
func joining(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)[,;،؛]?\s+(?:` + words + `)\s+|` + versus + `|` + jointMarks)
}

// askingWith gives the pattern of a question by its first words.
func askingWith(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[¿\s]*(?:` + words + `)(?:\s|['’]|$)`)
}

// anyJoint is for a topic whose language cannot be told.
var anyJoint = joining(`and|or|und|oder|et|ou|y|o|e|en|of|och|eller|og|i|oraz|lub|ve|veya|и|или`)

var phrasings = map[string]phrasing{
	"en": {"what is %s", "%s explained", "how does %s work", "why %s", "%s advantages disadvantages",
		regexp.MustCompile(`(?i)^what(?:['’]s| is| are)\s+(?:an?\s+|the\s+)?(\S+(?:\s+\S+){0,3})$|^how (?:does|do|did)\s+(?:an?\s+|the\s+)?(.+?)\s+works?$`),
		askingWith(`what|how|why|when|where|who|whose|whom|which|is|are|was|were|do|does|did|can|could|should|will|would|has|have`),
		joining(`and|or|&`)},
	"de": {"was ist %s", "%s einfach erklärt", "wie funktioniert %s", "warum %s", "%s Vorteile Nachteile",
		regexp.MustCompile(`(?i)^was (?:ist|sind)\s+(?:eine?\s+|der\s+|die\s+|das\s+)?(\S+(?:\s+\S+){0,3})$|^wie funktionier(?:t|en)\s+(?:eine?\s+|der\s+|die\s+|das\s+)?(.+)$`),
		askingWith(`was|wie|warum|wieso|weshalb|wann|wo|woher|wohin|wer|wen|wem|wessen|welche[rsmn]?|ist|sind|war|kann|können|soll|sollte|gibt`),
		joining(`und|oder|&|gegen|gegenüber`)},
	"fr": {"qu'est-ce que %s", "%s expliqué simplement", "comment fonctionne %s", "pourquoi %s", "%s avantages inconvénients",
		regexp.MustCompile(`(?i)^qu['’]est-ce qu(?:e\s+|['’])(?:une?\s+|les?\s+|la\s+|l['’])?(\S+(?:\s+\S+){0,3})$|^comment (?:fonctionne|marche)(?:nt)?\s+(?:une?\s+|les?\s+|la\s+|l['’])?(.+)$`),
		askingWith(`que|qu|quoi|comment|pourquoi|quand|où|qui|quel(?:le)?s?|combien|est-ce|est|sont`),
		joining(`et|ou|&|contre`)},
	"es": {"qué es %s", "%s explicación", "cómo funciona %s", "por qué %s", "%s ventajas desventajas",
		regexp.MustCompile(`(?i)^¿?qué (?:es|son)\s+(?:una?\s+|el\s+|los?\s+|las?\s+)?(\S+(?:\s+\S+){0,3})$|^¿?cómo funcionan?\s+(?:una?\s+|el\s+|los?\s+|las?\s+)?(.+)$`),
		askingWith(`qué|cómo|por qué|cuándo|dónde|quién(?:es)?|cuál(?:es)?|cuánt[oa]s?|es|son|puede`),
		joining(`y|e|o|u|&|contra`)},
	"it": {"che cos'è %s", "%s spiegazione", "come funziona %s", "perché %s", "%s vantaggi svantaggi",
		regexp.MustCompile(`(?i)^(?:che )?cos['’]\s?è\s+(?:una?\s+|il\s+|lo\s+|la\s+|l['’])?(\S+(?:\s+\S+){0,3})$|^come funzionan?o?a?\s+(?:una?\s+|il\s+|lo\s+|la\s+|gli\s+|l['’])?(.+)$`),
		askingWith(`che|cosa|cos|come|perché|quando|dove|chi|qual[ei]?|quant[oiae]|è|sono`),
		joining(`e|ed|o|oppure|&|contro`)},
	"pt": {"o que é %s", "%s explicação", "como funciona %s", "por que %s", "%s vantagens desvantagens",
		regexp.MustCompile(`(?i)^o que (?:é|são)\s+(?:uma?\s+|os?\s+|as?\s+)?(\S+(?:\s+\S+){0,3})$|^como funcionam?\s+(?:uma?\s+|os?\s+|as?\s+)?(.+)$`),
		askingWith(`o que|que|como|por que|quando|onde|quem|qual|quais|quant[oa]s?|é|são`),
		joining(`e|ou|&|contra`)},
	"nl": {"wat is %s", "%s uitleg", "hoe werkt %s", "waarom %s", "%s voordelen nadelen",
		regexp.MustCompile(`(?i)^wat (?:is|zijn)\s+(?:een\s+|de\s+|het\s+)?(\S+(?:\s+\S+){0,3})$|^hoe werk(?:t|en)\s+(?:een\s+|de\s+|het\s+)?(.+)$`),
		askingWith(`wat|hoe|waarom|wanneer|waar|wie|welke?|is|zijn|kan`),
		joining(`en|of|&|tegen`)},
	"ru": {"что такое %s", "%s простыми словами", "как работает %s", "почему %s", "%s преимущества недостатки",
		regexp.MustCompile(`(?i)^что такое\s+(\S+(?:\s+\S+){0,3})$|^как работа(?:ет|ют)\s+(.+)$`),
		askingWith(`что|как|почему|зачем|когда|где|куда|откуда|кто|какой|какая|какое|какие|сколько|чем`),
		joining(`и|или|&|против`)},
	"ar": {"ما هو %s", "شرح %s", "كيف يعمل %s", "لماذا %s", "%s مزايا عيوب",
		regexp.MustCompile(`^ما (?:هو|هي)\s+(\S+(?:\s+\S+){0,3})$|^كيف (?:يعمل|تعمل)\s+(.+)$`),
		askingWith(`ما|ماذا|كيف|لماذا|متى|أين|من|هل|كم|أي`),
		joining(`و|أو|مقابل|ضد`)},
	"zh": {"什么是%s", "%s 解释", "%s 工作原理", "为什么%s", "%s 优点 缺点",
		regexp.MustCompile(`^(?:什么是|什麼是)\s*(.+)$|^(.+?)(?:是什么|是什麼|的工作原理)$`),
		regexp.MustCompile(`什么|什麼|如何|怎么|怎麼|怎样|为什么|為什麼|为何|為何|哪|谁|誰|多少|吗$|嗎$|呢$`),
		regexp.MustCompile(`(?i)\s*(?:与|與|以及|或者|还是|還是|和)\s*|` + versus + `|` + jointMarks)},
	"ja": {"%sとは", "%s 解説", "%s 仕組み", "なぜ%s", "%s メリット デメリット",
		regexp.MustCompile(`^(.+?)とは(?:何|なに|なん)?(?:ですか|か)?$|^(.+?)の仕組み$`),
		regexp.MustCompile(`^(?:なぜ|何故|どう|いつ|どこ|誰|だれ|どの|どれ)|(?:ですか|ますか|のか|とは|何か|何)$`),
		regexp.MustCompile(`(?i)\s*(?:および|及び|または|対)\s*|([\p{Han}\p{Katakana}ーA-Za-z])(?:と|や)([\p{Han}\p{Katakana}A-Za-z])|` + versus + `|` + jointMarks)},
	"ko": {"%s 무엇인가", "%s 설명", "%s 작동 원리", "왜 %s", "%s 장점 단점",
		regexp.MustCompile(`^(.+?)(?:이란|란)(?: 무엇인가| 무엇입니까)?$|^(.+?) 작동 원리$`),
		regexp.MustCompile(`^(?:왜|어떻게|언제|어디|누가|무엇|어떤|얼마)|(?:인가요?|까요?|나요)$`),
		regexp.MustCompile(`(?i)([가-힣]{2})(?:와|과)\s+|\s+(?:및|또는|그리고|대)\s+|` + versus + `|` + jointMarks)},
}
