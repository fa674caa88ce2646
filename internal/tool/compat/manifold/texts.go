package manifold

import (
	"context"

	"github.com/citewell/citewell/internal/tool"
)

func init() {
	Definitions.Add(Name, "search_index", newSearchIndex)
	Definitions.Add(Name, "search_query", newSearchQuery)
	Definitions.Add(Name, "search_remove", newSearchRemove)
}

// Texts is the one index of kept texts that Manifold knows.
type Texts interface {
	PutText(ctx context.Context, id, text string, metadata map[string]any) error
	// SearchText returns an empty list, not nil, where nothing is found.
	SearchText(ctx context.Context, query string, limit int) ([]FoundText, error)
	RemoveText(ctx context.Context, id string) error
}

// A FoundText is a kept text, best first. Metadata is never nil.
type FoundText struct {
	ID       string
	Score    float64
	Snippet  string
	Metadata map[string]string
}

type indexInput struct {
	ID       string         `json:"id" jsonschema:"unique document ID"`
	Text     string         `json:"text" jsonschema:"document contents"`
	Metadata map[string]any `json:"metadata,omitempty" jsonschema:"string to string map of metadata"`
}

func newSearchIndex(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "search_index", Title: "Keep a text to find it again", Unsourced: true,
		Description: "Index text documents into the full-text search store; the same id again replaces the text.",
		Hints:       putHints, Hidden: needsStore(d.Texts != nil)},
		func(ctx context.Context, in indexInput) (done, error) {
			return done{OK: true}, d.Texts.PutText(ctx, in.ID, in.Text, in.Metadata)
		})
}

type queryInput struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty" default:"5" bounds:"1..100"`
}

type queryOutput struct {
	OK      bool        `json:"ok"`
	Results []FoundText `json:"results"`
}

func newSearchQuery(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "search_query", Title: "Search kept texts",
		Description: "Query the full-text index and return matching documents, best first.",
		Hints:       readHints, Hidden: needsStore(d.Texts != nil)},
		func(ctx context.Context, in queryInput) (queryOutput, error) {
			found, err := d.Texts.SearchText(ctx, in.Query, in.Limit)
			return queryOutput{OK: true, Results: found}, err
		})
}

type idInput struct {
	ID string `json:"id"`
}

func newSearchRemove(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "search_remove", Title: "Forget a kept text", Unsourced: true,
		Description: "Remove a document from the full-text index.",
		Hints:       removeHints, Hidden: needsStore(d.Texts != nil)},
		func(ctx context.Context, in idInput) (done, error) {
			return done{OK: true}, d.Texts.RemoveText(ctx, in.ID)
		})
}
