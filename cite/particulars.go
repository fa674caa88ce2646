package cite

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/text"
)

// Particulars are what a statement stands or falls with and what is no figure or
// date: times of day, ports, versions, numbers of things, names. "It leaves at 07:30"
// and "it leaves at 08:15" share all their words.

// looseSpans gives the numbers of s that are part of none of its figures and dates, and of
// none that cannot be read for sure.
func looseSpans(s, lang string, figures []quantity.Figure, dates []quantity.Date) []text.Span {
	numbers := numbersIn(s)
	if len(numbers) == 0 {
		return nil
	}
	var read []text.Span
	for _, f := range figures {
		read = append(read, text.Span{Start: f.Start, End: f.End})
	}
	for _, d := range dates {
		read = append(read, text.Span{Start: d.Start, End: d.End})
	}
	read = append(read, quantity.Unclear(s, lang)...)
	return slices.DeleteFunc(numbers, func(n text.Span) bool {
		return slices.ContainsFunc(read, func(r text.Span) bool { return n.Start < r.End && r.Start < n.End })
	})
}

// numbersIn finds runs of digits with single separators between them that are no part
// of a word: "07:30", "3.12", "8080", but neither "CD8" nor "x86".
func numbersIn(s string) []text.Span {
	var spans []text.Span
	for i := 0; i < len(s); {
		if size := digitSize(s, i); size == 0 {
			i++
			continue
		}
		end := i
		for end < len(s) {
			size := digitSize(s, end)
			if size == 0 && strings.IndexByte(".:,/-", s[end]) >= 0 && digitSize(s, end+1) > 0 {
				size = 1
			}
			if size == 0 {
				break
			}
			end += size
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) || unspacedLetter(before) || unspacedLetter(after) {
			spans = append(spans, text.Span{Start: i, End: end})
		}
		i = end
	}
	return spans
}

// digitSize returns how many bytes the digit at s[i] has, 0 where none is and at the end.
func digitSize(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	if _, ok := text.Digit(r); !ok {
		return 0
	}
	return size
}

// unspacedLetter says whether r belongs to a script that writes letters against numbers.
func unspacedLetter(r rune) bool {
	return r >= 0x0600 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Arabic)
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

// clockOf is the time of day in 24 hours that a number and the "am" or "pm" that behind begins
// with tell, in the form for comparison; empty where they tell none.
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

// halfDayOf marks the number of a time of day in twelve hours in a numberSet: who leaves
// "am" and "pm" out means either.
const halfDayOf = "12h "

// numberSet gives every number of s in the form for comparison, and the ends of a range.
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

// missingNumbers gives the loose numbers of a claim that are none of those of its evidence.
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

// unclearIn gives the first number or date of the claim that can be read in two ways
// and does not stand in the evidence as it is.
func unclearIn(claim, lang, evidence string) string {
	for _, span := range quantity.Unclear(claim, lang) {
		if raw := claim[span.Start:span.End]; !strings.Contains(evidence, raw) {
			return raw
		}
	}
	return ""
}

// saysVerbatim gives the span of the evidence that has the claim word for word, unless
// the words before it in its sentence deny it or make it less sure: "not" before "all
// ships sank" makes another statement of it.
func saysVerbatim(claim, lang, evidence string) (start, end int, ok bool) {
	start, end, ok = Locate(claim, evidence)
	if !ok {
		return 0, 0, false
	}
	if lang == "" {
		lang = text.Language(evidence)
	}
	lang, _, _ = strings.Cut(lang, "-")
	from, to := Whole(evidence, start, end)
	words := text.Words(evidence[from:start])
	const near = 3 // words
	for _, w := range words[max(0, len(words)-near):] {
		if isNegation(lang, w.Text) || hedges[lang][w.Text] {
			return 0, 0, false
		}
	}
	if from < start || end < to {
		around := newSentence(evidence[from:to], lang)
		for i, w := range around.words {
			if from+w.start >= start && from+w.end <= end {
				around.match[i] = 1
			}
		}
		own := newSentence(claim, lang)
		for i := range own.match {
			own.match[i] = 1
		}
		if theirs := around.disowned(); theirs != "" && own.disowned() == "" {
			return 0, 0, false
		}
	}
	return start, end, true
}

// weekdays are names that some languages write small.
var weekdays = strings.Fields(`lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo
	lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
	понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье понедельникам вторникам средам четвергам пятницам субботам воскресеньям
	montags dienstags mittwochs donnerstags freitags samstags sonnabends sonntags lundis mardis mercredis jeudis vendredis samedis dimanches
	الاثنين الإثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد
	期一 期二 期三 期四 期五 期六 期日 期天 周一 周二 周三 周四 周五 周六 周日 月曜 火曜 水曜 木曜 金曜 土曜 日曜 월요 화요 수요 목요 금요 토요 일요`)

// hasNames says whether evidence has every name of the claim: the words that are
// written with a capital letter inside a sentence, the days of the week, and the
// numbers of names such as GPL-2.
func hasNames(claim, evidence, lang string) bool {
	var has map[string]bool
	first := true
	numbers := numberSet(evidence)
	for _, n := range looseSpans(claim, lang, quantity.Figures(claim, lang), quantity.Dates(claim, lang)) {
		if !numbers[sameNumber(claim[n.Start:n.End])] {
			return false
		}
	}
	for _, word := range text.Words(claim) {
		written := claim[word.Start:word.End]
		initial, _ := utf8.DecodeRuneInString(written)
		named := unicode.IsUpper(initial) && !first || slices.Contains(weekdays, strings.ToLower(written))
		first = false
		if !named {
			continue
		}
		if has == nil {
			has = map[string]bool{}
			for _, w := range text.Words(evidence) {
				has[text.Stem(lang, w.Text)] = true
			}
		}
		if !has[text.Stem(lang, word.Text)] {
			return false
		}
	}
	return true
}
