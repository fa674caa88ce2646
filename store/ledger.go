package store

import (
	"context"

	"github.com/citewell/citewell"
)

// Ledger keeps which passages a brief may cite, and the brief itself.
type Ledger interface {
	// AddSource records source number source.N of a brief and its passages, all or
	// nothing. The same brief and number again replaces nothing: it is an
	// invalid_argument unless every field is the same.
	AddSource(ctx context.Context, brief string, source citewell.Source, passages []citewell.Passage) error
	// Passage returns the passage with that id, the brief it belongs to and the
	// source it is a span of. not_found where nobody minted that id.
	Passage(ctx context.Context, id string) (PassageRecord, error)
	// PutBrief keeps a finished brief under its ID.
	PutBrief(ctx context.Context, brief citewell.Brief) error
	// Brief returns a kept brief. not_found where there is none.
	Brief(ctx context.Context, id string) (citewell.Brief, error)
	// BriefIDs returns the ids of kept briefs that begin with prefix, at most limit of
	// them, in their order; none where none does.
	BriefIDs(ctx context.Context, prefix string, limit int) ([]string, error)
}

// A PassageRecord is a passage as the ledger minted it.
type PassageRecord struct {
	Brief   string
	Source  citewell.Source
	Passage citewell.Passage
}
