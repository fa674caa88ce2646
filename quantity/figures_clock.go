package quantity

import (
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// ordinalCounters stand behind a number in Chinese, Japanese and Korean that says
// which one and not how many: the third floor, the 21st century, the month.
var ordinalCounters = map[string][]string{
	"zh": {"号", "號", "楼", "樓", "级", "級", "世纪", "世紀", "月份", "月", "日", "路"},
	"ja": {"位", "番", "号", "階", "級", "年生", "丁目", "世紀", "月", "日", "等", "代目", "期生", "条"},
	"ko": {"위", "층", "번째", "번지", "호", "세기", "등", "학년", "월", "조 "},
}

// ordinalCounter says whether what stands at s[end] makes the number before it an
// ordinal. A unit that begins with the same sign goes before: 3日間 are three days.
func (p *figureParser) ordinalCounter(end int) bool {
	for _, counter := range ordinalCounters[p.lang] {
		if strings.HasPrefix(p.s[end:], counter) {
			at, _, unit := longestUnit(p.s, p.lang, end)
			return !unit || at <= end+len(counter) && p.lang != "ko"
		}
	}
	return false
}

// hoursBefore stand before the hour of a time of day.
var hoursBefore = map[string]map[string]bool{
	"fr": text.SetOf("à vers dès"), "es": text.SetOf("las"), "pt": text.SetOf("às"), "it": text.SetOf("alle ore"), "ar": text.SetOf("الساعة"), "fa": text.SetOf("ساعت"), "tr": text.SetOf("saat"),
	"uk": text.SetOf("о об"), "ru": text.SetOf("в"),
}

// isClock says whether the number s[start:end] is the hour or the minutes of a time
// of day: 14 Uhr, 14 h 30, 下午3点, الساعة 3.
func (p *figureParser) isClock(start, end int) bool {
	value, digits := 0, 0
	for i := start; i < end; {
		d, size, ok := text.DigitAt(p.s, i)
		if !ok {
			return p.lang == "de" && clockWordAt(p.s, end, "uhr") || p.lang == "en" && p.halfDayAfter(end) // 14.30 Uhr, 2.30 pm
		}
		value, digits, i = value*10+d, digits+1, i+size
	}
	if digits > 2 || value > 59 {
		return false
	}
	isHour := value <= 24
	switch p.lang {
	case "en":
		return value <= 12 && p.halfDayAfter(end)
	case "de":
		return isHour && clockWordAt(p.s, end, "uhr") || clockWordBefore(p.s, start, "uhr")
	case "zh", "ja", "ko":
		return p.isUnspacedClock(start, end, isHour)
	case "fr", "pt", "it", "es":
		if isHour && p.hAfter(end) || digits == 2 && p.hBefore(start) {
			return true
		}
	}
	return isHour && p.afterHourWord(start, end)
}

// halfDayAfter says whether am, p.m. or o'clock stands behind s[:end].
func (p *figureParser) halfDayAfter(end int) bool {
	next, at := wordAt(p.s, blankAt(p.s, end))
	rest := p.s[at:]
	switch next {
	case "am", "pm":
		return true
	case "a", "p":
		return strings.HasPrefix(rest, ".m.")
	case "o":
		return strings.HasPrefix(rest, "'clock") || strings.HasPrefix(rest, "’clock")
	}
	return false
}

// isUnspacedClock says whether the number s[start:end] stands before or behind the sign
// of the hour in Chinese, Japanese or Korean. Before the sign of a span, 間, it is a
// duration.
func (p *figureParser) isUnspacedClock(start, end int, isHour bool) bool {
	for _, hour := range [...]string{"点", "點", "時", "时", "시"} {
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
	if !strings.HasPrefix(p.s[at:], "h") {
		return false
	}
	_, _, minutes := text.DigitAt(p.s, blankAt(p.s, at+1))
	return minutes
}

// hBefore says whether an hour and an h stand before s[start].
func (p *figureParser) hBefore(start int) bool {
	const blanks = " \u00a0\u202f"
	head, ok := strings.CutSuffix(strings.TrimRight(p.s[:start], blanks), "h")
	hour, _ := utf8.DecodeLastRuneInString(strings.TrimRight(head, blanks))
	_, isDigit := text.Digit(hour)
	return ok && isDigit
}

// afterHourWord says whether the number s[start:end] follows a word such as à or alle
// and counts nothing but hours.
func (p *figureParser) afterHourWord(start, end int) bool {
	before, _ := wordBefore(p.s, start)
	if !hoursBefore[p.lang][strings.ToLower(before)] {
		return false
	}
	at, u, measured := longestUnit(p.s, p.lang, blankAt(p.s, end))
	hours := measured && u.dimension == dimensionTime && u.factor == 3600
	switch p.lang {
	case "ru", "uk", "fr": // в 14 часов, but в 5 городах
		return hours
	}
	next, _ := wordAt(p.s, blankAt(p.s, end))
	return hours || !measured && at <= blankAt(p.s, end) && (next == "" || text.IsStop(p.lang, next))
}

// clockWordAt says whether the word stands behind s[:end].
func clockWordAt(s string, end int, word string) bool {
	next, _ := wordAt(s, blankAt(s, end))
	return next == word
}

func clockWordBefore(s string, start int, word string) bool {
	before, _ := wordBefore(s, start)
	return strings.ToLower(before) == word
}
