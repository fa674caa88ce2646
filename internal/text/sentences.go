package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is a half-open range of bytes.
type Span struct{ Start, End int }

// Sentences returns the sentences of s in order, without the white space around
// them; together they hold everything else. A sentence ends at a full stop, question
// or exclamation mark of any script, with the quotes, brackets and reference marks
// that close it; and where a block ends: at a blank line, and at a line break that
// is not just the wrapping of a paragraph.
//
// A dot ends no sentence after an abbreviation or an initial, within figures,
// versions, names and addresses, or after a number that opens a line. Where a dot
// may or may not end one, what follows decides: a small letter goes on, a capital
// begins anew.
func Sentences(s string) []Span {
	spans := make([]Span, 0, len(s)/100+1)
	for _, block := range blocks(s) {
		spans = splitBlock(s, block, spans)
	}
	return spans
}

// splitBlock appends the sentences of one block.
func splitBlock(s string, block Span, spans []Span) []Span {
	start := block.Start
	for i := block.Start; i < block.End; {
		c := s[i]
		if c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:block.End])
		if !isTerminal(r) {
			i += size
			continue
		}
		last, end := i, i+size
		for end < block.End { // "?!", "..."
			next, n := utf8.DecodeRuneInString(s[end:block.End])
			if !isTerminal(next) {
				break
			}
			last, r = end, next
			end += n
		}
		closed := skipClosers(s[:block.End], end)
		if endsSentence(s, Span{start, block.End}, i, last, closed, r) {
			spans = appendTrimmed(s, Span{start, closed}, spans)
			start = closed
		}
		i = closed
	}
	return appendTrimmed(s, Span{start, block.End}, spans)
}

// endsSentence decides whether the terminal marks s[first:], the last of which is r
// at last, end the sentence that began at within.Start; closed is the end of the
// quotes and brackets behind them.
func endsSentence(s string, within Span, first, last, closed int, r rune) bool {
	rest := s[closed:within.End]
	if rest == "" {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	before, _ := utf8.DecodeLastRuneInString(s[within.Start:first])
	if isFullWidth(r) || beginsUnspaced(before) && beginsUnspaced(next) {
		// "「…。」と言った" goes on: a particle or comma follows the quoted words.
		return closed == last+utf8.RuneLen(r) || !strings.ContainsRune("とっなの、，", next)
	}
	if !unicode.IsSpace(next) {
		return isOwnStop(r) || beginsUnspaced(next) && r != '.' || beginsUnspaced(before) && r != '.' &&
			unicode.IsUpper(next)
	}
	following := strings.TrimLeft(strings.TrimSpace(rest), openers)
	word := leadingWord(following)
	initial, _ := utf8.DecodeRuneInString(following)
	if r != '.' {
		return !unicode.IsLower(initial)
	}
	if first != last { // an ellipsis of dots
		return !unicode.IsLower(initial)
	}
	return dotEnds(s[within.Start:first], following, word, initial)
}

// dotEnds decides about a single dot between before, which begins with the sentence,
// and following, whose first word and rune are given.
func dotEnds(before, following, word string, initial rune) bool {
	previous := trailingWord(before)
	key, known := strings.ToLower(strings.TrimLeft(previous, openers)), abbreviated()
	switch {
	case key == "":
		return !unicode.IsLower(initial)
	case isListNumber(before, previous):
		return false
	case known.neverLast[key]:
		return false
	case known.beforeNumber[key]:
		return !unicode.IsDigit(initial) && !(len(key) == 1 && unicode.IsLower(initial)) // p. m.
	case known.oftenLast[key]:
		return unicode.IsUpper(initial) || beginsUnspaced(initial)
	case known.mayBeLast[key]:
		return isOpeningWord(word) || beginsUnspaced(initial)
	case isDottedLetters(key): // a unit, an initial, or letters with dots
		return isOpeningWord(word) || len(key) == 1 && followsNumber(before, previous) && unicode.IsUpper(initial)
	case isShortNumber(key):
		return !unicode.IsLower(initial) && !known.followsOrdinal[strings.ToLower(word)]
	case unicode.IsLower(initial):
		// Prose in small letters, or a name spelt so, behind an ordinary word.
		return len(key) >= 5 && isSmallWord(previous) && utf8.RuneCountInString(word) > 1
	}
	return true
}

// skipClosers returns the end of the quotes, brackets and reference marks ("[3]",
// "①") at i.
func skipClosers(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case strings.ContainsRune(closers, r), isCircled(s[i:]), r >= '⁰' && r <= '⁹', r == '¹' || r == '²' || r == '³':
			i += size
		case (r == '“' || r == '«') && endsAfter(s, i+size): // „so“ and »so« in German
			i += size
		// « so ! »
		case (r == ' ' || r == '\u00a0' || r == '\u202f') && strings.HasPrefix(s[i+size:], "»") &&
			endsAfter(s, i+size+len("»")):
			i += size + len("»")
		case r == ' ' && isCircled(s[i+1:]):
			i++
		case r == '[':
			end := strings.IndexByte(s[i:], ']')
			if end < 2 || end > 6 || strings.Trim(s[i+1:i+end], "0123456789,–- ") != "" {
				return i
			}
			i += end + 1
		default:
			return i
		}
	}
	return i
}

