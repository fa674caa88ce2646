package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Paragraphs are wrapped at widths within these bounds, in bytes.
const (
	minWrapWidth = 40
	maxWrapWidth = 130
)

// blocks returns the stretches of s that no sentence reaches beyond: paragraphs, and
// where lines are not a wrapped paragraph, single lines.
func blocks(s string) []Span {
	var spans []Span
	for start := 0; start < len(s); {
		end, next := blankLine(s, start)
		if strings.IndexByte(s[start:end], '\n') < 0 {
			spans = append(spans, Span{start, end})
		} else {
			spans = appendLines(s, Span{start, end}, spans)
		}
		start = next
	}
	return spans
}

// blankLine returns where the paragraph that begins at start ends, and where the
// next begins.
func blankLine(s string, start int) (end, next int) {
	for i := start; ; {
		newline := strings.IndexByte(s[i:], '\n')
		if newline < 0 {
			return len(s), len(s)
		}
		end = i + newline
		i = end + 1
		for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\r') {
			i++
		}
		if i < len(s) && s[i] == '\n' {
			return end, i + 1
		}
	}
}

// appendLines appends the lines of a paragraph, those together that one sentence may
// run through.
func appendLines(s string, paragraph Span, spans []Span) []Span {
	var lines []Span
	for start := paragraph.Start; start < paragraph.End; {
		end := paragraph.End
		if newline := strings.IndexByte(s[start:end], '\n'); newline >= 0 {
			end = start + newline
		}
		lines = append(lines, Span{start, end})
		start = end + 1
	}
	wrapped := isWrapped(s, lines)
	open := lines[0]
	for i, line := range lines[1:] {
		if continues(s[lines[i].Start:lines[i].End], s[line.Start:line.End], wrapped) {
			open.End = line.End
			continue
		}
		spans = append(spans, open)
		open = line
	}
	return append(spans, open)
}

// isWrapped says whether the lines are one paragraph broken to a width, three lines or
// more: by a program, where at each break the next word would not have fitted; or by
// hand, where lines are of about one length and mostly go on with a small letter.
func isWrapped(s string, lines []Span) bool {
	width := 0
	for _, line := range lines {
		width = max(width, len(strings.TrimRight(s[line.Start:line.End], " \r")))
	}
	if len(lines) < 3 || width < minWrapWidth || width > maxWrapWidth {
		return false
	}
	tight, even, small := true, true, 0
	for i, line := range lines[1:] {
		before := strings.TrimRight(s[lines[i].Start:lines[i].End], " \r")
		next := strings.TrimLeft(s[line.Start:line.End], " \t")
		word, _, _ := strings.Cut(next, " ")
		tight = tight && len(before)+1+len(word) >= width
		even = even && len(before) >= width/2
		if first, _ := utf8.DecodeRuneInString(next); unicode.IsLower(first) {
			small++
		}
	}
	return tight || even && 2*small > len(lines)-1
}

// continues says whether the sentence that line ends with goes on in next.
func continues(line, next string, wrapped bool) bool {
	line, next = strings.TrimSpace(line), strings.TrimSpace(next)
	if line == "" || next == "" {
		return false
	}
	first, size := utf8.DecodeRuneInString(next)
	// or a row of cells
	if isBullet(first, next[size:]) || strings.Contains(line, " | ") || strings.Contains(next, " | ") {
		return false
	}
	if wrapped {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(line)
	if isTerminal(last) || last == ':' || last == ';' || last == '|' || isFullWidth(last) {
		return false
	}
	return unicode.IsLower(first) && len(line) >= minWrapWidth || last == ','
}

// isBullet says whether a line that begins with first is an entry of a list or a row
// of a table.
func isBullet(first rune, rest string) bool {
	switch {
	case strings.ContainsRune("•‣◦▪●·–—", first), first == '|', first == '#', first == '>':
		return true
	case first == '-' || first == '*' || first == '+':
		return strings.HasPrefix(rest, " ")
	case unicode.IsDigit(first):
		rest = strings.TrimLeft(rest, "0123456789")
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return false
}
