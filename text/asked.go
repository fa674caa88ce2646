package text

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/lazyregexp"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// An asker is how one language asks for an answer in some language: the words before its
// name, the beginnings of what is asked to be done, and what makes any of it a request.
type asker struct {
	names  *display.Dictionary
	before string // the name
	doing  string
	please string
	after  string // the name
	ending string // letters that the name may lose, and have others for
}

var askers = []asker{
	{display.English, `in`, `answer|respond|reply|write|explain|describe|summari[sz]e|report|tell|give|make`, `please|kindly|and|can you|could you|would you|will you|then`, `please|language|only`, ""},
	{display.German, `auf|in`, `antwort|beantwort|schreib|erklär|beschreib|fass|bericht|gib|erzähl|verfass`, `bitte|und|kannst du|können sie`, `bitte|sprache`, ""},
	{display.French, `en`, `répon|rédige|écri|explique|décri|résume|donne|fai`, `s'il te plaît|s'il vous plaît|et|merci de|peux-tu|pouvez-vous`, `s'il te plaît|s'il vous plaît|svp`, ""},
	{display.Spanish, `en`, `respond|contest|escrib|redact|explic|describ|resum|haz`, `por favor|y|puedes|podrías`, `por favor`, ""},
	{display.Italian, `in`, `rispond|scriv|redig|spieg|descriv|riassum|fai`, `per favore|e|puoi|potresti`, `per favore`, ""},
	{display.Portuguese, `em`, `respond|escrev|redij|expli|descrev|resum|faça`, `por favor|e|pode|poderia`, `por favor`, ""},
	{display.Dutch, `in het|in`, `antwoord|beantwoord|schrijf|beschrijf|geef|maak`, `graag|alsjeblieft|en|kun je`, `graag|alsjeblieft|alstublieft`, ""},
	{display.Polish, `po|w języku`, `odpowi|napisz|pisz|wyjaśni|opisz|streść`, `proszę|i|czy możesz`, `proszę`, "i"},
	{display.Russian, `по|на`, `ответ|отвеч|напи|пиши|объясн|опиши|расскаж|сделай`, `пожалуйста|и|нужно|надо|можешь|прошу`, `пожалуйста|языке|язык`, "ий"},
}

// Languages of Han, kana and Hangul have no spaces to find the words by.
var compactAskers = []struct {
	names         *display.Dictionary
	before, after string
}{
	{display.Chinese, `[用以]`, `(?:来)?(?:回答|作答|回复|写|撰写|说明|解释|输出)`},
	{display.Japanese, ``, `で(?:答え|回答|書い|説明|まとめ|お願い|教え)`},
	{display.Korean, ``, `로\s*(?:답|대답|작성|써|쓰|설명|요약)`},
}

// A request finds the name of a language where somebody asks for it.
type request struct {
	form  *regexp.Regexp // of a clause; one of its groups is the name
	codes map[string]string
}

// Languages are the codes of the languages that Language tells, sorted.
func Languages() []string {
	var all []string
	for _, languages := range languagesOf {
		all = append(all, languages...)
	}
	for _, lang := range soleLanguage {
		all = append(all, lang)
	}
	all = append(all, "zh")
	slices.Sort(all)
	return slices.Compact(all)
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
	for _, a := range askers {
		codes := map[string]string{}
		for name, code := range namesIn(a.names) {
			codes[strings.TrimSuffix(name, a.ending)] = code
		}
		letters := ""
		if a.ending != "" {
			letters = `\p{L}{0,4}`
		}
		named := `(?:` + a.before + `)[\s-]+(` + anyOf(codes) + `)` + letters
		form := `^(?:(?:` + a.please + `)\s+)*(?:` + a.doing + `)\p{L}*(?:[\s-]\p{L}+)?\s+(?:.*\s)?` + named + `(?:\s+(?:` + a.after + `))*$` + // write it in German
			`|^(?:(?:` + a.please + `)\s+)*(?:` + a.doing + `)\p{L}*\s+` + named + `\s` + // answer in German what it is
			`|^(?:(?:` + a.please + `)\s+)*` + named + `(?:\s+(?:` + a.after + `))*$` + // in German, as a clause of its own
			`|\s` + named + `\s+(?:` + a.after + `)$` // its history in German please
		all = append(all, request{regexp.MustCompile(form), codes})
	}
	for _, a := range compactAskers {
		codes := namesIn(a.names)
		all = append(all, request{regexp.MustCompile(a.before + `(` + anyOf(codes) + `)` + a.after), codes})
	}
	return all
})

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
	for _, a := range askers {
		if code := namesIn(a.names)[s]; code != "" {
			return code
		}
	}
	for _, a := range compactAskers {
		if code := namesIn(a.names)[s]; code != "" {
			return code
		}
	}
	return ""
}
