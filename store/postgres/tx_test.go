package postgres

import (
	"bytes"
	"testing"
	"time"
)

// Marks rise with the time, and those that are old go.
func TestMarks(t *testing.T) {
	now := time.Now()
	older, newer := newMark(now), newMark(now.Add(time.Microsecond))
	if other := newMark(now); bytes.Compare(older[:], newer[:]) >= 0 || older == other {
		t.Errorf("a later mark is %x, after %x", newer, older)
	}
	db := openTest(t)
	exec(t, db, `DELETE FROM write_mark`)
	for _, age := range []time.Duration{0, markKept - time.Minute, markKept + time.Minute, 48 * time.Hour} {
		mark := newMark(now.Add(-age))
		exec(t, db, `INSERT INTO write_mark VALUES ($1)`, mark[:])
	}
	if err := sweepMarks(t.Context(), db.pool); err != nil {
		t.Fatal(err)
	}
	left, err := readColumn[[]byte](t.Context(), db.pool, `SELECT id FROM write_mark`)
	if err != nil || len(left) != 2 {
		t.Errorf("%d marks are left (%v), want 2", len(left), err)
	}
}
