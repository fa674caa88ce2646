package fulltext

import (
	"context"

	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/store"
)

// Copied is a document as it comes from another store: nothing of it is made anew.
func Copied(ctx context.Context, kind transfer.Kind, row transfer.Row,
	part func(ctx context.Context, language string) (int64, error)) (*Prepared, error) {
	text := func(column string) string { return row[kind.At(column)].(string) }
	number := func(column string) int64 { return row[kind.At(column)].(int64) }
	p := &Prepared{TextDocument: store.TextDocument{ID: text("key"), URL: text("url"), Title: text("title"),
		Language:  text("language"),
		Published: text("published"), Stamp: text("stamp")}, Terms: int(number("terms")), Fields: text("metadata"),
		TermsRecord: row[kind.At("terms_record")].([]byte), TextRecord: row[kind.At("text_record")].([]byte),
		Kept: &Kept{number("indexed_at"), int(number("terms_version"))}}
	var err error
	if p.Metadata, err = ReadMetadata("store.copy", p.Fields); err != nil {
		return nil, err
	}
	p.Part, err = part(ctx, p.Language)
	return p, err
}

// Kept is what a document had in another store.
type Kept struct {
	IndexedAt    int64
	TermsVersion int
}

// At is when the document was indexed, and the version of its terms, where it is kept now.
func (p *Prepared) At(now int64, version int) (indexed int64, of int) {
	if p.Kept != nil {
		return p.Kept.IndexedAt, p.Kept.TermsVersion
	}
	return now, version
}
