package builtin

import (
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/meaning"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// Texts are embedded in pieces: one vector for a long text says little of any part of it.
const pieceSize = 1200 // bytes, about 250 words

// piecesOf cuts a text at sentence ends.
func piecesOf(doc store.TextDocument) []meaning.Piece {
	var pieces []meaning.Piece
	var b strings.Builder
	flush := func() {
		if piece := strings.TrimSpace(b.String()); piece != "" {
			pieces = append(pieces, meaning.Piece{Read: piece, Text: piece})
		}
		b.Reset()
	}
	if doc.Title != "" {
		b.WriteString(doc.Title + ". ")
	}
	for _, s := range text.Sentences(doc.Text) {
		for sentence := doc.Text[s.Start:s.End]; sentence != ""; {
			part := text.Prefix(sentence, pieceSize)
			if b.Len() > 0 && b.Len()+len(part) > pieceSize {
				flush()
			}
			b.WriteString(part + " ")
			sentence = sentence[len(part):]
		}
		if len(pieces) >= meaning.MaxPieces {
			return pieces[:meaning.MaxPieces]
		}
	}
	flush()
	return pieces
}

// meanings are those of the kept texts.
func (k Knowledge) meanings() *meaning.Meanings {
	return meaning.NewMeanings(k.Texts, k.Vectors, k.Embedder)
}

// embedDocument keeps the meaning of a document's pieces in place of what was there.
func (k Knowledge) embedDocument(ctx context.Context, index string, doc store.TextDocument) error {
	return k.meanings().Put(ctx, index, []meaning.Meant{{ID: doc.ID, Pieces: piecesOf(doc), Metadata: doc.Metadata}})
}

// forgetMeaning removes the pieces of documents; that there are none is no error.
func (k Knowledge) forgetMeaning(ctx context.Context, index string, ids []string) error {
	if k.Vectors == nil {
		return nil
	}
	return k.meanings().Forget(ctx, index, ids)
}

// embedOne embeds one text, or says what is missing to do it.
func (k Knowledge) embedOne(ctx context.Context, text string) ([]float32, error) {
	if k.Embedder == nil {
		return nil, withoutEmbedder()
	}
	values, err := k.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

func withoutEmbedder() error {
	return &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "embed",
		Message: "a text needs an embedding model, and none is configured",
		Hint:    "set embedding.model, and embedding.base_url where it is not the chat model's; or give a vector"}
}
