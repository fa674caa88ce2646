package sqlite

import (
	"cmp"
	"context"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/vectorcodec"
	"golang.org/x/sync/errgroup"
)

// insertColumns returns the columns of a kind's table and what makes their values of a row: some follow from the
// others.
func insertColumns(kind transfer.Kind) (columns []string, values func(transfer.Row) []any) {
	columns = sqlstore.Columns(kind)
	more := func(transfer.Row) []any { return nil }
	switch kind.Name {
	case transfer.Contents:
		at := kind.At("body")
		columns = append(columns[:at:at], columns[at+1:]...)
		return columns, func(row transfer.Row) []any { return append(row[:at:at], row[at+1:]...) }
	case transfer.Snapshots:
		columns = append(columns, "extractor_id", "extractor_version")
		record := kind.At("document_record")
		more = func(row transfer.Row) []any {
			var doc struct{ Extractor citewell.Extractor }
			_ = codec.UnpackJSON("store.copy", row[record].([]byte), &doc) // of a damaged record nobody knows it
			return []any{doc.Extractor.ID, doc.Extractor.Version}
		}
	case transfer.Collections:
		columns = append(columns, "created_at")
		more = func(transfer.Row) []any { return []any{time.Now().UnixMicro()} }
	case transfer.Vectors:
		columns = append(columns, "updated_at")
		more = func(transfer.Row) []any { return []any{time.Now().UnixMicro()} }
	}
	return columns, func(row transfer.Row) []any { return append(row[:len(row):len(row)], more(row)...) }
}

// copyIn makes the files of contents that are whole.
func (db *DB) copyIn(ctx context.Context, kind transfer.Kind, rows []transfer.Row) error {
	var group errgroup.Group
	group.SetLimit(copiesAtOnce)
	for _, row := range rows {
		body := row[kind.At("body")].([]byte)
		if body == nil {
			continue
		}
		group.Go(func() error {
			sha256 := row[kind.At("sha256")].(string)
			data, err := codec.UnpackContent("store.copy", body, sha256, row[kind.At("size")].(int64))
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			return db.blobs.Put(sha256, data)
		})
	}
	return group.Wait()
}

// insertCode adds what is searched by of an embedding.
func insertCode(ctx context.Context, tx sqlstore.Tx, kind transfer.Kind, row transfer.Row) error {
	tenant, collection, id := row[kind.At("tenant")], row[kind.At("collection")], row[kind.At("id")]
	embedding := row[kind.At("embedding")].([]byte)
	code := encode(vectorcodec.Values(embedding[:max(0, len(embedding)-4)])).marshal()
	if _, err := tx.Exec(ctx, insertVectorCode, tenant, collection, id, code); err != nil {
		return err
	}
	var v store.Vector
	_ = vectorcodec.ReadRecord("store.copy", row[kind.At("record")].([]byte), &v) // of a damaged one there are no tags
	for key, value := range v.Metadata {
		if _, err := tx.Exec(ctx, insertVectorTag, tenant, collection, key, value, id); err != nil {
			return err
		}
	}
	return nil
}
