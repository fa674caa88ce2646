package sqlite

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func schemaVersion(t *testing.T, db *DB) (version int) {
	t.Helper()
	if err := db.writes.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}

// TestMigrate brings a store with content to later schemas, one of which fails
// halfway.
func TestMigrate(t *testing.T) {
	db := openTest(t, t.TempDir())
	s, ctx := db.Tenant("t"), context.Background()
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	if got := schemaVersion(t, db); got != unreleased+len(scripts) {
		t.Fatalf("a new store has schema %d, want %d", got, unreleased+len(scripts))
	}
	kept := ack{0, 3, "brief"}
	if err := writeItem(s, kept); err != nil {
		t.Fatal(err)
	}

	broken := append(scripts[:len(scripts):len(scripts)], "ALTER TABLE brief ADD COLUMN note TEXT",
		"CREATE TABLE brief (again TEXT)")
	if err := migrate(ctx, db.writes, "state.db", broken); err == nil {
		t.Fatal("a migration that cannot work reports success")
	}
	if got := schemaVersion(t, db); got != unreleased+len(scripts) {
		t.Errorf("a failed migration leaves schema %d, want %d", got, unreleased+len(scripts))
	}
	if _, err := db.writes.Exec("SELECT note FROM brief"); err == nil {
		t.Error("half a migration stays")
	}

	for range 2 { // again is no change
		if err := migrate(ctx, db.writes, "state.db", broken[:len(scripts)+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkItem(s, kept); err != nil {
		t.Errorf("after the migration: %v", err)
	}
	if got := schemaVersion(t, db); got != unreleased+len(scripts)+1 {
		t.Errorf("schema is %d, want %d", got, unreleased+len(scripts)+1)
	}
	err = migrate(ctx, db.writes, "state.db", scripts)
	wantFailed(t, err, citewell.CodeStoreFailed, "this program knows up to")
	if hint := citewell.View(err).Hint; !strings.Contains(hint, "newer") {
		t.Errorf("hint is %q, want it to name the newer program", hint)
	}
}

// TestEveryTableHasTenant holds the rule that no row is without an owner. What is of
// a part of the text index is its tenant's: terms are marked, see partMark. What says which store this
// is holds nothing of anybody.
func TestEveryTableHasTenant(t *testing.T) {
	db := openTest(t, t.TempDir())
	rows, err := db.reads.Query(
		`SELECT m.name FROM sqlite_schema AS m WHERE m.type = 'table' AND m.name NOT LIKE 'document\_%' ESCAPE '\'
		AND m.name NOT LIKE 'text\_terms%' ESCAPE '\' AND m.name NOT IN ('text_vocabulary', 'text_instances', 'text_segment', 'text_posting', 'text_loose', 'text_gone', 'store_identity', 'store_copy')
		AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND NOT EXISTS (SELECT 1 FROM pragma_table_info(m.name) WHERE name = 'tenant')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		t.Errorf("table %s has no tenant", name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
