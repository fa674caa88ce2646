package builtin

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/text"
)

// Texts are embedded in pieces: a model reads some hundred words at once, and one
// vector for a long text says little of any part of it.
const (
	pieceSize = 1200 // bytes, about 250 words
	maxPieces = 512  // of one text; what lies beyond is found by its words
)

// piecesOf cuts a text at sentence ends.
func piecesOf(doc store.TextDocument) []string {
	var pieces []string
	var b strings.Builder
	flush := func() {
		if piece := strings.TrimSpace(b.String()); piece != "" {
			pieces = append(pieces, piece)
		}
		b.Reset()
	}
	if doc.Title != "" {
		b.WriteString(doc.Title + ". ")
	}
	for _, s := range text.Sentences(doc.Text) {
		for sentence := doc.Text[s.Start:s.End]; sentence != ""; {
			part := sentence
			if len(part) > pieceSize {
				part = strings.ToValidUTF8(part[:pieceSize], "")
			}
			if b.Len() > 0 && b.Len()+len(part) > pieceSize {
				flush()
			}
			b.WriteString(part + " ")
			sentence = sentence[len(part):]
		}
		if len(pieces) >= maxPieces {
			return pieces[:maxPieces]
		}
	}
	flush()
	return pieces
}

// meanings is the collection that an index keeps its pieces in.
func meanings(index string) string { return "index:" + index }

// partOf is the metadata by which a piece knows its document; the rest is the
// document's own, so that filters hold for pieces too.
const partOf = "_document"

// embedDocument keeps the meaning of a document's pieces in place of what was there.
func (d Deps) embedDocument(ctx context.Context, index string, doc store.TextDocument) error {
	pieces := piecesOf(doc)
	if len(pieces) == 0 {
		return nil
	}
	values, err := d.Embedder.Embed(ctx, pieces)
	if err != nil {
		return err
	}
	collection := store.VectorCollection{Name: meanings(index), Dimension: len(values[0]), Model: d.Embedder.Name()}
	if err := d.Vectors.MakeCollection(ctx, collection); err != nil {
		return err
	}
	if err := d.forgetMeaning(ctx, index, []string{doc.ID}); err != nil {
		return err
	}
	metadata := maps.Clone(doc.Metadata)
	metadata[partOf] = doc.ID
	vectors := make([]store.Vector, len(pieces))
	for i := range pieces {
		vectors[i] = store.Vector{ID: fmt.Sprintf("%s#%d", citewell.SHA256([]byte(doc.ID))[:32], i), Values: values[i],
			Metadata: metadata}
	}
	return d.Vectors.UpsertVectors(ctx, collection.Name, vectors)
}

// forgetMeaning removes the pieces of documents; that there are none is no error.
func (d Deps) forgetMeaning(ctx context.Context, index string, ids []string) error {
	if d.Vectors == nil {
		return nil
	}
	_, err := d.Vectors.RemoveVectorsWhere(ctx, meanings(index), []store.Filter{{Key: partOf, In: ids}})
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return nil
	}
	return err
}

// byMeaning returns the documents of an index nearest to a query, best first. None
// where nothing of the index was embedded.
func (d Deps) byMeaning(ctx context.Context, index, query string, filters []store.Filter, k int) ([]string, error) {
	values, err := d.embedOne(ctx, query)
	if err != nil {
		return nil, err
	}
	hits, err := d.Vectors.NearestVectors(ctx, store.VectorQuery{Collection: meanings(index), Values: values, Filters: filters, K: min(k*piecesPerHit, store.MaxNearest)})
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return nil, nil
	}
	var ids []string
	seen := map[string]bool{}
	for _, h := range hits {
		if id := h.Metadata[partOf]; !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, err
}

// piecesPerHit is how many of the nearest pieces are looked at for each document
// wanted, since several may be of one.
const piecesPerHit = 4

// embedOne embeds one text, or says what is missing to do it.
func (d Deps) embedOne(ctx context.Context, text string) ([]float32, error) {
	if d.Embedder == nil {
		return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "embed", Message: "a text needs an embedding model, and none is configured",
			Hint: "set embedding.model, and embedding.base_url where it is not the chat model's; or give a vector"}
	}
	values, err := d.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}
