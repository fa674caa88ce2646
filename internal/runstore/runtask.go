package runstore

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// FoldTask gives a task in the form in which words are looked for in it: folded, see
// text.Fold, with one space between words.
func FoldTask(task string) string { return text.OneLine(text.Fold(task)) }

// TaskWords gives the words of a query as they are looked for in a folded task, each once:
// what stands between spaces. Each may stand anywhere in the task, within a word as well, so that scripts without
// spaces and words that are typed halfway are found. No character has a meaning of its own.
func TaskWords(query string) []string {
	words := strings.Fields(text.Fold(query))
	slices.Sort(words)
	return slices.Compact(words)
}

// TaskHash is what a task is known by: the same for two tasks that have the same words,
// whichever spaces and lines are between them. Case and accents count.
func TaskHash(task string) string { return citewell.SHA256([]byte(text.OneLine(task))) }
