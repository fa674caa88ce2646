package quantity

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A timeSpan is a decade, century, quarter, half or season: all days from first to last, as the number 20240331. People
// differ by up to near about where one of another kind begins and ends: winter, and the late 1980s.
type timeSpan struct {
	kind        string // empty for a day, a month or a year
	first, last int
	near        int
}

const oneYear = 10000 // between the numbers of two days

// days returns the days of a date that has a year.
func (d Date) days() (timeSpan, bool) {
	if d.span.kind != "" {
		return d.span, true
	}
	first, last := d.Year*oneYear+101, d.Year*oneYear+1231
	if d.Month != 0 {
		first, last = first-100+100*d.Month, last-1200+100*d.Month
	}
	if d.Day != 0 {
		first, last = first-1+d.Day, last-31+d.Day
	}
	return timeSpan{first: first, last: last}, d.Year != 0
}

// IsSpan reports whether a date is a decade, century, quarter, half or season.
func (d Date) IsSpan() bool { return d.span.kind != "" }

// Years returns the years of a span.
func (d Date) Years() (first, last int) { return d.span.first / oneYear, d.span.last / oneYear }

// meets reports whether both dates may have a day in common.
func (d Date) meets(e Date) bool {
	a, known := d.days()
	b, alsoKnown := e.days()
	if !known || !alsoKnown {
		return true
	}
	near := a.near + b.near
	if a.kind == b.kind {
		near = 0
	}
	return a.first-near <= b.last && b.first-near <= a.last
}

// holds reports whether each day of e is one of d.
func (d Date) holds(e Date) bool {
	a, known := d.days()
	b, alsoKnown := e.days()
	return known && alsoKnown && a.first <= b.first && b.last <= a.last
}

// Repeats reports whether d says in other words what evidence says, or leaves out its day or its month. A wider span of
// time than that of the evidence follows from it in some sentences only.
func (d Date) Repeats(evidence Date) bool {
	if d.IsSpan() || evidence.IsSpan() {
		return d.span.same(evidence.span)
	}
	return d.Supports(evidence)
}

// Same reports whether both dates name the same days.
func (d Date) Same(e Date) bool { return d.Repeats(e) && e.Repeats(d) }

// same reports whether both are one span of time: the 1800s and the 19th century are.
func (s timeSpan) same(t timeSpan) bool {
	apart := 0
	if s.kind == "century" {
		apart = oneYear
	}
	near := func(a, b int) bool { return max(a-b, b-a) <= apart }
	return s.kind == t.kind && near(s.first, t.first) && near(s.last, t.last)
}

// spanWords holds the words of time spans by their keys, of all languages: the language of a short text may not be
// told.
var spanWords = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, l := range lang.All() {
		for _, row := range l.Rows(lang.TimeSpans) {
			if row.Key == "ordinals" {
				for i, word := range row.Words() {
					key := "ordinal " + strconv.Itoa(i+1)
					all[key] = append(all[key], word)
				}
				continue
			}
			all[row.Key] = append(all[row.Key], spaced(slices.Clone(row.Words()))...)
		}
	}
	for _, words := range all {
		slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	}
	return all
})

// spanBegins holds the first words of time spans: most words of a text are none.
var spanBegins = sync.OnceValue(func() map[string]bool {
	first := map[string]bool{}
	for _, words := range spanWords() {
		for _, word := range words {
			if begin, _ := wordAt(word, 0); begin != "" { // what stands behind a number, as in 1990's, begins none
				first[begin] = true
			}
		}
	}
	return first
})

// mayBeginSpan reports whether the word at s[i] may begin a time span: the 1990s, XIX, Q1.
func (r *dateReader) mayBeginSpan(i int) bool {
	word, _ := wordAt(r.s, i)
	return strings.IndexByte("IVXQH", r.s[i]) >= 0 || spanBegins()[word]
}

