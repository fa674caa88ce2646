package quantity

import (
	"github.com/citewell/citewell/text"
	"strings"
	"unicode/utf8"
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
			return p.lang == "de" && clockWordAt(p.s, end, "uhr") // 14.30 Uhr
		}
		value, digits, i = value*10+d, digits+1, i+size
	}
	if digits > 2 || value > 59 {
		return false
	}
	rest := p.s[end:]
	switch p.lang {
	case "en":
		next, at := wordAt(p.s, blankAt(p.s, end))
		return value <= 12 && (next == "am" || next == "pm" || (next == "a" || next == "p") && strings.HasPrefix(p.s[at:], ".m.") ||
			next == "o" && (strings.HasPrefix(p.s[at:], "'clock") || strings.HasPrefix(p.s[at:], "’clock")))
	case "de":
		return value <= 24 && clockWordAt(p.s, end, "uhr") || clockWordBefore(p.s, start, "uhr")
	case "zh", "ja", "ko":
		for _, hour := range [...]string{"点", "點", "時", "时", "시"} {
			if r, ok := strings.CutPrefix(rest, hour); ok && value <= 24 {
				return !strings.HasPrefix(r, "間") && !strings.HasPrefix(r, "间") && !strings.HasPrefix(r, "간")
			}
			if strings.HasSuffix(strings.TrimRight(p.s[:start], " "), hour) {
				return true
			}
		}
		return false
	case "fr", "pt", "it", "es":
		if at := blankAt(p.s, end); value <= 24 && strings.HasPrefix(p.s[at:], "h") {
			if _, _, minutes := text.DigitAt(p.s, blankAt(p.s, at+1)); minutes {
				return true
			}
		}
		if head := strings.TrimRight(p.s[:start], " \u00a0\u202f"); strings.HasSuffix(head, "h") {
			hour, _ := utf8.DecodeLastRuneInString(strings.TrimRight(head[:len(head)-1], " \u00a0\u202f"))
			if _, ok := text.Digit(hour); ok && digits == 2 {
				return true
			}
		}
	}
	before, _ := wordBefore(p.s, start)
	if value > 24 || !hoursBefore[p.lang][strings.ToLower(before)] {
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
