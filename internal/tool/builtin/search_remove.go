package builtin

import (
	"context"

	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() { register("search_remove", newSearchRemove, ofKnowledge) }

type searchRemoveInput struct {
	ID    string `json:"id"`
	Index string `json:"index,omitempty" default:"knowledge" bounds:"1..128"`
}

type removedOutput struct {
	ID      string `json:"id"`
	Removed bool   `json:"removed" jsonschema:"false: there was none"`
}

var removeHints = tool.Hints{Destructive: true, Idempotent: true}

func newSearchRemove(k Knowledge) *tool.Tool {
	return tool.New(tool.Spec{Name: "search_remove", Title: "Forget a kept text", Unsourced: true,
		Description: "Removes a kept text from an index.",
		Hints:       removeHints, Hidden: needsStore(k.Texts != nil)}, k.remove)
}

func (k Knowledge) remove(ctx context.Context, in searchRemoveInput) (removedOutput, error) {
	n, err := k.Texts.RemoveDocuments(ctx, in.Index, store.TextSelection{IDs: []string{in.ID}})
	if err != nil {
		return removedOutput{}, err
	}
	return removedOutput{ID: in.ID, Removed: n > 0}, k.forgetMeaning(ctx, in.Index, []string{in.ID})
}