// endsAfter says whether white space or nothing follows at s[i].
func endsAfter(s string, i int) bool {
	r, size := utf8.DecodeRuneInString(s[i:])
	return size == 0 || unicode.IsSpace(r)
}

// isCircled says whether s begins with a figure in a circle.
func isCircled(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= '①' && r <= '⑳'
}

const (
	closers = `"')]}”’»›」』）】》〉］｝`
	openers = `"'([{“‘„‚«‹「『（【《〈¿¡*_`
)

// isTerminal says whether r may end a sentence.
func isTerminal(r rune) bool {
	return r == '.' || r == '!' || r == '?' || r == '…' || isOwnStop(r) || isFullWidth(r)
}

// isFullWidth says whether r ends a sentence in text without spaces.
func isFullWidth(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '．', '︒':
		return true
	}
	return false
}

// isOwnStop says whether r is a mark that does nothing but end sentences.
func isOwnStop(r rune) bool {
	switch r {
	case '؟', '۔', '।', '॥', '‼', '⁇', '⁈', '⁉', '։', '።', '፧', '၊', '။', '។', '᠃':
		return true
	}
	return false
}

// beginsUnspaced says whether r begins a word of a script without spaces.
func beginsUnspaced(r rune) bool { return IsUnspaced(r) && !unicode.Is(unicode.Hangul, r) }

// trailingWord returns the end of s from the last white space on.
func trailingWord(s string) string {
	return s[strings.LastIndexFunc(s, unicode.IsSpace)+1:]
}

// leadingWord returns the letters, digits and apostrophes that s begins with.
func leadingWord(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != '\'' && r != '’'
	})
	if end < 0 {
		return s
	}
	return s[:end]
}

// isListNumber says whether last, the end of before, is all there is of it: the
// number or letter of a list entry or heading.
func isListNumber(before, last string) bool {
	if strings.TrimLeft(before, " \t\n") != last || len(last) > 6 {
		return false
	}
	if len(last) == 1 && unicode.IsLetter(rune(last[0])) {
		return true
	}
	digits := strings.Trim(last, "0123456789.") == ""
	return digits && len(last) <= 3 || digits && strings.Contains(last, ".") || strings.Trim(last, "ivxIVX") == ""
}

// isDottedLetters says whether word is one letter, or letters with a dot after each
// but the last.
func isDottedLetters(word string) bool {
	for i, part := range strings.Split(word, ".") {
		r, size := utf8.DecodeRuneInString(part)
		if size == 0 || size != len(part) || !unicode.IsLetter(r) {
			// "z.B" has been seen; "b.sc" and "ph.d" are in the lists.
			return false
		}
		if i > 5 {
			return false
		}
	}
	return true
}

// followsNumber says whether last, the end of before, is a unit: what stands before it
// is a number.
func followsNumber(before, last string) bool {
	number := trailingWord(strings.TrimRightFunc(strings.TrimSuffix(before, last), unicode.IsSpace))
	return number != "" && isASCIIDigit(number[len(number)-1])
}

// isShortNumber says whether word is one to three digits, which with a dot may be an
// ordinal.
func isShortNumber(word string) bool {
	return len(word) <= 3 && strings.Trim(word, "0123456789") == ""
}

// isSmallWord says whether word is letters without capitals.
func isSmallWord(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) && !unicode.Is(unicode.M, r) })
}

// isOpeningWord says whether a word with a capital is one that sentences begin with:
// a function word. Behind an initial, any other capital is a name.
func isOpeningWord(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) || size == len(word) && first != 'A' && first != 'I' {
		return false
	}
	return everyFunctionWord()[Fold(word)]
}

// appendTrimmed appends the span without the white space at its ends, if anything is
// left of it.
func appendTrimmed(s string, span Span, spans []Span) []Span {
	part := s[span.Start:span.End]
	left := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	trimmed := strings.TrimSpace(part)
	if trimmed == "" {
		return spans
	}
	return append(spans, Span{span.Start + left, span.Start + left + len(trimmed)})
}
