package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/citewell/citewell"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a file as a Citewell store ("CwSt"), so that somebody
// else's database is never migrated.
const applicationID = 0x43775374

// migrations returns the scripts in order; number n brings a store from schema
// n-1 to n. A migration only ever adds; what an older one made is taken away a
// release later, when no running program needs it.
func migrations() ([]string, error) {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	scripts := make([]string, len(names))
	for i, name := range names {
		var n int
		if _, err := fmt.Sscanf(name, "migrations/%04d_", &n); err != nil || n != i+1 {
			return nil, fmt.Errorf("%s is not migration %d", name, i+1)
		}
		script, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		scripts[i] = string(script)
	}
	return scripts, nil
}

// migrate brings the store to the newest schema, in one transaction: a program
// that is killed halfway leaves the schema as it was.
func migrate(ctx context.Context, db *sql.DB, scripts []string) error {
	const op = "store.migrate"
	tx, err := db.BeginTx(ctx, nil) // immediate: a second process waits here, then finds the work done
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id, version, tables int
	for query, target := range map[string]*int{
		"PRAGMA application_id":              &id,
		"PRAGMA user_version":                &version,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := tx.QueryRowContext(ctx, query).Scan(target); err != nil {
			return err
		}
	}
	if id != applicationID && (id != 0 || tables > 0) {
		return &citewell.Error{Code: citewell.CodeStoreFailed, Op: op,
			Message: "state.db in the data folder is not a Citewell store",
			Hint:    "choose another data folder"}
	}
	if version > len(scripts) {
		return &citewell.Error{Code: citewell.CodeStoreFailed, Op: op,
			Message: fmt.Sprintf("the store has schema %d and this program knows up to %d", version, len(scripts)),
			Hint:    "use the newer citewell that wrote it"}
	}
	if version == len(scripts) {
		return nil
	}
	for _, script := range scripts[version:] {
		if _, err := tx.ExecContext(ctx, script); err != nil {
			return err
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, len(scripts))
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return err
	}
	return tx.Commit()
}
