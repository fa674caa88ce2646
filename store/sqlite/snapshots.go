package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"golang.org/x/sync/errgroup"
)

// PutSnapshot implements store.Snapshots.
func (s *Store) PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error {
	const op = "store.put_snapshot"
	made, err := codec.PackSnapshot(op, page, doc)
	if err != nil {
		return storeError(op, err)
	}
	page, doc = made.Page, made.Document
	if err := s.putBlobs(ctx, made.Contents); err != nil {
		return storeError(op, err)
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.nameContents(ctx, tx, made.Contents); err != nil {
			return err
		}
		now := time.Now().UnixMicro()
		n, err := affected(tx.ExecContext(ctx, `INSERT INTO snapshot (tenant, final_url, fetched_at, kept_at, page_sha256, text_sha256,
				extractor_id, extractor_version, page_record, document_record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (tenant, final_url, page_sha256, text_sha256, extractor_id, extractor_version) DO UPDATE
			SET fetched_at = excluded.fetched_at, kept_at = excluded.kept_at, page_record = excluded.page_record, document_record = excluded.document_record
			WHERE excluded.fetched_at >= fetched_at`,
			s.tenant, page.FinalURL, page.FetchedAt.UnixMicro(), now, page.SHA256, doc.TextSHA256,
			doc.Extractor.ID, doc.Extractor.Version, made.Packed, made.Read))
		if err != nil || n > 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE snapshot SET kept_at = ? WHERE tenant = ? AND final_url = ? AND page_sha256 = ? AND text_sha256 = ?`,
			now, s.tenant, page.FinalURL, page.SHA256, doc.TextSHA256)
		return err
	}))
}

// putBlobs makes the contents durable that no committed row vouches for.
func (s *Store) putBlobs(ctx context.Context, contents map[string][]byte) error {
	var group errgroup.Group
	for hash, data := range contents {
		group.Go(func() error {
			var size int64
			there, err := anyRow(s.db.reads.QueryRowContext(ctx, `SELECT size FROM blob WHERE sha256 = ? LIMIT 1`, hash).Scan(&size))
			if err != nil {
				return err
			}
			if there {
				if _, err := s.db.blobs.Get(hash, size); err == nil {
					return nil
				}
			}
			return s.db.blobs.Put(hash, data) // new, or damaged and now healed
		})
	}
	return group.Wait()
}

// nameContents has rows vouch for contents whose files putBlobs made durable. One may
// have been removed since, as nothing named it: see sweepContents, which like this
// has the write lock. It is put again.
func (s *Store) nameContents(ctx context.Context, tx *sql.Tx, contents map[string][]byte) error {
	now := time.Now().UnixMicro()
	for hash, content := range contents {
		if _, err := tx.ExecContext(ctx, `INSERT INTO blob (tenant, sha256, size, created_at) VALUES (?, ?, ?, ?)
			ON CONFLICT DO NOTHING`, s.tenant, hash, len(content), now); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM blob_gone WHERE tenant = ? AND sha256 = ?`, s.tenant, hash); err != nil {
			return err
		}
		if there, err := s.db.blobs.Has(hash); err != nil {
			return err
		} else if !there {
			if err := s.db.blobs.Put(hash, content); err != nil {
				return err
			}
		}
	}
	return nil
}

// Blob implements store.Snapshots.
func (s *Store) Blob(ctx context.Context, sha256 string) ([]byte, error) {
	const op = "store.blob"
	missing := fault.NotFound(op, "no content with that sha256 is kept")
	if !codec.ValidHash(sha256) {
		return nil, missing
	}
	var size int64
	err := s.db.reads.QueryRowContext(ctx, `SELECT size FROM blob WHERE tenant = ? AND sha256 = ?`, s.tenant, sha256).Scan(&size)
	if err := orMissing(err, missing); err != nil {
		return nil, storeError(op, err)
	}
	data, err := s.db.blobs.Get(sha256, size)
	return data, storeError(op, err)
}

// Snapshot implements store.Snapshots.
func (s *Store) Snapshot(ctx context.Context, finalURL string) (citewell.Page, citewell.Document, error) {
	const op = "store.snapshot"
	var pageRecord, documentRecord []byte
	err := s.db.reads.QueryRowContext(ctx, `SELECT page_record, document_record FROM snapshot
		WHERE tenant = ? AND final_url = ? ORDER BY fetched_at DESC, id DESC LIMIT 1`,
		s.tenant, finalURL).Scan(&pageRecord, &documentRecord)
	if err := orMissing(err, fault.NotFound(op, "no snapshot of that URL is kept")); err != nil {
		return citewell.Page{}, citewell.Document{}, storeError(op, err)
	}
	page, doc, err := codec.ReadSnapshot(op, pageRecord, documentRecord, func(sha256 string) ([]byte, error) { return s.Blob(ctx, sha256) })
	return page, doc, storeError(op, err)
}
