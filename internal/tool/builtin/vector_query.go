package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() { register("vector_query", newVectorQuery, ofKnowledge) }

type vectorQueryInput struct {
	Vector     []float32      `json:"vector,omitempty" bounds:"1..8192"`
	Text       string         `json:"text,omitempty" jsonschema:"in place of vector"`
	K          int            `json:"k,omitempty" default:"5" bounds:"1..1000"`
	Offset     int            `json:"offset,omitempty" default:"0" bounds:"0..10000"`
	Filter     map[string]any `json:"filter,omitempty" jsonschema:"metadata, exactly so"`
	Ranges     []store.Filter `json:"filters,omitempty" jsonschema:"several values, or a range of numbers or dates" bounds:"0..16"`
	Collection string         `json:"collection,omitempty" default:"knowledge" bounds:"1..1024"`
}

type vectorQueryOutput struct {
	Results []nearVector `json:"results"`
}

type nearVector struct {
	ID       string            `json:"id"`
	Score    float64           `json:"score" jsonschema:"larger is nearer"`
	Text     string            `json:"text,omitempty" jsonschema:"what was embedded, where it was kept"`
	Metadata map[string]string `json:"metadata"`
}

// Text is the results as a model reads them.
func (o vectorQueryOutput) Text() string {
	if len(o.Results) == 0 {
		return "The collection is empty, or nothing in it meets the filter."
	}
	var b strings.Builder
	for i, r := range o.Results {
		fmt.Fprintf(&b, "%d. %s (%.4f)", i+1, text.OneLine(r.ID), r.Score)
		if r.Text != "" {
			fmt.Fprintf(&b, " %s", text.ShortenAtWord(text.OneLine(r.Text), maxBeginning))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// maxBeginning is how much of a text is shown to a model, in bytes.
const maxBeginning = 300

func newVectorQuery(k Knowledge) *tool.Tool {
	return tool.New(tool.Spec{Name: "vector_query", Title: "Find the nearest vectors",
		Description: tool.Description(descriptions, "vector_query"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true}, Hidden: needsStore(k.Vectors != nil)},
		k.queryVectors)
}

func (k Knowledge) queryVectors(ctx context.Context, in vectorQueryInput) (vectorQueryOutput, error) {
	out := vectorQueryOutput{Results: []nearVector{}}
	filters, err := filtersOf(in.Filter, in.Ranges)
	if err != nil {
		return out, err
	}
	if len(in.Vector) == 0 {
		if strings.TrimSpace(in.Text) == "" {
			return out, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "vector_query",
				Message: "vector or text is required"}
		}
		if in.Vector, err = k.embedOne(ctx, in.Text); err != nil {
			return out, err
		}
	}
	hits, err := k.Vectors.NearestVectors(ctx, store.VectorQuery{Collection: in.Collection, Values: in.Vector,
		K: in.K, Offset: in.Offset, Filters: filters, WithText: true})
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		if in.Collection == knowledgeIndex {
			return out, nil // it is there for everybody; its first vector makes it in the store
		}
		return out, &citewell.Error{Code: citewell.CodeNotFound, Op: "vector_query",
			Message: fmt.Sprintf("there is no collection %.100q", in.Collection),
			Hint:    "vector_upsert makes a collection with its first vector", Err: err}
	}
	for _, h := range hits {
		out.Results = append(out.Results, nearVector{ID: h.ID, Score: h.Score, Text: h.Text,
			Metadata: orEmpty(h.Metadata)})
	}
	return out, err
}
