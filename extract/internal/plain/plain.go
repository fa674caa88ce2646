// Package plain makes well-formed single lines of the names, titles and labels in documents.
package plain

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/internal/text"
)

// IsDigits says whether s is digits of ASCII and nothing else.
func IsDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// LineEnds makes every line end a line feed.
var LineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// JoinReasons is the reasons that are given, as Document.Degraded has them.
func JoinReasons(reasons ...string) string { return Join("; ", reasons...) }

// Join joins those of parts that say anything.
func Join(separator string, parts ...string) string {
	said := slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" })
	return strings.Join(said, separator)
}

// OneLine makes a well-formed line of what a page says, escapes of its structured data included.
func OneLine(s string) string {
	return text.OneLine(charset.WellFormedText(strings.ToValidUTF8(s, "\uFFFD")))
}

// CleanLine is OneLine without what is no character.
func CleanLine(s string) string {
	return OneLine(charset.WellFormedText(strings.ToValidUTF8(s, "")))
}
