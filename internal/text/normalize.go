package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize returns s in the form in which two quotes are equal: composed characters
// (NFC), every run of white space as one space and none at the ends, quotation
// marks of any shape as ' or ", dashes and minus signs as -, the ellipsis as three
// dots, and characters that are not seen left out. Case and words stay: a quote
// that differs in a letter is another quote. Normalizing twice changes nothing.
func Normalize(s string) string {
	if isPlain(s) {
		return s
	}
	n := normalizer{in: s}
	n.run()
	return string(n.out)
}

// NormalizeWithMap returns Normalize(s) and for each of its bytes the offset in s
// that it came from; one more entry says where the last of them ended. The bytes
// [i, j) of the normal form are thus s[offsets[i]:offsets[j]].
func NormalizeWithMap(s string) (normal string, offsets []int) {
	n := normalizer{in: s, mapped: true}
	n.offsets = make([]int, 0, len(s)+1)
	n.run()
	return string(n.out), append(n.offsets, n.end)
}

// A normalizer writes the normal form of in to out, and where mapped is set, the
// offset of each byte.
type normalizer struct {
	in      string
	mapped  bool
	out     []byte
	offsets []int
	end     int // where the last thing written ends in the input
	space   int // start of white space that waits for something to follow; -1: none
}

func (n *normalizer) run() {
	n.out = make([]byte, 0, len(n.in))
	n.space = -1
	for i := 0; i < len(n.in); {
		if c := n.in[i]; c < utf8.RuneSelf && (i+1 == len(n.in) || n.in[i+1] < utf8.RuneSelf) {
			n.put(rune(c), i, i+1)
			i++
			continue
		}
		i = n.segment(i)
	}
}

// segment normalizes the character at i together with the marks that follow it, and
// returns where they end. Characters that are not seen are taken out first, since
// one of them may stand between a letter and its accent.
func (n *normalizer) segment(i int) int {
	end := i
	var plain []byte
	var at []int // offset in the input of each byte of plain
	for end < len(n.in) {
		r, size := utf8.DecodeRuneInString(n.in[end:])
		if isInvisible(r) {
			end += size
			continue
		}
		if len(plain) > 0 && norm.NFC.PropertiesString(n.in[end:]).BoundaryBefore() {
			break
		}
		for range utf8.RuneLen(r) {
			at = append(at, end)
		}
		plain = utf8.AppendRune(plain, r)
		end += size
	}
	if norm.NFC.IsNormal(plain) {
		for k := 0; k < len(plain); {
			r, size := utf8.DecodeRune(plain[k:])
			next := end
			if k+size < len(plain) {
				next = at[k+size]
			}
			n.put(r, at[k], next)
			k += size
		}
		return end
	}
	for _, r := range string(norm.NFC.Bytes(plain)) {
		n.put(r, at[0], end)
	}
	return end
}

// put writes one rune that stands for in[start:end].
func (n *normalizer) put(r rune, start, end int) {
	if unicode.IsSpace(r) {
		if n.space < 0 {
			n.space = start
		}
		return
	}
	if n.space >= 0 && len(n.out) > 0 {
		n.write(" ", n.space)
	}
	n.space = -1
	n.end = end
	switch {
	case r < utf8.RuneSelf:
		if r == '`' {
			r = '\''
		}
		n.out = append(n.out, byte(r))
		if n.mapped {
			n.offsets = append(n.offsets, start)
		}
	case strings.ContainsRune("‘’‚‛′‵´ʼʹ‹›＇", r):
		n.write("'", start)
	case strings.ContainsRune("“”„‟″‶«»❝❞〝〞〟＂「」『』", r):
		n.write(`"`, start)
	case r == '−' || unicode.Is(unicode.Pd, r) && r != '〜' && r != '゠':
		n.write("-", start)
	case r == '…':
		n.write("...", start)
	default:
		n.write(string(r), start)
	}
}

func (n *normalizer) write(s string, start int) {
	n.out = append(n.out, s...)
	if n.mapped {
		for range len(s) {
			n.offsets = append(n.offsets, start)
		}
	}
}

// isPlain says whether s is ASCII in normal form already.
func isPlain(s string) bool {
	space := true
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf || c == '`' || c != ' ' && isASCIISpace(c) || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || s == ""
}
