package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/transfer"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var _ transfer.Target = (*DB)(nil)

// tables are those of the kinds, and numbered the column that the server numbers in them.
var (
	tables = map[string]string{
		transfer.Contents: "blob", transfer.Snapshots: "snapshot", "sources": "source", "passages": "passage", "briefs": "brief",
		transfer.Documents: "text_document", transfer.Collections: "vector_collection", transfer.Vectors: "vector_item",
		"nodes": "graph_node", "labels": "graph_label", transfer.Edges: "graph_edge",
		transfer.Runs: "run", "requests": "run_request", "tasks": "run_task", "events": "run_event", transfer.Calls: "run_call",
		"messages": "run_message", "bodies": "run_blob", "answers": "run_answer", "spending": "spending", "watches": "watch", "paces": "pace",
	}
	numbers = map[string]string{"snapshot": "id", "vector_collection": "id", "vector_item": "id", "run": "n", "run_call": "n", "run_message": "n"}
)

// columnOf is a kind's column as the table here has it: what a run is called is its id, and what
// numbers it is n.
func columnOf(kind, name string) string {
	switch {
	case kind == transfer.Runs && name == "name":
		return "id"
	case (kind == transfer.Runs || kind == transfer.Calls) && name == "id":
		return "n"
	}
	return name
}

// Identity implements transfer.Source.
func (db *DB) Identity(ctx context.Context) (id string, err error) {
	err = db.reading(ctx, "store.copy", func(ctx context.Context) error {
		return db.pool.QueryRow(ctx, `SELECT id FROM store_identity`).Scan(&id)
	})
	return id, err
}

// CopyMark implements transfer.Target.
func (db *DB) CopyMark(ctx context.Context) (transfer.Mark, error) {
	return read(ctx, db, "store.copy", func(ctx context.Context) (mark transfer.Mark, err error) {
		_, err = anyRow(db.pool.QueryRow(ctx, `SELECT source, finished FROM store_copy`).Scan(&mark.Source, &mark.Finished))
		return mark, err
	})
}

// BeginCopy implements transfer.Target.
func (db *DB) BeginCopy(ctx context.Context, source string) error {
	return db.again(ctx, "store.copy", func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM store_copy`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO store_copy VALUES ($1, false)`, source)
		return err
	})
}

// FinishCopy implements transfer.Target. What the server numbers goes on after what was copied.
func (db *DB) FinishCopy(ctx context.Context) error {
	const op = "store.copy"
	err := db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		for table, column := range numbers {
			if _, err := tx.Exec(ctx, fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%s', '%s'), (SELECT coalesce(max(%[2]s), 0) + 1 FROM %[1]s), false)`, table, column)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `UPDATE vector_collection AS c SET vectors = (SELECT count(*) FROM vector_item AS v WHERE v.tenant = c.tenant AND v.collection = c.id)`)
		return err
	})
	if err != nil {
		return err
	}
	if err := db.indexCopied(ctx); err != nil {
		return storeError(op, err)
	}
	return db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE store_copy SET finished = true`)
		return err
	})
}

// indexCopied makes the indexes of large collections and tells the planner what there is.
func (db *DB) indexCopied(ctx context.Context) error {
	all, err := readRows(ctx, db.pool, `SELECT `+collectionColumns+` FROM vector_collection`, scanCollection)
	if err != nil {
		return err
	}
	for _, c := range all {
		if db.near && c.Dimension <= nearDimensions && c.Vectors >= nearFrom {
			if err := db.makeNear(ctx, c); err != nil {
				return err
			}
		}
	}
	_, err = db.pool.Exec(ctx, `ANALYZE `+strings.Join(slices.Concat(slices.Sorted(maps.Values(tables)), textTables), ", "))
	return err
}

// refuseUnfinished is the error of opening a copy that is not finished.
func refuseUnfinished(ctx context.Context, conn querier) error {
	var finished bool
	there, err := anyRow(conn.QueryRow(ctx, `SELECT finished FROM store_copy`).Scan(&finished))
	if err != nil || !there || finished {
		return err
	}
	return transfer.Unfinished()
}

// A view is a transaction that reads.
type view struct {
	conn *pgxpool.Conn
	tx   pgx.Tx
}

// View implements transfer.Source.
func (db *DB) View(ctx context.Context) (transfer.View, error) {
	const op = "store.copy"
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return nil, storeError(op, err)
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err == nil {
		// It sees what is there at its first look.
		_, err = tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT count(*) FROM store_identity`)
	}
	if err != nil {
		conn.Release()
		return nil, storeError(op, err)
	}
	return view{conn, tx}, nil
}

