package extract

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// readText reads plain text. Prose that was wrapped at a fixed width is joined to
// whole lines, because a sentence must be quotable as one; what is laid out by its
// line breaks (code, tables, lists, verse) is kept as it stands. Data and source
// code, by their media type, are kept wholly.
func readText(in input) (reading, error) {
	r := reading{kind: kindText}
	s := in.text
	// Of much more text than is kept, the rest would only be copied.
	if limit := 2 * in.options.MaxText; len(s) > limit {
		s, r.cut = clip(s, limit), fmt.Sprintf("only the first %d bytes of the text were read", limit)
	}
	if strings.ContainsRune(s, '\r') {
		s = lineEnds.Replace(s)
	}
	if in.media != "text/plain" {
		if t := codeText(s); t != "" {
			r.blocks = []block{{kind: code, text: t}}
			r.markdown = plainMarkdown(r.blocks)
		}
		return r, nil
	}
	r.blocks = textBlocks(s)
	r.markdown = plainMarkdown(r.blocks)
	r.title = firstHeading(r.blocks)
	r.affiliation = affiliation(r.title, r.blocks)
	return r, nil
}

// textBlocks cuts plain text at blank lines.
func textBlocks(s string) []block {
	var blocks []block
	var open []string
	flush := func() {
		if len(open) > 0 {
			blocks = append(blocks, textBlock(open)...)
			open = nil
		}
	}
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" {
			flush()
			continue
		}
		open = append(open, line)
	}
	flush()
	return joinCode(blocks)
}

// textBlock reads the lines between two blank ones.
func textBlock(lines []string) []block {
	if len(lines) >= 2 && isUnderline(lines[1], lines[0]) {
		level := 1
		if lines[1][0] != '=' {
			level = 2
		}
		head := block{kind: heading, level: level, text: strings.TrimSpace(lines[0])}
		if len(lines) == 2 {
			return []block{head}
		}
		return append([]block{head}, textBlock(lines[2:])...)
	}
	if laidOut(lines) {
		return []block{{kind: code, text: strings.Join(lines, "\n")}}
	}
	// A list's items and a paragraph's wrapped lines come apart by their starts.
	var blocks []block
	for _, line := range lines {
		words := strings.TrimSpace(line)
		switch {
		case len(blocks) == 0 || isItem(words):
			b := block{text: words}
			if isItem(words) {
				b.kind, b.list, b.level, b.marker = item, 1, 1, strings.IndexByte(words, ' ')+1
			}
			blocks = append(blocks, b)
		default:
			last := &blocks[len(blocks)-1]
			last.text += " " + words
		}
	}
	return blocks
}

// isUnderline tells the line of marks under a heading.
func isUnderline(line, above string) bool {
	line = strings.TrimSpace(line)
	if len(line) < 3 || !strings.ContainsRune("=-~^", rune(line[0])) || strings.Trim(line, line[:1]) != "" {
		return false
	}
	words := utf8.RuneCountInString(strings.TrimSpace(above))
	return words > 0 && words <= 100 && len(line)*2 >= words && len(line) <= words+12 && strings.IndexFunc(above, unicode.IsLetter) >= 0
}

// laidOut tells lines whose breaks mean something: indented code, columns, verse
// and short lines, as against prose wrapped at a width.
func laidOut(lines []string) bool {
	if len(lines) == 1 {
		return strings.HasPrefix(lines[0], "    ") || strings.HasPrefix(lines[0], "\t")
	}
	indented, columns, short := 0, 0, 0
	width := 0
	for _, line := range lines {
		width = max(width, utf8.RuneCountInString(line))
	}
	first := indentOf(lines[0])
	for i, line := range lines {
		if indentOf(line) != first && !isItem(strings.TrimSpace(line)) && !(i > 0 && isItem(strings.TrimSpace(lines[0]))) {
			indented++
		}
		if strings.Contains(strings.TrimSpace(line), "   ") || strings.Contains(line, "\t") && !strings.HasPrefix(line, "\t") {
			columns++
		}
		if i < len(lines)-1 && utf8.RuneCountInString(line)*2 < width {
			short++
		}
	}
	switch {
	case first >= 4 && !isItem(strings.TrimSpace(lines[0])) && !proseLike(lines):
		return true
	case columns*2 > len(lines):
		return true
	case indented > 0 && hanging(lines):
		return false
	case indented*2 > len(lines):
		return true
	}
	for _, line := range lines {
		if isItem(strings.TrimSpace(line)) {
			return false
		}
	}
	return width < 50 && len(lines) > 2 || short*2 > len(lines)
}

// hanging tells a paragraph whose lines after the first are set in alike.
func hanging(lines []string) bool {
	second := indentOf(lines[1])
	for _, line := range lines[1:] {
		if indentOf(line) != second {
			return false
		}
	}
	return second > indentOf(lines[0]) && proseLike(lines)
}

// proseLike tells a quoted or indented paragraph from code.
func proseLike(lines []string) bool {
	letters, spaces, other := 0, 0, 0
	for _, line := range lines {
		for _, r := range strings.TrimSpace(line) {
			switch {
			case unicode.IsLetter(r):
				letters++
			case r == ' ':
				spaces++
			case !strings.ContainsRune(".,'’", r):
				other++
			}
		}
	}
	return other*12 < letters && spaces*10 > letters
}

func indentOf(line string) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// isItem tells the start of a list's item.
func isItem(words string) bool {
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "o "} {
		if strings.HasPrefix(words, mark) {
			return true
		}
	}
	digits := len(words) - len(strings.TrimLeft(words, "0123456789"))
	return digits > 0 && digits <= 3 && (strings.HasPrefix(words[digits:], ". ") || strings.HasPrefix(words[digits:], ") "))
}

// joinCode makes one block of code that only blank lines part.
func joinCode(blocks []block) []block {
	var joined []block
	for _, b := range blocks {
		if n := len(joined); b.kind == code && n > 0 && joined[n-1].kind == code {
			joined[n-1].text += "\n\n" + b.text
			continue
		}
		joined = append(joined, b)
	}
	return joined
}
