package rank

import (
	"strings"

	"github.com/citewell/citewell"
)

// Meant is the text of a passage as an embedding model or a reranker reads it: below
// the title of its document and its heading, which say what it speaks of. Whoever asks
// for the vector of a passage asks for that of this text, so that one that is kept
// serves all.
func Meant(title string, p citewell.Passage) string {
	var b strings.Builder
	for _, part := range []string{title, p.Heading, p.Text} {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(part)
	}
	return b.String()
}
