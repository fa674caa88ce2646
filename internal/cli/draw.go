package cli

import (
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/clipperhouse/displaywidth"
)

// Markdown is drawn for a terminal with bold and dim alone, so that it can be read
// on any background: headings without their marks, items hanging under their first
// word, quotes behind a bar, long lines broken between words. Code is left alone.

const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	reset = "\x1b[0m"
)

var (
	heading  = lazyregexp.New(`^(#{1,6}) +(.*?)(?: +#+)?$`)
	item     = lazyregexp.New(`^( *)([-*+]|\d{1,9}[.)]|[①-⑳]|\[\d+\])( +)(.*)$`)
	quoting  = lazyregexp.New(`^((?:> ?)+)(.*)$`)
	indented = lazyregexp.New(`^( +)(.*)$`)
	escaped  = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")
	strong   = lazyregexp.New(`\*\*([^*]+)\*\*`)
)

// draw draws Markdown for a terminal of so many columns.
func draw(markdown string, columns int) string {
	var out strings.Builder
	code := false
	for line := range strings.Lines(markdown) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			code = !code
		case code || line == "":
			out.WriteString(line + "\n")
		default:
			out.WriteString(drawLine(line, columns))
		}
	}
	return out.String()
}

func drawLine(line string, columns int) string {
	if m := heading.FindStringSubmatch(line); m != nil {
		return hang("", "", words(m[2]), columns, bold)
	}
	if m := quoting.FindStringSubmatch(line); m != nil {
		bar := dim + strings.Repeat("│ ", strings.Count(m[1], ">")) + reset
		return hang(bar, bar, words(m[2]), columns, "")
	}
	if m := item.FindStringSubmatch(line); m != nil {
		mark := m[2]
		if strings.ContainsAny(mark, "-*+") {
			mark = "•"
		}
		first := m[1] + mark + m[3]
		return hang(first, strings.Repeat(" ", columnsOf(first)), words(m[4]), columns, "")
	}
	if m := indented.FindStringSubmatch(line); m != nil {
		return hang(m[1], m[1], words(m[2]), columns, "")
	}
	return hang("", "", words(line), columns, "")
}

var styling = lazyregexp.New("\x1b\\[[0-9;]*m")

// columnsOf is how many columns s takes, its styling not counted.
func columnsOf(s string) int { return displaywidth.String(styling.ReplaceAllString(s, "")) }

// words takes the marks of Markdown out of a line.
func words(s string) string {
	return escaped.ReplaceAllString(strong.ReplaceAllString(s, bold+"$1"+reset), "$1")
}

// hang breaks text between words into lines of so many columns; the first begins with one prefix, the others with
// another. A word that is too long stays whole, so that a URL can be opened.
func hang(first, next, text string, columns int, style string) string {
	var out strings.Builder
	prefix, used := first, columnsOf(first)
	line := ""
	flush := func() {
		out.WriteString(prefix)
		if style != "" {
			line = style + line + reset
		}
		out.WriteString(line + "\n")
		prefix, used, line = next, columnsOf(next), ""
	}
	for word := range strings.FieldsSeq(text) {
		size := columnsOf(word)
		if line != "" && used+1+size > columns {
			flush()
		}
		if line != "" {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+size
	}
	flush()
	return out.String()
}
