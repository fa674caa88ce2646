package quantity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A Date is a day, a month, a year, a day of some year, or a span of days such as a decade or a quarter, as a text
// states it. Parts that it does not state are 0.
type Date struct {
	Start, End       int // byte span in the text
	From             int // the same with the words before a span that say nothing: in the 1990s
	Year, Month, Day int
	Raw              string // as written
	span             timeSpan
}

// Dates returns the dates that a text states, in order. What can be read in two ways, as 03/04/2025
// in English, is left out. Callers share the slice and must not change it.
func Dates(r *text.Reading) []Date { return datesOf(r).dates }

func datesOf(r *text.Reading) *dateReader {
	return text.Keep(r, func() *dateReader { return scanDates(r.Text(), tongueOf(r.Language())) })
}

// Agrees says whether both dates can be the same one: no part that both state
// differs, and spans have a day in common.
func (d Date) Agrees(e Date) bool {
	if d.IsSpan() || e.IsSpan() {
		return d.meets(e)
	}
	same := func(a, b int) bool { return a == 0 || b == 0 || a == b }
	return same(d.Year, e.Year) && same(d.Month, e.Month) && same(d.Day, e.Day)
}

// Supports says whether evidence states at least what d does: the 1990s are borne out by 1994, and 1994 is not by the
// 1990s.
func (d Date) Supports(evidence Date) bool {
	if d.IsSpan() || evidence.IsSpan() {
		return d.holds(evidence)
	}
	stated := func(claim, source int) bool { return claim == 0 || claim == source }
	return stated(d.Year, evidence.Year) && stated(d.Month, evidence.Month) && stated(d.Day, evidence.Day)
}

type dateReader struct {
	s       string
	lang    *tongue
	dates   []Date
	spans   []text.Span
	unclear []text.Span // dates that are not read: two readings, or another calendar
}

func scanDates(s string, in *tongue) *dateReader {
	r := &dateReader{s: s, lang: in}
	for i := 0; i < len(s); {
		if end := r.at(i); end > i {
			i = end
			continue
		}
		i = r.skip(i)
	}
	return r
}

// leave notes a date that cannot be read for sure.
func (r *dateReader) leave(start, end int) int {
	r.spans = append(r.spans, text.Span{Start: start, End: end})
	r.unclear = append(r.unclear, text.Span{Start: start, End: end})
	return end
}

// skip goes to the next place where a date can begin: not inside a word or number.
func (r *dateReader) skip(i int) int {
	if _, _, ok := text.DigitAt(r.s, i); ok {
		return r.number(i).end
	}
	first, size := utf8.DecodeRuneInString(r.s[i:])
	if !unicode.IsLetter(first) || text.IsUnspaced(first) {
		return i + size
	}
	_, end := wordAt(r.s, i)
	if end == i {
		return i + size
	}
	for end < len(r.s) && !arabicPrefixes[r.s[i:end]] { // digits written against a word belong to it
		_, size, ok := text.DigitAt(r.s, end)
		if !ok {
			break
		}
		end += size
	}
	return end
}

// A dateNumber is a run of digits.
type dateNumber struct {
	value, digits, end int
	era                bool // a year counted from an era, turned into ours
}

func (r *dateReader) number(i int) dateNumber {
	n := dateNumber{end: i}
	for {
		d, size, ok := text.DigitAt(r.s, n.end)
		if !ok {
			return n
		}
		if n.digits < 9 {
			n.value = n.value*10 + d
		}
		n.digits++
		n.end += size
	}
}

func (n dateNumber) isYear() bool { return n.digits == 4 && n.value >= 1000 && n.value <= 2199 }
func (n dateNumber) isMonth() bool {
	return n.digits > 0 && n.digits <= 2 && n.value >= 1 && n.value <= 12
}
func (n dateNumber) isDay() bool {
	return n.digits > 0 && n.digits <= 2 && n.value >= 1 && n.value <= 31
}

