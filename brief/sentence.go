package brief

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// A sentence of a passage that could be quoted. Start and End are its span in the
// canonical text of the source.
type sentence struct {
	*text.Reading // of exactly the bytes of the span
	passage       citewell.Passage
	start, end    int
	own           int // where it begins without the sentence before it that it leans on
	terms         []string
	last          []string // those without the sentence before it that it leans on
	near          []string // terms of the sentences before and after it
	around        []string // terms of those that stand around it
	aspect        int      // which aspect of the question it answers best
	score         float64  // the chance that it answers that, against no answer
	signals       signals  // for that aspect
	fits          int      // how well a figure of it answers, where it passes the gate
	figures       bool
	dates         bool
}

// sentences takes the passages apart into what could be quoted.
func sentences(e *evidence) []sentence {
	onlySnippets := !slices.ContainsFunc(e.passages, func(p citewell.Passage) bool { return !e.snippetOnly(p) })
	var all []sentence
	for _, p := range e.passages {
		if !e.snippetOnly(p) || onlySnippets {
			all = append(all, sentencesOf(p, e.readings)...)
		}
	}
	return all
}

// around is how many sentences on each side stand around one.
const around = 3

// sentencesOf takes a passage apart. A sentence that leans on the one before it is quoted
// together with it, one that leads in with what it leads to, and the first after a term with the term.
func sentencesOf(p citewell.Passage, readings *text.Readings) []sentence {
	whole := readings.Read(p.Text, "")
	whole = whole.In(whole.LikelyLanguage())
	spans := units(p, whole)
	terms := make([][]string, len(spans))
	for k, span := range spans {
		terms[k] = whole.Part(span.Start, span.End).Terms()
	}
	var all []sentence
	for k, span := range spans {
		span.Start += len(marker.FindString(p.Text[span.Start:span.End]))
		one := sentence{passage: p, own: p.Start + span.Start, terms: terms[k], last: terms[k]}
		quotable := func(span text.Span) bool { return quotable(whole.Part(span.Start, span.End)) }
		if s := p.Text[span.Start:span.End]; !quotable(span) || headed(s) || s == p.Columns {
			continue
		} else if k > 0 && leans(s) && span.End-spans[k-1].Start < maxQuote && quotable(spans[k-1]) &&
			!strings.Contains(p.Text[spans[k-1].End:span.Start], "\n") {
			span.Start = spans[k-1].Start
			one.terms = slices.Concat(terms[k-1], terms[k])
		}
		if start, ok := termAbove(p.Text, span); ok {
			from := slices.IndexFunc(spans, func(s text.Span) bool { return s.Start >= start })
			// a term alone says nothing
			all = slices.DeleteFunc(all, func(s sentence) bool {
				return s.start >= p.Start+start && s.end <= p.Start+span.Start
			})
			span.Start, one.terms = start, slices.Concat(terms[from:k+1]...)
		}
		if lastRune(p.Text[span.Start:span.End]) == ':' {
			end := ledTo(p.Text, spans, k, span.Start)
			if end == k && k+1 < len(spans) {
				continue // it says nothing alone
			}
			span.End = spans[end].End
			one.terms = slices.Concat(append([][]string{one.terms}, terms[k+1:end+1]...)...)
		}
		if k > 0 {
			one.near = terms[k-1]
		}
		if k+1 < len(spans) {
			one.near = slices.Concat(one.near, terms[k+1])
		}
		one.around = slices.Concat(terms[max(0, k-around):min(len(terms), k+around+1)]...)
		s := p.Text[span.Start:span.End]
		one.start, one.end, one.Reading = p.Start+span.Start, p.Start+span.End, whole.Part(span.Start, span.End)
		dates := quantity.Dates(one.Reading)
		one.figures = len(quantity.Figures(one.Reading)) > 0 || hasNumber(s, dates)
		one.dates = len(dates) > 0 || timeOfDay.MatchString(s)
		all = append(all, one)
	}
	return all
}

// mostTerms is how many lines of terms one explanation has at most.
const mostTerms = 3

