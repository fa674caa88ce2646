package postgres

import (
	"context"
	"embed"
	"fmt"

	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrationLock is the advisory lock of whoever migrates: "CwSt".
const migrationLock = 0x43775374

// migrations returns the scripts in order; number n brings a store to schema n. A migration
// only ever adds; what an older one made is taken away a release later, when no running
// program needs it.
func migrations() ([]string, error) { return codec.Migrations(migrationFiles) }

// migrate brings the store to the newest schema, in one transaction: a program that is killed
// halfway leaves the schema as it was. Another that migrates meanwhile waits, and finds it done.
func migrate(ctx context.Context, conn *pgx.Conn) error {
	scripts, err := migrations()
	if err != nil {
		return err
	}
	// One that needs nothing is only read: its user may not be allowed to change it.
	var version int
	if err := conn.QueryRow(ctx, `SELECT max(version) FROM citewell_schema`).Scan(&version); err == nil && version == len(scripts) {
		return nil
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(%d);
			CREATE TABLE IF NOT EXISTS citewell_schema (version int NOT NULL)`, migrationLock)); err != nil {
			return err
		}
		var version int
		if err := tx.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM citewell_schema`).Scan(&version); err != nil {
			return err
		}
		if version > len(scripts) {
			return fault.Failed("store.migrate", fmt.Sprintf("the database has schema %d and this program knows up to %d", version, len(scripts)),
				"use the newer citewell that wrote it", nil)
		}
		for _, script := range scripts[version:] {
			if _, err := tx.Exec(ctx, script); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, fmt.Sprintf(`DELETE FROM citewell_schema; INSERT INTO citewell_schema VALUES (%d)`, len(scripts)))
		return err
	})
}
