package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("vector_delete", newVectorDelete, ofKnowledge) }

type vectorDeleteInput struct {
	ID         string `json:"id"`
	Collection string `json:"collection,omitempty" default:"knowledge" bounds:"1..1024"`
}

func newVectorDelete(k Knowledge) *tool.Tool {
	return tool.New(tool.Spec{Name: "vector_delete", Title: "Forget a vector", Unsourced: true,
		Description: "Removes a vector from a collection.",
		Hints:       removeHints, Hidden: needsStore(k.Vectors != nil)}, k.deleteVector)
}

func (k Knowledge) deleteVector(ctx context.Context, in vectorDeleteInput) (removedOutput, error) {
	n, err := k.Vectors.RemoveVectors(ctx, in.Collection, []string{in.ID})
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		err = nil // a collection that is not there has no such vector
	}
	return removedOutput{ID: in.ID, Removed: n > 0}, err
}