// termAbove returns where the lines of terms begin that a sentence explains as the first after them. They stand on
// lines of their own directly above it, and a blank line parts them from what is before, as extract lays out a list of
// terms.
func termAbove(s string, span text.Span) (start int, ok bool) {
	if span.Start == 0 || s[span.Start-1] != '\n' {
		return 0, false
	}
	if before := strings.LastIndex(s[:span.Start], "\n\n"); before >= 0 {
		start = before + 2
	}
	rest, _, _ := strings.Cut(s[span.Start:], "\n\n")
	lines := strings.Split(strings.TrimSuffix(s[start:span.Start], "\n"), "\n")
	if start == span.Start || len(lines) > mostTerms || strings.Contains(rest, "\n") || span.End-start > maxQuote {
		return 0, false
	}
	return start, !slices.ContainsFunc(append(lines, rest), func(line string) bool {
		return marker.MatchString(line) || strings.Contains(line, citewell.Cells)
	}) && !slices.ContainsFunc(lines, endsAsSentence)
}

// units are the sentences of a passage, and each row of its tables.
func units(p citewell.Passage, whole *text.Reading) []text.Span {
	var list []text.Span
	for _, span := range rowsWhole(p, whole.Sentences()) {
		if !strings.Contains(p.Text[span.Start:span.End], citewell.Cells) {
			list = append(list, span)
			continue
		}
		for line := range strings.Lines(p.Text[span.Start:span.End]) {
			if trimmed := strings.TrimRight(line, " \n"); trimmed != "" {
				list = append(list, text.Span{Start: span.Start, End: span.Start + len(trimmed)})
			}
			span.Start += len(line)
		}
	}
	return list
}

// ledTo is the last of the spans that the one at k leads to with a colon: items of a
// list, as many as can be quoted in one piece from start on, or else what comes next; k
// where that is too long.
func ledTo(s string, spans []text.Span, k, start int) int {
	last := k
	for next := k + 1; next < len(spans) && spans[next].End-start <= maxQuote; next++ {
		if last > k && !marker.MatchString(s[spans[next].Start:spans[next].End]) {
			break
		}
		last = next
	}
	return last
}

// hasNumber says whether s has a digit outside of its dates.
func hasNumber(s string, dates []quantity.Date) bool {
	for i, r := range s {
		if unicode.IsDigit(r) && !slices.ContainsFunc(dates, func(d quantity.Date) bool {
			return d.Start <= i && i < d.End
		}) {
			return true
		}
	}
	return false
}

var (
	// separators are what parts the words of a URL.
	separators = strings.NewReplacer("/", " ", ".", " ", "-", " ", "_", " ", ":", " ", "=", " ", "&", " ", "?",
		" ", "%20", " ")

	asksVersion = lazyregexp.New(`(?i)(?:^|[^\p{L}])(?:version|release|since when|when .* added)`)
	version     = lazyregexp.New(`\d\.\d|\b[vV]\d`)

	// timeOfDay is how a sentence says when without a date: a time, a part of the day,
	// a day of the week.
	timeOfDay = lazyregexp.New(
		`(?i)(?:^|[^\p{L}\p{N}])(?:\d{1,2}[:.h]\d{2}|\d{1,2} ?(?:am|pm|a\.m\.|p\.m\.|o'clock|uhr|heures)|in the (?:morning|afternoon|evening)|` +
			`at (?:noon|midnight|night)|mittags?|morgens|abends|daily|täglich|every (?:day|week|month|year)|` +
			`(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|` +
			`lunes|martes|miércoles|jueves|viernes|sábado|domingo|понедельник\p{L}*|вторник\p{L}*|сред[ау]|четверг\p{L}*|пятниц\p{L}*|суббот\p{L}*|воскресень\p{L}*)(?:[^\p{L}\p{N}]|$)`)

	// marker is what an item of a list begins with.
	marker = lazyregexp.New(`^(?:[-*•–]|\(?\d{1,3}[.)]|[a-z][.)])\s+`)

	// named is what a row of a table must have to say what its figures are of.
	named = lazyregexp.New(`\p{L}{3}|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]{2}`)

	// section is how the heading of a section begins that a text repeats, as in a
	// table of contents.
	section = lazyregexp.New(`^\d{1,3}(?:\.\d{1,3})+\.?\s`)
)

// headed says whether s is a section's heading.
func headed(s string) bool { return section.MatchString(s) && !endsAsSentence(s) }

