package app

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

// noVectors are the vectors of a store that keeps none: it says so to whoever wants to keep or
// find any.
type noVectors struct{}

var errNoVectors error = &citewell.Error{Code: citewell.CodeToolNotConfigured, Op: "store.vectors", Message: "this store keeps no vectors",
	Hint: "use store.url sqlite, or leave embedding.model empty"}

func (noVectors) MakeCollection(context.Context, store.VectorCollection) error { return errNoVectors }

func (noVectors) Collections(context.Context) ([]store.VectorCollection, error) { return nil, nil }

func (noVectors) DropCollection(context.Context, string) (bool, error) { return false, nil }

func (noVectors) UpsertVectors(context.Context, string, []store.Vector) error { return errNoVectors }

func (noVectors) GetVectors(context.Context, string, []string) ([]store.Vector, error) {
	return nil, errNoVectors
}

func (noVectors) RemoveVectors(context.Context, string, []string) (int, error) {
	return 0, errNoVectors
}

func (noVectors) RemoveVectorsWhere(context.Context, string, []store.Filter) (int, error) {
	return 0, errNoVectors
}

func (noVectors) CountVectors(context.Context, string, []store.Filter) (int, error) {
	return 0, errNoVectors
}

func (noVectors) NearestVectors(context.Context, store.VectorQuery) ([]store.VectorHit, error) {
	return nil, errNoVectors
}
