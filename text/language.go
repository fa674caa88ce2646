package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Language returns the ISO 639-1 code of the language that most of s is written in,
// and empty when it cannot be told for sure. The script decides where only one
// language uses it; else the function words and the letters that languages do not
// share. A few words are mostly too little, for one of them may be a name; a sentence is
// mostly enough.
//
// The answer depends on s alone: the same text always gives the same language.
func Language(s string) string { return tellLanguage(s, func() []Token { return Words(s) }) }

// tellLanguage is Language of a text whose words are at hand; a long text is told from a sample of it.
func tellLanguage(whole string, words func() []Token) string {
	s := sample(whole)
	if len(s) != len(whole) {
		words = func() []Token { return Words(s) }
	}
	letters := countLetters(s)
	script, share := letters.script()
	if script == "" || share < 0.5 {
		return ""
	}
	if lang, only := soleLanguage[script]; only {
		return lang
	}
	if script == "Han" {
		if letters.count["Kana"]*20 >= letters.count["Han"] && letters.count["Kana"] > 0 {
			return "ja"
		}
		if formed := countOf(s, japaneseForms); formed*30 >= letters.count["Han"] && formed > 0 {
			return "ja"
		}
		return "zh"
	}
	return voteOnWords(s, script, words)
}

// LikelyLanguage returns Language(s), and where that is not sure, the language that
// most texts in its script are in: English for Latin, Russian for Cyrillic. It is
// empty for other scripts. Terms reads a text of unknown language so.
func LikelyLanguage(s string) string {
	if lang := Language(s); lang != "" {
		return lang
	}
	return languageOfScript(s)
}

func languageOfScript(s string) string {
	switch script, _ := countLetters(sample(s)).script(); script {
	case "Latin":
		return "en"
	case "Cyrillic":
		return "ru"
	}
	return ""
}

// soleLanguage are the scripts that a single language is nearly always meant by.
var soleLanguage = map[string]string{
	"Kana": "ja", "Hangul": "ko", "Greek": "el", "Hebrew": "he", "Thai": "th", "Georgian": "ka", "Armenian": "hy",
	"Bengali": "bn", "Tamil": "ta", "Telugu": "te", "Gujarati": "gu", "Gurmukhi": "pa", "Kannada": "kn",
	"Malayalam": "ml", "Sinhala": "si", "Khmer": "km", "Lao": "lo", "Myanmar": "my",
}

// scripts are told apart in this order, the most frequent first.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Han", unicode.Han}, {"Kana", unicode.Hiragana},
	{"Kana", unicode.Katakana}, {"Hangul", unicode.Hangul}, {"Arabic", unicode.Arabic}, {"Devanagari", unicode.Devanagari},
	{"Greek", unicode.Greek}, {"Hebrew", unicode.Hebrew}, {"Thai", unicode.Thai}, {"Georgian", unicode.Georgian},
	{"Armenian", unicode.Armenian}, {"Bengali", unicode.Bengali}, {"Tamil", unicode.Tamil}, {"Telugu", unicode.Telugu},
	{"Gujarati", unicode.Gujarati}, {"Gurmukhi", unicode.Gurmukhi}, {"Kannada", unicode.Kannada},
	{"Malayalam", unicode.Malayalam}, {"Sinhala", unicode.Sinhala}, {"Khmer", unicode.Khmer}, {"Lao", unicode.Lao},
	{"Myanmar", unicode.Myanmar},
}

// letterCount counts the letters of a text by script.
type letterCount struct {
	count map[string]int
	total int
}

func countLetters(s string) letterCount {
	letters := letterCount{count: map[string]int{}}
	latin := 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			if isASCIIWord(byte(r)) && r > '9' {
				latin++
			}
			continue
		}
		if !unicode.IsLetter(r) {
			continue
		}
		letters.total++
		for _, script := range scripts {
			if unicode.Is(script.table, r) {
				letters.count[script.name]++
				break
			}
		}
	}
	letters.count["Latin"] += latin
	letters.total += latin
	return letters
}

// script returns the script of most letters and its share of them. A character of
// Chinese or Korean says as much as two or three letters of an alphabet, and
// Japanese is Han and kana together.
func (l letterCount) script() (name string, share float64) {
	if l.total == 0 {
		return "", 0
	}
	weight := func(name string) int {
		n := l.count[name]
		switch name {
		case "Han":
			return 2 * (n + l.count["Kana"])
		case "Kana":
			if l.count["Han"] > 0 {
				return 0 // counted with Han
			}
			return 2 * n
		case "Hangul":
			return 2 * n
		}
		return n
	}
	best, total := 0, l.total
	for _, script := range scripts {
		if w := weight(script.name); w > best {
			best, name = w, script.name
		}
	}
	switch name {
	case "Han", "Kana":
		total += l.count["Han"] + l.count["Kana"]
	case "Hangul":
		total += l.count["Hangul"]
	}
	return name, float64(best) / float64(total)
}

