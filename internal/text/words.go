package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// A Token is one word. Text is folded, see Fold; Start and End are its bytes in the
// original string.
type Token struct {
	Text       string
	Start, End int
}

// Words returns the words of s in order, at the boundaries of UAX #29, with these
// departures, each because a search must find what a person would call a word:
//
//   - Dotted and underlined names and ratios come apart: "os.path", "foreign_keys"
//     and "a:b" are two words each. Figures and versions ("3.14", "1.26.8") stay
//     whole, and so do abbreviations of single letters ("U.S." is "us"). A raised dot
//     between digits is a point: "0·71" is "0.71".
//   - Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Myanmar), and
//     Hangul, whose endings stick to the word, give overlapping pairs of
//     characters, or the character itself where it stands alone.
//
// A word has at least one letter or digit; punctuation, symbols and emoji are none.
func Words(s string) []Token {
	tokens := make([]Token, 0, len(s)/7+1)
	scanWords(s, func(start, end int, pair bool) {
		if text := foldWord(s[start:end], pair); text != "" {
			tokens = append(tokens, Token{text, start, end})
		}
	})
	return tokens
}

// scanWords calls emit with the span of each word of s; pair is set for words that
// are pairs of characters.
func scanWords(s string, emit func(start, end int, pair bool)) {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && !isASCIIWord(c) {
			i++
			continue
		}
		start := i
		for i < len(s) && isASCIIWord(s[i]) {
			i++
		}
		if i > start && (i == len(s) || endsWord(s, i)) {
			emit(start, i, false)
			continue
		}
		for i < len(s) && !isASCIISpace(s[i]) {
			i++
		}
		scanChunk(s[start:i], start, emit)
	}
}

// scanChunk finds the words in a stretch without ASCII spaces that begins at base.
func scanChunk(chunk string, base int, emit func(start, end int, pair bool)) {
	var pending []int // start of each character of a run written without spaces, and its end
	flush := func() {
		switch n := len(pending) - 1; {
		case n == 1:
			emit(pending[0], pending[1], true)
		case n > 1:
			for i := 0; i+2 <= n; i++ {
				emit(pending[i], pending[i+2], true)
			}
		}
		pending = pending[:0]
	}
	it := words.FromString(mendRaisedPoints(chunk, "\u060c")) // as long, and joins digits by UAX #29
	for it.Next() {
		value, start := it.Value(), base+it.Start()
		first, _ := utf8.DecodeRuneInString(value)
		if !IsUnspaced(first) {
			flush()
			if wordlike(value) {
				splitName(value, start, emit)
			}
			continue
		}
		if len(pending) == 0 {
			pending = append(pending, start)
		}
		for i, r := range value { // a Katakana or Hangul word is many characters
			if i > 0 && !unicode.Is(unicode.M, r) && r != 'ﾞ' && r != 'ﾟ' {
				pending = append(pending, start+i)
			}
		}
		pending = append(pending, start+len(value))
	}
	flush()
}

// mendRaisedPoints puts point for each raised dot of s that stands between two digits.
func mendRaisedPoints(s, point string) string {
	if !strings.Contains(s, "·") {
		return s
	}
	parts := strings.Split(s, "·")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			dot, before := "·", parts[i-1]
			if part != "" && isASCIIDigit(part[0]) && endsInNumber(before) {
				dot = point
			}
			b.WriteString(dot)
		}
		b.WriteString(part)
	}
	return b.String()
}

// endsInNumber says whether digits stand at the end of s that no letter stands right before: 5 of
// "CuSO4·5H2O" is no part of a decimal number.
func endsInNumber(s string) bool {
	rest := strings.TrimRight(s, "0123456789")
	last, _ := utf8.DecodeLastRuneInString(rest)
	return rest != s && !unicode.IsLetter(last)
}

// splitName emits one word of UAX #29, taken apart where it is a dotted or
// underlined name.
func splitName(word string, base int, emit func(start, end int, pair bool)) {
	if !strings.ContainsAny(word, "._:;") || isInitials(word) {
		emit(base, base+len(word), false)
		return
	}
	start := 0
	for i := 0; i <= len(word); i++ {
		if i < len(word) {
			c := word[i]
			if c != '_' && c != ':' && c != ';' && c != '.' {
				continue
			}
			if c == '.' && i > 0 && i+1 < len(word) && isASCIIDigit(word[i-1]) && isASCIIDigit(word[i+1]) {
				continue
			}
		}
		if wordlike(word[start:i]) {
			emit(base+start, base+i, false)
		}
		start = i + 1
	}
}

// isInitials says whether word is single letters with dots between, as in "U.S".
func isInitials(word string) bool {
	letters := 0
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRuneInString(word[i:])
		if !unicode.IsLetter(r) {
			return false
		}
		letters++
		i += size
		if i < len(word) {
			if word[i] != '.' {
				return false
			}
			i++
		}
	}
	return letters > 1
}

// wordlike says whether s has a letter or a digit.
func wordlike(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r != utf8.RuneError &&
			(unicode.IsLetter(r) || unicode.IsNumber(r))
	})
}

// IsUnspaced says whether r belongs to a script whose words come without spaces, or
// is Hangul.
func IsUnspaced(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case isPlainUnspaced(r):
		return true
	}
	return unicode.In(r, unspaced...) || r == 'ー' || r == 'ｰ' || r == '々' || r == '〆'
}

// isPlainUnspaced says whether r is one of the many such characters that are their
// own folded form.
func isPlainUnspaced(r rune) bool {
	return r >= 'ぁ' && r <= 'ゖ' || r >= 'ァ' && r <= 'ー' && r != '・' || r >= 0x4E00 && r <= 0x9FFF ||
		r >= 0xAC00 && r <= 0xD7A3
}

var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isASCIIWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isASCIIDigit(c byte) bool { return c >= '0' && c <= '9' }

func isASCIISpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// endsWord says whether the word of letters and digits before i surely ends there:
// at any ASCII but the marks that may join two halves of one word, and at those where
// no other half follows.
func endsWord(s string, i int) bool {
	switch c := s[i]; {
	case c >= utf8.RuneSelf:
		return false
	case c != '\'' && c != '.' && c != ',':
		return true
	}
	return i+1 == len(s) || s[i+1] < utf8.RuneSelf && !isASCIIWord(s[i+1])
}
