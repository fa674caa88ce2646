package measure

import (
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// A change makes a claim of a sentence: a falsehood that keeps nearly all its words, or
// a variant that says the same.
type change struct {
	name string
	true bool
	make func(s string, t tongue, m *maker) (string, bool)
}

// changes are in the order of the tables.
var changes = []change{
	{"year", false, changeYear},
	{"number", false, changeNumber},
	{"unit", false, func(s string, t tongue, m *maker) (string, bool) { return m.replace(s, t.units, t, afterNumber) }},
	{"direction", false, func(s string, t tongue, m *maker) (string, bool) {
		return m.replace(s, bothWays(t.directions), t, anywhere)
	}},
	{"named entity", false, changeName},
	{"negation", false, func(s string, t tongue, m *maker) (string, bool) {
		return m.replace(s, t.denials, t, anywhere)
	}},
	{"quantifier", false, func(s string, t tongue, m *maker) (string, bool) {
		return m.replace(s, t.quantifiers, t, anywhere)
	}},
	{"swap", false, swapWords},
	{"another fact", false, func(s string, t tongue, m *maker) (string, bool) { return m.join(s, m.apart, t) }},
	{"disowned", false, func(s string, t tongue, m *maker) (string, bool) { return m.begin(s, t.disowning) }},
	{"another's subject", false, takeSubject},
	{"another's figure", false, takeFigure},
	{"small word", false, changeSmallWord},
	{"exact", true, func(s string, _ tongue, _ *maker) (string, bool) { return s, true }},
	{"punctuation", true, changePunctuation},
	{"clause moved", true, moveClause},
	{"number word", true, changeNumberWord},
	{"contraction", true, func(s string, t tongue, m *maker) (string, bool) {
		return m.replace(s, t.contractions, t, anywhere)
	}},
	{"parenthesis left out", true, leaveParenthesis},
	{"synonym", true, func(s string, t tongue, m *maker) (string, bool) {
		return m.replace(s, bothWays(t.synonyms), t, anywhere)
	}},
}

// A maker draws what a change leaves open, the same for a sentence at every run.
type maker struct {
	*rand.Rand
	names  map[string][]string // words with a capital letter inside sentences, by language
	beside []string            // other sentences of the evidence
	apart  []string            // sentences of other texts
}

func newDraw(key string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(key))
	return rand.New(rand.NewPCG(h.Sum64(), 9))
}

// pick takes one of the places that are left.
func (m *maker) pick(places []text.Span) (text.Span, bool) {
	if len(places) == 0 {
		return text.Span{}, false
	}
	return places[m.IntN(len(places))], true
}

func put(s string, at text.Span, with string) string { return s[:at.Start] + with + s[at.End:] }

func anywhere(string, int) bool { return true }

// afterNumber says whether the word at s[i] follows a number.
func afterNumber(s string, i int) bool {
	before := strings.TrimRight(s[:i], " \u00a0-")
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsDigit(r)
}

// beforeNumber says whether a number follows the word at s[i].
func beforeNumber(s string, i int) bool {
	_, behind, _ := strings.Cut(s[i:], " ")
	r, _ := utf8.DecodeRuneInString(behind)
	return unicode.IsDigit(r)
}

func bothWays(pairs [][2]string) [][2]string {
	both := slices.Clone(pairs)
	for _, p := range pairs {
		both = append(both, [2]string{p[1], p[0]})
	}
	return both
}

// replace exchanges one word of s, or one run of them, by a table.
func (m *maker) replace(s string, table [][2]string, t tongue, fits func(string, int) bool) (string, bool) {
	var places []text.Span
	var with []string
	lower := strings.ToLower(s)
	if len(lower) != len(s) {
		return "", false
	}
	for _, pair := range table {
		for from := 0; ; {
			at := strings.Index(lower[from:], pair[0])
			if at < 0 {
				break
			}
			start, end := from+at, from+at+len(pair[0])
			from = end
			if !fits(s, start) || !t.unspaced && !standsApart(s, start, end) {
				continue
			}
			to := pair[1]
			if first, _ := utf8.DecodeRuneInString(s[start:]); unicode.IsUpper(first) {
				capital, n := utf8.DecodeRuneInString(to)
				to = string(unicode.ToUpper(capital)) + to[n:]
			}
			places, with = append(places, text.Span{Start: start, End: end}), append(with, to)
		}
	}
	if len(places) == 0 {
		return "", false
	}
	i := m.IntN(len(places))
	return put(s, places[i], with[i]), true
}

func standsApart(s string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	joins := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-'’_/", r)
	}
	return !joins(before) && !joins(after)
}

