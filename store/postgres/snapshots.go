package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/jackc/pgx/v5"
)

var _ store.Snapshots = (*Store)(nil)

// hashOf is a key of any parts, however long they are.
func hashOf(parts ...string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return sum[:]
}

// PutSnapshot implements store.Snapshots.
func (s *Store) PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error {
	const op = "store.put_snapshot"
	made, err := codec.PackSnapshot(op, page, doc)
	if err != nil {
		return storeError(op, err)
	}
	page, doc = made.Page, made.Document
	key := hashOf(page.FinalURL, page.SHA256, doc.TextSHA256, doc.Extractor.ID, fmt.Sprint(doc.Extractor.Version))
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.keepContents(ctx, tx, made.Contents); err != nil {
			return err
		}
		url := hashOf(page.FinalURL)
		n, err := affected(tx.Exec(ctx, `INSERT INTO snapshot AS s (tenant, key, url, final_url, fetched_at, kept_at, page_sha256, text_sha256, page_record, document_record)
			VALUES ($1, $2, $3, $4, $5, micros(), $6, $7, $8, $9) ON CONFLICT (tenant, key) DO UPDATE
			SET fetched_at = excluded.fetched_at, kept_at = excluded.kept_at, page_record = excluded.page_record, document_record = excluded.document_record
			WHERE excluded.fetched_at >= s.fetched_at`,
			s.tenant, key, url, escape(page.FinalURL), page.FetchedAt.UnixMicro(), page.SHA256, doc.TextSHA256, made.Packed, made.Read))
		if err != nil || n > 0 {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE snapshot SET kept_at = micros() WHERE tenant = $1 AND url = $2 AND page_sha256 = $3 AND text_sha256 = $4`,
			s.tenant, url, page.SHA256, doc.TextSHA256)
		return err
	})
}

// Snapshot implements store.Snapshots.
func (s *Store) Snapshot(ctx context.Context, finalURL string) (page citewell.Page, doc citewell.Document, err error) {
	const op = "store.snapshot"
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		var packed, read []byte
		err := s.db.pool.QueryRow(ctx, `SELECT page_record, document_record FROM snapshot WHERE tenant = $1 AND url = $2
			ORDER BY fetched_at DESC, id DESC LIMIT 1`, s.tenant, hashOf(finalURL)).Scan(&packed, &read)
		if err != nil {
			return orMissing(err, fault.NotFound(op, "no snapshot of that URL is kept"))
		}
		page, doc, err = codec.ReadSnapshot(op, packed, read, func(sha256 string) ([]byte, error) { return s.content(ctx, s.db.pool, op, sha256) })
		return err
	})
	return page, doc, err
}
