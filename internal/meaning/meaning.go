// Package meaning finds documents of an index by meaning, and by words and meaning together.
//
// Flow: documents in pieces → Meanings.Put → vectors; query → Finder.Find → documents and why.
// Units: at most MaxPieces pieces a document. Errors: the store's and the embedder's.
// Concurrency: Meanings and a Finder are safe for many goroutines. Why: doc/decision/0031-meaning.md
package meaning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

// An Embedder makes vectors of texts, in their order; llm.Embeddings is one.
type Embedder interface {
	Name() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Meanings keeps vectors of the documents of text indexes, so that they are found by meaning: a collection, of one
// model and dimension, for each index, of pieces that name their document's version.
type Meanings struct {
	texts    store.Text
	vectors  store.Vectors
	embedder Embedder
}

// NewMeanings returns the Meanings of a store's texts. Without an embedder, nil, documents can only be forgotten.
func NewMeanings(texts store.Text, vectors store.Vectors, embedder Embedder) *Meanings {
	return &Meanings{texts, vectors, embedder}
}

// Able says whether there is a model that makes vectors.
func (m *Meanings) Able() bool { return m.embedder != nil }

// A Meant is one document as it is embedded.
type Meant struct {
	ID       string
	Stamp    string            // of the version that the pieces are of; may be empty
	Pieces   []Piece           // at most MaxPieces
	Metadata map[string]string // the document's own, for filters
}

// A Piece is a part of a document that has a vector of its own.
type Piece struct {
	Read string // what is embedded
	Text string // what it says, without what was set above it to be understood
}

const (
	// MaxPieces bounds the pieces of one document; what lies beyond is found by words.
	MaxPieces = 512
	// piecesPerHit is how many of the nearest pieces are read for each document wanted, since several may be of one.
	piecesPerHit = 4
)

// Keys of a piece's metadata: which document it is of, and which version of that.
const (
	partOf  = "_document"
	stampOf = "_stamp"
)

func collectionOf(index string) string { return "index:" + index }

func pieceID(document string, i int) string {
	return fmt.Sprintf("%s#%d", citewell.SHA256([]byte(document))[:32], i)
}

// Put keeps the vectors of documents, each in place of what was there. It embeds the pieces in one call, all or none.
func (m *Meanings) Put(ctx context.Context, index string, docs []Meant) error {
	var texts []string
	for _, d := range docs {
		for _, piece := range d.Pieces {
			texts = append(texts, piece.Read)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	values, err := m.embedder.Embed(ctx, texts)
	if err != nil {
		return err
	}
	collection := store.VectorCollection{Name: collectionOf(index), Dimension: len(values[0]), Model: m.embedder.Name()}
	if err := m.vectors.MakeCollection(ctx, collection); err != nil {
		return err
	}
	for _, d := range docs {
		metadata := map[string]string{}
		maps.Copy(metadata, d.Metadata)
		metadata[partOf] = d.ID
		if d.Stamp != "" {
			metadata[stampOf] = d.Stamp
		}
		vectors := make([]store.Vector, len(d.Pieces))
		for i, piece := range d.Pieces {
			vectors[i] = store.Vector{ID: pieceID(d.ID, i), Values: values[i], Text: piece.Text, Metadata: metadata}
		}
		values = values[len(d.Pieces):]
		if err := m.Forget(ctx, index, []string{d.ID}); err != nil {
			return err
		}
		if err := m.vectors.UpsertVectors(ctx, collection.Name, vectors); err != nil {
			return err
		}
	}
	return nil
}

// Forget removes the vectors of documents; that there are none is no error.
func (m *Meanings) Forget(ctx context.Context, index string, ids []string) error {
	_, err := m.vectors.RemoveVectorsWhere(ctx, collectionOf(index), []store.Filter{{Key: partOf, In: ids}})
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return nil
	}
	return err
}

// Renew drops the vectors of an index that another model made, and returns that model's name; empty if none was
// dropped.
func (m *Meanings) Renew(ctx context.Context, index string) (former string, err error) {
	c, err := m.collection(ctx, index)
	if err != nil || c.Model == m.embedder.Name() || c.Vectors == 0 {
		return "", err
	}
	_, err = m.vectors.DropCollection(ctx, c.Name)
	return c.Model, err
}

// collection is that of an index; the zero value where there is none.
func (m *Meanings) collection(ctx context.Context, index string) (store.VectorCollection, error) {
	all, err := m.vectors.Collections(ctx)
	if err != nil {
		return store.VectorCollection{}, err
	}
	at := slices.IndexFunc(all, func(c store.VectorCollection) bool { return c.Name == collectionOf(index) })
	if at < 0 {
		return store.VectorCollection{}, nil
	}
	return all[at], nil
}

// Lacking returns those documents, given as id → stamp, that have no vectors of that version, sorted.
func (m *Meanings) Lacking(ctx context.Context, index string, stamps map[string]string) ([]string, error) {
	var lacking []string
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(stamps)), store.MaxVectorBatch) {
		firsts := make([]string, len(ids))
		for i, id := range ids {
			firsts[i] = pieceID(id, 0)
		}
		vectors, err := m.vectors.GetVectors(ctx, collectionOf(index), firsts)
		if err != nil && citewell.CodeOf(err) != citewell.CodeNotFound {
			return nil, err
		}
		has := map[string]string{}
		for _, v := range vectors {
			has[v.Metadata[partOf]] = v.Metadata[stampOf]
		}
		for _, id := range ids {
			if stamp, ok := has[id]; !ok || stamp != stamps[id] {
				lacking = append(lacking, id)
			}
		}
	}
	return lacking, nil
}

