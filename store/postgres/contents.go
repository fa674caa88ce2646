package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/jackc/pgx/v5"
)

// Contents are the bytes of pages, texts and large bodies of calls, by their hash. Here alone is
// known where they are: in the column body, so that what names a content and the content are
// one commit. A place outside of the database would have them before the transaction, and its
// row would say so.

// keepContents keeps contents that the transaction names. They are not sent where they are
// there, and stay until the transaction ends.
func (s *Store) keepContents(ctx context.Context, tx pgx.Tx, contents map[string][]byte) error {
	for _, sha256 := range slices.Sorted(maps.Keys(contents)) { // in order, so that two who keep the same never wait for each other
		for {
			if there, err := s.holdContent(ctx, tx, sha256); err != nil {
				return err
			} else if there {
				break
			}
			// Somebody else may keep it at this moment, and somebody else again let go of it.
			if _, err := tx.Exec(ctx, `INSERT INTO blob (tenant, sha256, size, created_at, body) VALUES ($1, $2, $3, micros(), $4) ON CONFLICT DO NOTHING`,
				s.tenant, sha256, len(contents[sha256]), codec.Pack(contents[sha256])); err != nil {
				return err
			}
		}
	}
	return nil
}

// holdContent says whether a content is there, and keeps it from being let go of.
func (s *Store) holdContent(ctx context.Context, tx pgx.Tx, sha256 string) (bool, error) {
	var one int
	return anyRow(tx.QueryRow(ctx, `SELECT 1 FROM blob WHERE tenant = $1 AND sha256 = $2 FOR KEY SHARE`, s.tenant, sha256).Scan(&one))
}

// content returns the bytes of a hash after checking them against it.
func (s *Store) content(ctx context.Context, from querier, op, sha256 string) ([]byte, error) {
	missing := fault.NotFound(op, "no content with that sha256 is kept")
	if !codec.ValidHash(sha256) {
		return nil, missing
	}
	var size int64
	var packed []byte
	if err := from.QueryRow(ctx, `SELECT size, body FROM blob WHERE tenant = $1 AND sha256 = $2`, s.tenant, sha256).Scan(&size, &packed); err != nil {
		return nil, orMissing(err, missing)
	}
	return codec.UnpackContent(op, packed, sha256, size)
}

// letGo takes contents from the tenant unless something else of it has them too. Who names one
// at this moment either has it locked, and is waited for, or finds it gone and keeps it again.
// It returns those that went, with the bytes that they took.
func (s *Store) letGo(ctx context.Context, tx pgx.Tx, contents []string) (gone []goneContent, err error) {
	if len(contents) == 0 {
		return nil, nil
	}
	if _, err := tx.Exec(ctx, `SELECT 1 FROM blob WHERE tenant = $1 AND sha256 = ANY ($2) ORDER BY sha256 FOR UPDATE`, s.tenant, contents); err != nil {
		return nil, err
	}
	return readRows(ctx, tx, `DELETE FROM blob AS b WHERE tenant = $1 AND sha256 = ANY ($2)
		AND NOT EXISTS (SELECT 1 FROM run_blob AS r WHERE r.tenant = b.tenant AND r.sha256 = b.sha256)
		AND NOT EXISTS (SELECT 1 FROM snapshot AS s WHERE s.tenant = b.tenant AND s.page_sha256 = b.sha256)
		AND NOT EXISTS (SELECT 1 FROM snapshot AS s WHERE s.tenant = b.tenant AND s.text_sha256 = b.sha256)
		RETURNING sha256, length(body)`, func(scan func(...any) error) (c goneContent, err error) {
		err = scan(&c.sha256, &c.bytes)
		return c, err
	}, s.tenant, contents)
}

// A goneContent is one that a tenant has no more.
type goneContent struct {
	sha256 string
	bytes  int64
}

// Blob implements store.Snapshots.
func (s *Store) Blob(ctx context.Context, sha256 string) ([]byte, error) {
	const op = "store.blob"
	return read(ctx, s.db, op, func(ctx context.Context) ([]byte, error) {
		return s.content(ctx, s.db.pool, op, sha256)
	})
}
