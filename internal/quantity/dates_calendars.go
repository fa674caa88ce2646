package quantity

import (
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// han reads dates that begin with a Chinese character: 令和6年3月3日, 民国113年,
// 二〇二四年三月三日.
func (r *dateReader) han(i int) int {
	first, _ := utf8.DecodeRuneInString(r.s[i:])
	if !strings.ContainsRune("令平昭大明民中", first) {
		if n := r.hanOrDigits(i); n.digits > 0 {
			return r.cjk(i, n)
		}
		return i
	}
	for _, era := range eras {
		rest, ok := strings.CutPrefix(r.s[i:], era.name)
		if !ok {
			continue
		}
		at := blankAt(r.s, len(r.s)-len(rest))
		n := r.hanOrDigits(at)
		if strings.HasPrefix(r.s[at:], "元年") {
			n = dateNumber{value: 1, digits: 1, end: at + len("元")}
		}
		if n.digits == 0 || n.digits > 3 || n.value < 1 || n.value > 150 {
			return i
		}
		n.value, n.era = n.value+era.before, true
		return r.cjk(i, n)
	}
	return i
}

// hanOrDigits reads a number in digits or, for a year, a month or a day, in Chinese
// characters.
func (r *dateReader) hanOrDigits(i int) dateNumber {
	if n := r.number(i); n.digits > 0 {
		return n
	}
	n, ok := parseHan(r.s, i)
	switch {
	case !ok || n.value != float64(int(n.value)):
	case n.positional && n.characters == 4 && n.value >= 1000:
		return dateNumber{value: int(n.value), digits: 4, end: n.end}
	case n.value >= 1 && n.value <= 31 && (n.scaled || n.characters == 1):
		return dateNumber{value: int(n.value), digits: 2, end: n.end}
	case n.value <= 150 && n.scaled:
		return dateNumber{value: int(n.value), digits: 3, end: n.end}
	}
	return dateNumber{end: i}
}

// foreign marks a date of a calendar that is not turned into ours: 12 رمضان 1445 هـ,
// ۱۵ فروردین ۱۴۰۳, 1445هـ. It is no figure, and no Date.
func (r *dateReader) foreign(i int, n dateNumber) int {
	if !r.lang.Is(lang.OtherCalendars) {
		return i
	}
	word, end := wordAt(r.s, blankAt(r.s, n.end))
	if n.digits >= 3 && n.digits <= 4 && otherYears[word] {
		return r.leave(i, end)
	}
	if !n.isDay() || !otherCalendar()[word] {
		return i
	}
	if second, to := wordAt(r.s, blankAt(r.s, end)); secondOfMonth[second] {
		end = to
	}
	at := blankAt(r.s, end)
	if year := r.number(at); year.digits >= 3 && year.digits <= 4 {
		end = year.end
		if mark, to := wordAt(r.s, blankAt(r.s, end)); otherYears[mark] {
			end = to
		}
	}
	return r.leave(i, end)
}

// secondOfMonth are the second words of months whose names have two.
var secondOfMonth = text.SetOf("الأول الاول الآخر الثاني الأولى الاولى الآخرة الثانية القعدة الحجة awwal thani al")
