package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/citewell/citewell/store/internal/sqlstore"
)

// compactPages is how many free pages of state.db one transaction gives back: others who write wait for a moment only,
// and the write-ahead log stays small on a full disk.
const compactPages = 1000

// compact gives the free pages of state.db back to the disk.
func (db *DB) compact(ctx context.Context) error {
	_, now, err := pageCounts(ctx, conn{db.reads})
	if err != nil {
		return err
	}
	for before := now.free + 1; now.free > 0 && now.free < before; {
		before = now.free
		if err := db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, compactPages)); err != nil {
				return err
			}
			_, left, err := pageCounts(ctx, conn{tx})
			now = left
			return err
		}); err != nil {
			return err
		}
	}
	_, err = db.writes.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`) // the file shrinks then
	return err
}

// pages are how many a database has, and how many of them are free.
type pages struct{ all, free int64 }

func pageCounts(ctx context.Context, from sqlstore.Conn) (size int64, n pages, err error) {
	for query, target := range map[string]*int64{"page_size": &size, "page_count": &n.all, "freelist_count": &n.free} {
		if err := from.QueryRow(ctx, "PRAGMA "+query).Scan(target); err != nil {
			return 0, n, err
		}
	}
	return size, n, nil
}
