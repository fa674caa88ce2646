package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/tool"
)

func init() { register("vector_delete", newVectorDelete) }

type vectorDeleteInput struct {
	ID         string `json:"id"`
	Collection string `json:"collection,omitempty" default:"knowledge" bounds:"1..1024"`
}

func newVectorDelete(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "vector_delete", Title: "Forget a vector", Unsourced: true, Description: "Removes a vector from a collection.",
		Hints: removeHints, Hidden: needsStore(d.Vectors != nil)}, d.deleteVector)
}

func (d Deps) deleteVector(ctx context.Context, in vectorDeleteInput) (removedOutput, error) {
	n, err := d.Vectors.RemoveVectors(ctx, in.Collection, []string{in.ID})
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		err = nil // a collection that is not there has no such vector
	}
	return removedOutput{ID: in.ID, Removed: n > 0}, err
}
