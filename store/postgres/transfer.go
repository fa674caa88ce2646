package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

// numbers are the columns that the server numbers.
var numbers = map[string]string{"snapshot": "id", "vector_collection": "id", "vector_item": "id", "run": "n",
	"run_call": "n", "run_message": "n"}

// FinishRows implements sqlstore.Copies. What the server numbers goes on after what was copied.
func (e engine) FinishRows(ctx context.Context, op string) error {
	if err := e.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		for table, column := range numbers {
			if _, err := tx.Exec(ctx, fmt.Sprintf(
				`SELECT setval(pg_get_serial_sequence('%s', '%s'), (SELECT coalesce(max(%[2]s), 0) + 1 FROM %[1]s), false)`, table, column)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx,
			`UPDATE vector_collection AS c SET vectors = (SELECT count(*) FROM vector_item AS v WHERE v.tenant = c.tenant AND v.collection = c.id)`)
		return err
	}); err != nil {
		return err
	}
	return e.indexCopied(ctx)
}

// indexCopied makes the indexes of large collections and tells the planner what there is.
func (db *DB) indexCopied(ctx context.Context) error {
	all, err := sqlstore.AllCollections(ctx, conn{db.pool})
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
	_, err = db.pool.Exec(ctx, words.In(`ANALYZE `+strings.Join(
		slices.Concat(slices.Sorted(maps.Values(sqlstore.Tables)),
			textTables), ", ")))
	return err
}

// OpenView implements sqlstore.Copies.
func (e engine) OpenView(ctx context.Context) (sqlstore.Conn, func() error, error) {
	held, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, nil, err
	}
	tx, err := held.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err == nil {
		// It sees what is there at its first look.
		_, err = tx.Exec(ctx,
			`SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT count(*) FROM store_identity`)
	}
	if err != nil {
		held.Release()
		return nil, nil, err
	}
	return conn{tx}, func() error {
		defer held.Release()
		return tx.Rollback(context.Background())
	}, nil
}

// Executed implements sqlstore.Copies.
func (e engine) Executed(ctx context.Context, from sqlstore.Conn) (n int, err error) {
	err = from.QueryRow(ctx, `SELECT count(*) FROM run WHERE owner <> '' AND ended_at = 0 AND expires_at > micros()
		AND expires_at <= micros() + ttl`).Scan(&n)
	return n, err
}

// WholeBody implements sqlstore.Copies.
func (e engine) WholeBody(sha256 string, size int64, body []byte) ([]byte, error) {
	_, err := codec.UnpackContent("store.copy", body, sha256, size)
	if citewell.CodeOf(err) == citewell.CodeStoreFailed {
		return nil, nil
	}
	return body, err
}

// RemoveRows implements sqlstore.Copies.
func (e engine) RemoveRows(ctx context.Context, tx sqlstore.Tx, kind transfer.Kind, keys []transfer.Row) error {
	arrays, args := make([]string, kind.Key), make([]any, kind.Key)
	for i, c := range kind.Columns[:kind.Key] {
		if c.Type == transfer.Integer {
			arrays[i], args[i] = fmt.Sprintf("$%d::bigint[]", i+1), columnOf[int64](keys, i)
		} else {
			arrays[i], args[i] = fmt.Sprintf("$%d::text[]", i+1), columnOf[string](keys, i)
		}
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(`DELETE FROM %s WHERE (%s) IN (SELECT * FROM unnest(%s))`,
		sqlstore.Tables[kind.Name],
		strings.Join(sqlstore.Columns(kind)[:kind.Key], ", "), strings.Join(arrays, ", ")), args...); err != nil ||
		kind.Name != transfer.Vectors {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM vector_tag WHERE vector = ANY ($1)`, args...)
	return err
}
