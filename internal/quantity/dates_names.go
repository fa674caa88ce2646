package quantity

import (
	"cmp"
	"maps"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// anyMonth gives the number of a month by its name in any language; names that are of different months in
// two languages are no month for sure.
var anyMonth = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for _, l := range lang.All() {
		for word, n := range l.Numbers(lang.Months) {
			if all[word] != 0 && all[word] != int(n) {
				n = -1
			}
			all[word] = int(n)
		}
	}
	maps.DeleteFunc(all, func(_ string, n int) bool { return n < 0 })
	return all
})

// beginsMonth holds the first words of names of months that are two words.
var beginsMonth = sync.OnceValue(func() map[string]bool {
	firsts := map[string]bool{}
	for name := range anyMonth() {
		if word, _, two := strings.Cut(name, "_"); two {
			firsts[word] = true
		}
	}
	return firsts
})

// monthNumber returns 1 to 12 for a month's name in a language or English, and 0 for any
// other word. Without a language every table is asked.
func monthNumber(in *tongue, word string) int {
	if n := cmp.Or(in.months[word], tongueOf("en").months[word]); n != 0 || in.Code != "" {
		return n
	}
	return anyMonth()[word]
}

// yearWords stand before a number that is a year even where a noun follows.
var yearWords = sync.OnceValue(func() map[string]bool { return lang.EverywhereOf(lang.YearWords, "before") })

// yearWordsAfter stand after a year: 2015 году, 2015 г., 2015年 is read on its own.
var yearWordsAfter = sync.OnceValue(func() map[string]bool { return lang.EverywhereOf(lang.YearWords, "after") })

// otherCalendar are months of calendars that are not turned into ours: a date with one
// is recognised, and is no figure, but is compared with nothing.
var otherCalendar = sync.OnceValue(func() map[string]bool {
	return text.SetOf(`محرم المحرم صفر ربيع جمادى رجب شعبان رمضان شوال ذو ذي
 فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند
 muharram safar rabi jumada rajab shaaban ramadan shawwal`)
})

// otherYears stand behind a year of another calendar.
var otherYears = text.SetOf("هـ ه هجري هجرية هجريا شمسی خورشیدی قمری ah")

// eras are the names before a year that is counted from another beginning, with the
// year before the first.
var eras = []struct {
	name   string
	before int
}{
	{"令和", 2018}, {"平成", 1988}, {"昭和", 1925}, {"大正", 1911}, {"明治", 1867},
	{"民国", 1911}, {"民國", 1911}, {"中華民國", 1911}, {"中华民国", 1911},
}