// Bounds of what is quoted, in bytes and words.
const (
	minQuote   = 18
	maxQuote   = 480
	leastWords = 3

	leastLetters = 0.5 // share of letters and digits among what is not space
)

// quotable says whether a text reads as a statement: long enough to say something,
// short enough to quote, mostly letters, and no question.
func quotable(r *text.Reading) bool {
	s := r.Text()
	if isRow(s) {
		return namedRow(s)
	}
	if len(s) < minQuote || len(s) > maxQuote {
		return false
	}
	letters, visible := 0, 0
	for _, r := range s {
		if r >= '①' && r <= '⑳' {
			return false // a reader would take it for a citation of ours
		}
		if unicode.IsSpace(r) {
			continue
		}
		visible++
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			letters++
		}
	}
	return float64(letters) > leastLetters*float64(visible) && len(r.Words()) >= leastWords &&
		!strings.ContainsRune("?？؟", lastRune(s))
}

// isRow says whether s is a row of a table.
func isRow(s string) bool { return strings.Contains(s, citewell.Cells) && !strings.Contains(s, "\n") }

func namedRow(s string) bool { return len(s) <= maxQuote && named.MatchString(s) }

// rowsWhole joins the sentences of one row of a table: its cells are of one thing.
func rowsWhole(p citewell.Passage, spans []text.Span) []text.Span {
	if p.Columns == "" {
		return spans
	}
	var whole []text.Span
	for _, s := range spans {
		if k := len(whole) - 1; k >= 0 {
			if line := p.Text[whole[k].Start:s.End]; isRow(line) {
				whole[k].End = s.End
				continue
			}
		}
		whole = append(whole, s)
	}
	return whole
}

func endsAsSentence(s string) bool {
	return strings.ContainsRune(".!。！…।॥؛۔։။។፧᠃", lastRune(s))
}

// lastRune is the last rune of s before closing quotes and brackets; 0 is none.
func lastRune(s string) rune {
	last, size := utf8.DecodeLastRuneInString(strings.TrimRight(s, "\"'”’»›)]）」』】"))
	if size == 0 {
		return 0
	}
	return last
}

// leaning are first words that point back to what was said before.
var leaning = []string{"it", "its", "this", "that", "these", "those", "they", "their", "he", "she", "his", "her",
	"such", "both",
	"however", "therefore", "thus", "also", "but", "instead", "otherwise", "moreover", "furthermore", "hence",
	"er", "sie", "es", "dies", "diese", "dieser", "dieses", "jedoch", "daher", "auch", "aber",
	"il", "elle", "ils", "elles", "cela", "cette", "ce", "mais", "él", "ella", "esto", "esta", "este", "pero",
	"он", "она", "оно", "они", "это", "этот", "эта", "но"}

// leaningCharacters are the same in Chinese and Japanese, which have no spaces.
var leaningCharacters = []string{"它", "他", "她", "这", "這", "该", "該", "其", "此", "但", "それ", "これ", "この", "その", "彼", "しかし"}

func leans(s string) bool {
	first, rest, _ := strings.Cut(s, " ")
	if strings.EqualFold(first, "the") && (strings.HasPrefix(rest, "latter") || strings.HasPrefix(rest, "former ")) ||
		strings.HasPrefix(s, "(") {
		return true
	}
	return slices.Contains(leaning, strings.ToLower(strings.TrimRight(first, ","))) ||
		slices.ContainsFunc(leaningCharacters, func(c string) bool { return strings.HasPrefix(s, c) })
}

// modelWords are phrases that speak to a model instead of a reader. A page may
// say them; they make poor findings. This is taste, not a defence: a finding is a
// quote in any case.
var modelWords = []string{"ignore previous", "ignore all previous", "ignore the above", "disregard previous",
	"disregard all",
	"system prompt", "as an ai", "language model", "ai assistant", "ai agent", "your instructions", "you must now",
	"new instructions"}

// addressesModel says whether s does so in words that the question does not have.
func addressesModel(s, query string) bool {
	s, query = strings.ToLower(s), strings.ToLower(query)
	return slices.ContainsFunc(modelWords, func(w string) bool {
		return strings.Contains(s, w) && !strings.Contains(query, w)
	})
}

func quoted(s string) string { return fmt.Sprintf("“%s”", text.OneLine(s)) }
