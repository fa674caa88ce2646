package cite

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/nearcopy"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// Particulars are what a statement stands or falls with and what is no figure or
// date: times of day, ports, versions, numbers of things, names. "It leaves at 07:30"
// and "it leaves at 08:15" share all their words.

// looseSpans returns the numbers of a text outside its figures, dates and identifiers. Numbers with two readings are
// left out.
func looseSpans(r *text.Reading) []text.Span {
	numbers := numbersIn(r.Text())
	if len(numbers) == 0 {
		return nil
	}
	var read []text.Span
	for _, f := range quantity.Figures(r) {
		read = append(read, text.Span{Start: f.Start, End: f.End})
	}
	for _, d := range quantity.Dates(r) {
		read = append(read, text.Span{Start: d.Start, End: d.End})
	}
	for _, id := range quantity.Identifiers(r) {
		read = append(read, text.Span{Start: id.Start, End: id.End})
	}
	read = append(read, quantity.Unclear(r)...)
	return slices.DeleteFunc(numbers, func(n text.Span) bool {
		return slices.ContainsFunc(read, func(r text.Span) bool { return n.Start < r.End && r.Start < n.End })
	})
}

// numbersIn finds runs of digits with single separators between them that are no part
// of a word: "07:30", "3.12", "8080", but neither "CD8" nor "x86".
func numbersIn(s string) []text.Span {
	var spans []text.Span
	for i := 0; i < len(s); {
		_, size, digit := text.DigitAt(s, i)
		if !digit {
			i++
			continue
		}
		end := i
		for digit {
			end += size
			if end < len(s) && strings.IndexByte(".:,/-", s[end]) >= 0 {
				if _, _, further := text.DigitAt(s, end+1); further {
					end++
				}
			}
			_, size, digit = text.DigitAt(s, end)
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) || nearcopy.UnspacedLetter(before) ||
			nearcopy.UnspacedLetter(after) {
			spans = append(spans, text.Span{Start: i, End: end})
		}
		i = end
	}
	return spans
}

// sameNumber is the form in which two writings of a number are compared: 07:30 and
// 7.30 are one.
func sameNumber(number string) string {
	parts := strings.FieldsFunc(text.Fold(number), func(r rune) bool { return r < '0' || r > '9' })
	for i, part := range parts {
		if parts[i] = strings.TrimLeft(part, "0"); parts[i] == "" {
			parts[i] = "0"
		}
	}
	return strings.Join(parts, ":")
}

// halfDay stands behind a time of day in twelve hours.
var halfDay = lazyregexp.New(`(?i)^[ \x{a0}\x{202f}]?([ap])\.?m\b`)

// clockOf returns the time of day of a number followed by "am" or "pm", in 24 hours and in the form for
// comparison. It is empty if behind begins with neither.
func clockOf(number, behind string) string {
	half := halfDay.FindStringSubmatch(behind)
	hour, minutes, _ := strings.Cut(sameNumber(number), ":")
	of12, err := strconv.Atoi(hour)
	if half == nil || err != nil || of12 > 12 {
		return ""
	}
	if of12 %= 12; strings.EqualFold(half[1], "p") {
		of12 += 12
	}
	return strconv.Itoa(of12) + ":" + cmp.Or(minutes, "0")
}

// halfDayOf marks in a numberSet the number of a time of day with "am" or "pm". A claim without these
// may mean either.
const halfDayOf = "12h "

// numberSet returns the numbers of s, and the ends of its ranges, in the form for comparison.
func numberSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, n := range numbersIn(s) {
		number := s[n.Start:n.End]
		ends := []text.Span{n}
		if dash := strings.IndexByte(number, '-'); dash >= 0 { // 2-4 pm
			ends = []text.Span{{Start: n.Start, End: n.Start + dash}, {Start: n.Start + dash + 1, End: n.End}}
		}
		if clockOf(s[ends[len(ends)-1].Start:n.End], s[n.End:]) != "" {
			for _, end := range ends {
				set[clockOf(s[end.Start:end.End], s[n.End:])] = true
				set[halfDayOf+sameNumber(s[end.Start:end.End])] = true
			}
			continue
		}
		set[sameNumber(number)] = true
		for end := range strings.SplitSeq(number, "-") {
			set[sameNumber(end)] = true
		}
	}
	return set
}

// missingNumbers returns the loose numbers of a claim that its evidence lacks.
func missingNumbers(claim string, loose []text.Span, has map[string]bool) []string {
	var missing []string
	for _, n := range loose {
		number := claim[n.Start:n.End]
		compound := n.Start > 0 && (claim[n.Start-1] == '-' || claim[n.Start-1] == '_') // IL-6 may be written IL6
		same, clock := sameNumber(number), clockOf(number, claim[n.End:])
		if !compound && !has[same] && (clock == "" && !has[halfDayOf+same] || clock != "" && !has[clock]) {
			missing = append(missing, number)
		}
	}
	return missing
}
