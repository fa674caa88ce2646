package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns s in the form in which words are compared: compatibility forms made
// plain (NFKC: full width, ligatures, superscripts), lower case, ß as ss, the
// Greek final sigma as sigma, every apostrophe (of either curl, and the letters that
// look like one) straight, and characters that are not seen (soft hyphen, zero-width
// space, direction marks) left out, as are the vowel signs and the stretching of Arabic,
// which are written or not as one likes; digits of every script are those of ASCII. Accents stay: whether "é" is "e" is
// a matter of the language, see Terms.
func Fold(s string) string {
	if isFoldedASCII(s) {
		return s
	}
	if isASCII(s) {
		return strings.ToLower(s)
	}
	folded := norm.NFKC.String(strings.ToValidUTF8(s, ""))
	folded = strings.Map(foldRune, folded)
	if strings.ContainsRune(folded, 'ß') {
		folded = strings.ReplaceAll(folded, "ß", "ss")
	}
	return norm.NFKC.String(folded)
}

// foldRune lower-cases r, and gives -1 for one that is not seen.
func foldRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return unicode.ToLower(r)
	case isInvisible(r), isArabicMark(r):
		return -1
	case r == '٬':
		return ','
	case r == '٫':
		return '.'
	case r == 'ς':
		return 'σ'
	case r == 'İ': // its lower case in Unicode is two runes, of no use for matching
		return 'i'
	case r == 'ẞ':
		return 'ß'
	case r == '’' || r == '‘' || r == 'ʼ' || r == 'ʻ':
		return '\''
	}
	if value, ok := Digit(r); ok {
		return rune('0' + value)
	}
	return unicode.ToLower(r)
}

// isArabicMark says whether r is a vowel sign of Arabic or the bar that stretches a
// word.
func isArabicMark(r rune) bool {
	return r >= 0x064B && r <= 0x065F || r >= 0x0610 && r <= 0x061A || r == 0x0670 || r == 0x0640
}

// foldWord folds one word. Dots between single letters go, so that "U.S." and "US"
// are one word, and so do the commas of a figure grouped in thousands; its raised point is one
// on the line.
func foldWord(word string, pair bool) string {
	switch {
	case pair && strings.IndexFunc(word, func(r rune) bool { return !isPlainUnspaced(r) }) < 0:
		return word
	case isSmallASCIIWord(word):
		return word
	}
	folded := mendRaisedPoints(Fold(word), ".")
	switch {
	case pair || isSmallASCIIWord(folded):
		return folded
	case isInitials(folded):
		return strings.ReplaceAll(folded, ".", "")
	case isGrouped(folded):
		return strings.ReplaceAll(folded, ",", "")
	}
	return folded
}

// isSmallASCIIWord says whether word is nothing but small letters and digits, as most
// words are.
func isSmallASCIIWord(word string) bool {
	for i := range len(word) {
		if c := word[i]; !isASCIIWord(c) || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}

// isGrouped says whether s is digits in groups of three with commas between.
func isGrouped(s string) bool {
	groups := strings.Split(s, ",")
	if len(groups) < 2 || len(groups[0]) > 3 || groups[0] == "" {
		return false
	}
	for i, group := range groups {
		if i > 0 && len(group) != 3 {
			return false
		}
		for j := range len(group) {
			if !isASCIIDigit(group[j]) {
				return false
			}
		}
	}
	return true
}

// isInvisible says whether r shows nothing: format characters, and the selectors
// that choose between two pictures of the same character.
func isInvisible(r rune) bool {
	return r >= 0xAD && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isFoldedASCII says whether s is ASCII without upper-case letters.
func isFoldedASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return false
		}
	}
	return true
}