// sample returns what is looked at to tell the language: all of a short text; the
// beginning, the middle and the end of a long one.
func sample(s string) string {
	const part = 1000
	if len(s) <= 3*part {
		return s
	}
	middle := CharacterStart(s, len(s)/2)
	end := CharacterStart(s, len(s)-part)
	return s[:CharacterStart(s, part)] + "\n" + s[middle:CharacterStart(s, middle+part)] + "\n" + s[end:]
}

// languagesOf are the languages told apart by words, by script; the order decides
// between equals and is roughly that of how much is written in them.
var languagesOf = map[string][]string{
	"Latin":      {"en", "de", "fr", "es", "pt", "it", "nl", "pl", "tr", "id", "cs", "sv", "da", "no", "fi", "hu", "ro", "ca"},
	"Cyrillic":   {"ru", "uk", "bg"},
	"Arabic":     {"ar", "fa"},
	"Devanagari": {"hi"},
}

// telling are letters that few languages have: each one found speaks for those.
var telling = map[rune]string{
	'ß': "de", 'ä': "de sv fi", 'ö': "de sv fi tr hu", 'ü': "de tr hu", 'ñ': "es", '¿': "es", '¡': "es",
	'ã': "pt", 'õ': "pt", 'ø': "da no", 'æ': "da no", 'å': "sv da no", 'ł': "pl", 'ą': "pl", 'ę': "pl", 'ś': "pl",
	'ż': "pl", 'ź': "pl", 'ć': "pl", 'ń': "pl", 'ř': "cs", 'ě': "cs", 'ů': "cs", 'č': "cs", 'ž': "cs", 'š': "cs", 'ý': "cs",
	'ő': "hu", 'ű': "hu", 'ğ': "tr", 'ı': "tr", 'ş': "tr", 'ă': "ro", 'ț': "ro", 'ș': "ro", 'ţ': "ro",
	'œ': "fr", 'é': "fr hu cs", 'è': "fr it ca", 'ê': "fr pt", 'ë': "fr nl", 'î': "fr ro", 'û': "fr", 'ù': "fr it", 'ò': "it ca", 'ì': "it",
	'ы': "ru", 'э': "ru", 'ё': "ru", 'ї': "uk", 'є': "uk", 'ґ': "uk", 'і': "uk", 'ъ': "bg ru",
	'پ': "fa", 'چ': "fa", 'گ': "fa", 'ژ': "fa", 'ی': "fa", 'ک': "fa", 'ة': "ar", 'ي': "ar", 'ى': "ar",
}

// askingWords are words of short questions, and of denials, that few languages have. They
// tell a language as function words do, but an index keeps them.
var askingWords = map[string]string{
	"wann": "de", "warum": "de", "quand": "fr", "pourquoi": "fr", "où": "fr", "dónde": "es", "cómo": "es", "cuál": "es", "perché": "it", "quem": "pt", "waar": "nl", "waarom": "nl", "wanneer": "nl",
	"kiedy": "pl", "gdzie": "pl", "dlaczego": "pl", "когда": "ru", "где": "ru", "кто": "ru", "почему": "ru", "коли": "uk", "чому": "uk",
	"kostet": "de", "wieviel": "de", "combien": "fr", "coûte": "fr", "coûtent": "fr", "cuánto": "es", "cuánta": "es", "cuántos": "es", "cuántas": "es", "cuesta": "es", "cuestan": "es",
	"cuándo": "es", "quanto": "pt it", "quanti": "it", "quante": "it", "custa": "pt", "custam": "pt", "quantos": "pt", "quantas": "pt", "onde": "pt", "hoeveel": "nl",
	"сколько": "ru", "один": "ru", "скільки": "uk", "жоден": "uk", "كم": "ar",
}

// japaneseForms are characters that only Japan writes so.
const japaneseForms = "円県駅図気対価発経売読変労圧覚絵関帰拠広済剤実収渋処単択沢伝転徳悩脳拝浜払仏辺豊訳薬様覧緑霊歴録"

