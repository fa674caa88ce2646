package quantity

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// An Identifier is a number that names a thing and counts nothing: an ISBN, an account, a telephone number, a part.
type Identifier struct {
	Start, End int
	Key        string // its letters and digits
}

// identifier finds what may be one: codes of letters and digits, and rows of digits with marks or plain spaces between
// them.
var identifier = lazyregexp.New(`[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,}(?: ?[A-Z0-9]{1,3})?|[A-Z]{1,5}-?\d{3,}` +
	`|[+(]?\d+\)?(?:[ -]\(?\d+\)?)*`)

const (
	leastDigits = 8  // of a row of groups
	plainDigits = 10 // of one group: nobody counts so far without marks
)

// Identifiers returns the identifiers of a text. Callers share the slice and must not change it.
func Identifiers(r *text.Reading) []Identifier {
	return text.Keep(r, func() (found []Identifier) {
		s, dates := r.Text(), datesOf(r).spans
		for _, at := range identifier.FindAllStringIndex(s, -1) {
			start, end := at[0], at[1]
			inDate := func(d text.Span) bool { return d.Start < end && start < d.End }
			before, _ := utf8.DecodeLastRuneInString(s[:start])
			after, _ := utf8.DecodeRuneInString(s[end:])
			if isWordRune(before) || isWordRune(after) || strings.ContainsRune(".,:/-_", before) ||
				slices.ContainsFunc(dates, inDate) || !identifies(s[start:end], tongueOf(r.Language())) {
				continue
			}
			key := strings.Map(func(r rune) rune {
				if isWordRune(r) {
					return r
				}
				return -1
			}, s[start:end])
			found = append(found, Identifier{start, end, key})
		}
		return found
	})
}

// identifies reports whether letters and digits as they are written are no number of anything.
func identifies(written string, in *tongue) bool {
	digits := len(written) - len(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, written))
	groups := strings.FieldsFunc(written, func(r rune) bool { return !isWordRune(r) })
	switch first := written[0]; {
	case first >= 'A' && first <= 'Z':
		currency := units().symbols[strings.TrimRight(written, "0123456789")]
		return !strings.HasPrefix(currency.dimension, "money:") // USD500
	case first == '+' || first == '(':
		return digits >= leastDigits
	case len(groups) == 1:
		return digits >= plainDigits
	}
	n := parseNumeral(written, 0, in)
	return digits >= leastDigits && len(groups) > 2 && !(n.readable && n.end == len(written))
}
