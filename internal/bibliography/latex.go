package bibliography

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// texAccents are the marks that TeX puts on the letter behind a command.
var texAccents = map[string]rune{"'": '\u0301', "`": '\u0300', "^": '\u0302', `"`: '\u0308', "~": '\u0303',
	"=": '\u0304', ".": '\u0307',
	"c": '\u0327', "v": '\u030c', "H": '\u030b', "k": '\u0328', "r": '\u030a', "u": '\u0306', "d": '\u0323',
	"b": '\u0331', "t": '\u0361'}

// texLetters are the letters and signs that have a command of their own.
var texLetters = map[string]string{"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł",
	"L": "Ł", "aa": "å", "AA": "Å",
	"i": "i", "j": "j", "th": "þ", "TH": "Þ", "dh": "ð", "DH": "Ð", "dj": "đ", "DJ": "Đ", "textendash": "–",
	"textemdash": "—", "textquoteright": "’",
	"textbackslash": `\`, "textasciitilde": "~", "textasciicircum": "^", "textbraceleft": "{", "textbraceright": "}",
	"ldots": "…", "dots": "…", "S": "§"}

// isGreek tells what Greek letters are called; they are kept by their names, as titles are
// compared with either.
func isGreek(name string) bool {
	return strings.Contains(" alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma "+
		"tau upsilon phi chi psi omega ", " "+strings.ToLower(name)+" ")
}

// plainTeX gives the words that TeX sets: accents as letters, without braces, dollar signs and
// commands. What it does not know of a command is left out, and what follows it stays.
func plainTeX(s string) string {
	var b strings.Builder
	var accent rune // that waits for its letter
	write := func(r rune) {
		b.WriteRune(r)
		if accent != 0 && unicode.IsLetter(r) {
			b.WriteRune(accent)
			accent = 0
		}
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\\':
			name := commandAt(s[i:])
			i += len(name)
			switch mark, isAccent := texAccents[name]; {
			case name == "":
			case texLetters[name] != "":
				for _, letter := range texLetters[name] {
					write(letter)
				}
				i += spaceAt(s[i:])
			case isAccent:
				accent = mark
				i += spaceAt(s[i:])
			case isGreek(name):
				b.WriteString(name)
			case strings.Contains(",;:!/@ \n", name): // spaces, and marks that are not set
				b.WriteByte(' ')
			case !unicode.IsLetter(rune(name[0])): // \& \% \_ \{
				b.WriteString(name)
			default: // \emph, \textit
				i += spaceAt(s[i:])
			}
		case r == '{', r == '}', r == '$':
		case r == '~':
			b.WriteByte(' ')
		case r == '-' && strings.HasPrefix(s[i:], "-"):
			i += len(s[i:]) - len(strings.TrimLeft(s[i:], "-"))
			b.WriteRune('–')
		case (r == '`' || r == '\'') && strings.HasPrefix(s[i:], string(r)):
			i++
			b.WriteByte('"')
		default:
			write(r)
		}
	}
	return strings.Join(strings.Fields(norm.NFC.String(b.String())), " ")
}

// commandAt is the name of a command: letters, or one other sign.
func commandAt(s string) string {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z') {
		n++
	}
	if n == 0 && len(s) > 0 {
		_, n = utf8.DecodeRuneInString(s)
	}
	return s[:n]
}

// spaceAt is how much white space follows a command, which ends it and is not set.
func spaceAt(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\n")) }
