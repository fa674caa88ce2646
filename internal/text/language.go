package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text/lang"
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
	if script == "Han" {
		for _, l := range lang.Written("Kana") { // a language of both
			kana, formed := letters.count["Kana"], countOf(s, l.Sole)
			if kana*20 >= letters.count["Han"] && kana > 0 || formed*30 >= letters.count["Han"] && formed > 0 {
				return l.Code
			}
		}
	}
	for _, l := range lang.Written(script) {
		if l.Alone {
			return l.Code
		}
	}
	return voteOnWords(s, script, words)
}

// LikelyLanguage returns Language(s), and where that is not sure, the language that
// most texts in its script are in: English for Latin, Russian for Cyrillic. It is
// empty for other scripts. Terms reads a text of unknown language so.
func LikelyLanguage(s string) string {
	if code := Language(s); code != "" {
		return code
	}
	return languageOfScript(s)
}

func languageOfScript(s string) string {
	script, _ := countLetters(sample(s)).script()
	for _, l := range lang.Written(script) {
		if l.Common {
			return l.Code
		}
	}
	return ""
}

// scripts are told apart in this order, the most frequent first.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Han", unicode.Han}, {"Kana", unicode.Hiragana},
	{"Kana", unicode.Katakana}, {"Hangul", unicode.Hangul}, {"Arabic", unicode.Arabic},
	{"Devanagari", unicode.Devanagari},
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

// A poll holds what tells the languages of one script apart by their words and letters.
type poll struct {
	languages []*lang.Language    // that have function words; the order decides between equals
	words     map[string][]string // function words → languages that have them
	asking    map[string][]string // the same for words that ask, which an index keeps
	letters   map[rune][]string   // the same for letters that few languages have
}

var polls = sync.OnceValue(func() map[string]*poll {
	all := map[string]*poll{}
	for _, l := range lang.All() {
		if !l.Knows(lang.FunctionWords) {
			continue
		}
		p := all[l.Script]
		if p == nil {
			p = &poll{words: map[string][]string{}, asking: map[string][]string{}, letters: map[rune][]string{}}
			all[l.Script] = p
		}
		p.languages = append(p.languages, l)
		for word := range l.Words(lang.FunctionWords) {
			p.words[word] = append(p.words[word], l.Code)
		}
		for word := range l.Words(lang.AskingWords) {
			p.asking[word] = append(p.asking[word], l.Code)
		}
		for _, r := range l.Letters {
			p.letters[r] = append(p.letters[r], l.Code)
		}
	}
	return all
})

// A ballot is what the words of a text say of its language, by language.
type ballot map[string]float64

// letters lets each telling letter speak for the languages that have it.
func (b ballot) letters(s string, p *poll) {
	for _, r := range s {
		if r < utf8.RuneSelf {
			continue
		}
		hinted := p.letters[r]
		for _, code := range hinted {
			b[code] += 0.4 / float64(len(hinted))
		}
	}
}

// word lets one word speak: as a function word and as a word of asking, for the
// languages that have it, in inverse proportion to how many they are, and by its letters.
func (b ballot) word(word string, p *poll) {
	voting := p.words[word]
	for _, part := range strings.Split(word, "'") {
		if len(voting) > 0 || part == word {
			break
		}
		voting = p.words[part] // an elided article
	}
	weight := 1.0
	if len(word) == 1 {
		weight = 0.5 // "a" and "e" are as often a name in a formula
	}
	for _, code := range voting {
		b[code] += weight / float64(len(voting))
	}
	asking := p.asking[word]
	for _, code := range asking {
		b[code] += 0.8 / float64(len(asking))
	}
	b.letters(word, p)
}

// lead gives the language of the most votes, these, and those of the next language.
func (b ballot) lead(p *poll) (winner string, best, second float64) {
	for _, l := range p.languages {
		switch v := b[l.Code]; {
		case v > best:
			best, second, winner = v, best, l.Code
		case v > second:
			second = v
		}
	}
	return winner, best, second
}

// counted gives the votes on a text of all its words but one: each function word votes for
// the languages that have it, and each telling letter likewise with less weight.
func (p *poll) counted(s string, words []Token, without string) ballot {
	votes := ballot{}
	for _, word := range words {
		if word.Text != without {
			votes.word(word.Text, p)
		}
	}
	for _, mark := range []string{"¿", "¡"} { // no part of a word
		if strings.Contains(s, mark) {
			votes.letters(mark, p)
		}
	}
	for _, l := range p.languages {
		if l.Sole != "" && len(words) > 1 && countOf(s, l.Sole) > 0 && countOf(s, l.Never) == 0 {
			votes[l.Code] += 0.8
		}
		if l.Article != "" && strings.Count(" "+s, " "+l.Article) > 1 && countOf(s, l.Never) == 0 {
			votes[l.Code] += 0.8
		}
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
	for _, l := range lang.Written(script) {
		if !l.Knows(lang.FunctionWords) && l.Sole != "" && countOf(s, l.Sole) > 1 {
			return l.Code
		}
	}
	p := polls()[script]
	if p == nil {
		return ""
	}
	words := read()
	winner, best, second := p.counted(s, words, "").lead(p)
	lead := best - second
	if best < 0.8 || lead < 0.25 || lead < 0.05*second || best < 0.04*float64(len(words)) {
		return ""
	}
	if len(words) >= sentence {
		return winner
	}
	for _, word := range words {
		if p.asking[word.Text] != nil {
			continue
		}
		if other, most, _ := p.counted(s, words, word.Text).lead(p); other != winner || most < 0.2 {
			return ""
		}
	}
	return winner
}
