package quantity

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A numeral is digits with their marks, read as one number. Step is half a unit of
// its last written place; coarse is half a unit of its last place that is not zero,
// which is what the writer may have rounded to.
type numeral struct {
	end          int
	value        float64
	step, coarse float64
	grouped      bool // thousands marks were written
	places       int  // digits after the decimal mark
	readable     bool // false where the marks allow two readings, or none
	ambiguous    bool // it is not readable, and has one mark: thousands or decimals
}

// groupMark returns the mark at s[i] that may stand between digits of one number,
// reduced to one byte: '.', ',', '\” for apostrophes, ' ' for spaces, and for the marks
// that mean one thing only, the raised point and those of Arabic, 'd' (decimal) and 'g'
// (grouping). A space counts only before exactly three digits.
func groupMark(s string, i int) (mark byte, size int) {
	if i >= len(s) {
		return 0, 0
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	switch r {
	case '.', '．':
		mark = '.'
	case ',', '，', '،':
		mark = ','
	case '·':
		mark = 'd'
		if rest, ok := strings.CutPrefix(s[i+size:], "10"); ok {
			if _, _, power := powerAt(rest); power { // 3·10⁶
				return 0, 0
			}
		}
	case '٫':
		mark = 'd'
	case '٬':
		mark = 'g'
	case '\'', '’':
		mark = '\''
	case '\u00a0', '\u202f', '\u2009':
		mark = '_'
	case ' ':
		mark = ' '
	default:
		return 0, 0
	}
	if _, _, ok := text.DigitAt(s, i+size); !ok {
		return 0, 0
	}
	return mark, size
}

// opensFraction reports whether s[i] is a point before digits that nothing else is written against: .43.
func opensFraction(s string, i int) bool {
	if !strings.HasPrefix(s[i:], ".") {
		return false
	}
	_, _, digit := text.DigitAt(s, i+1)
	before, size := utf8.DecodeLastRuneInString(s[:i])
	return digit && (size == 0 || unicode.IsSpace(before) || strings.ContainsRune("=<>≤≥≈~(-−–", before))
}

// parseNumeral reads the number whose first digit, or the point before it, is s[i].
func parseNumeral(s string, i int, in *tongue) numeral {
	if opensFraction(s, i) {
		return parseFraction(s, i)
	}
	var groups []string
	var marks []byte
	var group strings.Builder
	for {
		for {
			d, size, ok := text.DigitAt(s, i)
			if !ok {
				break
			}
			group.WriteByte(byte('0' + d))
			i += size
		}
		groups = append(groups, group.String())
		group.Reset()
		mark, size := groupMark(s, i)
		if mark == 0 || (mark == ' ' || mark == '_') && !spaceGroups(s, i+size, groups, marks, mark) {
			break
		}
		if mark == '_' {
			mark = ' '
		}
		marks = append(marks, mark)
		i += size
	}
	n := numeral{end: i}
	whole, fraction, ok := splitNumeral(groups, marks, in)
	if !ok || len(whole) > 18 {
		n.ambiguous = len(marks) == 1
		return n
	}
	n.grouped = len(groups) > 2 || len(groups) == 2 && fraction == ""
	n.places = len(fraction)
	digits := whole + fraction
	value, err := strconv.ParseFloat(whole+"."+fraction+"0", 64)
	if err != nil || len(digits) > 40 {
		return n
	}
	n.value, n.readable = value, true
	n.step = 0.5 * math.Pow10(-len(fraction))
	n.coarse = n.step
	if fraction == "" {
		trailing := len(whole) - len(strings.TrimRight(whole, "0"))
		n.coarse = 0.5 * math.Pow10(min(trailing, len(whole)-1))
	}
	return n
}

// parseFraction reads .43.
func parseFraction(s string, i int) numeral {
	n := numeral{end: i + 1, readable: true}
	place := 1.0
	for {
		d, size, ok := text.DigitAt(s, n.end)
		if !ok {
			break
		}
		place /= 10
		n.value += float64(d) * place
		n.places++
		n.end += size
	}
	n.value = math.Round(n.value/place) * place
	n.step, n.coarse = place/2, place/2
	return n
}

// spaceGroups says whether a space at this point groups thousands: three digits and
// no more follow, and one to three came before. Behind a plain space in a row of numbers, such as a telephone number,
// nothing is grouped.
func spaceGroups(s string, i int, groups []string, marks []byte, mark byte) bool {
	if len(groups[0]) > 3 || groups[0][0] == '0' || mark == ' ' && !endsGroups(s, i) {
		return false
	}
	for _, m := range marks {
		if m != ' ' {
			return false
		}
	}
	count := 0
	for {
		_, size, ok := text.DigitAt(s, i)
		if !ok {
			break
		}
		count++
		i += size
	}
	return count == 3
}

// endsGroups reports whether no number but groups of three digits stands behind plain spaces from s[i] on.
func endsGroups(s string, i int) bool {
	for count := 0; ; i++ {
		if i < len(s) && s[i] >= '0' && s[i] <= '9' {
			count++
			continue
		}
		_, _, further := text.DigitAt(s, min(len(s), i+1))
		if count != 3 || i >= len(s) || s[i] != ' ' || !further {
			return count == 3
		}
		count = 0
	}
}

// splitNumeral decides which marks group and which one is the decimal mark. Two
// readings are none, unless the language decides.
func splitNumeral(groups []string, marks []byte, in *tongue) (whole, fraction string, ok bool) {
	if len(marks) == 0 {
		return groups[0], "", true
	}
	last := len(marks) - 1
	first, end := marks[0], marks[last]
	if slices.ContainsFunc(marks[:last], func(m byte) bool { return m != first }) {
		return "", "", false
	}
	switch {
	case end != first: // 1.234,5: the last mark is the decimal one
		ok = strings.IndexByte(".,d", end) >= 0 && first != 'd' && thousands(groups[:last+1], first)
		return strings.Join(groups[:last+1], ""), groups[last+1], ok
	case first == 'd':
		return groups[0], groups[1], last == 0
	case last > 0 || first == '\'' || first == ' ' || first == 'g':
		return strings.Join(groups, ""), "", thousands(groups, first)
	}
	return splitAtMark(groups[0], groups[1], first, in)
}

// splitAtMark reads digits before and behind a single point or comma.
func splitAtMark(before, behind string, mark byte, in *tongue) (whole, fraction string, ok bool) {
	point := mark == '.'
	decimal := point && in.Is(lang.PointDecimal) || !point && in.Is(lang.CommaDecimal)
	grouping := !point && in.Is(lang.PointDecimal) || point && in.Is(lang.CommaDecimal)
	three := len(behind) == 3 && len(before) <= 3 && before != "0"
	switch {
	case grouping && three:
		return before + behind, "", true
	case decimal && three && in.Is(lang.MixedThousands): // one and a half in Spain, thousands in Mexico
		return "", "", false
	case decimal, point && !three, !point && !three && !in.Is(lang.PointDecimal):
		return before, behind, true
	}
	return "", "", false
}

// thousands says whether groups after the first have three digits each, or two and a
// last three as Indian English writes.
func thousands(groups []string, mark byte) bool {
	if len(groups[0]) > 3 || groups[0] == "" {
		return false
	}
	three, indian := true, mark == ',' && len(groups[0]) <= 2
	for i, g := range groups[1:] {
		three = three && len(g) == 3
		if i == len(groups)-2 {
			indian = indian && len(g) == 3
		} else {
			indian = indian && len(g) == 2
		}
	}
	return three || indian
}
