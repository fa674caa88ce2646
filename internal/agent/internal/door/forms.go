package door

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// maxForms bounds how often a text is decoded: each layer of an encoding is one.
const maxForms = 4

// betweenDigits is how a host name writes the point of a figure.
var betweenDigits = lazyregexp.New(`(\d)[-_](\d)`)

// forms are a text and what it is decoded: percent signs, base64 and hexadecimal digits.
func forms(said string) []string {
	all := []string{said}
	if plain := betweenDigits.ReplaceAllString(said, "$1.$2"); plain != said {
		all = append(all, plain)
	}
	for i := 0; i < len(all) && i < maxForms; i++ {
		if plain, err := url.PathUnescape(all[i]); err == nil && plain != all[i] {
			all = append(all, plain)
		}
		var decoded []string
		for _, token := range strings.FieldsFunc(all[i], func(c rune) bool { return !isEncoding(c) }) {
			decoded = append(decoded, decode(token)...)
		}
		if len(decoded) > 0 {
			all = append(all, strings.Join(decoded, " "))
		}
	}
	return all
}

func isEncoding(c rune) bool {
	return c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("+/=_-", c))
}

// shortestEncoded is the shortest token that is taken for an encoded word, in characters.
const shortestEncoded = 6

// decode gives the texts that a token may be an encoding of.
func decode(token string) []string {
	if len(token) < shortestEncoded {
		return nil
	}
	var found []string
	take := func(data []byte, err error) {
		if err == nil && utf8.Valid(data) && strings.IndexFunc(string(data), unicode.IsControl) < 0 {
			found = append(found, string(data))
		}
	}
	take(hex.DecodeString(token))
	trimmed := strings.TrimRight(token, "=")
	take(base64.RawStdEncoding.DecodeString(trimmed))
	take(base64.RawURLEncoding.DecodeString(trimmed))
	return found
}

// isOpaque says whether a word is none of a language: long, of letters and digits mixed.
func isOpaque(word string) bool {
	if len(word) < opaque {
		return false
	}
	letters, turns, was := false, 0, false
	for i, c := range word {
		digit := unicode.IsDigit(c)
		letters = letters || !digit
		if i > 0 && digit != was {
			turns++
		}
		was = digit
	}
	return letters && turns >= 3
}

// spelledOut is the word that single characters in a row spell.
func spelledOut(words []text.Token) string {
	var longest, row string
	for _, w := range words {
		if utf8.RuneCountInString(w.Text) > 1 {
			row = ""
			continue
		}
		if row += w.Text; len(row) > len(longest) {
			longest = row
		}
	}
	if utf8.RuneCountInString(longest) < partOfID {
		return ""
	}
	return longest
}
