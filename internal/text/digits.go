package text

import "unicode/utf8"

// digitZeros are the digits zero of the scripts that write decimal numbers with digits
// of their own; nine more digits follow each.
var digitZeros = [...]rune{
	0x0660, 0x06F0, // Arabic-Indic, Persian and Urdu
	0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, // India
	0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810, // Thai, Lao, Tibetan, Myanmar, Khmer, Mongolian
	0xFF10, // full width
}

// Digit returns the value of a decimal digit of any script.
func Digit(r rune) (value int, ok bool) {
	if r < utf8.RuneSelf {
		return int(r - '0'), r >= '0' && r <= '9'
	}
	if r < digitZeros[0] {
		return 0, false
	}
	for _, zero := range digitZeros {
		if r >= zero && r <= zero+9 {
			return int(r - zero), true
		}
	}
	return 0, false
}

// DigitAt returns the value of the digit at s[i].
func DigitAt(s string, i int) (value, size int, ok bool) {
	if i >= len(s) {
		return 0, 0, false
	}
	if c := s[i]; c < utf8.RuneSelf {
		return int(c - '0'), 1, c >= '0' && c <= '9'
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	value, ok = Digit(r)
	return value, size, ok
}
