package cli

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// isTerminal says whether w is a terminal that people look at.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && understandsEscapes(f)
}

// width is how many columns the terminal w has, and otherwise where it does not say.
func width(w io.Writer, otherwise int) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return otherwise
}

// plain says that neither colour nor redrawn lines are wanted.
func (e *env) plain() bool {
	return e.noColor || e.getenv("NO_COLOR") != "" || e.getenv("TERM") == "dumb"
}

// maxColumns is how wide a text may be drawn and still be read well.
const maxColumns = 100

// writeMarkdown writes Markdown as it is, or drawn where a person looks at it.
func (e *env) writeMarkdown(markdown string) error {
	if !isTerminal(e.stdout.w) {
		_, err := io.WriteString(e.stdout, markdown)
		return err
	}
	markdown = cleanText(markdown)
	if !e.plain() {
		markdown = draw(markdown, min(maxColumns, width(e.stdout.w, maxColumns)))
	}
	_, err := io.WriteString(e.stdout, markdown)
	return err
}

// clean keeps a provider's or a page's words from steering the terminal: one line
// without control characters and without those that turn the order of letters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return ' '
		}
		return shown(r)
	}, s)
}

// cleanText is clean for a text of many lines.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return shown(r)
	}, s)
}

func shown(r rune) rune {
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return -1
	}
	return r
}
