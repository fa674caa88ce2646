package text

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text/lang"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// namers are the languages' names of languages, for the languages that somebody may ask in for an answer.
var namers = map[string]*display.Dictionary{
	"en": display.English, "de": display.German, "fr": display.French, "es": display.Spanish, "it": display.Italian,
	"pt": display.Portuguese, "nl": display.Dutch, "pl": display.Polish, "ru": display.Russian,
	"zh": display.Chinese, "ja": display.Japanese, "ko": display.Korean,
}

// A request finds the name of a language where somebody asks for it.
type request struct {
	form  *regexp.Regexp // of a clause; one of its groups is the name
	codes map[string]string
}

// Languages are the codes of the languages that Language tells, sorted.
func Languages() []string {
	var all []string
	for _, l := range lang.All() {
		if l.Alone || l.Knows(lang.FunctionWords) {
			all = append(all, l.Code)
		}
	}
	slices.Sort(all)
	return all
}

// namesIn gives the names that a language has for those that are told, with their codes.
func namesIn(d *display.Dictionary) map[string]string {
	codes := map[string]string{}
	for _, code := range Languages() {
		if name := Fold(d.Languages().Name(language.Make(code))); name != "" {
			codes[name] = code
		}
	}
	return codes
}

var requests = sync.OnceValue(func() []request {
	var all []request
	for _, l := range lang.All() {
		if names := namers[l.Code]; names != nil && l.Knows(lang.Requests) {
			all = append(all, requestIn(l, names))
		}
	}
	return all
})

// requestIn builds the request for an answer in some language as one language phrases it.
func requestIn(l *lang.Language, names *display.Dictionary) request {
	codes := namesIn(names)
	of := func(key string) string { return alternatives(l.Of(lang.Requests, key), " ") }
	if l.Is(lang.Segments) || l.Is(lang.Counters) { // no spaces to find the words by
		of := func(key string) string { return alternatives(l.Of(lang.Requests, key), `\s*`) }
		return request{regexp.MustCompile(`(?:` + of("before") + `)(` + anyOf(codes) + `)(?:` + of("after") + `)`),
			codes}
	}
	letters := ""
	if endings := l.Of(lang.Requests, "ending"); len(endings) > 0 { // letters that a name may lose, and have others for
		shortened := map[string]string{}
		for name, code := range codes {
			shortened[strings.TrimSuffix(name, endings[0])] = code
		}
		codes, letters = shortened, `\p{L}{0,4}`
	}
	named := `(?:` + of("before") + `)[\s-]+(` + anyOf(codes) + `)` + letters
	please, do, after := `(?:`+of("please")+`)`, `(?:`+of("do")+`)`, `(?:`+of("after")+`)`
	return request{regexp.MustCompile(
		// write it in German
		`^(?:` + please + `\s+)*` + do + `\p{L}*(?:[\s-]\p{L}+)?\s+(?:.*\s)?` + named + `(?:\s+` + after + `)*$` +
			`|^(?:` + please + `\s+)*` + do + `\p{L}*\s+` + named + `\s` + // answer in German what it is
			`|^(?:` + please + `\s+)*` + named + `(?:\s+` + after + `)*$` + // in German, as a clause of its own
			`|\s` + named + `\s+` + after + `$`), codes} // its history in German please
}

// alternatives is a pattern for any of words, in which _ stands for a space.
func alternatives(words []string, space string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = strings.ReplaceAll(regexp.QuoteMeta(word), "_", space)
	}
	return strings.Join(quoted, "|")
}

// anyOf is a pattern for the longest of names.
func anyOf(codes map[string]string) string {
	names := slices.SortedFunc(maps.Keys(codes), func(x, y string) int { return len(y) - len(x) })
	for i, name := range names {
		names[i] = regexp.QuoteMeta(name)
	}
	return strings.Join(names, "|")
}

// clauses are separated by marks.
var clauses = lazyregexp.New(`[,;:.!?()\[\]"“”\n–—。，：；！？、]+|\s-\s`)

// maxAsked bounds what is searched for a request, in bytes: one stands at the beginning
// or at the end of a task.
const maxAsked = 2000

// AskedLanguage returns the code of the language that somebody asks in s to be answered
// in, by its name in one of the twelve languages that are understood; empty where none is
// asked for. A text about a language, or about things in one, asks for none.
func AskedLanguage(s string) string {
	if len(s) > 2*maxAsked {
		s = s[:CharacterStart(s, maxAsked)] + "\n" + s[CharacterStart(s, len(s)-maxAsked):]
	}
	for _, clause := range clauses.Split(Fold(s), -1) {
		clause = strings.TrimSpace(clause)
		for _, r := range requests() {
			for i, name := range r.form.FindStringSubmatch(clause) {
				if code := r.codes[name]; i > 0 && code != "" {
					return code
				}
			}
		}
	}
	return ""
}

// LanguageName returns the English name of a language by its code; the code where it has none.
func LanguageName(code string) string {
	if name := display.English.Languages().Name(language.Make(code)); name != "" {
		return name
	}
	return code
}

// ParseLanguage returns the code of a language by its code or by its name in any of the
// languages that AskedLanguage understands; "" where it is none that Language tells.
func ParseLanguage(s string) string {
	s = Fold(strings.TrimSpace(s))
	if s == "" {
		return ""
	}
	if base := BaseLanguage(s); slices.Contains(Languages(), base) {
		return base
	}
	for _, l := range lang.All() {
		if names := namers[l.Code]; names != nil {
			if code := namesIn(names)[s]; code != "" {
				return code
			}
		}
	}
	return ""
}