// Close implements transfer.View.
func (v view) Close() error {
	defer v.conn.Release()
	return v.tx.Rollback(context.Background())
}

// Any implements transfer.View.
func (v view) Any(ctx context.Context, kind transfer.Kind) (any bool, err error) {
	err = v.tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+tables[kind.Name]+`)`).Scan(&any)
	return any, storeError("store.copy", err)
}

// Executed implements transfer.View.
func (v view) Executed(ctx context.Context) (n int, err error) {
	err = v.tx.QueryRow(ctx, `SELECT count(*) FROM run WHERE owner <> '' AND ended_at = 0 AND expires_at > micros() AND expires_at <= micros() + ttl`).Scan(&n)
	return n, storeError("store.copy", err)
}

// Rows implements transfer.View.
func (v view) Rows(ctx context.Context, kind transfer.Kind, do func(transfer.Row) error) error {
	columns := make([]string, len(kind.Columns))
	for i, c := range kind.Columns {
		columns[i] = "t." + columnOf(kind.Name, c.Name)
	}
	from := tables[kind.Name] + ` AS t`
	if kind.Name == transfer.Documents {
		columns[kind.At("language")] = "p.language"
		from += ` JOIN text_part AS p ON p.id = t.part ORDER BY t.tenant, t.index_name, t.id`
	}
	read, row := kind.Scan()
	targets := slices.Clone(read)
	for i, target := range read {
		if text, ok := target.(*string); ok {
			targets[i] = plain{text}
		}
	}
	return storeError("store.copy", each(ctx, v.tx, `SELECT `+strings.Join(columns, ", ")+` FROM `+from, func(scan func(...any) error) error {
		if err := scan(targets...); err != nil {
			return err
		}
		made := row()
		if kind.Name == transfer.Contents {
			at := kind.At("body")
			_, err := codec.UnpackContent("store.copy", made[at].([]byte), made[kind.At("sha256")].(string), made[kind.At("size")].(int64))
			if citewell.CodeOf(err) == citewell.CodeStoreFailed {
				made[at] = []byte(nil)
			} else if err != nil {
				return err
			}
		}
		return do(made)
	}))
}

// Remove implements transfer.Target.
func (db *DB) Remove(ctx context.Context, kind transfer.Kind, keys []transfer.Row) error {
	if kind.Name == transfer.Documents {
		return db.moveTexts(ctx, keys, func(ctx context.Context, w *textWrite, rows []int) error {
			var names []string
			for _, i := range rows {
				names = append(names, keys[i][kind.At("key")].(string))
			}
			_, err := w.forget(ctx, names)
			return err
		})
	}
	names, columns, args := make([]string, kind.Key), make([]string, kind.Key), make([]any, kind.Key)
	for i, c := range kind.Columns[:kind.Key] {
		names[i] = columnOf(kind.Name, c.Name)
		if c.Type == transfer.Integer {
			columns[i], args[i] = fmt.Sprintf("$%d::bigint[]", i+1), integers(keys, i)
		} else {
			columns[i], args[i] = fmt.Sprintf("$%d::text[]", i+1), texts(keys, i)
		}
	}
	statement := fmt.Sprintf(`DELETE FROM %s WHERE (%s) IN (SELECT * FROM unnest(%s))`, tables[kind.Name], strings.Join(names, ", "), strings.Join(columns, ", "))
	return db.again(ctx, "store.copy", func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, statement, args...); err != nil || kind.Name != transfer.Vectors {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM vector_tag WHERE vector = ANY ($1)`, args...)
		return err
	})
}

func integers(rows []transfer.Row, at int) []int64 {
	all := make([]int64, len(rows))
	for i, row := range rows {
		all[i] = row[at].(int64)
	}
	return all
}

// texts are values as their column has them.
func texts(rows []transfer.Row, at int) []string {
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = escape(row[at].(string))
	}
	return all
}

func byteses(rows []transfer.Row, at int) [][]byte {
	all := make([][]byte, len(rows))
	for i, row := range rows {
		all[i] = row[at].([]byte)
	}
	return all
}
