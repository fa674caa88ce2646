package postgres

import (
	"context"
	"strings"
)

// textTables are what a search of texts reads.
var textTables = []string{"text_document", "text_part", "text_segment", "text_posting", "text_loose", "text_gone",
	"text_metadata"}

// planned has the server look at the tables of texts when there are the first hundred: without statistics a search
// reads every document of a tenant, and takes thirty times as long until autovacuum comes by. It ignores failures.
func (db *DB) planned(ctx context.Context) {
	if db.isPlanned.Load() {
		return
	}
	var known, many bool
	if err := db.pool.QueryRow(ctx,
		`SELECT reltuples >= 100, (SELECT count(*) FROM (SELECT FROM text_document LIMIT 100) AS d) = 100
		FROM pg_class WHERE oid = 'text_document'::regclass`).Scan(&known, &many); err != nil || !known && !many {
		return
	}
	if !known {
		if _, err := db.pool.Exec(ctx, `ANALYZE `+strings.Join(textTables, ", ")); err != nil {
			return
		}
	}
	db.isPlanned.Store(true)
}
