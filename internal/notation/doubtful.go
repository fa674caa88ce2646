package notation

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// ends maps the marks that may be something else as well: (1), ¹ and ①.
func (n *naming) ends(content string) string {
	code := codeSpans(content)
	content = rewrite(content, code, raised, func(s string, m []int) string {
		return s[m[2]:m[3]] + Numbers(n.own(doubtfulNumber(s[m[4]:m[5]])))
	})
	code = codeSpans(content)
	cites := slices.ContainsFunc(References(content), func(r Reference) bool {
		return content[r.Start] == '[' && !overlaps(code, r.Start, r.End)
	})
	return rewrite(content, code, doubtful, func(s string, m []int) string {
		whole := s[m[0]:m[1]]
		number := doubtfulNumber(whole)
		first, _ := utf8.DecodeRuneInString(whole)
		explained := circled(first) > 0 && n.own(number) != number
		if (!cites || explained) && slices.Contains(n.known, n.own(number)) && n.isReference(s, m[0], m[1]) {
			return Numbers(n.own(number))
		}
		if circled(first) > 0 {
			return "(" + strconv.Itoa(number) + ")"
		}
		return whole
	})
}

// own is what the text's own list says that a number stands for, or the number.
func (n *naming) own(number int) int {
	if source := n.labels[strconv.Itoa(number)]; source > 0 {
		return source
	}
	return number
}

var (
	doubtful = lazyregexp.New(`[(（]\d{1,2}[)）]|[¹²³⁰⁴-⁹]{1,2}|[①-⑳㉑-㉟㊱-㊿]`)
	// raised is a number behind a mark: there it is no exponent, but a further reference.
	raised = lazyregexp.New(`(` + markList + `)([¹²³⁰⁴-⁹]{1,3})`)
	// labelled is a word that a number in brackets belongs to.
	labelled = lazyregexp.New(
		`(?i)(?:^|[^\p{L}])(?:eqs?|equations?|formulas?|fig|figures?|tables?|sections?|steps?|chapters?|cases?|rules?|parts?|items?|options?|gleichung|formel|abbildung|tabelle|schritt|équation|figure|étape|уравнение|рисунок|шаг)\.?\s*$`)
	equation = lazyregexp.New(`[=≈≤≥∑∫$^]`)
)

func doubtfulNumber(s string) int {
	first, _ := utf8.DecodeRuneInString(s)
	if number := circled(first); number > 0 {
		return number
	}
	number := 0
	for _, r := range s {
		if at := strings.IndexRune(superscripts, r); at >= 0 {
			r = rune('0' + utf8.RuneCountInString(superscripts[:at]))
		}
		if unicode.IsDigit(r) {
			number = 10*number + int(r-'0')
		}
	}
	return number
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"

func superscript(number int) string {
	var out strings.Builder
	for _, digit := range strconv.Itoa(number) {
		out.WriteRune([]rune(superscripts)[digit-'0'])
	}
	return out.String()
}

// around is how many bytes on either side of a mark are looked at.
const around = 400

// isReference says whether the doubtful mark at s[start:end] ends a sentence and is no
// item of a list, no exponent, and no number of an equation.
func (n *naming) isReference(s string, start, end int) bool {
	line := s[max(0, start-around):start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	said := strings.TrimRight(line, " ")
	if !strings.ContainsFunc(said, unicode.IsLetter) || equation.MatchString(said) || labelled.MatchString(said) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s[start:])
	last, _ := utf8.DecodeLastRuneInString(said)
	stopped := unicode.Is(unicode.Sentence_Terminal, last)
	switch attached := said == line; {
	case strings.ContainsRune(superscripts, first):
		word := lastWord(said)
		if !attached || unicode.IsDigit(last) || strings.ContainsRune("⁻⁺"+superscripts, last) || len(word) > 0 &&
			utf8.RuneCountInString(word) < 3 && last < utf8.RuneSelf {
			return false
		}
		if first != '¹' && takesPower(word, said) {
			return false
		}
		return stopped && endsAfter(s, end) || closesSentence(s, end)
	case attached && !stopped && circled(first) == 0 && behindWord(s, start):
		return false // f(1)
	case stopped && !attached: // with more words behind it, it is an item of a list within the line
		return strings.TrimSpace(doubtful.ReplaceAllString(restOfLine(s[:min(len(s), end+around)], end), "")) == ""
	case stopped:
		return endsAfter(s, end)
	}
	return closesSentence(s, end)
}

// takesPower says whether a word is a unit of which there are squares and cubes, as
// metre² and second², in the language of what stands around it.
func takesPower(word, around string) bool {
	figures := quantity.Figures(text.Read("5 "+word, text.LikelyLanguage(around)))
	return len(figures) > 0 && (figures[0].Unit == "m" || figures[0].Unit == "s" && figures[0].Value == 5)
}

// closesSentence says whether nothing of the sentence follows s[:end] but further marks.
func closesSentence(s string, end int) bool {
	rest := s[end:min(len(s), end+around)]
	for {
		trimmed := strings.TrimLeft(rest, " ,;")
		m := doubtful.FindStringIndex(trimmed)
		if m == nil || m[0] > 0 {
			break
		}
		rest = trimmed[m[1]:]
	}
	rest = strings.TrimLeft(rest, `"'”’»)*_`)
	first, size := utf8.DecodeRuneInString(rest)
	if unicode.Is(unicode.Sentence_Terminal, first) {
		return first >= utf8.RuneSelf || endsAfter(rest, size)
	}
	line := restOfLine(rest, 0)
	if trimmed := strings.TrimSpace(line); trimmed != "" {
		return strings.HasPrefix(trimmed, "|")
	}
	if next := strings.TrimPrefix(rest[len(line):], "\n"); next != "" { // a paragraph may be wrapped there
		first, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, " "))
		return !unicode.IsLower(first)
	}
	return true
}

func restOfLine(s string, at int) string {
	line, _, _ := strings.Cut(s[at:], "\n")
	return line
}

func endsAfter(s string, at int) bool {
	next, size := utf8.DecodeRuneInString(s[at:])
	return size == 0 || unicode.IsSpace(next) || strings.ContainsRune(`"'”’»)|*_`, next) ||
		doubtful.MatchString(string(next))
}

func lastWord(s string) string {
	s = strings.TrimRightFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return s[strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
}
