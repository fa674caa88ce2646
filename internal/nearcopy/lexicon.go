package nearcopy

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A pole is one of two opposite sides; words of the same axis and other sign say
// opposite things.
type pole struct {
	axis string
	sign int
}

// A lexicon holds the words of one language that tell a claim from its opposite and its denial.
type lexicon struct {
	*lang.Language
	poles   map[string][]pole // by term
	denials map[string]bool   // deny what follows them
	beside  map[string]bool   // strengthen a denial, and deny nothing alone
	forms   []denyingForm     // words that hold their own denial
	axes    [][2][]string     // opposites in a language without spaces, looked for in the text itself
	signs   []string          // what denies there, in the order in which it is looked for
	plain   *strings.Replacer // takes out of a text what has a sign in it and denies nothing
	small   [][2]map[string]bool
	turning []string // prefixes that turn many words round
	against []string // prefixes that deny verbs: schválila, neschválila
	endings []string // they deny the word before them
}

// A denyingForm describes words that hold their own denial, as isn't, n'est, není and gelmedi do: the word
// itself, its head, its tail, or a part within it.
type denyingForm struct {
	word, head, tail, within string
	positive                 string // what stands there in the word without the denial
	behind                   bool   // the denial is read behind the word: is not
}

var lexicons sync.Map // code → func() *lexicon

// lexiconOf returns the lexicon of a language. It is built when it is first asked for: most runs of the
// program read one language or two, and stemming all the words takes milliseconds.
func lexiconOf(code string) *lexicon {
	built, ok := lexicons.Load(code)
	if !ok {
		l := lang.Of(code)
		if l.Code == "" { // no list is of this language
			return &lexicon{Language: l}
		}
		built, _ = lexicons.LoadOrStore(code, sync.OnceValue(func() *lexicon { return newLexicon(l) }))
	}
	return built.(func() *lexicon)()
}

func newLexicon(l *lang.Language) *lexicon {
	x := &lexicon{Language: l, turning: l.Of(lang.OppositePrefixes, ""),
		against: l.Of(lang.OppositePrefixes, "denials"), endings: l.Of(lang.DenyingEndings, "")}
	if l.Is(lang.Segments) {
		for _, row := range l.Rows(lang.Opposites) {
			x.axes = append(x.axes, [2][]string{row.Sides[0], row.Sides[1]})
		}
		x.signs, x.plain = l.Of(lang.Denials, ""), withoutWords(l.Of(lang.NotDenials, ""))
		return x
	}
	x.denials, x.beside = setOf(l.Of(lang.Denials, "")), setOf(l.Of(lang.Denials, "beside"))
	x.forms = append(formsOf(l.Of(lang.Denials, "before"), false), formsOf(l.Of(lang.Denials, "behind"), true)...)
	x.poles = polesOf(l)
	for _, row := range l.Rows(lang.SmallOpposites) {
		x.small = append(x.small, [2]map[string]bool{setOf(row.Sides[0]), setOf(row.Sides[1])})
	}
	return x
}

// polesOf returns the sides of the terms of a language's opposites; the positive or larger side is first.
func polesOf(l *lang.Language) map[string][]pole {
	poles := map[string][]pole{}
	for _, row := range l.Rows(lang.Opposites) {
		for i, words := range row.Sides {
			for _, word := range words {
				stem, p := termOf(l.Code, word), pole{row.Key, 1 - 2*i}
				if !slices.Contains(poles[stem], p) {
					poles[stem] = append(poles[stem], p)
				}
			}
		}
	}
	return poles
}

// formsOf reads forms as a language's file has them: "není=je", "nebyl-=byl", "-n't", "-madı-=dı".
func formsOf(written []string, behind bool) []denyingForm {
	forms := make([]denyingForm, len(written))
	for i, w := range written {
		form, positive, _ := strings.Cut(w, "=")
		f := denyingForm{positive: positive, behind: behind}
		rest, begins := strings.CutSuffix(form, "-")
		rest, ends := strings.CutPrefix(rest, "-")
		switch {
		case begins && ends:
			f.within = rest
		case begins:
			f.head = rest
		case ends:
			f.tail = rest
		default:
			f.word = rest
		}
		forms[i] = f
	}
	return forms
}

// of returns a folded word without its denial, if it has the form.
func (f denyingForm) of(low string) (positive string, ok bool) {
	switch {
	case f.word != "":
		return f.positive, low == f.word
	case f.head != "":
		rest, ok := strings.CutPrefix(low, f.head)
		return f.positive + rest, ok && f.positive+rest != ""
	case f.tail != "":
		rest, ok := strings.CutSuffix(low, f.tail)
		return rest + f.positive, ok && rest != ""
	}
	const least = 2 // letters of a stem
	stem, rest, ok := strings.Cut(low, f.within)
	return stem + f.positive + rest, ok && utf8.RuneCountInString(stem) >= least
}

// denies reports whether a folded word is a denial or holds one, and for one that holds it the word
// without it.
func (x *lexicon) denies(low string) (positive string, form *denyingForm, ok bool) {
	if x.denials[low] {
		return "", nil, true
	}
	for i := range x.forms {
		if positive, ok := x.forms[i].of(low); ok {
			return positive, &x.forms[i], true
		}
	}
	return "", nil, false
}

// knowsDenials reports whether there is a list of denials. Without one, words cannot tell a near-copy from
// its denial.
func (x *lexicon) knowsDenials() bool { return x.Knows(lang.Denials) }

// termOf is the form in which a word of a sentence is looked up: its term, or the
// word itself where it is a function word.
func termOf(language, word string) string {
	if terms := text.Terms(word, language); len(terms) == 1 {
		return terms[0]
	}
	return text.Fold(word)
}

// leastPrefixed is how many bytes a word has at least that is compared by its prefix.
const leastPrefixed = 5

// prefixed reports whether one word is the other with one of the prefixes.
func prefixed(a, b string, prefixes []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	prefix, ok := strings.CutSuffix(b, a)
	return ok && len(a) >= leastPrefixed && slices.Contains(prefixes, prefix)
}

// opposedPrefixed reports whether two words differ in prefixes that are opposites.
func opposedPrefixed(a, b string) bool {
	for _, pair := range opposedPrefixes {
		for k := range pair {
			if rest, ok := strings.CutPrefix(a, pair[k]); ok && len(rest) >= leastPrefixed-1 && b == pair[1-k]+rest {
				return true
			}
		}
	}
	return false
}

var opposedPrefixes = [][2]string{{"over", "under"}, {"hyper", "hypo"}, {"up", "down"}, {"pro", "anti"},
	{"inter", "intra"}, {"macro", "micro"}, {"pre", "post"}}

// turned reports whether one of two forms of a word goes on, behind what both begin with, with an ending
// that denies it, and the other does not.
func (x *lexicon) turned(a, b string) bool {
	if len(x.endings) == 0 || a == b {
		return false
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	denied := func(word string) bool {
		return slices.ContainsFunc(x.endings, func(e string) bool { return strings.HasPrefix(word[same:], e) })
	}
	return denied(a) != denied(b)
}

// withoutWords takes words out of a text.
func withoutWords(words []string) *strings.Replacer {
	var pairs []string
	for _, word := range words {
		pairs = append(pairs, word, "")
	}
	return strings.NewReplacer(pairs...)
}

func containsAny(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func setOf(words []string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, word := range words {
		set[word] = true
	}
	return set
}
