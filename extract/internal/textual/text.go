// Package textual reads formats that are stored as text: prose, Markdown, CSV, captions, JSON, XML, feeds.
//
// Flow: UTF-8 → blocks; Markdown and feeds become a page in HTML first.
// Units: lengths in bytes of UTF-8.
// Errors: extraction_failed for a body that is not of its declared type; deadline.ErrCut.
package textual

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/text"
)

// Text reads plain text, and whatever else is text and no other reader's.
var Text = media.Reader{Name: "text/plain", Called: "text", Read: readText,
	Files: map[string]string{".txt": "text/plain", ".text": "text/plain", ".rst": "text/plain", ".adoc": "text/plain",
		".org": "text/plain", ".log": "text/plain"}, Claims: func(page media.Page) string {
		switch {
		case page.Vague:
			return "text/plain"
		case declaredBinary(page.Declared):
			return ""
		}
		return page.Declared
	}}

// declaredBinary reports whether the bytes of a declared type are not meant to be read as text, even if they look like
// it. Another reader may still claim them.
func declaredBinary(declared string) bool {
	kind, sub, found := strings.Cut(declared, "/")
	switch {
	case kind == "text" || kind == "message":
		return false
	case kind != "application":
		return found
	}
	switch sub {
	case "yaml", "x-yaml", "toml", "javascript", "x-javascript", "ecmascript", "x-sh", "sql", "x-tex":
		return false
	}
	return !strings.HasSuffix(sub, "+yaml")
}

// readText reads plain text. It joins prose that was wrapped at a fixed width, so that a sentence can be quoted, and
// keeps what is laid out by its line breaks (code, tables, lists, verse), and data and source code, by media type.
func readText(_ context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindText}
	s := in.Text
	// Of much more text than is kept, the rest would only be copied.
	if limit := 2 * in.MaxText; len(s) > limit {
		s, r.Cut = text.Prefix(s, limit), fmt.Sprintf("only the first %d bytes of the text were read", limit)
	}
	if strings.ContainsRune(s, '\r') {
		s = plain.LineEnds.Replace(s)
	}
	if in.Media != "text/plain" {
		if t := block.CodeText(s); t != "" {
			r.Blocks = []block.Block{{Kind: block.Code, Text: t}}
			r.Markdown = block.Markdown(r.Blocks)
		}
		return r, nil
	}
	r.Blocks = textBlocks(s)
	r.Markdown = block.Markdown(r.Blocks)
	r.Title = block.FirstHeading(r.Blocks)
	r.Affiliation = block.Affiliation(r.Title, r.Blocks)
	return r, nil
}

// textBlocks cuts plain text at blank lines, and terms from what is set in below them.
func textBlocks(s string) []block.Block {
	groups := [][]string{nil}
	for line := range strings.SplitSeq(s, "\n") {
		last := len(groups) - 1
		if line = strings.TrimRight(line, " \t"); line != "" {
			groups[last] = append(groups[last], line)
		} else if len(groups[last]) > 0 {
			groups = append(groups, nil)
		}
	}
	t := layout{wrapped: wrappedAt(groups), seen: map[hang]int{}}
	for _, lines := range groups {
		if len(lines) > 0 {
			t.add(lines)
		}
	}
	return joinCode(t.blocks)
}

// textBlock reads the lines between two blank ones that have no term.
func textBlock(lines []string) []block.Block {
	var blocks []block.Block
	for len(lines) >= 2 && isUnderline(lines[1], lines[0]) {
		level := 1
		if lines[1][0] != '=' {
			level = 2
		}
		blocks = append(blocks, block.Block{Kind: block.Heading, Level: level, Text: strings.TrimSpace(lines[0])})
		lines = lines[2:]
	}
	if len(lines) == 0 {
		return blocks
	}
	if laidOut(lines) {
		return append(blocks, block.Block{Kind: block.Code, Text: strings.Join(lines, "\n")})
	}
	// A list's items and a paragraph's wrapped lines come apart by their starts.
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && !block.IsItem(strings.TrimSpace(lines[end])) {
			end++
		}
		b := block.Block{Text: joinLines(lines[start:end])}
		if block.IsItem(b.Text) {
			b.Kind, b.List, b.Level, b.Marker = block.Item, 1, 1, strings.IndexByte(b.Text, ' ')+1
		}
		blocks = append(blocks, b)
		start = end
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
	return words > 0 && words <= 100 && len(line)*2 >= words && len(line) <= words+12 &&
		strings.IndexFunc(above, unicode.IsLetter) >= 0
}

// laidOut tells lines whose breaks mean something (indented code, columns, verse, short lines) from wrapped prose.
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
		if indentOf(line) != first && !block.IsItem(strings.TrimSpace(line)) &&
			!(i > 0 && block.IsItem(strings.TrimSpace(lines[0]))) {
			indented++
		}
		if strings.Contains(strings.TrimSpace(line), "   ") || strings.Contains(line, "\t") &&
			!strings.HasPrefix(line, "\t") {
			columns++
		}
		if i < len(lines)-1 && utf8.RuneCountInString(line)*2 < width {
			short++
		}
	}
	switch {
	case first >= 4 && !block.IsItem(strings.TrimSpace(lines[0])) && !proseLike(lines):
		return true
	case columns*2 > len(lines):
		return true
	case indented > 0 && hanging(lines):
		return false
	case indented*2 > len(lines):
		return true
	}
	for _, line := range lines {
		if block.IsItem(strings.TrimSpace(line)) {
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

// joinCode makes one block of code that only blank lines part.
func joinCode(blocks []block.Block) []block.Block {
	var joined []block.Block
	for start := 0; start < len(blocks); {
		b, end := blocks[start], start+1
		for end < len(blocks) && b.Kind == block.Code && blocks[end].Kind == b.Kind && blocks[end].Terms == b.Terms {
			end++
		}
		if end-start > 1 {
			parts := make([]string, end-start)
			for i := range parts {
				parts[i] = blocks[start+i].Text
			}
			b.Text = strings.Join(parts, "\n\n")
		}
		joined = append(joined, b)
		start = end
	}
	return joined
}
