package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/codec"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a file as a Citewell store ("CwSt"), so that somebody else's database is never migrated.
const applicationID = 0x43775374

// unreleased is the last schema before the first release, which no program reads; the first script makes the next.
const unreleased = 16

// migrations returns the scripts in order; number n brings a store to schema unreleased+n. A migration only ever adds;
// what an older one made is taken away a release later, when no running program needs it.
func migrations() ([]string, error) { return codec.Migrations(migrationFiles) }

// migrate brings the store to the newest schema in one transaction.
func migrate(ctx context.Context, db *sql.DB, path string, scripts []string) error {
	if err := makeShrinkable(ctx, db); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil) // immediate: a second process waits here, then finds the work done
	if err != nil {
		return err
	}
	defer tx.Rollback()
	id, tables, err := whose(ctx, tx)
	if err != nil {
		return err
	}
	if err := refuseForeign(path, id, tables); err != nil {
		return err
	}
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	newest := unreleased + len(scripts)
	switch {
	case version > newest:
		return fault.Failed("store.migrate", fmt.Sprintf("%s has schema %d and this program knows up to %d", path,
			version, newest), "use the newer citewell that wrote it", nil)
	case version > 0 && version <= unreleased:
		return fault.Failed("store.migrate", fmt.Sprintf("%s was made by a build before the first release (schema "+
			"%d), which is not read", path, version),
			"move the folder away, and index the documents anew", nil)
	case version == newest:
		return nil
	}
	for _, script := range scripts[max(0, version-unreleased):] {
		if _, err := tx.ExecContext(ctx, script); err != nil {
			return err
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, newest)
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return err
	}
	return tx.Commit()
}

// whose reads the mark of a database, and how many tables it has.
func whose(ctx context.Context, tx *sql.Tx) (id, tables int, err error) {
	if err := tx.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return 0, 0, err
	}
	err = tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables)
	return id, tables, err
}

// refuseForeign refuses a database that is another's.
func refuseForeign(path string, id, tables int) error {
	if id == applicationID || id == 0 && tables == 0 {
		return nil
	}
	return fault.Failed("store.migrate", path+" is not a Citewell store", "choose another data folder", nil)
}

// makeShrinkable has an empty file note where its pages belong, so that compact can give them back a few at a time.
func makeShrinkable(ctx context.Context, db *sql.DB) error {
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil || tables > 0 {
		return err
	}
	_, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
	return err
}