// spanWord returns where a word with one of the keys ends that begins at s[i], and its key; none of them gives i.
func (r *dateReader) spanWord(i int, keys ...string) (key string, end int) {
	for _, key := range keys {
		for _, word := range spanWords()[key] {
			to := i + len(word)
			if to > len(r.s) || !strings.EqualFold(r.s[i:to], word) {
				continue
			}
			if next, _ := utf8.DecodeRuneInString(r.s[to:]); !isWordRune(next) || strings.HasSuffix(word, "'") {
				return key, to
			}
		}
	}
	return "", i
}

// timeSpan reads a decade, century, quarter, half or season at s[i] and returns its end, or i.
func (r *dateReader) timeSpan(i int) int {
	part, at := r.spanWord(i, "early", "mid", "late")
	if part != "" {
		if strings.HasPrefix(r.s[at:], "-") {
			at++
		}
		at = blankAt(r.s, at)
		if _, behind := r.spanWord(at, "of", "opens"); behind > at {
			at = blankAt(r.s, behind)
		}
	}
	var span timeSpan
	year, end := 0, at
	for _, form := range []func(int) (timeSpan, int, int){r.decadeAt, r.centuryAt, r.partOfYear, r.season} {
		if span, year, end = form(at); end > at {
			break
		}
	}
	divided := span.kind == "century" || span.kind == "decade"
	if end == at || part != "" && !divided { // "early" stays a word of its own before "summer 1990"
		return i
	}
	if divided {
		span = span.partOf(part, (span.last-span.first)/oneYear+1)
	}
	r.spans = append(r.spans, text.Span{Start: i, End: end})
	r.dates = append(r.dates, Date{Start: i, End: end, From: r.opener(i), Year: year, Raw: r.s[i:end], span: span})
	return end
}

// partOf returns the early, middle or late years of a span: a bit more than a third.
func (s timeSpan) partOf(part string, years int) timeSpan {
	third := years * 4 / 10 * oneYear
	whole := s
	switch part {
	case "early":
		s.last = s.first - 101 + third - oneYear + 1231
	case "mid":
		s.first, s.last = s.first+third-oneYear, s.last-third+oneYear
	case "late":
		s.first = s.last - 1231 - third + oneYear + 101
	default:
		return whole
	}
	s.near = third / 4
	return s
}

