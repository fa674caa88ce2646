package sqlstore

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/codec"
)

// PutSnapshot implements store.Snapshots.
func (s *Store) PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error {
	const op = "store.put_snapshot"
	made, err := codec.PackSnapshot(op, page, doc)
	if err == nil {
		err = s.b.StageContents(ctx, made.Contents)
	}
	if err != nil {
		return s.b.Fail(op, err)
	}
	return s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		if err := s.b.KeepContents(ctx, tx, s.tenant, made.Contents); err != nil {
			return err
		}
		n, err := s.b.InsertSnapshot(ctx, tx, s.tenant, made)
		if err != nil || n > 0 {
			return err
		}
		_, err = tx.Exec(ctx,
			`UPDATE snapshot SET kept_at = micros() WHERE tenant = $1 AND {url} = $2 AND page_sha256 = $3
			AND text_sha256 = $4`, s.tenant, s.b.URLKey(made.Page.FinalURL), made.Page.SHA256, made.Document.TextSHA256)
		return err
	})
}

// Snapshot implements store.Snapshots.
func (s *Store) Snapshot(ctx context.Context, finalURL string) (page citewell.Page, doc citewell.Document, err error) {
	const op = "store.snapshot"
	err = s.b.Read(ctx, op, func(from Conn) error {
		var packed, read []byte
		err := from.QueryRow(ctx, `SELECT page_record, document_record FROM snapshot WHERE tenant = $1 AND {url} = $2
			ORDER BY fetched_at DESC, id DESC LIMIT 1`, s.tenant, s.b.URLKey(finalURL)).Scan(&packed, &read)
		if err != nil {
			return OrMissing(err, fault.NotFound(op, "no snapshot of that URL is kept"))
		}
		page, doc, err = codec.ReadSnapshot(op, packed, read, func(sha256 string) ([]byte, error) {
			return s.content(ctx, from, op, sha256)
		})
		return err
	})
	return page, doc, err
}