var (
	yearPattern   = regexp.MustCompile(`(?:1[5-9]\d\d|20[0-4]\d)`)
	numberPattern = regexp.MustCompile(`\d+(?:[.,]\d+)?`)
	smallNumber   = regexp.MustCompile(`\b(?:[2-9]|1[0-2])\b`)
)

// changeSmallWord puts an opposed small word in the place of another, if it can before a
// number.
func changeSmallWord(s string, t tongue, m *maker) (string, bool) {
	if changed, ok := m.replace(s, bothWays(t.smallBeforeNumbers), t, beforeNumber); ok {
		return changed, true
	}
	return m.replace(s, bothWays(t.smallWords), t, anywhere)
}

// numbers are the places of a pattern that are no part of a name or reference.
func numbers(s string, pattern *regexp.Regexp, unspaced bool) []text.Span {
	var places []text.Span
	for _, at := range pattern.FindAllStringIndex(s, -1) {
		before, _ := utf8.DecodeLastRuneInString(s[:at[0]])
		after, size := utf8.DecodeRuneInString(s[at[1]:])
		next, _ := utf8.DecodeRuneInString(s[min(len(s), at[1]+size):])
		apart := at[0] == 0 || before == ' ' || unspaced && before > unicode.MaxLatin1
		ends := at[1] == len(s) || strings.ContainsRune(" ;%。，", after) || (after == '.' || after == ',') &&
			!unicode.IsDigit(next) || unspaced && after > unicode.MaxLatin1
		if apart && ends {
			places = append(places, text.Span{Start: at[0], End: at[1]})
		}
	}
	return places
}

func changeYear(s string, t tongue, m *maker) (string, bool) {
	at, ok := m.pick(numbers(s, yearPattern, t.unspaced))
	if !ok {
		return "", false
	}
	year, err := strconv.Atoi(s[at.Start:at.End])
	if err != nil {
		return "", false
	}
	by := 1 + m.IntN(25)
	if m.IntN(2) == 0 || year+by > 2040 {
		by = -by
	}
	return put(s, at, strconv.Itoa(year+by)), true
}

func changeNumber(s string, t tongue, m *maker) (string, bool) {
	places := slices.DeleteFunc(numbers(s, numberPattern, t.unspaced), func(at text.Span) bool {
		return yearPattern.MatchString(s[at.Start:at.End])
	})
	at, ok := m.pick(places)
	if !ok {
		return "", false
	}
	digits := []byte(s[at.Start:at.End])
	digits[0] = '1' + (digits[0]-'0'+byte(m.IntN(7)))%9 // another first digit, no zero
	return put(s, at, string(digits)), string(digits) != s[at.Start:at.End]
}

// namesIn are the words inside s that begin with a capital letter; in a script without
// capitals, the Latin words.
func namesIn(s string, t tongue) []text.Span {
	var places []text.Span
	for i, w := range text.Words(s) {
		first, _ := utf8.DecodeRuneInString(s[w.Start:w.End])
		named := i > 0 && unicode.IsUpper(first)
		if t.unspaced {
			named = first < 128 && unicode.IsLetter(first)
		}
		if named && utf8.RuneCountInString(w.Text) >= 3 && standsApart(s, w.Start, w.End) {
			places = append(places, text.Span{Start: w.Start, End: w.End})
		}
	}
	return places
}

func changeName(s string, t tongue, m *maker) (string, bool) {
	at, ok := m.pick(namesIn(s, t))
	pool := m.names[t.lang]
	if !ok || len(pool) == 0 {
		return "", false
	}
	shape := func(name string) bool { return strings.ToUpper(name) == name }
	for range 20 {
		other := pool[m.IntN(len(pool))]
		if shape(other) == shape(s[at.Start:at.End]) && !strings.Contains(strings.ToLower(s), strings.ToLower(other)) {
			return put(s, at, other), true
		}
	}
	return "", false
}

// swapWords exchanges two content words of one sentence that are not joined by "and".
func swapWords(s string, t tongue, m *maker) (string, bool) {
	var places []text.Span
	for _, token := range text.TermTokens(s, t.lang) {
		word := s[token.Start:token.End]
		plain := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
		if plain && utf8.RuneCountInString(word) >= 4 && standsApart(s, token.Start, token.End) {
			places = append(places, text.Span{Start: token.Start, End: token.End})
		}
	}
	if t.unspaced || len(places) < 4 {
		return "", false
	}
	for range 20 {
		i := m.IntN(len(places) - 2)
		j := i + 2 + m.IntN(len(places)-i-2)
		a, b := places[i], places[j]
		between := strings.ToLower(s[a.End:b.Start])
		joined := slices.ContainsFunc(t.joining, func(and string) bool {
			return strings.Contains(between, " "+and+" ")
		})
		if joined || strings.ContainsAny(between, ",;:()") || strings.EqualFold(s[a.Start:a.End], s[b.Start:b.End]) {
			continue
		}
		return s[:a.Start] + matchCase(s[b.Start:b.End], s[a.Start:a.End], i == 0) + s[a.End:b.Start] +
			matchCase(s[a.Start:a.End], s[b.Start:b.End], i == 0) + s[b.End:], true
	}
	return "", false
}

