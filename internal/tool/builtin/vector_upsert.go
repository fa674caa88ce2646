package builtin

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() { register("vector_upsert", newVectorUpsert, ofKnowledge) }

type vectorUpsertInput struct {
	ID         string         `json:"id" jsonschema:"unique within the collection"`
	Vector     []float32      `json:"vector,omitempty" bounds:"1..8192"`
	Text       string         `json:"text,omitempty" jsonschema:"embedded where no vector is given"`
	Metadata   map[string]any `json:"metadata,omitempty" jsonschema:"to filter by"`
	Collection string         `json:"collection,omitempty" jsonschema:"made with its first vector" default:"knowledge" bounds:"1..1024"`
	Metric     string         `json:"metric,omitempty" jsonschema:"of a new collection; cosine when absent" oneof:"cosine dot l2"`
}

type vectorUpsertOutput struct {
	ID         string `json:"id"`
	Collection string `json:"collection"`
	Dimension  int    `json:"dimension"`
	Model      string `json:"model,omitempty" jsonschema:"which embedded the text"`
}

func newVectorUpsert(k Knowledge) *tool.Tool {
	return tool.New(tool.Spec{Name: "vector_upsert", Title: "Keep a vector", Unsourced: true,
		Description: tool.Description(descriptions, "vector_upsert"),
		Hints:       upsertHints, Hidden: needsStore(k.Vectors != nil)}, k.upsertVector)
}

func (k Knowledge) upsertVector(ctx context.Context, in vectorUpsertInput) (vectorUpsertOutput, error) {
	metadata, err := metadataOf(in.Metadata)
	if err != nil {
		return vectorUpsertOutput{}, err
	}
	out := vectorUpsertOutput{ID: in.ID, Collection: in.Collection}
	if len(in.Vector) == 0 {
		if strings.TrimSpace(in.Text) == "" {
			return out, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "vector_upsert",
				Message: "vector or text is required"}
		}
		if in.Vector, err = k.embedOne(ctx, in.Text); err != nil {
			return out, err
		}
		out.Model = k.Embedder.Name()
	}
	out.Dimension = len(in.Vector)
	if err := k.makeCollection(ctx, in.Collection, store.Metric(in.Metric), len(in.Vector), out.Model); err != nil {
		return out, err
	}
	return out, k.Vectors.UpsertVectors(ctx, in.Collection, []store.Vector{{ID: in.ID, Values: in.Vector,
		Text: in.Text, Metadata: metadata}})
}

// makeCollection makes a collection unless it exists with vectors; no metric means its own.
func (k Knowledge) makeCollection(ctx context.Context, name string, metric store.Metric, dimension int,
	model string) error {
	collections, err := k.Vectors.Collections(ctx)
	if err != nil {
		return err
	}
	for _, c := range collections {
		if c.Name != name {
			continue
		}
		if c.Vectors == 0 {
			metric = cmp.Or(metric, c.Metric)
			if model == "" && dimension == c.Dimension {
				model = c.Model
			}
			break
		}
		if model != "" && c.Model != "" && c.Model != model {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "vector_upsert",
				Message: "the collection " + name + " holds vectors of the model " + c.Model +
					", and texts are now embedded by " + model,
				Hint: "vectors of two models cannot be compared; use another collection"}
		}
		if metric != "" && metric != c.Metric {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "vector_upsert",
				Message: fmt.Sprintf("the collection %s measures nearness by %s, and metric is %s", name,
					c.Metric, metric),
				Hint: "leave metric out, or use another collection"}
		}
		return nil
	}
	return k.Vectors.MakeCollection(ctx, store.VectorCollection{Name: name, Dimension: dimension, Metric: metric,
		Model: model})
}
