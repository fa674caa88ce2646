package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// Contents are the bytes of pages, texts and large bodies of calls, by their hash, in the column body, so that they and
// what names them are one commit. Only this file knows where they are.

// StageContents implements sqlstore.Contents.
func (e engine) StageContents(context.Context, map[string][]byte) error { return nil }

// KeepContents implements sqlstore.Contents. It sends only contents that are missing; all stay until the transaction
// ends.
func (e engine) KeepContents(ctx context.Context, tx sqlstore.Tx, tenant string, contents map[string][]byte) error {
	// in order, so that two who keep the same never wait for each other
	for _, sha256 := range slices.Sorted(maps.Keys(contents)) {
		for {
			if there, err := holdContent(ctx, tx, tenant, sha256); err != nil {
				return err
			} else if there {
				break
			}
			// Somebody else may keep it at this moment, and somebody else again let go of it.
			if _, err := tx.Exec(ctx,
				`INSERT INTO blob (tenant, sha256, size, created_at, body) VALUES ($1, $2, $3, micros(), $4) ON CONFLICT DO NOTHING`,
				tenant, sha256, len(contents[sha256]), codec.Pack(contents[sha256])); err != nil {
				return err
			}
		}
	}
	return nil
}

// holdContent says whether a content is there, and keeps it from being let go of.
func holdContent(ctx context.Context, tx sqlstore.Tx, tenant, sha256 string) (bool, error) {
	var one int
	return sqlstore.AnyRow(tx.QueryRow(ctx, `SELECT 1 FROM blob WHERE tenant = $1 AND sha256 = $2 FOR KEY SHARE`,
		tenant, sha256).Scan(&one))
}

// ReadContent implements sqlstore.Contents.
func (e engine) ReadContent(ctx context.Context, from sqlstore.Conn, op, tenant, sha256 string) ([]byte, error) {
	var size int64
	var packed []byte
	if err := from.QueryRow(ctx, `SELECT size, body FROM blob WHERE tenant = $1 AND sha256 = $2`,
		tenant, sha256).Scan(&size, &packed); err != nil {
		return nil, err
	}
	return codec.UnpackContent(op, packed, sha256, size)
}

// LetGo implements sqlstore.Contents. Who names a content now has it locked, or finds it gone and keeps it again.
func (e engine) LetGo(ctx context.Context, tx sqlstore.Tx, tenant string, contents []string) ([]sqlstore.Gone, error) {
	if len(contents) == 0 {
		return nil, nil
	}
	if _, err := tx.Exec(ctx, `SELECT 1 FROM blob WHERE tenant = $1 AND sha256 = ANY ($2) ORDER BY sha256 FOR UPDATE`,
		tenant, contents); err != nil {
		return nil, err
	}
	return sqlstore.ReadRows(ctx, tx, `DELETE FROM blob AS b WHERE tenant = $1 AND sha256 = ANY ($2)
		AND NOT EXISTS (SELECT 1 FROM run_blob AS r WHERE r.tenant = b.tenant AND r.sha256 = b.sha256)
		AND NOT EXISTS (SELECT 1 FROM snapshot AS s WHERE s.tenant = b.tenant AND s.page_sha256 = b.sha256)
		AND NOT EXISTS (SELECT 1 FROM snapshot AS s WHERE s.tenant = b.tenant AND s.text_sha256 = b.sha256)
		RETURNING sha256, length(body)`, func(scan func(...any) error) (gone sqlstore.Gone, err error) {
		err = scan(&gone.SHA256, &gone.Bytes)
		return gone, err
	}, tenant, contents)
}

// EachBody implements sqlstore.Pruner.
func (e engine) EachBody(ctx context.Context, from sqlstore.Conn,
	do func(tenant string, run int64, data []byte)) error {
	return sqlstore.Each(ctx, from, `SELECT r.tenant, r.run, b.sha256, b.size, b.body FROM run_blob AS r
		JOIN blob AS b ON b.tenant = r.tenant AND b.sha256 = r.sha256`, func(scan func(...any) error) error {
		var tenant, sha256 string
		var run, size int64
		var packed []byte
		if err := scan(&tenant, &run, &sha256, &size, &packed); err != nil {
			return err
		}
		data, err := codec.UnpackContent("store.prune", packed, sha256, size)
		do(tenant, run, data)
		return err
	})
}

// CountContents implements sqlstore.Pruner.
func (e engine) CountContents(ctx context.Context, from sqlstore.Conn,
	contents []string) (map[string]sqlstore.ContentCount, error) {
	counts := make(map[string]sqlstore.ContentCount, len(contents))
	err := sqlstore.Each(ctx, from, `SELECT sha256, count(*), max(length(body)) FROM blob WHERE sha256 = ANY ($1)
		GROUP BY sha256`,
		func(scan func(...any) error) error {
			var sha256 string
			var c sqlstore.ContentCount
			err := scan(&sha256, &c.Tenants, &c.Bytes)
			counts[sha256] = c
			return err
		}, contents)
	return counts, err
}

// Compact implements sqlstore.Pruner: what is free is the server's to use again.
func (e engine) Compact(context.Context) (int64, error) { return 0, nil }

// hashOf is a key of any parts, however long they are.
func hashOf(parts ...string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return sum[:]
}

// InsertSnapshot implements sqlstore.Contents.
func (e engine) InsertSnapshot(ctx context.Context, tx sqlstore.Tx, tenant string, made codec.Snapshot) (int64, error) {
	page, doc := made.Page, made.Document
	key := hashOf(page.FinalURL, page.SHA256, doc.TextSHA256, doc.Extractor.ID, fmt.Sprint(doc.Extractor.Version))
	return tx.Exec(ctx, `INSERT INTO snapshot AS s (tenant, key, url, final_url, fetched_at, kept_at, page_sha256,
		text_sha256, page_record, document_record)
		VALUES ($1, $2, $3, $4, $5, micros(), $6, $7, $8, $9) ON CONFLICT (tenant, key) DO UPDATE
		SET fetched_at = excluded.fetched_at, kept_at = excluded.kept_at, page_record = excluded.page_record,
			document_record = excluded.document_record
		WHERE excluded.fetched_at >= s.fetched_at`,
		tenant, key, e.URLKey(page.FinalURL), page.FinalURL, page.FetchedAt.UnixMicro(), page.SHA256, doc.TextSHA256,
		made.Packed, made.Read)
}

// URLKey implements sqlstore.Contents.
func (e engine) URLKey(finalURL string) any { return hashOf(finalURL) }
