package notation

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// maxMark is the highest source number that References reads. A higher number in brackets is no mark.
const maxMark = 999

// Mark returns how source number n is shown: ① to ⑳, then [21] and so on.
func Mark(n int) string {
	if n >= 1 && n <= 20 {
		return string(rune('①' + n - 1))
	}
	return "[" + strconv.Itoa(n) + "]"
}

// Signs are characters that a report puts right behind a mark to tell how the citation stands.
const Signs = "≈◐⊙◌✗⊖⊘"

// A Reference is one mark in a text with the sign behind it, as its byte span and the source numbers it names.
type Reference struct {
	text.Span
	Numbers []int
}

// References returns the marks of s in order: ①…⑳, the circled numbers up to 50, [7]
// and [7, 8]. In code within a line, a bracket right behind a word is an index, as in
// `argv[1]`, and no mark.
func References(s string) []Reference {
	var found []Reference
	var code []text.Span
	if strings.IndexByte(s, '`') >= 0 {
		code = inlineCode(s)
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if n := circled(r); n > 0 {
			size += signed(s[i+size:])
			found = append(found, Reference{text.Span{Start: i, End: i + size}, []int{n}})
		} else if r == '[' {
			if numbers, end, ok := bracketed(s, i); ok {
				end += signed(s[end:])
				if !(overlaps(code, i, end) && behindWord(s, i)) {
					found = append(found, Reference{text.Span{Start: i, End: end}, numbers})
				}
				size = end - i
			}
		}
		i += size
	}
	return found
}

// ParseMarks returns the source numbers that s refers to, each once, in order of
// their first mark.
func ParseMarks(s string) []int {
	var marks []int
	for _, r := range References(s) {
		for _, n := range r.Numbers {
			if !slices.Contains(marks, n) {
				marks = append(marks, n)
			}
		}
	}
	return marks
}

// WithoutMarks takes the marks out of s, each with the white space before it.
func WithoutMarks(s string) string {
	return MapMarks(s, func(Reference) string { return "" })
}

// MapMarks puts what replace gives in the place of each mark. Where that is nothing,
// the white space before the mark goes too.
func MapMarks(s string, replace func(Reference) string) string {
	var out strings.Builder
	at := 0
	for _, r := range References(s) {
		before, instead := s[at:r.Start], replace(r)
		if instead == "" {
			before = strings.TrimRightFunc(before, unicode.IsSpace)
		}
		out.WriteString(before + instead)
		at = r.End
	}
	out.WriteString(s[at:])
	return out.String()
}

// signed returns the length of the sign at the beginning of a text, or 0.
func signed(s string) int {
	if r, size := utf8.DecodeRuneInString(s); strings.ContainsRune(Signs, r) && r != utf8.RuneError {
		return size
	}
	return 0
}

// circled returns the number of a circled digit, or 0 for any other character.
func circled(r rune) int {
	switch {
	case r >= '①' && r <= '⑳':
		return int(r-'①') + 1
	case r >= '㉑' && r <= '㉟':
		return int(r-'㉑') + 21
	case r >= '㊱' && r <= '㊿':
		return int(r-'㊱') + 36
	}
	return 0
}

// bracketed reads [7] or [7, 8] at s[i]. Numbers that no source can have are left out.
func bracketed(s string, i int) (numbers []int, end int, ok bool) {
	const longest = 64 // bytes up to the closing bracket
	length := strings.IndexByte(s[i:min(len(s), i+longest+1)], ']')
	if length < 0 {
		return nil, i, false
	}
	for part := range strings.SplitSeq(s[i+1:i+length], ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 16)
		if err != nil {
			return nil, i, false
		}
		if n >= 1 && n <= maxMark {
			numbers = append(numbers, int(n))
		}
	}
	return numbers, i + length + 1, len(numbers) > 0
}

// behindWord reports whether s[i] stands right behind a word or a closing bracket.
func behindWord(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return before < utf8.RuneSelf && (unicode.IsLetter(before) || unicode.IsDigit(before) ||
		strings.ContainsRune("_)]", before))
}
