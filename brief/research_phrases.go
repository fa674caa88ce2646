package brief

import (
	"regexp"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text/lang"
)

// A phrasing is how one language asks, and how it joins two topics.
type phrasing struct {
	asked  *lazyregexp.Regexp // a question, by its first words; nil where the language has no list of them
	joints *lazyregexp.Regexp // what stands between two topics
}

// asks reports whether words are a question by how they begin.
func (p phrasing) asks(words string) bool { return p.asked != nil && p.asked.MatchString(words) }

// Marks that join topics in any language; a comma within a number is none.
const jointMarks = `[,;]\s+|[、，；،؛]\s*`

var phrasings sync.Map // code → phrasing

// phrasingIn returns the phrasing of a language, and whether it has one.
func phrasingIn(code string) (p phrasing, known bool) {
	l := lang.Of(code)
	if !l.Knows(lang.Joints) {
		return phrasing{}, false
	}
	built, ok := phrasings.Load(l.Code)
	if !ok {
		built, _ = phrasings.LoadOrStore(l.Code, phrasing{questionsOf(l), jointsOf(l)})
	}
	return built.(phrasing), true
}

// questionsOf gives the pattern of a question: by its first words, or where no spaces part them by its
// beginning, its end or what stands in it.
func questionsOf(l *lang.Language) *lazyregexp.Regexp {
	if !l.Knows(lang.Questions) {
		return nil
	}
	begin, end, within := l.Of(lang.Questions, "begin"), l.Of(lang.Questions, "end"), l.Of(lang.Questions, "anywhere")
	if end == nil && within == nil {
		return lazyregexp.New(`(?i)^[¿\s]*(?:` + anyWord(begin) + `)(?:\s|['’]|$)`)
	}
	var ways []string
	if begin != nil {
		ways = append(ways, `^(?:`+anyWord(begin)+`)`)
	}
	if within != nil {
		ways = append(ways, anyWord(within))
	}
	return lazyregexp.New(strings.Join(append(ways, `(?:`+anyWord(end)+`)$`), "|"))
}

// jointsOf gives the pattern of what joins two topics.
func jointsOf(l *lang.Language) *lazyregexp.Regexp {
	var ways []string
	for _, way := range []struct{ key, before, after string }{
		{"anywhere", `\s*(?:`, `)\s*`},
		{"within", `([\p{Han}\p{Katakana}ーA-Za-z])(?:`, `)([\p{Han}\p{Katakana}A-Za-z])`},
		{"behind", `([가-힣]{2})(?:`, `)\s+`},
		{"between", `[,;،؛]?\s+(?:`, `)\s+`},
	} {
		if words := l.Of(lang.Joints, way.key); words != nil {
			ways = append(ways, way.before+anyWord(words)+way.after)
		}
	}
	return lazyregexp.New(`(?i)` + strings.Join(append(ways, jointMarks), "|"))
}

// anyWord is a pattern for any of words, in which _ stands for a space.
func anyWord(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strings.ReplaceAll(regexp.QuoteMeta(word), "_", " ")
	}
	return strings.Join(quoted, "|")
}

// joining gives the joints of words with spaces between them.
func joining(words []string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)[,;،؛]?\s+(?:` + anyWord(words) + `)\s+|` + jointMarks)
}

// anyJoint is for a topic whose language cannot be told: the joints of all languages.
var anyJoint = sync.OnceValue(func() *lazyregexp.Regexp {
	var words []string
	for _, l := range lang.All() {
		words = append(words, l.Of(lang.Joints, "between")...)
	}
	return joining(words)
})

// plainPhrasing is for a topic in plain letters whose language cannot be told: it asks as English does, and
// is joined by words that mean nothing else in English.
var plainPhrasing = sync.OnceValue(func() phrasing {
	english := lang.Of("en")
	words := append(english.Of(lang.Joints, "between"), english.Of(lang.Joints, "foreign")...)
	return phrasing{questionsOf(english), joining(words)}
})
