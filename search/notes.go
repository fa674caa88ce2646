package search

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/searchcall"
)

// maxNotes bounds what one call of a provider may say of itself.
const maxNotes = 8

// Note lets a Provider say what a reader should know of an answer that is no failure, as a query that was cut: one
// sentence without a capital or a full stop, the query or a key. Nothing happens where nobody takes notes.
func Note(ctx context.Context, note string) { searchcall.Note(ctx, note) }

// notes collects each different note once.
type notes struct {
	mu   sync.Mutex
	said []string
}

func (n *notes) add(note string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.said) < maxNotes && !slices.Contains(n.said, note) {
		n.said = append(n.said, note)
	}
}

// all are those so far.
func (n *notes) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.said)
}

// after returns detail with the notes behind it.
func (n *notes) after(detail string) string {
	parts := n.all()
	if detail != "" {
		parts = slices.Insert(parts, 0, detail)
	}
	return strings.Join(parts, "; ")
}
