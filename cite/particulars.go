package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// Particulars are what a statement stands or falls with and what is no figure or
// date: times of day, ports, versions, numbers of things, names. "It leaves at 07:30"
// and "it leaves at 08:15" share all their words.

// looseSpans gives the numbers of s that are part of no figure or date.
func looseSpans(s, lang string) []text.Span {
	var read []text.Span
	for _, f := range text.Figures(s, lang) {
		read = append(read, text.Span{Start: f.Start, End: f.End})
	}
	for _, d := range text.Dates(s, lang) {
		read = append(read, text.Span{Start: d.Start, End: d.End})
	}
	return slices.DeleteFunc(numbersIn(s), func(n text.Span) bool {
		return slices.ContainsFunc(read, func(r text.Span) bool { return n.Start < r.End && r.Start < n.End })
	})
}

// numbersIn finds runs of ASCII digits with single separators between them that are
// no part of a word: "07:30", "3.12", "8080", but neither "CD8" nor "x86".
func numbersIn(s string) []text.Span {
	var spans []text.Span
	for i := 0; i < len(s); {
		if !isDigit(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && (isDigit(s[end]) || end+1 < len(s) && strings.IndexByte(".:,/-", s[end]) >= 0 && isDigit(s[end+1])) {
			end++
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			spans = append(spans, text.Span{Start: i, End: end})
		}
		i = end
	}
	return spans
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// sameNumber is the form in which two writings of a number are compared: 07:30 and
// 7.30 are one.
func sameNumber(number string) string {
	parts := strings.FieldsFunc(number, func(r rune) bool { return r < '0' || r > '9' })
	for i, part := range parts {
		if parts[i] = strings.TrimLeft(part, "0"); parts[i] == "" {
			parts[i] = "0"
		}
	}
	return strings.Join(parts, ":")
}

// numberSet gives every number of s in the form for comparison.
func numberSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, n := range numbersIn(s) {
		set[sameNumber(s[n.Start:n.End])] = true
	}
	return set
}

// missingNumbers gives the loose numbers of a claim that its evidence has nowhere.
func missingNumbers(claim, lang, evidence string) []string {
	loose := looseSpans(claim, lang)
	if len(loose) == 0 {
		return nil
	}
	has := numberSet(evidence)
	var missing []string
	for _, n := range loose {
		number := claim[n.Start:n.End]
		compound := n.Start > 0 && (claim[n.Start-1] == '-' || claim[n.Start-1] == '_') // IL-6 may be written IL6
		if !compound && !has[sameNumber(number)] {
			missing = append(missing, number)
		}
	}
	return missing
}

// weekdays are names that some languages write small.
var weekdays = strings.Fields(`lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
	lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
	понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье`)

// hasNames says whether evidence has every name of the claim: the words that are
// written with a capital letter inside a sentence, the days of the week, and the
// numbers of names such as GPL-2.
func hasNames(claim, evidence, lang string) bool {
	var has map[string]bool
	first := true
	numbers := numberSet(evidence)
	for _, n := range looseSpans(claim, lang) {
		if !numbers[sameNumber(claim[n.Start:n.End])] {
			return false
		}
	}
	for _, word := range text.Words(claim) {
		written := claim[word.Start:word.End]
		initial, _ := utf8.DecodeRuneInString(written)
		named := unicode.IsUpper(initial) && !first || slices.Contains(weekdays, strings.ToLower(written))
		first = false
		if !named {
			continue
		}
		if has == nil {
			has = map[string]bool{}
			for _, w := range text.Words(evidence) {
				has[text.Stem(lang, w.Text)] = true
			}
		}
		if !has[text.Stem(lang, word.Text)] {
			return false
		}
	}
	return true
}
