package mcptools

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/tool"
)

// Bounds of what a server says of a tool, in characters: every model that is offered the tool reads it each time.
const (
	maxTitle       = 200
	maxDescription = 8000
)

// clean keeps of a server's text what a person would see.
func clean(s string) string {
	return strings.Map(tool.Visible, strings.ToValidUTF8(s, "\uFFFD"))
}

// about is what a server says of a tool, in most characters.
func about(s string, most int) string {
	runes := []rune(clean(s))
	if len(runes) <= most {
		return string(runes)
	}
	return fmt.Sprintf("%s … [cut: %d characters in all]", string(runes[:most]), len(runes))
}
