package quantity

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// ordinalCounter says whether what stands at s[end] makes the number before it an
// ordinal. A unit that begins with the same sign goes before: 3日間 are three days.
func (p *figureParser) ordinalCounter(end int) bool {
	for _, counter := range p.lang.clock.counters {
		if strings.HasPrefix(p.s[end:], counter) {
			at, _, unit := longestUnit(p.s, p.lang, end)
			return !unit || at <= end+len(counter)
		}
	}
	return false
}

// A clock holds the words of a time of day.
type clock struct {
	before, beforeHours map[string]bool // stand before the hour; the second before other numbers too
	after               []string        // stand behind the hours to twelve: am, o'clock
	around              string          // stands behind the hour or before it: 14 Uhr
	minutes             string          // stands between hours and minutes: 14 h 30
	signs               []string        // stand before the hour or behind it, without a space
	counters            []string        // stand behind a number that says which one and not how many: the third floor
}

func newClock(l *lang.Language) clock {
	set := func(key string) map[string]bool { return text.SetOf(strings.Join(l.Of(lang.Clock, key), " ")) }
	return clock{set("before"), set("before hours"), l.Of(lang.Clock, "after"), firstWord(l.Of(lang.Clock, "around")),
		firstWord(l.Of(lang.Clock, "minutes")), l.Of(lang.Clock, "sign"), spaced(l.Of(lang.OrdinalCounters, ""))}
}

// isClock says whether the number s[start:end] is the hour or the minutes of a time
// of day: 14 Uhr, 14 h 30, 下午3点, الساعة 3.
func (p *figureParser) isClock(start, end int) bool {
	clock := p.lang.clock
	before, _ := wordBefore(p.s, start)
	next, _ := wordAt(p.s, blankAt(p.s, end))
	value, digits := 0, 0
	for i := start; i < end; {
		d, size, ok := text.DigitAt(p.s, i)
		if !ok {
			return clock.around != "" && next == clock.around || p.dayHalfAfter(end) // 14.30 Uhr, 2.30 pm
		}
		value, digits, i = value*10+d, digits+1, i+size
	}
	if digits > 2 || value > 59 {
		return false
	}
	isHour := value <= 24
	switch {
	case clock.after != nil:
		return value <= 12 && p.dayHalfAfter(end)
	case clock.around != "":
		return isHour && next == clock.around || strings.ToLower(before) == clock.around
	case clock.signs != nil:
		return p.isUnspacedClock(start, end, isHour)
	case clock.minutes != "" && (isHour && p.hAfter(end) || digits == 2 && p.hBefore(start)):
		return true
	}
	return isHour && p.afterHourWord(start, end)
}

// dayHalfAfter says whether am, p.m. or o'clock stands behind s[:end].
func (p *figureParser) dayHalfAfter(end int) bool {
	const longest = 16 // bytes
	at := blankAt(p.s, end)
	rest := strings.ToLower(strings.ReplaceAll(p.s[at:min(len(p.s), at+longest)], "’", "'"))
	return slices.ContainsFunc(p.lang.clock.after, func(sign string) bool {
		return strings.HasPrefix(rest, sign) && boundaryAfter(rest, len(sign))
	})
}

// isUnspacedClock says whether the number s[start:end] stands before or behind the sign
// of the hour in Chinese, Japanese or Korean. Before the sign of a span, 間, it is a
// duration.
func (p *figureParser) isUnspacedClock(start, end int, isHour bool) bool {
	for _, hour := range p.lang.clock.signs {
		if rest, ok := strings.CutPrefix(p.s[end:], hour); ok && isHour {
			return !strings.HasPrefix(rest, "間") && !strings.HasPrefix(rest, "间") && !strings.HasPrefix(rest, "간")
		}
		if strings.HasSuffix(strings.TrimRight(p.s[:start], " "), hour) {
			return true
		}
	}
	return false
}

// hAfter says whether an h with minutes behind it follows s[:end]: 14 h 30.
func (p *figureParser) hAfter(end int) bool {
	at := blankAt(p.s, end)
	sign := p.lang.clock.minutes
	if !strings.HasPrefix(p.s[at:], sign) {
		return false
	}
	_, _, minutes := text.DigitAt(p.s, blankAt(p.s, at+len(sign)))
	return minutes
}

// hBefore says whether an hour and an h stand before s[start].
func (p *figureParser) hBefore(start int) bool {
	const blanks = " \u00a0\u202f"
	head, ok := strings.CutSuffix(strings.TrimRight(p.s[:start], blanks), p.lang.clock.minutes)
	hour, _ := utf8.DecodeLastRuneInString(strings.TrimRight(head, blanks))
	_, isDigit := text.Digit(hour)
	return ok && isDigit
}

// afterHourWord says whether the number s[start:end] follows a word such as à or alle
// and counts nothing but hours.
func (p *figureParser) afterHourWord(start, end int) bool {
	before, _ := wordBefore(p.s, start)
	before = strings.ToLower(before)
	clock := p.lang.clock
	if !clock.before[before] && !clock.beforeHours[before] {
		return false
	}
	at, u, measured := longestUnit(p.s, p.lang, blankAt(p.s, end))
	hours := measured && u.dimension == dimensionTime && u.factor == 3600
	if clock.beforeHours[before] { // в 14 часов, but в 5 городах
		return hours
	}
	next, _ := wordAt(p.s, blankAt(p.s, end))
	return hours || !measured && at <= blankAt(p.s, end) && (next == "" || text.IsStop(p.lang.Code, next))
}
