package postgres

import (
	"bytes"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// Marks rise with the time, and those that are old go.
func TestMarks(t *testing.T) {
	now := time.Now()
	older, newer := newMark(now), newMark(now.Add(time.Microsecond))
	if other := newMark(now); bytes.Compare(older[:], newer[:]) >= 0 || older == other {
		t.Errorf("a later mark is %x, after %x", newer, older)
	}
	db := openURL(t, Options{URL: pgtest.URL(t)})
	const apart = 3 * time.Hour // the server's clock is that far behind this machine's
	exec(t, db, `CREATE OR REPLACE FUNCTION micros() RETURNS bigint LANGUAGE sql VOLATILE
		AS $$ SELECT ((extract(epoch FROM clock_timestamp()) - 10800) * 1000000)::bigint $$`)
	db = reopen(t, db)
	if err := db.Tenant("t").Spend(t.Context(), "c", now, runstore.Spent{Tokens: 1}); err != nil {
		t.Fatal(err)
	}
	var made []byte
	if err := db.pool.QueryRow(t.Context(), `SELECT id FROM write_mark`).Scan(&made); err != nil ||
		bytes.Compare(made, older[:]) >= 0 {
		t.Errorf("a mark goes by this machine's clock: %x (%v)", made, err)
	}
	exec(t, db, `DELETE FROM write_mark`)
	for _, age := range []time.Duration{0, markKept - time.Minute, markKept + time.Minute, 48 * time.Hour} {
		mark := newMark(now.Add(-age - apart))
		exec(t, db, `INSERT INTO write_mark VALUES ($1)`, mark[:])
	}
	if err := db.sweepMarks(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := sqlstore.ReadColumn[[]byte](t.Context(), conn{db.pool}, `SELECT id FROM write_mark`)
	if err != nil || len(left) != 2 {
		t.Errorf("%d marks are left (%v), want 2", len(left), err)
	}
}
