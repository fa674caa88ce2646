package builtin

import (
	"context"

	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/cogtrix"
	"github.com/citewell/citewell/internal/tool/compat/manifold"
	"github.com/citewell/citewell/internal/tool/compat/searxng"
	"github.com/citewell/citewell/store"
)

// The tools that keep another system's contract live below tool/compat, a package a
// system. Each is given what it needs of our parts.
func init() {
	tool.Adopt(definitions, searxng.Definitions, func(p Parts) searxng.Deps { return p.Searxng })
	tool.Adopt(definitions, cogtrix.Definitions, func(p Parts) cogtrix.Deps { return p.Cogtrix })
	tool.Adopt(definitions, manifold.Definitions, Parts.manifold)
}

func (p Parts) manifold() manifold.Deps {
	m := p.Manifold
	m.Search, m.Read, m.Graph = p.Searxng, p.Pages.readPage, p.Knowledge.Graph
	if p.Knowledge.Texts != nil {
		m.Texts = keptTexts{p.Knowledge}
	}
	if p.Knowledge.Vectors != nil {
		m.Vectors = keptVectors{p.Knowledge}
	}
	return m
}

// keptTexts are the texts of the index that is meant where none is named.
type keptTexts struct{ Knowledge }

func (k keptTexts) PutText(ctx context.Context, id, text string, metadata map[string]any) error {
	_, err := k.index(ctx, searchIndexInput{ID: id, Text: text, Metadata: metadata, Index: knowledgeIndex})
	return err
}

func (k keptTexts) SearchText(ctx context.Context, query string, limit int) ([]manifold.FoundText, error) {
	hits, err := k.Texts.SearchText(ctx, store.TextQuery{Index: knowledgeIndex, Text: query, Limit: limit})
	found := []manifold.FoundText{}
	for _, h := range hits {
		found = append(found, manifold.FoundText{ID: h.ID, Score: h.Score, Snippet: h.Snippet,
			Metadata: orEmpty(h.Metadata)})
	}
	return found, err
}

func (k keptTexts) RemoveText(ctx context.Context, id string) error {
	_, err := k.remove(ctx, searchRemoveInput{ID: id, Index: knowledgeIndex})
	return err
}

// keptVectors are the vectors of the collection that is meant where none is named.
type keptVectors struct{ Knowledge }

func (k keptVectors) PutVector(ctx context.Context, id string, values []float32, text string,
	metadata map[string]any) error {
	_, err := k.upsertVector(ctx, vectorUpsertInput{ID: id, Vector: values, Text: text, Metadata: metadata,
		Collection: knowledgeIndex})
	return err
}

func (k keptVectors) NearestVectors(ctx context.Context, values []float32, n int,
	filter map[string]any) ([]manifold.NearVector, error) {
	out, err := k.queryVectors(ctx, vectorQueryInput{Vector: values, K: n, Filter: filter, Collection: knowledgeIndex})
	near := []manifold.NearVector{}
	for _, v := range out.Results {
		near = append(near, manifold.NearVector{ID: v.ID, Score: v.Score, Metadata: v.Metadata})
	}
	return near, err
}

func (k keptVectors) RemoveVector(ctx context.Context, id string) error {
	_, err := k.deleteVector(ctx, vectorDeleteInput{ID: id, Collection: knowledgeIndex})
	return err
}
