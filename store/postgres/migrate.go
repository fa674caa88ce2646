package postgres

import (
	"context"
	"embed"
	"fmt"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock of whoever migrates: "CwSt".
const migrationLock = 0x43775374

// usableFrom is the least schema that a program must know to work on the newest one. A migration raises it if it takes
// away what older programs need, or would write wrongly.
const usableFrom = unreleased + 3

// unreleased is the last schema before the first release, which no program reads; the first script makes the next.
const unreleased = 6

// migrations returns the scripts in order; number n brings a store to schema unreleased+n. A migration only ever adds;
// what an older one made is taken away a release later, when no running program needs it.
func migrations() ([]string, error) { return codec.Migrations(migrationFiles) }

// migrate brings the store to the newest schema in one transaction. Another that migrates meanwhile waits.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	scripts, err := migrations()
	if err != nil {
		return err
	}
	known := unreleased + len(scripts)
	// One that needs nothing is only read: its user may not be allowed to change it.
	if done, err := newest(ctx, conn, known); err == nil && done {
		return nil
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf(
			`SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(%d);
			CREATE TABLE IF NOT EXISTS citewell_schema (version int NOT NULL, oldest int NOT NULL)`, migrationLock)); err != nil {
			return err
		}
		var version int
		if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM citewell_schema`).Scan(&version); err != nil {
			return err
		}
		if version > 0 && version <= unreleased {
			return fault.Failed("store.migrate", fmt.Sprintf("the database was made by a build before the first "+
				"release (schema %d), which is not read", version),
				"name another database, or drop this one and make it anew, and index the documents anew", nil)
		}
		if version >= known { // another has migrated meanwhile
			_, err := newest(ctx, tx, known)
			return err
		}
		for _, script := range scripts[max(0, version-unreleased):] {
			if _, err := tx.Exec(ctx, script); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, fmt.Sprintf(
			`DELETE FROM citewell_schema; INSERT INTO citewell_schema (version, oldest) VALUES (%d, %d)`, known,
			usableFrom))
		return err
	})
}

// newest reports whether the schema has all that a program wants which knows schemas up to known. It refuses a newer
// one, unless that left such programs what they need.
func newest(ctx context.Context, from querier, known int) (bool, error) {
	var version, oldest int
	if err := from.QueryRow(ctx, `SELECT max(version), max(oldest) FROM citewell_schema`).Scan(&version,
		&oldest); err != nil {
		return false, err
	}
	if version > known && known < oldest {
		return false, fault.Failed("store.migrate", fmt.Sprintf("the database has schema %d, which programs can use "+
			"that know schema %d; this one knows up to %d", version, oldest, known),
			"use the newer citewell that wrote it", nil)
	}
	return version >= known, nil
}
