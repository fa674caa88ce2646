package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// FinishRows implements sqlstore.Copies.
func (e engine) FinishRows(ctx context.Context, op string) error {
	return e.Again(ctx, op, func(ctx context.Context, tx sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE vector_collection AS c SET vectors = (SELECT count(*) FROM vector AS v
			WHERE v.tenant = c.tenant AND v.collection = c.id),
			newest = (SELECT coalesce(max(id), 0) FROM vector AS v WHERE v.tenant = c.tenant AND v.collection = c.id)`)
		return err
	})
}

// OpenView implements sqlstore.Copies.
func (e engine) OpenView(ctx context.Context) (sqlstore.Conn, func() error, error) {
	tx, err := e.reads.BeginTx(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	var one int // the transaction sees what is there at its first look
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM store_identity`).Scan(&one); err != nil {
		tx.Rollback()
		return nil, nil, err
	}
	return conn{tx}, tx.Rollback, nil
}

// Executed implements sqlstore.Copies.
func (e engine) Executed(ctx context.Context, from sqlstore.Conn) (n int, err error) {
	here := e.here.remembering()
	err = sqlstore.Each(ctx, from, leaseColumns+`WHERE owner <> '' AND ended_at = 0`,
		func(scan func(...any) error) error {
			var row leaseRow
			if err := row.scan(scan); err != nil {
				return err
			}
			if !here.free(row.holder) {
				n++
			}
			return nil
		})
	return n, err
}

// WholeBody implements sqlstore.Copies.
func (e engine) WholeBody(sha256 string, size int64, _ []byte) ([]byte, error) {
	if !codec.ValidHash(sha256) {
		return nil, nil
	}
	data, err := e.blobs.Get(sha256, size)
	if citewell.CodeOf(err) == citewell.CodeStoreFailed {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return codec.Pack(data), nil
}

// RemoveRows implements sqlstore.Copies.
func (e engine) RemoveRows(ctx context.Context, tx sqlstore.Tx, kind transfer.Kind, keys []transfer.Row) error {
	where := strings.Join(sqlstore.Columns(kind)[:kind.Key], " = ? AND ") + " = ?"
	for _, key := range keys {
		if _, err := tx.Exec(ctx, `DELETE FROM `+sqlstore.Tables[kind.Name]+` WHERE `+where, key...); err != nil {
			return err
		}
		if kind.Name == transfer.Vectors {
			for _, table := range []string{"vector_code", "vector_tag"} {
				if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE vector = ?`, key...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// InsertRows implements sqlstore.Copies.
func (e engine) InsertRows(ctx context.Context, op string, kind transfer.Kind, rows []transfer.Row) error {
	if kind.Name == transfer.Contents {
		if err := e.copyIn(ctx, kind, rows); err != nil {
			return err
		}
	}
	columns, values := insertColumns(kind)
	statement := words.In(fmt.Sprintf(`INSERT INTO %s (%s) VALUES (?%s)`,
		sqlstore.Tables[kind.Name], strings.Join(columns, ", "), strings.Repeat(", ?", len(columns)-1)))
	return e.Once(ctx, op, func(ctx context.Context, tx sqlstore.Tx) error {
		insert, err := tx.(preparer).PrepareContext(ctx, statement)
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
	})
}
