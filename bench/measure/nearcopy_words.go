package measure

// A tongue is what making near-copies needs to know of a language. The words were
// chosen for this measure and not taken from package cite's, which has many of the same where a
// language has few.
type tongue struct {
	lang               string
	unspaced           bool
	units              [][2]string
	directions         [][2]string
	denials            [][2]string
	quantifiers        [][2]string
	contractions       [][2]string
	synonyms           [][2]string
	smallWords         [][2]string // prepositions and the like that say the opposite
	smallBeforeNumbers [][2]string // and those that do before a number
	numbers            []string    // from two
	joining            []string    // words that join two equals
	openers            []string    // words that open a clause that can be moved
	clauses            []string    // what joins two clauses
	articles           []string    // that a noun phrase begins with
	verbs              []string    // common verbs behind a subject
	disowning          []string    // beginnings that deny what follows, or leave it open
}

var tongues = map[string]tongue{
	"en": {lang: "en",
		units: [][2]string{{"mg", "g"}, {"kg", "g"}, {"ml", "l"}, {"km", "m"}, {"cm", "mm"}, {"mm", "cm"}, {"miles", "feet"}, {"feet", "miles"}, {"metres", "kilometres"}, {"meters", "kilometers"},
			{"hours", "minutes"}, {"minutes", "seconds"}, {"seconds", "hours"}, {"days", "weeks"}, {"weeks", "months"}, {"months", "years"}, {"years", "months"}, {"year", "month"}, {"bytes", "kilobytes"}, {"byte", "bit"}, {"bits", "bytes"}, {"bit", "byte"},
			{"kb", "gb"}, {"mb", "gb"}, {"million", "billion"}, {"billion", "million"}, {"thousand", "million"}, {"%", " kg"}, {"percent", "grams"}},
		directions: [][2]string{{"increase", "decrease"}, {"increased", "decreased"}, {"increases", "decreases"}, {"higher", "lower"}, {"more", "less"}, {"larger", "smaller"}, {"greater", "smaller"}, {"before", "after"}, {"above", "below"}, {"maximum", "minimum"},
			{"first", "last"}, {"upper", "lower"}, {"rise", "fall"}, {"rose", "fell"}, {"faster", "slower"}, {"longer", "shorter"}, {"enable", "disable"}, {"enabled", "disabled"}, {"improved", "worsened"}, {"left", "right"}, {"north", "south"}, {"east", "west"}, {"early", "late"},
			{"inhibits", "promotes"}, {"activation", "inhibition"}, {"positive", "negative"}, {"older", "younger"}, {"gain", "loss"}, {"often", "rarely"}, {"strong", "weak"}},
		denials: [][2]string{{"is", "is not"}, {"are", "are not"}, {"was", "was not"}, {"were", "were not"}, {"can", "cannot"}, {"will", "will not"}, {"has been", "has not been"}, {"have been", "have not been"}, {"should", "should not"}, {"must", "must not"},
			{"does not", "does"}, {"is not", "is"}, {"are not", "are"}, {"cannot", "can"}, {"did not", "did"}, {"was not", "was"}},
		quantifiers: [][2]string{{"all", "some"}, {"some", "all"}, {"many", "few"}, {"most", "few"}, {"each", "no"}, {"every", "no"}, {"several", "no"}, {"any", "no"}, {"few", "most"}, {"no", "all"}, {"always", "never"}, {"usually", "never"}, {"often", "always"}, {"only", "mostly"},
			{"may", "must"}, {"both", "neither of"}, {"sometimes", "always"}, {"at least", "at most"}, {"more than", "less than"}},
		contractions: [][2]string{{"is not", "isn't"}, {"are not", "aren't"}, {"does not", "doesn't"}, {"do not", "don't"}, {"did not", "didn't"}, {"was not", "wasn't"}, {"were not", "weren't"}, {"cannot", "can't"}, {"will not", "won't"}, {"it is", "it's"}, {"has not", "hasn't"}, {"have not", "haven't"},
			{"should not", "shouldn't"}, {"isn't", "is not"}, {"don't", "do not"}, {"doesn't", "does not"}, {"can't", "cannot"}},
		smallWords:         [][2]string{{"to the", "from the"}, {"to a", "from a"}, {"for the", "against the"}, {"for a", "against a"}, {"into", "out of"}, {"onto", "off"}, {"toward", "away from"}, {"up", "down"}, {"on the", "off the"}, {"over the", "under the"}, {"if", "unless"}, {"until", "since"}, {"once", "twice"}, {"upstream", "downstream"}},
		smallBeforeNumbers: [][2]string{{"by", "to"}, {"from", "to"}, {"above", "under"}, {"up to", "down from"}, {"until", "since"}},
		synonyms: [][2]string{{"begin", "start"}, {"began", "started"}, {"large", "big"}, {"show", "demonstrate"}, {"showed", "demonstrated"}, {"shown", "demonstrated"}, {"use", "employ"}, {"used", "employed"}, {"obtain", "get"}, {"obtained", "got"}, {"help", "aid"}, {"however", "nevertheless"},
			{"also", "additionally"}, {"therefore", "thus"}, {"about", "approximately"}, {"important", "significant"}, {"quickly", "rapidly"}, {"allows", "permits"}, {"requires", "needs"}, {"occurs", "happens"}, {"error", "mistake"}, {"result", "outcome"}, {"method", "approach"}, {"because", "since"},
			{"near", "close to"}, {"often", "frequently"}, {"complete", "entire"}, {"specify", "state"}, {"specified", "given"}, {"such as", "like"}, {"called", "named"}, {"create", "make"}, {"build", "construct"}, {"built", "constructed"}, {"ended", "finished"}},
		numbers: []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"},
		joining: []string{"and", "or", "nor", "as", "is", "are", "was", "were"},
		openers: []string{"in", "at", "during", "after", "before", "by", "for", "from", "on", "since", "with", "without", "when", "if", "while", "although", "because", "under", "until", "unlike", "despite"},
		clauses: []string{", and ", ", but ", ", while ", ", whereas ", "; ", " while ", " and "}, articles: []string{"the", "a", "an"},
		verbs:     []string{"is", "are", "was", "were", "has", "have", "had", "can", "will", "should", "must", "may", "does", "did", "uses", "became", "showed", "include", "includes"},
		disowning: []string{"It is not known whether", "It is unclear why", "It is a myth that", "Nobody knows how", "It has not been decided when", "Some people doubt that", "It is not true that", "It was never established that", "The question is whether"}},
	"de": {lang: "de",
		units:              [][2]string{{"stunden", "minuten"}, {"minuten", "sekunden"}, {"sekunden", "minuten"}, {"tage", "wochen"}, {"tagen", "wochen"}, {"jahre", "monate"}, {"bytes", "kilobytes"}, {"byte", "bit"}, {"bit", "byte"}, {"bits", "bytes"}, {"mikrosekunden", "millisekunden"}, {"nanosekunden", "millisekunden"}, {"kib", "gib"}, {"mb", "gb"}},
		directions:         [][2]string{{"größer", "kleiner"}, {"mehr", "weniger"}, {"vor", "nach"}, {"erhöht", "verringert"}, {"höher", "niedriger"}, {"maximale", "minimale"}, {"länger", "kürzer"}, {"erste", "letzte"}, {"ersten", "letzten"}, {"aktiviert", "deaktiviert"}, {"linken", "rechten"}, {"früher", "später"}, {"lesen", "schreiben"}, {"anfang", "ende"}},
		denials:            [][2]string{{"ist", "ist nicht"}, {"sind", "sind nicht"}, {"wird", "wird nicht"}, {"werden", "werden nicht"}, {"kann", "kann nicht"}, {"können", "können nicht"}, {"muss", "muss nicht"}, {"nicht", "stets"}, {"ein", "kein"}, {"eine", "keine"}, {"keine", "eine"}},
		quantifiers:        [][2]string{{"alle", "einige"}, {"einige", "alle"}, {"viele", "wenige"}, {"jede", "keine"}, {"jeder", "kein"}, {"jedes", "kein"}, {"immer", "nie"}, {"meisten", "wenigsten"}, {"mehrere", "keine"}, {"mindestens", "höchstens"}, {"nur", "meist"}, {"keine", "alle"}},
		smallWords:         [][2]string{{"für", "gegen"}, {"zum", "vom"}, {"zur", "von der"}, {"aus dem", "in den"}, {"über", "unter"}, {"bis zum", "seit dem"}, {"hinein", "heraus"}, {"falls", "es sei denn"}, {"einmal", "zweimal"}},
		smallBeforeNumbers: [][2]string{{"um", "auf"}, {"von", "auf"}, {"bis", "ab"}, {"über", "unter"}},
		synonyms:           [][2]string{{"verwendet", "benutzt"}, {"verwenden", "benutzen"}, {"beginnt", "startet"}, {"fehler", "irrtum"}, {"jedoch", "allerdings"}, {"auch", "ebenfalls"}, {"falls", "wenn"}, {"angegeben", "genannt"}, {"zeigt", "gibt an"}, {"erzeugt", "erstellt"}, {"standardmäßig", "normalerweise"}, {"bzw.", "oder"}},
		numbers:            []string{"zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"}, joining: []string{"und", "oder", "ist", "sind", "als", "wie"},
		openers: []string{"wenn", "falls", "bei", "nach", "in", "für", "mit", "um", "vor", "ohne", "seit"},
		clauses: []string{", und ", ", aber ", ", während ", "; ", " und "}, articles: []string{"der", "die", "das", "ein", "eine"},
		verbs: []string{"ist", "sind", "war", "wird", "werden", "hat", "haben", "kann", "können", "muss", "gibt", "zeigt", "liest", "enthält"}},
	"fr": {lang: "fr",
		units:              [][2]string{{"heures", "minutes"}, {"minutes", "secondes"}, {"secondes", "minutes"}, {"jours", "semaines"}, {"ans", "mois"}, {"octets", "kilooctets"}, {"octet", "bit"}, {"bits", "octets"}, {"microsecondes", "millisecondes"}, {"nanosecondes", "millisecondes"}, {"ko", "go"}, {"kio", "gio"}, {"mo", "go"}},
		directions:         [][2]string{{"supérieur", "inférieur"}, {"supérieure", "inférieure"}, {"plus", "moins"}, {"avant", "après"}, {"augmenter", "diminuer"}, {"augmente", "diminue"}, {"maximale", "minimale"}, {"maximal", "minimal"}, {"premier", "dernier"}, {"première", "dernière"}, {"activé", "désactivé"}, {"gauche", "droite"}, {"début", "fin"}, {"lecture", "écriture"}, {"grande", "petite"}},
		denials:            [][2]string{{"est", "n'est pas"}, {"sont", "ne sont pas"}, {"peut", "ne peut pas"}, {"peuvent", "ne peuvent pas"}, {"doit", "ne doit pas"}, {"sera", "ne sera pas"}, {"n'est pas", "est"}, {"ne sont pas", "sont"}, {"ne peut pas", "peut"}},
		quantifiers:        [][2]string{{"tous les", "certains"}, {"toutes les", "certaines"}, {"certains", "tous les"}, {"plusieurs", "aucun"}, {"chaque", "aucun"}, {"toujours", "jamais"}, {"au moins", "au plus"}, {"la plupart des", "peu de"}, {"quelques", "tous les"}, {"aucun", "chaque"}, {"seulement", "surtout"}},
		smallWords:         [][2]string{{"pour", "contre"}, {"vers", "depuis"}, {"dans le", "hors du"}, {"dans la", "hors de la"}, {"sur", "sous"}, {"jusque", "dès"}, {"une fois", "deux fois"}, {"si", "sauf si"}},
		smallBeforeNumbers: [][2]string{{"de", "à"}, {"depuis", "jusque"}},
		synonyms:           [][2]string{{"utilise", "emploie"}, {"utilisé", "employé"}, {"utiliser", "employer"}, {"commence", "débute"}, {"cependant", "toutefois"}, {"aussi", "également"}, {"indique", "précise"}, {"permet de", "sert à"}, {"erreur", "faute"}, {"renvoie", "retourne"}, {"afficher", "montrer"}, {"affiche", "montre"}},
		numbers:            []string{"deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"}, joining: []string{"et", "ou", "est", "sont", "que", "comme"},
		openers: []string{"en", "dans", "pour", "si", "lorsque", "avec", "sans", "par", "depuis", "après", "avant", "sous", "quand"},
		clauses: []string{", et ", ", mais ", ", tandis que ", " ; ", " et "}, articles: []string{"le", "la", "les", "un", "une"},
		verbs:     []string{"est", "sont", "a", "ont", "peut", "peuvent", "doit", "sera", "affiche", "permet", "indique", "renvoie"},
		disowning: []string{"On ne sait pas si", "On ignore pourquoi", "Il est faux de dire que", "Personne ne sait comment", "Certains doutent que", "Il n'est pas vrai que", "La question est de savoir si"}},
	"ru": {lang: "ru",
		units:              [][2]string{{"часов", "минут"}, {"минут", "секунд"}, {"секунд", "минут"}, {"дней", "недель"}, {"лет", "месяцев"}, {"байт", "килобайт"}, {"байта", "килобайта"}, {"бит", "байт"}, {"бита", "байта"}, {"микросекунд", "миллисекунд"}, {"кб", "гб"}, {"мб", "гб"}},
		directions:         [][2]string{{"больше", "меньше"}, {"более", "менее"}, {"перед", "после"}, {"увеличивает", "уменьшает"}, {"увеличить", "уменьшить"}, {"максимальное", "минимальное"}, {"максимальный", "минимальный"}, {"первый", "последний"}, {"первого", "последнего"}, {"начало", "конец"}, {"начала", "конца"}, {"выше", "ниже"}, {"чтения", "записи"}, {"левой", "правой"}, {"раньше", "позже"}},
		denials:            [][2]string{{"может", "не может"}, {"могут", "не могут"}, {"должен", "не должен"}, {"является", "не является"}, {"будет", "не будет"}, {"используется", "не используется"}, {"была", "не была"}, {"был", "не был"}, {"не может", "может"}, {"не является", "является"}, {"не будет", "будет"}, {"не используется", "используется"}},
		quantifiers:        [][2]string{{"все", "некоторые"}, {"всех", "некоторых"}, {"некоторые", "все"}, {"некоторых", "всех"}, {"каждый", "никакой"}, {"всегда", "никогда"}, {"многие", "немногие"}, {"только", "преимущественно"}, {"не менее", "не более"}, {"несколько", "ни один"}, {"обычно", "никогда"}},
		smallWords:         [][2]string{{"к", "от"}, {"из", "в"}, {"под", "над"}, {"для", "против"}, {"до", "с"}},
		smallBeforeNumbers: [][2]string{{"до", "от"}, {"на", "до"}},
		synonyms:           [][2]string{{"применяется", "используется"}, {"однако", "тем не менее"}, {"также", "кроме того"}, {"ошибка", "сбой"}, {"возвращает", "выдаёт"}, {"указывает", "задаёт"}, {"если", "когда"}, {"показывает", "выводит"}, {"начинается", "стартует"}, {"содержит", "включает"}},
		numbers:            []string{"два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять", "одиннадцать", "двенадцать"}, joining: []string{"и", "или", "либо", "как", "чем"},
		openers:   []string{"в", "при", "если", "для", "после", "с", "до", "когда", "по", "под", "без"},
		disowning: []string{"Неизвестно, почему", "Никто не знает, как", "Неверно, что", "Некоторые сомневаются, что", "Неясно, когда", "Не доказано, что"}},
	"zh": {lang: "zh", unspaced: true,
		units:       [][2]string{{"小时", "分钟"}, {"分钟", "小时"}, {"秒", "分钟"}, {"天", "年"}, {"字节", "比特"}, {"位", "字节"}, {"毫秒", "秒"}, {"微秒", "毫秒"}, {"年", "天"}},
		directions:  [][2]string{{"大于", "小于"}, {"增加", "减少"}, {"之前", "之后"}, {"最大", "最小"}, {"第一个", "最后一个"}, {"开始", "结束"}, {"读", "写"}, {"打开", "关闭"}, {"高", "低"}, {"输入", "输出"}, {"左", "右"}},
		denials:     [][2]string{{"可以", "不可以"}, {"会", "不会"}, {"是", "不是"}, {"能", "不能"}, {"没有", "有"}, {"不会", "会"}, {"不能", "能"}, {"不是", "是"}, {"被", "不被"}},
		quantifiers: [][2]string{{"所有", "一些"}, {"一些", "所有"}, {"每个", "没有一个"}, {"总是", "从不"}, {"全部", "部分"}, {"只有", "多半"}, {"任何", "没有"}, {"通常", "从不"}, {"有些", "所有"}, {"许多", "少数"}},
		synonyms:    [][2]string{{"使用", "采用"}, {"但是", "不过"}, {"如果", "假如"}, {"显示", "展示"}, {"错误", "差错"}, {"或者", "或"}, {"因此", "所以"}, {"建立", "创建"}, {"包含", "包括"}},
		numbers:     []string{"两", "三", "四", "五", "六", "七", "八", "九", "十"}},
}
