package fulltext

import (
	"context"

	"github.com/citewell/citewell/store"
)

const (
	// RenewedAtOnce and renewedBytes bound the documents, and their packed text, that one transaction writes anew.
	RenewedAtOnce = 200
	renewedBytes  = 4 << 20
)

// A Stale is a document whose terms an earlier version of package text made.
type Stale struct {
	Tenant, Index string // as the backend's columns have them
	ID, IndexedAt int64
	Doc           store.TextDocument // Text comes from Record, Metadata from Fields
	Fields        string
	Record        []byte
}

// readPacked sets what stands packed in the row; false where that is damaged.
func (s *Stale) readPacked(op string) bool {
	original, err := Unseal(op, s.Record)
	if err != nil {
		return false
	}
	if s.Doc.Metadata, err = ReadMetadata(op, s.Fields); err != nil {
		return false
	}
	s.Doc.Text, s.Record = string(original), nil
	return true
}

// Renew indexes anew, from their kept texts, the documents whose terms an earlier version of package text made: a
// query's terms would not meet them. It may be ended at any time and goes on at the next opening. Terms of a later
// version stay, and so does a document whose record is damaged.
//
// places returns the next at most RenewedAtOnce places after one in the order of documents by the version of their
// terms, document what stands at one, false if it was removed meanwhile. write writes the terms of those documents of
// one index that are still what was read.
func Renew[P comparable](ctx context.Context, places func(ctx context.Context, after P) ([]P, error),
	document func(ctx context.Context, at P) (Stale, bool, error),
	write func(ctx context.Context, stale []Stale) error) error {
	const op = "store.open"
	var last P
	for {
		next, err := places(ctx, last)
		if err != nil || len(next) == 0 {
			return err
		}
		var batch []Stale
		for size := 0; len(next) > 0 && size < renewedBytes; next = next[1:] {
			last = next[0]
			stale, there, err := document(ctx, last)
			if err != nil {
				return err
			}
			if there && stale.readPacked(op) {
				size += len(stale.Doc.Text)
				batch = append(batch, stale)
			}
		}
		for _, stale := range byIndex(batch) {
			if err := write(ctx, stale); err != nil {
				return err
			}
		}
	}
}

// byIndex groups documents by tenant and index, in their order.
func byIndex(batch []Stale) (groups [][]Stale) {
	type name struct{ tenant, index string }
	at := map[name]int{}
	for _, stale := range batch {
		n := name{stale.Tenant, stale.Index}
		i, ok := at[n]
		if !ok {
			i = len(groups)
			at[n], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], stale)
	}
	return groups
}

// Docs are the documents of a group.
func Docs(stale []Stale) []store.TextDocument {
	docs := make([]store.TextDocument, len(stale))
	for i := range stale {
		docs[i] = stale[i].Doc
	}
	return docs
}
