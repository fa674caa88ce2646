package manifold

import (
	"context"

	"github.com/citewell/citewell/internal/tool"
)

func init() {
	Definitions.Add(Name, "vector_upsert", newVectorUpsert)
	Definitions.Add(Name, "vector_query", newVectorQuery)
	Definitions.Add(Name, "vector_delete", newVectorDelete)
}

// Vectors is the one collection of vectors that Manifold knows.
type Vectors interface {
	// PutVector embeds the text where there are no values.
	PutVector(ctx context.Context, id string, values []float32, text string, metadata map[string]any) error
	// NearestVectors returns an empty list, not nil, where nothing is found.
	NearestVectors(ctx context.Context, values []float32, k int, filter map[string]any) ([]NearVector, error)
	RemoveVector(ctx context.Context, id string) error
}

// A NearVector is a kept vector, nearest first. Metadata is never nil.
type NearVector struct {
	ID       string
	Score    float64
	Metadata map[string]string
}

type upsertInput struct {
	ID       string         `json:"id" jsonschema:"unique within the collection"`
	Vector   []float32      `json:"vector,omitempty" bounds:"1..8192"`
	Text     string         `json:"text,omitempty" jsonschema:"embedded where no vector is given"`
	Metadata map[string]any `json:"metadata,omitempty" jsonschema:"to filter by"`
}

func newVectorUpsert(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "vector_upsert", Title: "Keep a vector", Unsourced: true,
		Description: "Upsert a vector embedding with optional metadata: a precomputed vector, or text to be embedded " +
			"using the configured embedding provider.",
		Hints: putHints, Hidden: needsStore(d.Vectors != nil)},
		func(ctx context.Context, in upsertInput) (done, error) {
			return done{OK: true}, d.Vectors.PutVector(ctx, in.ID, in.Vector, in.Text, in.Metadata)
		})
}

type nearInput struct {
	Vector []float32      `json:"vector" bounds:"1..8192"`
	K      int            `json:"k,omitempty" default:"5" bounds:"1..1000"`
	Filter map[string]any `json:"filter,omitempty" jsonschema:"metadata filter map"`
}

type nearOutput struct {
	OK      bool         `json:"ok"`
	Results []NearVector `json:"results"`
}

func newVectorQuery(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "vector_query", Title: "Find the nearest vectors",
		Description: "Query nearest neighbors using a query vector.",
		Hints:       readHints, Hidden: needsStore(d.Vectors != nil)},
		func(ctx context.Context, in nearInput) (nearOutput, error) {
			near, err := d.Vectors.NearestVectors(ctx, in.Vector, in.K, in.Filter)
			return nearOutput{OK: true, Results: near}, err
		})
}

func newVectorDelete(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "vector_delete", Title: "Forget a vector", Unsourced: true,
		Description: "Delete a vector by ID.", Hints: removeHints, Hidden: needsStore(d.Vectors != nil)},
		func(ctx context.Context, in idInput) (done, error) {
			return done{OK: true}, d.Vectors.RemoveVector(ctx, in.ID)
		})
}
