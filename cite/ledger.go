package cite

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/citewell/citewell"
)

// A Keeper makes what a ledger hands out durable; a store is one.
type Keeper interface {
	AddSource(ctx context.Context, brief string, source citewell.Source, passages []citewell.Passage) error
}

// A Ledger numbers the sources of one brief and mints the ids of their passages.
// What it has not minted cannot be cited.
type Ledger struct {
	brief string
	keep  Keeper

	adding sync.Mutex // held while a source is made durable, so that numbers have no gaps

	mu       sync.RWMutex
	sources  []citewell.Source
	passages map[string]citewell.Passage // by id and by lower-case alias
}

// NewLedger returns an empty ledger for the brief with that id. A nil keeper keeps
// nothing: for a brief that nobody will check later.
func NewLedger(brief string, keep Keeper) *Ledger {
	return &Ledger{brief: brief, keep: keep, passages: map[string]citewell.Passage{}}
}

// Add gives the source its number and each passage of doc an id and an alias
// ("S2.p5"). When it returns they are durable. A source that was not read has a
// document without passages. After an error nothing was added and the number is
// free again.
func (l *Ledger) Add(ctx context.Context, source citewell.Source,
	doc citewell.Document) (citewell.Source, []citewell.Passage, error) {
	l.adding.Lock()
	defer l.adding.Unlock()
	source.N = len(l.Sources()) + 1
	if doc.Text != "" && source.TextSHA256 == "" {
		source.TextSHA256 = citewell.SHA256([]byte(doc.Text))
	}
	passages := make([]citewell.Passage, len(doc.Passages))
	for i, p := range doc.Passages {
		if p.Start < 0 || p.End > len(doc.Text) || p.Start >= p.End || doc.Text[p.Start:p.End] != p.Text {
			return citewell.Source{}, nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "cite.add",
				Message: fmt.Sprintf("passage %d is not the span %d to %d of its document's text", i+1, p.Start, p.End)}
		}
		p.ID, p.Source = citewell.NewID(), source.N
		p.Alias = fmt.Sprintf("S%d.p%d", source.N, i+1)
		passages[i] = p
	}
	if l.keep != nil {
		if err := l.keep.AddSource(ctx, l.brief, source, passages); err != nil {
			return citewell.Source{}, nil, fmt.Errorf("cite.add source %d: %w", source.N, err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources = append(l.sources, source)
	for _, p := range passages {
		l.passages[p.ID] = p
		l.passages[strings.ToLower(p.Alias)] = p
	}
	return source, passages, nil
}

// Passage returns the passage with that id or alias; letter case, and brackets that
// a model puts around an alias, do not matter.
func (l *Ledger) Passage(ref string) (citewell.Passage, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	p, ok := l.passages[strings.ToLower(strings.Trim(ref, " []()【】"))]
	return p, ok
}

// Source returns source number n.
func (l *Ledger) Source(n int) (citewell.Source, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if n < 1 || n > len(l.sources) {
		return citewell.Source{}, false
	}
	return l.sources[n-1], true
}

// Sources returns all sources by number, as a copy.
func (l *Ledger) Sources() []citewell.Source {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return append([]citewell.Source(nil), l.sources...)
}
