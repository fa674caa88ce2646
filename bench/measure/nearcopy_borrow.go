package measure

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// clausePairs are two clauses of s, and s before each other sentence of its evidence.
func (m *maker) clausePairs(s string, t tongue) (pairs [][2]string) {
	whole := strings.TrimRight(s, ".。")
	for _, join := range t.clauses {
		if one, two, ok := strings.Cut(whole, join); ok {
			first, size := utf8.DecodeRuneInString(two)
			pairs = append(pairs, [2]string{one, strings.ToUpper(string(first)) + two[size:]})
		}
	}
	for _, i := range m.Perm(len(m.beside)) {
		pairs = append(pairs, [2]string{whole, strings.TrimRight(m.beside[i], ".。")})
	}
	return pairs
}

// takeSubject gives what one clause says to the subject of another. Both begin with an
// article or a name that a common verb ends, and neither names the other's thing.
func takeSubject(s string, t tongue, m *maker) (string, bool) {
	for _, pair := range m.clausePairs(s, t) {
		if m.IntN(2) == 0 {
			pair[0], pair[1] = pair[1], pair[0]
		}
		mine, verb, said := m.cutSubject(pair[0], t)
		theirs, other, _ := m.cutSubject(pair[1], t)
		if verb == "" || verb != other || shareTerm(mine, pair[1], t.lang) || shareTerm(theirs, pair[0], t.lang) {
			continue
		}
		return theirs + " " + verb + " " + said + ".", true
	}
	return "", false
}

// cutSubject cuts a clause before its first common verb; verb is empty where what stands
// before is no phrase of few words that begins with an article or a name.
func (m *maker) cutSubject(clause string, t tongue) (subject, verb, said string) {
	const most = 6 // words
	words := strings.Fields(clause)
	for i, w := range words[:min(len(words), most+1)] {
		if i > 0 && slices.Contains(t.verbs, w) {
			named := slices.Contains(m.names[t.lang], words[0]) && len(text.Terms(words[0], t.lang)) > 0
			if !named && !slices.Contains(t.articles, strings.ToLower(words[0])) {
				return "", "", ""
			}
			return strings.Join(words[:i], " "), w, strings.Join(words[i+1:], " ")
		}
		if strings.ContainsAny(w, ",;:()") || slices.Contains(t.openers, w) {
			return "", "", ""
		}
	}
	return "", "", ""
}

// shareTerm says whether two texts have a content word in common.
func shareTerm(a, b, lang string) bool {
	theirs := text.Terms(b, lang)
	return slices.ContainsFunc(text.Terms(a, lang), func(term string) bool { return slices.Contains(theirs, term) })
}

// takeFigure gives one clause the figure of another: a year for a year, or a number that
// the same word follows. The other clause is left out.
func takeFigure(s string, t tongue, m *maker) (string, bool) {
	for _, pair := range m.clausePairs(s, t) {
		for _, pattern := range []*regexp.Regexp{yearPattern, numberPattern} {
			at, ok := m.pick(numbers(pair[0], pattern, t.unspaced))
			if !ok {
				continue
			}
			mine := pair[0][at.Start:at.End]
			for _, b := range numbers(pair[1], pattern, t.unspaced) {
				theirs := pair[1][b.Start:b.End]
				alike := pattern == yearPattern || !yearPattern.MatchString(mine+" "+theirs) &&
					countedBy(pair[0], at) == countedBy(pair[1], b) && countedBy(pair[0], at) != ""
				if alike && !strings.Contains(pair[0], theirs) && !strings.Contains(pair[1], mine) {
					return put(pair[0], at, theirs) + ".", true
				}
			}
		}
	}
	return "", false
}

// countedBy is the sign or the word behind a number.
func countedBy(s string, at text.Span) string {
	if strings.HasPrefix(s[at.End:], "%") {
		return "%"
	}
	words := strings.Fields(s[at.End:])
	if len(words) == 0 {
		return ""
	}
	return strings.ToLower(strings.Trim(words[0], ",;:()"))
}
