package text

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
)

var (
	fenceOpens  = lazyregexp.New("^\\s*(`{3,}[^`]*|~{3,}.*)$") // with backticks behind it, it is code within a line
	fenceCloses = lazyregexp.New("^\\s*(`{3,}|~{3,})\\s*$")
	// no index, as in argv[1]
	codeCites = lazyregexp.New(`(?:^|[^\w)\]])\[\d{1,4}(?:\s*,\s*\d{1,4})*\]|[①-⑳㉑-㉟㊱-㊿]|\(⚠ `)
)

// CodeLines says of each line of a Markdown text whether it is code between fences, or a
// line with nothing but a fence. What is below a fence that nothing closes is no code, and
// a paragraph between fences that cites a source, or was remarked on, is words: what a
// reader takes for a cited statement must never go for code.
func CodeLines(lines []string) []bool {
	code, blocks := fenced(lines)
	for _, block := range blocks {
		for from := block.start + 1; from < block.end; {
			to, cites := from, false
			for ; to < block.end && strings.TrimSpace(lines[to]) != ""; to++ {
				cites = cites || codeCites.MatchString(lines[to])
			}
			for ; from < to; from++ {
				code[from] = !cites
			}
			from = to + 1
		}
	}
	return code
}

// FencedLines says of each line of a Markdown text that somebody wrote whether it stands
// between fences or is one: as CodeLines, and whatever cites there is code too.
func FencedLines(lines []string) []bool {
	code, blocks := fenced(lines)
	for _, block := range blocks {
		for i := block.start; i <= block.end; i++ {
			code[i] = true
		}
	}
	return code
}

// fenced gives the lines that are fences, and from which to which there is a block.
func fenced(lines []string) (fences []bool, blocks []block) {
	fences = make([]bool, len(lines))
	closing := map[byte][]fence{} // of each sign: what may close one, last first
	for i := len(lines) - 1; i >= 0; i-- {
		if m := fenceCloses.FindStringSubmatch(lines[i]); m != nil {
			closing[m[1][0]] = append(closing[m[1][0]], fence{i, len(m[1])})
		}
	}
	for i := 0; i < len(lines); i++ {
		m := fenceOpens.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		end := closed(i, m[1], closing)
		if end < 0 {
			fences[i] = fenceCloses.MatchString(lines[i])
			continue
		}
		fences[i], fences[end] = true, true
		blocks = append(blocks, block{i, end})
		i = end
	}
	return fences, blocks
}

type block struct{ start, end int }

type fence struct{ line, long int }

// closed is the line that closes the fence of line at, or -1: of the same sign, and at
// least as long. Lines that were passed over are forgotten.
func closed(at int, opens string, closing map[byte][]fence) int {
	sign := opens[0]
	long := len(opens) - len(strings.TrimLeft(opens, string(sign)))
	left := closing[sign]
	for len(left) > 0 && left[len(left)-1].line <= at {
		left = left[:len(left)-1]
	}
	closing[sign] = left
	for _, f := range slices.Backward(left) {
		if f.long >= long {
			return f.line
		}
	}
	return -1
}
