package cite

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxMark is the highest source number that ParseMarks reads; what is higher is no
// reference to a source but some number in brackets.
const maxMark = 999

// Mark returns how source number n is shown: ① to ⑳, then [21] and so on.
func Mark(n int) string {
	if n >= 1 && n <= 20 {
		return string(rune('①' + n - 1))
	}
	return "[" + strconv.Itoa(n) + "]"
}

// ParseMarks returns the source numbers that s refers to, each once, in order of
// their first mark. It reads ①…⑳, the circled numbers up to 50, [7] and [7, 8].
func ParseMarks(s string) []int {
	var marks []int
	seen := map[int]bool{}
	add := func(n int) {
		if n >= 1 && n <= maxMark && !seen[n] {
			seen[n] = true
			marks = append(marks, n)
		}
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= '①' && r <= '⑳':
			add(int(r-'①') + 1)
		case r >= '㉑' && r <= '㉟':
			add(int(r-'㉑') + 21)
		case r >= '㊱' && r <= '㊿':
			add(int(r-'㊱') + 36)
		case r == '[':
			if numbers, end, ok := bracketed(s, i); ok {
				for _, n := range numbers {
					add(n)
				}
				size = end - i
			}
		}
		i += size
	}
	return marks
}

// bracketed reads [7] or [7, 8] at s[i].
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
		numbers = append(numbers, int(n))
	}
	return numbers, i + length + 1, true
}
