package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"golang.org/x/sync/errgroup"
)

// goneFor is how long a content's file outlives the last row that named it: an earlier backup may still copy it.
const goneFor = time.Hour

// StageContents implements sqlstore.Contents: it makes the files durable that no committed row vouches for.
func (e engine) StageContents(ctx context.Context, contents map[string][]byte) error {
	var group errgroup.Group
	for hash, data := range contents {
		group.Go(func() error {
			var size int64
			there, err := sqlstore.AnyRow(e.reads.QueryRowContext(ctx, `SELECT size FROM blob WHERE sha256 = ? LIMIT 1`,
				hash).Scan(&size))
			if err != nil {
				return err
			}
			if there {
				if _, err := e.blobs.Get(hash, size); err == nil {
					return nil
				}
			}
			return e.blobs.Put(hash, data) // new, or damaged and now healed
		})
	}
	return group.Wait()
}

// KeepContents implements sqlstore.Contents: it has rows vouch for contents whose files are durable. A file that
// sweepContents, which also needs the write lock, has removed since is put again.
func (e engine) KeepContents(ctx context.Context, tx sqlstore.Tx, tenant string, contents map[string][]byte) error {
	for hash, content := range contents {
		if _, err := tx.Exec(ctx, `INSERT INTO blob (tenant, sha256, size, created_at) VALUES (?, ?, ?, micros())
			ON CONFLICT DO NOTHING`, tenant, hash, len(content)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM blob_gone WHERE tenant = ? AND sha256 = ?`, tenant, hash); err != nil {
			return err
		}
		there, err := e.blobs.Has(hash)
		if err == nil && !there {
			err = e.blobs.Put(hash, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadContent implements sqlstore.Contents.
func (e engine) ReadContent(ctx context.Context, from sqlstore.Conn, op, tenant, sha256 string) ([]byte, error) {
	var size int64
	if err := from.QueryRow(ctx, `SELECT size FROM blob WHERE tenant = ? AND sha256 = ?`,
		tenant, sha256).Scan(&size); err != nil {
		return nil, err
	}
	return e.blobs.Get(sha256, size)
}

// LetGo implements sqlstore.Contents.
func (e engine) LetGo(ctx context.Context, tx sqlstore.Tx, tenant string,
	contents []string) (gone []sqlstore.Gone, err error) {
	for _, sha256 := range contents {
		var size int64
		there, err := sqlstore.AnyRow(tx.QueryRow(ctx, `DELETE FROM blob WHERE tenant = $1 AND sha256 = $2
			AND NOT EXISTS (SELECT 1 FROM run_blob WHERE tenant = $1 AND sha256 = $2)
			AND NOT EXISTS (SELECT 1 FROM snapshot WHERE tenant = $1 AND page_sha256 = $2)
			AND NOT EXISTS (SELECT 1 FROM snapshot WHERE tenant = $1 AND text_sha256 = $2) RETURNING size`,
			tenant, sha256).Scan(&size))
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		if _, err = tx.Exec(ctx, `INSERT INTO blob_gone (tenant, sha256, size, gone_at) VALUES ($1, $2, $3, micros())
			ON CONFLICT DO UPDATE SET gone_at = excluded.gone_at`, tenant, sha256, size); err != nil {
			return nil, err
		}
		bytes, err := e.blobs.Size(sha256)
		if err != nil {
			return nil, err
		}
		gone = append(gone, sqlstore.Gone{SHA256: sha256, Bytes: bytes})
	}
	return gone, nil
}

// sweepContents removes the files of contents that nothing has named for goneFor, in a transaction that writes: whoever
// names a content waits, and then looks whether its file is there. What a program killed in between leaves, a file
// without a row or a row of blob_gone without a file, is found again.
func (db *DB) sweepContents(ctx context.Context) error {
	before := time.Now().Add(-goneFor).UnixMicro()
	var due bool
	if err := db.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM blob_gone WHERE gone_at < ?)`,
		before).Scan(&due); err != nil || !due {
		return err
	}
	return db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		gone, err := sqlstore.ReadColumn[string](ctx, conn{tx}, `SELECT sha256 FROM blob_gone AS gone GROUP BY sha256
			HAVING max(gone_at) < ?
			AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.sha256 = gone.sha256)`, before)
		if err != nil {
			return err
		}
		for _, sha256 := range gone {
			if codec.ValidHash(sha256) {
				if err := db.blobs.Remove(sha256); err != nil {
					return err
				}
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM blob_gone WHERE gone_at < ?`, before)
		return err
	})
}

// EachBody implements sqlstore.Pruner.
func (e engine) EachBody(ctx context.Context, from sqlstore.Conn,
	do func(tenant string, run int64, data []byte)) error {
	return sqlstore.Each(ctx, from, `SELECT r.tenant, r.run, r.sha256, b.size FROM run_blob AS r
		JOIN blob AS b ON b.tenant = r.tenant AND b.sha256 = r.sha256`, func(scan func(...any) error) error {
		var tenant, sha256 string
		var run, size int64
		if err := scan(&tenant, &run, &sha256, &size); err != nil {
			return err
		}
		data, err := e.blobs.Get(sha256, size)
		do(tenant, run, data)
		return err
	})
}

// CountContents implements sqlstore.Pruner: what a content takes is its file.
func (e engine) CountContents(ctx context.Context, from sqlstore.Conn,
	contents []string) (map[string]sqlstore.ContentCount, error) {
	counts := make(map[string]sqlstore.ContentCount, len(contents))
	for _, sha256 := range contents {
		var c sqlstore.ContentCount
		err := from.QueryRow(ctx, `SELECT count(*) FROM blob WHERE sha256 = ?`, sha256).Scan(&c.Tenants)
		if err == nil {
			c.Bytes, err = e.blobs.Size(sha256)
		}
		if err != nil {
			return nil, err
		}
		counts[sha256] = c
	}
	return counts, nil
}

// Compact implements sqlstore.Pruner.
func (e engine) Compact(ctx context.Context) (int64, error) {
	if err := e.sweepContents(ctx); err != nil {
		return 0, err
	}
	size, had, err := pageCounts(ctx, conn{e.reads})
	if err != nil {
		return 0, err
	}
	if err := e.compact(ctx); err != nil {
		return 0, err
	}
	_, has, err := pageCounts(ctx, conn{e.reads})
	return max(0, had.all-has.all) * size, err
}

// InsertSnapshot implements sqlstore.Contents.
func (e engine) InsertSnapshot(ctx context.Context, tx sqlstore.Tx, tenant string, made codec.Snapshot) (int64, error) {
	page, doc := made.Page, made.Document
	return tx.Exec(ctx, `INSERT INTO snapshot (tenant, final_url, fetched_at, kept_at, page_sha256, text_sha256,
			extractor_id, extractor_version, page_record, document_record) VALUES (?, ?, ?, micros(), ?, ?, ?, ?, ?, ?)
		ON CONFLICT (tenant, final_url, page_sha256, text_sha256, extractor_id, extractor_version) DO UPDATE
		SET fetched_at = excluded.fetched_at, kept_at = excluded.kept_at, page_record = excluded.page_record,
			document_record = excluded.document_record
		WHERE excluded.fetched_at >= fetched_at`,
		tenant, page.FinalURL, page.FetchedAt.UnixMicro(), page.SHA256, doc.TextSHA256, doc.Extractor.ID,
		doc.Extractor.Version, made.Packed, made.Read)
}

// URLKey implements sqlstore.Contents.
func (e engine) URLKey(finalURL string) any { return finalURL }
