package postgres

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// What rows of one table say of another, by what is wrong where they do not.
var crossings = []struct{ wrong, query string }{
	{"a page of snapshot %s is not kept",
		`SELECT final_url FROM snapshot AS s WHERE NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.tenant = s.tenant AND b.sha256 = s.page_sha256)`},
	{"a text of snapshot %s is not kept",
		`SELECT final_url FROM snapshot AS s WHERE NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.tenant = s.tenant AND b.sha256 = s.text_sha256)`},
	{"a body of a call of run %s is not kept",
		`SELECT r.run::text FROM run_blob AS r WHERE NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.tenant = r.tenant AND b.sha256 = r.sha256)`},
	{"content %s is nobody's",
		`SELECT sha256 FROM blob AS b WHERE NOT EXISTS (SELECT 1 FROM run_blob AS r WHERE r.tenant = b.tenant AND r.sha256 = b.sha256)
		AND NOT EXISTS (SELECT 1 FROM snapshot AS s WHERE s.tenant = b.tenant AND b.sha256 IN (s.page_sha256, s.text_sha256))`},
	{"the log of run %s has gaps",
		`SELECT r.id FROM run AS r WHERE seq <> (SELECT count(*) FROM run_event AS e WHERE e.tenant = r.tenant AND e.run = r.n)
		OR seq <> (SELECT coalesce(max(e.seq), 0) FROM run_event AS e WHERE e.tenant = r.tenant AND e.run = r.n)`},
	{"events of run %s are of no run",
		`SELECT DISTINCT e.run::text FROM run_event AS e WHERE NOT EXISTS (SELECT 1 FROM run AS r WHERE r.tenant = e.tenant AND r.n = e.run)`},
	{"passage %s is of no source",
		`SELECT p.id FROM passage AS p WHERE NOT EXISTS (SELECT 1 FROM source AS s WHERE s.tenant = p.tenant AND s.brief = p.brief AND s.n = p.n)`},
}

// Damage implements sqlstore.Checks: what the server says has ended the transaction.
func (e engine) Damage(err error) (message string, is bool) {
	return citewell.View(err).Message, isOurs(err) && citewell.CodeOf(err) == citewell.CodeStoreFailed
}

// CheckSteps implements sqlstore.Checks.
func (e engine) CheckSteps() (before, after []sqlstore.CheckStep) {
	patient := func(ctx context.Context, from sqlstore.Conn, _ *upkeep.CheckReport) error {
		_, err := from.Exec(ctx, `SET LOCAL statement_timeout = 0`)
		return err
	}
	return []sqlstore.CheckStep{{Do: patient}},
		[]sqlstore.CheckStep{{What: "contents", Do: checkContents}, {What: "records", Do: checkCrossings}}
}

func checkContents(ctx context.Context, from sqlstore.Conn, report *upkeep.CheckReport) error {
	return sqlstore.Each(ctx, from, `SELECT sha256, size, body FROM blob`, func(scan func(...any) error) error {
		var sha256 string
		var size int64
		var body []byte
		if err := scan(&sha256, &size, &body); err != nil {
			return err
		}
		report.Contents++
		if _, err := codec.UnpackContent("store.check", body, sha256, size); err != nil {
			report.Problem("%s", citewell.View(err).Message)
		}
		return nil
	})
}

func checkCrossings(ctx context.Context, from sqlstore.Conn, report *upkeep.CheckReport) error {
	for _, c := range crossings {
		wrong, err := sqlstore.ReadColumn[string](ctx, from, c.query)
		if err != nil {
			return err
		}
		for _, name := range wrong {
			report.Problem(c.wrong, name)
		}
	}
	return nil
}