// decisive are letters that, in a text of two words or more, leave one language of
// those that are told by words; others are letters of languages that are not told.
var decisive = map[string][]struct{ lang, letters, others string }{
	"Cyrillic": {
		{"ru", "ыэё", "ўәңғүұқөһҳҷӣӯҡҙҫіїєґ"},
		{"uk", "їєґ", "ўыэ"},
	},
	"Arabic": {
		{"ar", "ةىؤإ", "پچگژیکٹڈڑےہںێۆڵڕټډړښ"},
		{"fa", "پچگژ", "ٹڈڑےہںێۆڵڕټډړښة"},
	},
}

// countOf counts the runes of s that are among letters.
func countOf(s, letters string) int {
	n := 0
	for _, r := range s {
		if r >= utf8.RuneSelf && strings.ContainsRune(letters, r) {
			n++
		}
	}
	return n
}

// voters are, for each function word, the languages of a script that have it.
var voters = sync.OnceValue(func() map[string]map[string][]string {
	all := make(map[string]map[string][]string, len(languagesOf))
	for script, languages := range languagesOf {
		all[script] = map[string][]string{}
		for _, lang := range languages {
			for word := range functionWords()[lang] {
				all[script][word] = append(all[script][word], lang)
			}
		}
	}
	return all
})

// A ballot is what the words of a text say of its language, by language.
type ballot map[string]float64

// letters lets each telling letter speak for the languages that have it.
func (b ballot) letters(s string) {
	for _, r := range s {
		if r < utf8.RuneSelf {
			continue
		}
		hinted := strings.Fields(telling[r])
		for _, lang := range hinted {
			b[lang] += 0.4 / float64(len(hinted))
		}
	}
}

// word lets one word speak: as a function word and as a word of asking, for the
// languages that have it, in inverse proportion to how many they are, and by its letters.
func (b ballot) word(word, script string) {
	voting := voters()[script][word]
	for _, part := range strings.Split(word, "'") {
		if len(voting) > 0 || part == word {
			break
		}
		voting = voters()[script][part] // an elided article
	}
	weight := 1.0
	if len(word) == 1 {
		weight = 0.5 // "a" and "e" are as often a name in a formula
	}
	for _, lang := range voting {
		b[lang] += weight / float64(len(voting))
	}
	asking := strings.Fields(askingWords[word])
	for _, lang := range asking {
		b[lang] += 0.8 / float64(len(asking))
	}
	b.letters(word)
}

// lead gives the language of the most votes, these, and those of the next language.
func (b ballot) lead(script string) (winner string, best, second float64) {
	for _, lang := range languagesOf[script] {
		switch v := b[lang]; {
		case v > best:
			best, second, winner = v, best, lang
		case v > second:
			second = v
		}
	}
	return winner, best, second
}

// counted gives the votes on a text of all its words but one: each function word votes for
// the languages that have it, and each telling letter likewise with less weight.
func counted(s, script string, words []Token, without string) ballot {
	votes := ballot{}
	for _, word := range words {
		if word.Text != without {
			votes.word(word.Text, script)
		}
	}
	for _, mark := range []string{"¿", "¡"} { // no part of a word
		if strings.Contains(s, mark) {
			votes.letters(mark)
		}
	}
	for _, d := range decisive[script] {
		if len(words) > 1 && countOf(s, d.letters) > 0 && countOf(s, d.others) == 0 {
			votes[d.lang] += 0.8
		}
	}
	if script == "Arabic" && strings.Count(" "+s, " ال") > 1 && countOf(s, decisive[script][0].others) == 0 {
		votes["ar"] += 0.8 // the article
	}
	return votes
}

// sentence is how many words a text has whose language one word alone may tell: in
// fewer that word may be a name, or stand in a text of another language.
const sentence = 5

// voteOnWords takes the vote on a text. The winner needs votes worth most of a word, a
// lead over the next language, and no less than one word in twenty-five. In less than a
// sentence it also wins without any one of the words, but those that ask: they are no names.
func voteOnWords(s, script string, read func() []Token) string {
	if script == "Cyrillic" && 25*countOf(s, "ўәңғүұқөһҳҷӣӯҡҙҫ") > utf8.RuneCountInString(s) {
		return "" // a language that is not told
	}
	if script == "Arabic" && countOf(s, "ٹڈڑےہں") > 1 {
		return "ur"
	}
	words := read()
	winner, best, second := counted(s, script, words, "").lead(script)
	lead := best - second
	if best < 0.8 || lead < 0.25 || lead < 0.05*second || best < 0.04*float64(len(words)) {
		return ""
	}
	if len(words) >= sentence {
		return winner
	}
	for _, word := range words {
		if askingWords[word.Text] != "" {
			continue
		}
		if other, most, _ := counted(s, script, words, word.Text).lead(script); other != winner || most < 0.2 {
			return ""
		}
	}
	return winner
}
