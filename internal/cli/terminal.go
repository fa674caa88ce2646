package cli

import (
	"io"
	"os"
	"strings"

	"charm.land/glamour/v2"
	"golang.org/x/term"
)

// isTerminal says whether w is a terminal that people look at.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// plain says that neither colour nor redrawn lines are wanted.
func (e *env) plain() bool {
	return e.noColor || e.getenv("NO_COLOR") != "" || e.getenv("TERM") == "dumb"
}

func (e *env) getenv(name string) string {
	for _, pair := range e.environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// writeMarkdown writes Markdown as it is, or drawn where a person looks at it.
func (e *env) writeMarkdown(markdown string) error {
	if isTerminal(e.stdout) && !e.plain() {
		width := 100
		if w, _, err := term.GetSize(int(e.stdout.(*os.File).Fd())); err == nil && w > 20 && w < width {
			width = w
		}
		style := "dark"
		if strings.HasSuffix(e.getenv("COLORFGBG"), ";15") {
			style = "light"
		}
		renderer, err := glamour.NewTermRenderer(glamour.WithStandardStyle(style), glamour.WithWordWrap(width), glamour.WithPreservedNewLines())
		if err == nil {
			if drawn, err := renderer.Render(markdown); err == nil {
				markdown = drawn
			}
		}
	}
	_, err := io.WriteString(e.stdout, markdown)
	return err
}
