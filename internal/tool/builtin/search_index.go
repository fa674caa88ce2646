package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() { register("search_index", newSearchIndex, ofKnowledge) }

type searchIndexInput struct {
	ID       string         `json:"id" jsonschema:"the same id again replaces the text"`
	Text     string         `json:"text"`
	Title    string         `json:"title,omitempty"`
	URL      string         `json:"url,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty" jsonschema:"to filter by: topic, date, source"`
	Index    string         `json:"index,omitempty" jsonschema:"made with its first text" default:"knowledge" bounds:"1..128"`
}

type searchIndexOutput struct {
	ID       string `json:"id"`
	Index    string `json:"index"`
	Embedded bool   `json:"embedded" jsonschema:"whether it is also found by meaning"`
	Warning  string `json:"warning,omitempty" jsonschema:"why it is not, where it should be"`
}

func newSearchIndex(k Knowledge) *tool.Tool {
	return tool.New(tool.Spec{Name: "search_index", Title: "Keep a text to find it again", Unsourced: true,
		Description: tool.Description(descriptions, "search_index"),
		Hints:       upsertHints, Hidden: needsStore(k.Texts != nil)}, k.index)
}

// index keeps a text, and its meaning if there is a model that answers.
func (k Knowledge) index(ctx context.Context, in searchIndexInput) (searchIndexOutput, error) {
	metadata, err := metadataOf(in.Metadata)
	if err != nil {
		return searchIndexOutput{}, err
	}
	doc := store.TextDocument{ID: in.ID, URL: in.URL, Title: in.Title, Text: in.Text, Metadata: metadata}
	if err := k.Texts.IndexDocuments(ctx, in.Index, []store.TextDocument{doc}); err != nil {
		return searchIndexOutput{}, err
	}
	out := searchIndexOutput{ID: in.ID, Index: in.Index}
	if k.Embedder == nil || k.Vectors == nil {
		return out, nil
	}
	if err := k.embedDocument(ctx, in.Index, doc); err != nil {
		view := citewell.View(err)
		out.Warning = "kept by its words alone: " + view.Message
		return out, ctx.Err()
	}
	out.Embedded = true
	return out, nil
}
