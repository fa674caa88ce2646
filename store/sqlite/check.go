package sqlite

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// Damage implements sqlstore.Checks.
func (e engine) Damage(err error) (message string, is bool) {
	err = storeError("store.check", err)
	return citewell.View(err).Message, citewell.CodeOf(err) == citewell.CodeStoreFailed
}

// CheckSteps implements sqlstore.Checks.
func (e engine) CheckSteps() (before, after []sqlstore.CheckStep) {
	return []sqlstore.CheckStep{{What: "state.db", Do: checkPages}},
		[]sqlstore.CheckStep{{What: "the list of snapshots", Do: e.checkContents}}
}

// checkPages has SQLite check its file: trees, indexes against tables, and FTS5's segments.
func checkPages(ctx context.Context, from sqlstore.Conn, report *upkeep.CheckReport) error {
	if err := from.QueryRow(ctx, `PRAGMA page_count`).Scan(&report.Pages); err != nil {
		return err
	}
	return sqlstore.Each(ctx, from, fmt.Sprintf(`PRAGMA integrity_check(%d)`,
		upkeep.MaxProblems), func(scan func(...any) error) error {
		var message string
		err := scan(&message)
		if err == nil && message != "ok" {
			report.Problem("state.db: %s", message)
		}
		return err
	})
}

// checkContents reads the file of every content that a row names.
func (e engine) checkContents(ctx context.Context, from sqlstore.Conn, report *upkeep.CheckReport) error {
	return sqlstore.Each(ctx, from, contentList, func(scan func(...any) error) error {
		var sha256 string
		var size int64
		if err := scan(&sha256, &size); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		report.Contents++
		if !codec.ValidHash(sha256) {
			report.Problem("table blob: %q is no hash", sha256)
			return nil
		}
		_, err := e.blobs.Get(sha256, size)
		if message, is := e.Damage(err); err != nil && is {
			report.Problem("snapshots: %s", message)
			return nil
		}
		return err
	})
}

// contentList is every content once.
const contentList = `SELECT sha256, max(size) FROM blob GROUP BY sha256 ORDER BY sha256`
