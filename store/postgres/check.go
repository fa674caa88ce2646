package postgres

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/jackc/pgx/v5"
)

// packedColumns are all that hold what codec.Pack made, with what names a row.
var packedColumns = []struct{ table, column, name string }{
	{"snapshot", "page_record", "final_url"}, {"snapshot", "document_record", "final_url"},
	{"source", "record", "brief || ' ' || n"}, {"passage", "record", "id"}, {"brief", "record", "id"},
	{"graph_node", "record", "id"}, {"graph_edge", "record", "src || ' ' || rel || ' ' || dst"},
	{"run_request", "request_record", "run::text"}, {"run_request", "budget_record", "run::text"}, {"run_event", "record", "run || ' ' || seq"},
	{"run_call", "input_record", "run || ' ' || key"}, {"run_call", "result_record", "run || ' ' || key"},
	{"run_call", "cost_record", "run || ' ' || key"}, {"run_call", "error_record", "run || ' ' || key"},
	{"run_message", "record", "run || ' ' || name"}, {"vector_item", "record", "name"},
}

// What rows of one table say of another, by what is wrong where they do not.
var crossings = []struct{ wrong, query string }{
	{"a page of snapshot %s is not kept", `SELECT final_url FROM snapshot AS s WHERE NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.tenant = s.tenant AND b.sha256 = s.page_sha256)`},
	{"a text of snapshot %s is not kept", `SELECT final_url FROM snapshot AS s WHERE NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.tenant = s.tenant AND b.sha256 = s.text_sha256)`},
	{"a body of a call of run %s is not kept", `SELECT r.run::text FROM run_blob AS r WHERE NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.tenant = r.tenant AND b.sha256 = r.sha256)`},
	{"content %s is nobody's", `SELECT sha256 FROM blob AS b WHERE NOT EXISTS (SELECT 1 FROM run_blob AS r WHERE r.tenant = b.tenant AND r.sha256 = b.sha256)
		AND NOT EXISTS (SELECT 1 FROM snapshot AS s WHERE s.tenant = b.tenant AND b.sha256 IN (s.page_sha256, s.text_sha256))`},
	{"the log of run %s has gaps", `SELECT r.id FROM run AS r WHERE seq <> (SELECT count(*) FROM run_event AS e WHERE e.tenant = r.tenant AND e.run = r.n)
		OR seq <> (SELECT coalesce(max(e.seq), 0) FROM run_event AS e WHERE e.tenant = r.tenant AND e.run = r.n)`},
	{"events of run %s are of no run", `SELECT DISTINCT e.run::text FROM run_event AS e WHERE NOT EXISTS (SELECT 1 FROM run AS r WHERE r.tenant = e.tenant AND r.n = e.run)`},
	{"passage %s is of no source", `SELECT p.id FROM passage AS p WHERE NOT EXISTS (SELECT 1 FROM source AS s WHERE s.tenant = p.tenant AND s.brief = p.brief AND s.n = p.n)`},
}

// Check reads everything the store keeps, of all tenants, and holds it against its checksums,
// its hashes and itself. The pages of the database are PostgreSQL's to check: pg_amcheck, and
// checksums where the cluster has them. Damage is in the report; an error means that checking
// itself could not go on.
func (db *DB) Check(ctx context.Context) (store.CheckReport, error) {
	report := store.CheckReport{Problems: []string{}}
	// One view, whatever is written meanwhile.
	err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0`); err != nil {
			return err
		}
		return check(ctx, tx, &report)
	})
	return report, storeError("store.check", err)
}

func check(ctx context.Context, tx pgx.Tx, report *store.CheckReport) error {
	for _, step := range []func(context.Context, pgx.Tx, *store.CheckReport) error{checkRecords, checkEmbeddings, checkTexts, checkContents, checkCrossings} {
		if err := step(ctx, tx, report); err != nil {
			return err
		}
	}
	return nil
}

func checkRecords(ctx context.Context, tx pgx.Tx, report *store.CheckReport) error {
	for _, p := range packedColumns {
		if err := each(ctx, tx, `SELECT `+p.name+`, `+p.column+` FROM `+p.table+` WHERE `+p.column+` IS NOT NULL`, func(scan func(...any) error) error {
			var name string
			var record []byte
			if err := scan(plain{&name}, &record); err != nil {
				return err
			}
			report.Records++
			if _, err := codec.Unpack("store.check", record); err != nil {
				report.Problem("%s of %s %s: %s", p.column, p.table, name, citewell.View(err).Message)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func checkContents(ctx context.Context, tx pgx.Tx, report *store.CheckReport) error {
	return each(ctx, tx, `SELECT sha256, size, body FROM blob`, func(scan func(...any) error) error {
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

func checkCrossings(ctx context.Context, tx pgx.Tx, report *store.CheckReport) error {
	for _, c := range crossings {
		wrong, err := readColumn[string](ctx, tx, c.query)
		if err != nil {
			return err
		}
		for _, name := range wrong {
			report.Problem(c.wrong, unescape(name))
		}
	}
	return nil
}