// matchCase gives a word at the head of a sentence its capital, and takes it from the
// one that stood there.
func matchCase(word, was string, head bool) string {
	if !head {
		return word
	}
	first, size := utf8.DecodeRuneInString(word)
	model, _ := utf8.DecodeRuneInString(was)
	if unicode.IsUpper(model) {
		return string(unicode.ToUpper(first)) + word[size:]
	}
	return string(unicode.ToLower(first)) + word[size:]
}

// changePunctuation drops the last mark and one comma, and gives quotes and dashes
// another shape.
func changePunctuation(s string, _ tongue, _ *maker) (string, bool) {
	changed := strings.TrimRight(s, ".。")
	changed = strings.NewReplacer(" - ", " – ", "'", "’", "“", `"`, "”", `"`, "«", `"`, "»", `"`).Replace(changed)
	changed = strings.Replace(changed, "; ", ", ", 1)
	return changed, changed != s
}

var openingClause = regexp.MustCompile(`^(\p{Lu}\p{L}*)([^,.;:()]{6,80}), ([^:;]{20,})[.]$`)

// moveClause puts an opening "In 1998, …" or "If …, …" at the end.
func moveClause(s string, t tongue, _ *maker) (string, bool) {
	parts := openingClause.FindStringSubmatch(s)
	if parts == nil || !slices.Contains(t.openers, strings.ToLower(parts[1])) {
		return "", false
	}
	first, size := utf8.DecodeRuneInString(parts[3])
	return string(unicode.ToUpper(first)) + parts[3][size:] + " " + strings.ToLower(parts[1]) + parts[2] + ".", true
}

// changeNumberWord writes a small number in words, or a word as a number.
func changeNumberWord(s string, t tongue, m *maker) (string, bool) {
	var table [][2]string
	for i, word := range t.numbers {
		table = append(table, [2]string{strconv.Itoa(i + 2), word}, [2]string{word, strconv.Itoa(i + 2)})
	}
	return m.replace(s, table, t, func(s string, i int) bool {
		if first, _ := utf8.DecodeRuneInString(s[i:]); !unicode.IsDigit(first) {
			return true
		}
		return slices.ContainsFunc(numbers(s, smallNumber, t.unspaced), func(at text.Span) bool {
			return at.Start == i && !strings.HasPrefix(s[at.End:], "%")
		})
	})
}

// begin puts one of the beginnings before s.
func (m *maker) begin(s string, beginnings []string) (string, bool) {
	if len(beginnings) == 0 {
		return "", false
	}
	return beginnings[m.IntN(len(beginnings))] + " " + inside(s), true
}

// inside is a sentence as it stands inside another one, without the capital of its first
// word; a word of capitals keeps them.
func inside(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[size:]); unicode.IsLower(next) {
		return string(unicode.ToLower(first)) + s[size:]
	}
	return s
}

// join adds the first clause of one of the others to s.
func (m *maker) join(s string, others []string, t tongue) (string, bool) {
	const least, most = 20, 120 // bytes of a clause
	whole := strings.TrimRight(s, ".。")
	if len(others) == 0 || whole == s {
		return "", false
	}
	other := strings.TrimRight(others[m.IntN(len(others))], ".。")
	if end := strings.IndexAny(other, ",;:(，；：（"); end >= 0 {
		other = other[:end]
	}
	if len(other) < least || len(other) > most {
		return "", false
	}
	if t.unspaced {
		return whole + "，" + other + "。", true
	}
	return whole + ", " + t.joining[0] + " " + inside(other) + ".", true
}

var aside = regexp.MustCompile(` ?[(（][^()（）]{3,80}[)）]`)

func leaveParenthesis(s string, _ tongue, m *maker) (string, bool) {
	var places []text.Span
	for _, at := range aside.FindAllStringIndex(s, -1) {
		places = append(places, text.Span{Start: at[0], End: at[1]})
	}
	at, ok := m.pick(places)
	return put(s, at, ""), ok
}