// SearchRelated is SearchText without the documents that are no nearer than texts are by chance.
func (m *Meanings) SearchRelated(ctx context.Context, q store.TextQuery, f *Floor) ([]store.TextHit, error) {
	return m.search(ctx, q, f)
}

// SearchText returns the documents nearest in meaning to a query, best first, each once. The snippet is the nearest
// piece, however long, the excerpt that piece if the text still has it. An index without vectors has nothing; one of
// another model's vectors is an invalid_argument.
func (m *Meanings) SearchText(ctx context.Context, q store.TextQuery) ([]store.TextHit, error) {
	return m.search(ctx, q, nil)
}

func (m *Meanings) search(ctx context.Context, q store.TextQuery, f *Floor) ([]store.TextHit, error) {
	index, limit := q.Index, q.Limit
	index = cmp.Or(index, store.Library)
	if limit <= 0 {
		limit = 10
	}
	c, err := m.collection(ctx, index)
	switch {
	case err != nil || c.Vectors == 0:
		return nil, err
	case c.Model != m.embedder.Name():
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search by meaning",
			Message: fmt.Sprintf("the documents have vectors of %s, and the embedding model is %s", c.Model,
				m.embedder.Name()),
			Hint: "index the documents again"}
	}
	values, err := m.embedder.Embed(ctx, []string{q.Text})
	if err != nil {
		return nil, err
	}
	near, err := m.vectors.NearestVectors(ctx, store.VectorQuery{
		Collection: c.Name, Values: values[0], Filters: q.Filters, WithText: true,
		Below: store.MetadataPrefix{Key: partOf, Prefix: q.URLPrefix}, K: min(limit*piecesPerHit, store.MaxNearest)})
	if err != nil {
		return nil, err
	}
	if f != nil {
		floor, err := f.leastCosine(ctx, m.embedder, values[0])
		if err != nil {
			return nil, err
		}
		near = slices.DeleteFunc(near, func(n store.VectorHit) bool { return n.Score <= floor })
	}
	return m.documents(ctx, index, near, limit)
}

// documents returns the first documents that pieces are of.
func (m *Meanings) documents(ctx context.Context, index string, near []store.VectorHit,
	limit int) ([]store.TextHit, error) {
	var hits []store.TextHit
	seen := map[string]bool{}
	for _, n := range near {
		id := n.Metadata[partOf]
		if seen[id] {
			continue
		}
		if seen[id] = true; len(hits) == limit {
			break
		}
		doc, err := m.texts.TextDocument(ctx, index, id)
		if citewell.CodeOf(err) == citewell.CodeNotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		hit := store.TextHit{ID: id, URL: doc.URL, Title: doc.Title, Published: doc.Published, Language: doc.Language,
			Metadata: doc.Metadata, Snippet: cmp.Or(n.Text, doc.Text), Score: n.Score}
		if at := strings.Index(doc.Text, n.Text); n.Text != "" && at >= 0 {
			hit.Excerpt = store.Excerpt{Start: at, End: at + len(n.Text), Text: n.Text}
		}
		hits = append(hits, hit)
	}
	return hits, nil
}
