package textual

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// A layout gathers the blocks of a plain text. Man pages, printed API documentation and glossaries set
// what they say of a term in below its line.
type layout struct {
	blocks  []block.Block
	wrapped int          // length at which lines are wrapped, in characters
	around  []hang       // terms whose explanation has not ended
	seen    map[hang]int // how many terms of this text have it
}

// A hang is how a term and its explanation are set in. The explanation ends where a line is set in no
// deeper than the term.
type hang struct{ term, explanation int }

// wrappedAt is the length at which prose is wrapped: of nearly all lines that go on in the next, or of the
// longest line if none does.
func wrappedAt(groups [][]string) int {
	longest, lengths := 0, []int(nil)
	for _, lines := range groups {
		for i, line := range lines {
			length := utf8.RuneCountInString(line)
			longest = max(longest, length)
			if i+1 < len(lines) && indentOf(lines[i+1]) == indentOf(line) && proseLike(lines[i:i+1]) {
				lengths = append(lengths, length)
			}
		}
	}
	if len(lengths) == 0 {
		return longest
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)*98/100]
}

// add reads the lines between two blank ones.
func (t *layout) add(lines []string) {
	for len(lines) > 0 {
		for len(t.around) > 0 && indentOf(lines[0]) <= t.innermost().term {
			t.around = t.around[:len(t.around)-1]
		}
		if h, term, said := t.besideTerm(lines); term != "" {
			t.open(h, term)
			lines[0] = said
		}
		if n := t.termLines(lines); n > 0 {
			t.open(hang{indentOf(lines[0]), indentOf(lines[n])}, joinLines(lines[:n]))
			lines = lines[n:]
			continue
		}
		end := 1
		for end < len(lines) && (len(t.around) == 0 || indentOf(lines[end]) > t.innermost().term) {
			end++
		}
		t.read(lines[:end])
		lines = lines[end:]
	}
}

func (t *layout) innermost() hang { return t.around[len(t.around)-1] }

// open begins the explanation of a term.
func (t *layout) open(h hang, term string) {
	t.around = append(t.around, h)
	t.seen[h]++
	t.blocks = append(t.blocks, block.Block{Kind: block.Term, Level: len(t.around), Terms: len(t.around), Text: term})
}

var besideTerm = lazyregexp.New(`^\s*(\S+(?: \S+){0,3}) {3,}\S`)

// besideTerm parts a term from the explanation that begins beside it, in the column in which it goes on or
// in which those of other terms begin. Without one the term is empty.
func (t *layout) besideTerm(lines []string) (h hang, term, said string) {
	gap := besideTerm.FindStringSubmatchIndex(lines[0])
	if gap == nil {
		return h, "", ""
	}
	_, first := utf8.DecodeLastRuneInString(lines[0][:gap[1]])
	at := gap[1] - first
	h = hang{indentOf(lines[0]), indentOf(lines[0][:gap[2]]) + utf8.RuneCountInString(lines[0][gap[2]:at])}
	if len(lines) == 1 && t.seen[h] == 0 || len(lines) > 1 && indentOf(lines[1]) != h.explanation {
		return h, "", ""
	}
	return h, lines[0][gap[2]:gap[3]], strings.Repeat(" ", h.explanation) + lines[0][at:]
}

// Bounds of a term, of how deep terms stand in one another, and of what is looked at to know an explanation.
const (
	mostTermLines = 3 // such as an option's short and long form
	mostTermBytes = 200
	mostAround    = 6
	mostSaidLines = 5
	leastSaid     = 3 // words of its first line
)

// termLines counts the lines of a term at the beginning of lines: the last one breaks before it is full, and prose, or
// the explanation of a term like others, follows deeper. 0 is no term.
func (t *layout) termLines(lines []string) int {
	h, n := hang{term: indentOf(lines[0])}, 1
	for n < min(len(lines), mostTermLines+1) && indentOf(lines[n]) == h.term {
		n++
	}
	if n == len(lines) || n > mostTermLines || len(t.around) == mostAround || !namesSomething(lines[:n]) {
		return 0
	}
	h.explanation = indentOf(lines[n])
	end := n
	for end < min(len(lines), n+mostSaidLines) && indentOf(lines[end]) > h.term {
		end++
	}
	said := lines[n:end]
	switch {
	case h.explanation <= h.term:
		return 0
	case t.seen[h] >= usual, t.seen[h] > 0 && t.fits(lines[n-1], lines[n], 10):
		return n
	case !t.fits(lines[n-1], lines[n], 9) || !proseLike(said) || len(strings.Fields(said[0])) < leastSaid ||
		isCode(said[0]):
		return 0
	case len(said) == 1 && end < len(lines) && proseLike(lines[end:end+1]) && !t.fits(said[0], lines[end], 9):
		return 0 // a paragraph whose first line is set in
	}
	return n
}

// namesSomething reports whether lines may be a term: no item, no end of a sentence, no code that goes on.
func namesSomething(lines []string) bool {
	first, last := strings.TrimSpace(lines[0]), strings.TrimRight(lines[len(lines)-1], "\"'”’»")
	return !block.IsItem(first) && !isCode(first) && len(joinLines(lines)) <= mostTermBytes &&
		last != "" && !strings.ContainsRune(".!?…,;|{([", rune(last[len(last)-1])) && !strings.HasSuffix(last, "…")
}

// isCode reports whether a line begins as comments, quoted mail and fences do.
func isCode(line string) bool {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"#", "//", "/*", "<", ">", "```"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// usual is from how many terms on a hang is how the text sets its terms, whatever their length.
const usual = 3

// fits reports whether a line was not wrapped: with the first word of the next it has so many tenths of the length at
// which lines are wrapped, or fewer.
func (t *layout) fits(line, next string, tenths int) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(next), " ")
	return (utf8.RuneCountInString(line)+1+utf8.RuneCountInString(first))*10 <= t.wrapped*tenths
}

// joinLines makes one line of wrapped ones. A hyphen U+2010 at a line's end before a small letter is the
// formatter's.
func joinLines(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if i+1 == len(lines) {
			b.WriteString(line)
			break
		}
		next, _ := utf8.DecodeRuneInString(strings.TrimSpace(lines[i+1]))
		if whole, hyphenated := strings.CutSuffix(line, "\u2010"); hyphenated && unicode.IsLower(next) {
			b.WriteString(whole)
		} else {
			b.WriteString(line + " ")
		}
	}
	return b.String()
}

// read reads lines without terms, measured from the margin of the explanation that they stand in.
func (t *layout) read(lines []string) {
	if len(t.around) > 0 {
		for i, line := range lines {
			lines[i] = dedent(line, t.innermost().explanation)
		}
	}
	for _, b := range textBlock(lines) {
		b.Terms = len(t.around)
		if b.Kind == block.Paragraph && b.Terms > 0 {
			b.Kind, b.Level = block.Explanation, b.Terms
		}
		t.blocks = append(t.blocks, b)
	}
}

// dedent takes at most so many columns of space off the beginning of a line.
func dedent(line string, columns int) string {
	for columns > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') {
		columns -= indentOf(line[:1])
		line = line[1:]
	}
	return line
}