// add keeps a date, unless no calendar has that day.
func (r *dateReader) add(start, end, year, month, day int) int {
	r.spans = append(r.spans, text.Span{Start: start, End: end})
	days := [13]int{31, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	leap := year == 0 || year%4 == 0 && (year%100 != 0 || year%400 == 0)
	if day <= days[month] && (month != 2 || day < 29 || leap) {
		r.dates = append(r.dates, Date{Start: start, End: end, From: start, Year: year, Month: month, Day: day,
			Raw: r.s[start:end]})
	}
	return end
}

// at reads a date that begins at s[i] and returns its end, or i.
func (r *dateReader) at(i int) int {
	before, size := utf8.DecodeLastRuneInString(r.s[:i])
	_, _, digit := text.DigitAt(r.s, i)
	if size > 0 && (unicode.IsDigit(before) || unicode.IsLetter(before) && !text.IsUnspaced(before) &&
		!(digit && afterArabicPrefix(r.s, i))) {
		return i
	}
	if !digit && text.IsUnspaced(before) && !isUnspacedAt(r.s, i) {
		return i
	}
	if !digit {
		if isUnspacedAt(r.s, i) {
			return r.han(i)
		}
		if r.mayBeginSpan(i) {
			if end := r.timeSpan(i); end > i {
				return end
			}
		}
		return r.monthFirst(i)
	}
	if size > 0 && strings.ContainsRune("./:_@#$€£¥=&", before) {
		return i
	}
	if prev, _ := utf8.DecodeLastRuneInString(r.s[:i-size]); before == '-' && unicode.IsDigit(prev) && !r.afterYear(i) {
		return i
	}
	n := r.number(i)
	for _, form := range []func(int, dateNumber) int{r.cjk, r.yearFirst, r.numeric, r.foreign, r.dayFirst,
		r.spanInDigits, r.decade, r.year} {
		if end := form(i, n); end > i {
			return end
		}
	}
	return i
}

// cjk reads 2025年4月3日, 2025년 4월 3일 and their parts.
func (r *dateReader) cjk(i int, n dateNumber) int {
	year, month, day, end := 0, 0, 0, i
	part := func(ok bool, signs ...string) bool {
		for _, sign := range signs {
			if ok && strings.HasPrefix(r.s[n.end:], sign) {
				end = n.end + len(sign)
				n = r.hanOrDigits(blankAt(r.s, end))
				return true
			}
		}
		return false
	}
	value := n.value
	if part(n.isYear() || n.era, "年", "년") {
		if strings.HasPrefix(r.s[end:], "間") || strings.HasPrefix(r.s[end:], "间") {
			return i
		}
		year, value = value, n.value
	}
	if part(n.isMonth(), "月", "월") {
		month, value = value, n.value
		if part(n.isDay(), "日", "일", "号") {
			day = value
		}
	}
	if year == 0 && day == 0 {
		return i
	}
	return r.add(i, end, year, month, day)
}

// yearFirst reads 2025-04-03, 2025/04/03, 2025.04.03 and 2025-04.
func (r *dateReader) yearFirst(i int, n dateNumber) int {
	if !n.isYear() || n.end >= len(r.s) {
		return i
	}
	mark := r.s[n.end]
	if mark != '-' && mark != '/' && mark != '.' {
		return i
	}
	month := r.number(n.end + 1)
	if !month.isMonth() || month.digits != 2 && mark == '-' {
		return i
	}
	if month.end < len(r.s) && r.s[month.end] == mark {
		if day := r.number(month.end + 1); day.isDay() && !r.goesOn(day.end) {
			if r.otherYear(n.value) {
				return r.leave(i, day.end)
			}
			return r.add(i, day.end, n.value, month.value, day.value)
		}
	}
	if mark != '-' || r.goesOn(month.end) {
		return i
	}
	return r.add(i, month.end, n.value, month.value, 0)
}

// goesOn says whether more digits or letters are joined at s[i], as in an address.
func (r *dateReader) goesOn(i int) bool {
	if i >= len(r.s) {
		return false
	}
	c := r.s[i]
	if c == 'T' {
		return false // 2025-04-03T10:00
	}
	if c == '-' || c == '/' || c == '.' {
		_, _, ok := text.DigitAt(r.s, i+1)
		return ok
	}
	first, _ := utf8.DecodeRuneInString(r.s[i:])
	return unicode.IsDigit(first) || c == '_' || unicode.IsLetter(first) && !text.IsUnspaced(first)
}

// numeric reads 3.4.2025 (day first everywhere) and 3/4/2025 where the language or
// the numbers leave one reading.
func (r *dateReader) numeric(i int, n dateNumber) int {
	if n.digits > 2 || n.end >= len(r.s) || r.s[n.end] != '.' && r.s[n.end] != '/' && r.s[n.end] != '-' {
		return i
	}
	mark := r.s[n.end]
	at := n.end + 1
	if mark == '.' {
		at = blankAt(r.s, at)
	}
	second := r.number(at)
	if second.digits == 0 || second.digits > 2 || second.end >= len(r.s) || r.s[second.end] != mark {
		return i
	}
	at = second.end + 1
	if mark == '.' {
		at = blankAt(r.s, at)
	}
	year := r.number(at)
	if !year.isYear() || r.goesOn(year.end) {
		return i
	}
	asDayFirst := n.isDay() && second.isMonth()
	asMonthFirst := n.isMonth() && second.isDay()
	switch {
	case asDayFirst && (mark == '.' || r.lang.Is(lang.DayFirst) || !asMonthFirst || n.value == second.value):
		return r.add(i, year.end, year.value, second.value, n.value)
	case asMonthFirst && !asDayFirst && mark != '.':
		return r.add(i, year.end, year.value, n.value, second.value)
	case asDayFirst || asMonthFirst: // two readings: neither a date nor a figure
		return r.leave(i, year.end)
	}
	return i
}

// dayFirst reads 3 April 2025, 3rd of April, 3. Oktober 1990, 1er mai, 3 de mayo de
// 2020, 3 октября 1990.
func (r *dateReader) dayFirst(i int, n dateNumber) int {
	if !n.isDay() {
		return i
	}
	at := n.end
	for _, ordinal := range []string{".º", "º.", ".", "st", "nd", "rd", "th", "er", "º", "°", "-го", "-е"} {
		if strings.HasPrefix(r.s[at:], ordinal) {
			at += len(ordinal)
			break
		}
	}
	if at < len(r.s) && r.s[at] == '-' { // 3-Apr-2025
		at++
	}
	month, end := r.month(r.skipWords(blankAt(r.s, at), "of", "de", "di", "من"))
	if month == 0 {
		return i
	}
	if year, yearEnd := r.yearAfter(end); year != 0 {
		return r.add(i, yearEnd, year, month, n.value)
	}
	for month := range r.lang.Words(lang.DoubtfulMonths) { // people aged 18 may vote
		if strings.HasSuffix(r.s[:end], " "+month) {
			return i
		}
	}
	return r.add(i, end, 0, month, n.value)
}

// monthFirst reads April 3, 2025, April 2025, Apr. 3.
func (r *dateReader) monthFirst(i int) int {
	month, end := r.month(i)
	if month == 0 {
		return i
	}
	day := r.number(blankAt(r.s, end))
	if day.isDay() && end < len(r.s) && r.s[end] == ' ' && (r.lang.Is(lang.MonthFirst) || r.lang.Code == "") {
		at := day.end
		for _, ordinal := range []string{"st", "nd", "rd", "th"} {
			if strings.HasPrefix(r.s[at:], ordinal) {
				at += len(ordinal)
			}
		}
		year, yearEnd := r.yearAfter(at)
		switch first, _ := utf8.DecodeRuneInString(r.s[i:]); {
		case year != 0:
			return r.add(i, yearEnd, year, month, day.value)
		case unicode.IsUpper(first) && !r.goesOn(at) && !strings.HasPrefix(r.s[at:], "%"):
			return r.add(i, at, 0, month, day.value)
		}
	}
	if year, yearEnd := r.yearAfter(end); year != 0 {
		return r.add(i, yearEnd, year, month, 0)
	}
	return i
}

// month reads the name of a month at s[i], with the full stop of a short form.
func (r *dateReader) month(i int) (month, end int) {
	word, end := wordAt(r.s, i)
	if word == "" {
		return 0, i
	}
	month = monthNumber(r.lang, word)
	if beginsMonth()[word] {
		second, to := wordAt(r.s, blankAt(r.s, end))
		if month = anyMonth()[word+"_"+second]; month != 0 { // كانون الثاني
			end = to
		}
	}
	if month != 0 && strings.HasPrefix(r.s[end:], "/") { // يناير/كانون الثاني
		if again, to := r.month(end + 1); again == month {
			end = to
		}
	}
	if month != 0 && end < len(r.s) && r.s[end] == '.' && utf8.RuneCountInString(word) <= 5 {
		end++
	}
	return month, end
}

func (r *dateReader) skipWords(i int, words ...string) int {
	word, end := wordAt(r.s, i)
	for _, w := range words {
		if word == w && blankAt(r.s, end) > end {
			return blankAt(r.s, end)
		}
	}
	return i
}

// yearAfter reads the year after a month or day: ", 2025", " de 2025", "-2025".
func (r *dateReader) yearAfter(i int) (year, end int) {
	at := i
	if at < len(r.s) && (r.s[at] == ',' || r.s[at] == '-') {
		at++
	} else if strings.HasPrefix(r.s[at:], "،") {
		at += len("،")
	}
	at = r.skipWords(blankAt(r.s, at), "de", "del", "of", "من", "عام", "سنة")
	if at == i {
		return 0, i
	}
	n := r.number(at)
	if !n.isYear() || r.goesOn(n.end) {
		return 0, i
	}
	return n.value, n.end
}