// opener returns where the words begin that stand before a time span and say nothing: in the 1990s.
func (r *dateReader) opener(i int) int {
	head := strings.TrimSuffix(r.s[:i], " ")
	for _, word := range spanWords()["opens"] {
		from := len(head) - len(word)
		if from < 0 || !strings.EqualFold(head[from:], word) {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(head[:from]); !isWordRune(before) {
			return from
		}
	}
	return i
}

// decadeAt reads the 1990s, années 1980 and the nineties.
func (r *dateReader) decadeAt(i int) (timeSpan, int, int) {
	at := i
	if _, end := r.spanWord(i, "decade before"); end > i {
		at = blankAt(r.s, end)
	}
	n := r.number(at)
	first, end := n.value, n.end
	if at == i {
		if n.digits == 4 {
			_, end = r.spanWord(n.end, "decade behind")
		} else if tens, to := r.spanWord(i, "30", "40", "50", "60", "70", "80", "90"); tens != "" && r.opener(i) < i {
			after, _ := strconv.Atoi(tens)
			first, end = 1900+after, to
		}
	}
	if end == n.end && at == i || first%10 != 0 || first < 1000 || first > 2190 {
		return timeSpan{}, 0, i
	}
	span := timeSpan{kind: "decade", first: first*oneYear + 101, last: (first+9)*oneYear + 1231}
	if first%100 == 0 && first < 1900 { // the 1700s
		span.kind, span.last = "century", (first+99)*oneYear+1231
	} else if first%100 == 0 { // the 2000s may be either
		span.near = 90 * oneYear
	}
	return span, 0, end
}

// centuryAt reads the 19th century, nineteenth century, XIXe siècle and siglo XIX. Whether the year 1900 belongs to it
// is told either way.
func (r *dateReader) centuryAt(i int) (timeSpan, int, int) {
	at, before := i, false
	if _, end := r.spanWord(i, "century before"); end > i {
		at, before = blankAt(r.s, end), true
	}
	n, end := r.ordinalAt(at)
	if !before && n > 0 {
		at = blankAt(r.s, end)
		_, end = r.spanWord(at, "century")
		n *= min(1, end-at)
	}
	if n < 1 || n > 21 {
		return timeSpan{}, 0, i
	}
	first := (n - 1) * 100
	return timeSpan{"century", (first+1)*oneYear + 101, (first+99)*oneYear + 1231, oneYear}, 0, end
}

// ordinalAt reads 19th, 19., 19e, XIXe and nineteenth at s[i].
func (r *dateReader) ordinalAt(i int) (value, end int) {
	if n := r.number(i); n.digits > 0 && n.digits <= 2 {
		for _, sign := range [...]string{"th", "st", "nd", "rd", ".", "ème", "e", "er", "º"} {
			if strings.HasPrefix(r.s[n.end:], sign) {
				return n.value, n.end + len(sign)
			}
		}
		return 0, i
	}
	for n := 1; n <= 21; n++ {
		if key, end := r.spanWord(i, "ordinal "+strconv.Itoa(n)); key != "" {
			return n, end
		}
	}
	letters := map[byte]int{'I': 1, 'V': 5, 'X': 10}
	for end = i; end < len(r.s) && letters[r.s[end]] > 0; end++ {
		value += letters[r.s[end]]
		if end > i && letters[r.s[end-1]] < letters[r.s[end]] {
			value -= 2 * letters[r.s[end-1]]
		}
	}
	return value, end + len(r.s[end:]) - len(strings.TrimPrefix(strings.TrimPrefix(r.s[end:], "e"), "ᵉ"))
}

// partOfYear reads Q1 2024, the first quarter of 2024 and H2 2024.
func (r *dateReader) partOfYear(i int) (timeSpan, int, int) {
	n, at := r.ordinalAt(i)
	kind, end := r.spanWord(blankAt(r.s, at), "quarter", "half")
	if n == 0 || kind == "" {
		kind = map[byte]string{'Q': "quarter", 'H': "half"}[r.s[min(i, len(r.s)-1)]]
		number := r.number(min(i+1, len(r.s)))
		n, end = number.value, number.end
	}
	months := map[string]int{"quarter": 3, "half": 6}[kind]
	if months == 0 || n < 1 || n > 12/months {
		return timeSpan{}, 0, i
	}
	year, end := r.yearBehind(end)
	if year == 0 {
		return timeSpan{}, 0, i
	}
	return timeSpan{kind: kind, first: year*oneYear + 100*(months*(n-1)+1) + 1, last: year*oneYear + 100*months*n + 31},
		year, end
}

// season reads summer 2019 and the spring of 2019, with the months of the northern half of the earth.
func (r *dateReader) season(i int) (timeSpan, int, int) {
	name, end := r.spanWord(i, "spring", "summer", "autumn", "winter")
	year, end := r.yearBehind(end)
	if name == "" || year == 0 {
		return timeSpan{}, 0, i
	}
	first := map[string]int{"winter": 1, "spring": 3, "summer": 6, "autumn": 9}[name]
	last := first + 2
	if name == "winter" {
		last = 2
	}
	return timeSpan{"season", year*oneYear + 100*first + 1, year*oneYear + 100*last + 31, oneYear}, year, end
}

// yearBehind reads a year behind s[:i], perhaps with "of" before it.
func (r *dateReader) yearBehind(i int) (year, end int) {
	at := blankAt(r.s, i)
	if _, behind := r.spanWord(at, "of"); behind > at {
		at = blankAt(r.s, behind)
	}
	n := r.number(at)
	if at == i || !n.isYear() || r.goesOn(n.end) {
		return 0, i
	}
	return n.value, n.end
}
