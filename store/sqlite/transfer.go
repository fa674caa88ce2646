package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/transfer"
)

var _ transfer.Target = (*DB)(nil)

// tables are those of the kinds.
var tables = map[string]string{
	transfer.Contents: "blob", transfer.Snapshots: "snapshot", "sources": "source", "passages": "passage", "briefs": "brief",
	transfer.Documents: "text_document", transfer.Collections: "vector_collection", transfer.Vectors: "vector",
	"nodes": "graph_node", "labels": "graph_label", transfer.Edges: "graph_edge",
	transfer.Runs: "run", "requests": "run_request", "tasks": "run_task", "events": "run_event", transfer.Calls: "run_call",
	"messages": "run_message", "bodies": "run_blob", "answers": "run_answer", "spending": "spending", "watches": "watch", "paces": "pace",
}

// Identity implements transfer.Source.
func (db *DB) Identity(ctx context.Context) (id string, err error) {
	err = db.reads.QueryRowContext(ctx, `SELECT id FROM store_identity`).Scan(&id)
	return id, storeError("store.copy", err)
}

// CopyMark implements transfer.Target.
func (db *DB) CopyMark(ctx context.Context) (mark transfer.Mark, err error) {
	_, err = anyRow(db.reads.QueryRowContext(ctx, `SELECT source, finished FROM store_copy`).Scan(&mark.Source, &mark.Finished))
	return mark, storeError("store.copy", err)
}

// BeginCopy implements transfer.Target.
func (db *DB) BeginCopy(ctx context.Context, source string) error {
	return storeError("store.copy", db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM store_copy`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO store_copy (source, finished) VALUES (?, 0)`, source)
		return err
	}))
}

// FinishCopy implements transfer.Target.
func (db *DB) FinishCopy(ctx context.Context) error {
	return storeError("store.copy", db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE vector_collection AS c SET vectors = (SELECT count(*) FROM vector AS v WHERE v.tenant = c.tenant AND v.collection = c.id),
			newest = (SELECT coalesce(max(id), 0) FROM vector AS v WHERE v.tenant = c.tenant AND v.collection = c.id)`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE store_copy SET finished = 1`)
		return err
	}))
}

// refuseUnfinished is the error of opening a copy that is not finished.
func refuseUnfinished(ctx context.Context, db querier) error {
	var finished bool
	there, err := anyRow(db.QueryRowContext(ctx, `SELECT finished FROM store_copy`).Scan(&finished))
	if err != nil || !there || finished {
		return err
	}
	return transfer.Unfinished()
}

// A view is a transaction that reads.
type view struct {
	db *DB
	tx *sql.Tx
}

// View implements transfer.Source.
func (db *DB) View(ctx context.Context) (transfer.View, error) {
	const op = "store.copy"
	tx, err := db.reads.BeginTx(ctx, nil)
	if err != nil {
		return nil, storeError(op, err)
	}
	var one int // the transaction sees what is there at its first look
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM store_identity`).Scan(&one); err != nil {
		tx.Rollback()
		return nil, storeError(op, err)
	}
	return view{db, tx}, nil
}

// Close implements transfer.View.
func (v view) Close() error { return v.tx.Rollback() }

// Any implements transfer.View.
func (v view) Any(ctx context.Context, kind transfer.Kind) (any bool, err error) {
	err = v.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+tables[kind.Name]+`)`).Scan(&any)
	return any, storeError("store.copy", err)
}

// Executed implements transfer.View.
func (v view) Executed(ctx context.Context) (n int, err error) {
	here := v.db.here.remembering()
	err = each(ctx, v.tx, leaseColumns+`WHERE owner <> '' AND ended_at = 0`, func(scan func(...any) error) error {
		var row leaseRow
		if err := row.scan(scan); err != nil {
			return err
		}
		if !here.free(row.holder) {
			n++
		}
		return nil
	})
	return n, storeError("store.copy", err)
}

// Rows implements transfer.View.
func (v view) Rows(ctx context.Context, kind transfer.Kind, do func(transfer.Row) error) error {
	columns := make([]string, len(kind.Columns))
	for i, c := range kind.Columns {
		columns[i] = "t." + c.Name
	}
	from := tables[kind.Name] + ` AS t`
	switch kind.Name {
	case transfer.Contents:
		columns[kind.At("body")] = "NULL"
	case transfer.Documents:
		columns[kind.At("language")] = "p.language"
		from += ` JOIN text_part AS p ON p.id = t.part ORDER BY t.id`
	}
	targets, row := kind.Scan()
	return storeError("store.copy", each(ctx, v.tx, `SELECT `+strings.Join(columns, ", ")+` FROM `+from, func(scan func(...any) error) error {
		if err := scan(targets...); err != nil {
			return err
		}
		made := row()
		if kind.Name == transfer.Contents {
			if err := v.readBody(kind, made); err != nil {
				return err
			}
		}
		return do(made)
	}))
}

// readBody adds the bytes of a content, packed, where they are whole.
func (v view) readBody(kind transfer.Kind, row transfer.Row) error {
	sha256 := row[kind.At("sha256")].(string)
	if !codec.ValidHash(sha256) {
		return nil
	}
	data, err := v.db.blobs.Get(sha256, row[kind.At("size")].(int64))
	if citewell.CodeOf(err) == citewell.CodeStoreFailed {
		return nil
	}
	if err == nil {
		row[kind.At("body")] = codec.Pack(data)
	}
	return err
}

// Remove implements transfer.Target.
func (db *DB) Remove(ctx context.Context, kind transfer.Kind, keys []transfer.Row) error {
	conditions := make([]string, kind.Key)
	for i, c := range kind.Columns[:kind.Key] {
		conditions[i] = c.Name + " = ?"
	}
	statement := `DELETE FROM ` + tables[kind.Name] + ` WHERE ` + strings.Join(conditions, " AND ")
	return storeError("store.copy", db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if kind.Name == transfer.Documents {
			return db.moveTexts(ctx, tx, keys, func(w textWrite, i int) error {
				_, err := w.forget(ctx, keys[i][kind.At("key")].(string))
				return err
			})
		}
		for _, key := range keys {
			if _, err := tx.ExecContext(ctx, statement, key...); err != nil {
				return err
			}
			if kind.Name == transfer.Vectors {
				for _, table := range []string{"vector_code", "vector_tag"} {
					if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE vector = ?`, key...); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}))
}

// Insert implements transfer.Target.
func (db *DB) Insert(ctx context.Context, kind transfer.Kind, rows []transfer.Row) error {
	if kind.Name == transfer.Contents {
		if err := db.copyIn(ctx, kind, rows); err != nil {
			return storeError("store.copy", err)
		}
	}
	if kind.Name == transfer.Documents {
		return db.insertTexts(ctx, kind, rows)
	}
	columns, values, err := insertColumns(kind)
	if err != nil {
		return err
	}
	statement := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (?%s)`, tables[kind.Name], strings.Join(columns, ", "), strings.Repeat(", ?", len(columns)-1))
	return storeError("store.copy", db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, statement)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, row := range rows {
			if _, err := insert.ExecContext(ctx, values(row)...); err != nil {
				return err
			}
			if kind.Name == transfer.Vectors {
				if err := insertCode(ctx, tx, kind, row); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}
