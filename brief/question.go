package brief

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// A question is a query taken apart into the aspects that an answer should cover.
type question struct {
	*text.Reading
	readings *text.Readings
	terms    []string
	rivals   []rival  // where it sets things side by side: each is an aspect
	aspects  []aspect // at least one, unless the query has no words
}

// An aspect is one of the things that a query asks about, and the kind of answer
// that it asks for.
type aspect struct {
	text        string   // as it is asked
	words       []string // that it asks about, with those that its neighbour says for it
	terms       []string // of the words
	own         []string // words of its own text, where the others are its neighbour's
	wantsFigure bool
	wantsDate   bool
	isAsked     bool // it is a question or of one; a topic asks for nothing in particular
}

func newAspect(said *text.Reading) aspect {
	part, own := said.Text(), contentWords(said)
	return aspect{text: part, words: own, own: own,
		wantsFigure: asksFigure.MatchString(part), wantsDate: asksDate.MatchString(part)}
}

// maxAspects is how many aspects a question may have. What has more is a list of
// keywords, and asks about one thing.
const maxAspects = 6

// joints are where a question falls into aspects, in the languages whose word lists
// we keep. A comma within a number is none.
var joints = lazyregexp.New(`(?i)(?:[,;?!]+\s+|[。？！；，、،؟]\s*|\s+)(?:and|or|und|oder|et|ou|y|o|и|или)\s+` +
	`|[,;?!]+(?:\s+|$)|[。？！；，、،؟]+`)

// How questions begin that ask for a figure or a date. Words in other alphabets
// than ours have no \b around them.
var (
	asksFigure = lazyregexp.New(`(?i)(?:^|[^\p{L}\p{N}])(` +
		`(?:max|maximum|minimum) number|how (?:many|much|long|tall|far|high|deep|fast|old|big|large|heavy|often|wide|thick|hot|cold|strong|expensive)|` +
		`what (?:(?:is|was|are|were) the (?:[\p{L}-]+ ){0,2}?)?(?:percentage|share|rate|number|price|cost|height|length|duration|speed|size|diameter|width|depth|weight|age|distance|temperature|population|capacity)|` +
		`what (?:do|does|did|will|would)\P{Po}* cost|` +
		`wie (?:viele?n?|hoch|lange?|weit|schnell|alt|groß|schwer|tief|oft|breit|dick|teuer)|combien|cuánt[oa]s?|quant[oiae]|quant[oa]s|` +
		`сколько|как (?:далеко|высоко|долго|часто|глубоко|быстро)` +
		`)(?:[^\p{L}\p{N}]|$)|(多少|几[个人次种天座条]|多[高长長远遠大重深快久]|いくつ|いくら|どのくらい|どれくらい|何[人個台回]|얼마|몇)`)
	asksDate = lazyregexp.New(`(?i)(?:^|[^\p{L}\p{N}])(` +
		`when (?:is|are|was|were|will|did|do|does|has|had|have|can)|(?:what|which) (?:year|date|day)|since when|wann|seit wann|in welchem jahr|quand|(?:en )?quelle année|cuándo|(?:en )?qué año|quando|` +
		`когда|в каком году` +
		`)(?:[^\p{L}\p{N}]|$)|(什么时候|何时|何時|哪一?年|几时|哪天|いつ|何年|언제|몇 년)`)
)

// read reads a text in the language of the question.
func (q question) read(s string) *text.Reading { return q.readings.Read(s, q.Language()) }

// asking are words that say what kind of answer is wanted and need not stand in it.
var asking = strings.Fields(`many much often number amount figure percentage
	compare comparison explain describe list tell show give find difference differences differ overview meaning mean please version release kind type name work works happen happens
	viel viele vielen oft zahl anzahl vergleiche erkläre beschreibe unterschied unterschiede bitte
	kostet kosten kostete wieviel wieviele combien coûte coûtent cuánto cuánta cuántos cuántas cuesta cuestan quanto quanta quanti quante quantos quantas costa costano custa custam hoeveel kost
	сколько стоит стоят كم
	comparer expliquer décrire différence différences comparar explicar diferencia diferencias
	много сравни сравнить объясни разница`)

// contentTerms are the terms of a question that an answer should have.
func contentTerms(r *text.Reading) []string {
	var content []string
	for _, token := range contentTokens(r) {
		content = append(content, token.Text)
	}
	return content
}

// contentWords are those terms as the question spells them.
func contentWords(r *text.Reading) []string {
	var words []string
	for _, token := range contentTokens(r) {
		words = append(words, r.Text()[token.Start:token.End])
	}
	return words
}

// contentTokens are the words that name what is asked about, without those by
// which it is asked.
func contentTokens(r *text.Reading) []text.Token {
	s := r.Text()
	phrases := askingPhrases(s)
	return slices.DeleteFunc(slices.Clone(r.TermTokens()), func(t text.Token) bool {
		word := s[t.Start:t.End]
		return slices.Contains(asking, text.Fold(word)) || joinsCharacters(word) ||
			slices.ContainsFunc(phrases, func(p text.Span) bool { return t.Start < p.End && p.Start < t.End })
	})
}

// askingPhrases are the spans of "how deep" and its like: "deep" is a word of the
// question there, but not in "deep learning".
func askingPhrases(s string) []text.Span {
	figures := phrasesOf(asksFigure, s)
	for i, p := range figures {
		// the noun after it is what an answer may name
		if what, _, _ := strings.Cut(s[p.Start:p.End], " "); strings.EqualFold(what, "what") {
			figures[i].End = p.Start + len(what) + 1
		}
	}
	return append(figures, phrasesOf(asksDate, s)...)
}

// phrasesOf are the spans of what one of the groups of a pattern matches.
func phrasesOf(pattern *lazyregexp.Regexp, s string) []text.Span {
	var spans []text.Span
	for _, m := range pattern.FindAllStringSubmatchIndex(s, -1) {
		start, end := m[2], m[3]
		if start < 0 {
			start, end = m[4], m[5]
		}
		spans = append(spans, text.Span{Start: start, End: end})
	}
	return spans
}

// grammatical are the characters of Chinese that mostly carry grammar.
const grammatical = "的了是在有和与與吗嗎呢吧么麼什怎如何为為哪谁誰个個们們也都就还還及或者之它他她这這那"

// joinsCharacters says whether a pair of characters, as Chinese and Japanese text is
// looked up by, is held together by grammar only.
func joinsCharacters(pair string) bool {
	return strings.ContainsFunc(pair, func(r rune) bool {
		return unicode.Is(unicode.Hiragana, r) || strings.ContainsRune(grammatical, r)
	})
}

// share is the part of the wanted terms that occur among the given ones.
func share(wanted, given []string) float64 {
	if len(wanted) == 0 {
		return 0
	}
	found := 0
	for _, term := range wanted {
		if slices.Contains(given, term) {
			found++
		}
	}
	return float64(found) / float64(len(wanted))
}
