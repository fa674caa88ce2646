package search

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// maxNotes bounds what one call of a provider may say of itself.
const maxNotes = 8

// takeNotes is the key under which a context carries who takes notes.
type takeNotes struct{}

// WithNotes returns a context whose Search calls hand what they Note to take, as
// httptrace hands out what a request meets. take may be called from several
// goroutines, and after Search has been given up.
func WithNotes(ctx context.Context, take func(note string)) context.Context {
	return context.WithValue(ctx, takeNotes{}, take)
}

// Note lets a Provider say what a reader should know of an answer that is no
// failure: the query was cut, a filter is not known there, some engines behind it
// failed. It is one sentence without a capital or a full stop, and holds neither the
// query nor a key. Nothing happens where nobody takes notes.
func Note(ctx context.Context, note string) {
	if take, ok := ctx.Value(takeNotes{}).(func(string)); ok && note != "" {
		take(note)
	}
}

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
