package postgres

import (
	"context"
	"database/sql"
	"slices"

	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

// The parts that both backends have alike.
type (
	sharedDB    = sqlstore.DB
	sharedStore = sqlstore.Store
)

// words are PostgreSQL's.
var words = sqlstore.NewWords("{n}", "n", "{id}", "id", "{least}", "least", "{greatest}", "greatest", "{+}", "")

// dialect is PostgreSQL's.
var dialect = sqlstore.Dialect{Arrays: true}

// A conn implements sqlstore.Conn: strings are escaped on their way in and unescaped on their way out.
type conn struct{ querier }

func (c conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	return affected(c.querier.Exec(ctx, words.In(query), ours(args)...))
}

func (c conn) Query(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	found, err := c.querier.Query(ctx, words.In(query), ours(args)...)
	if err != nil {
		return nil, err
	}
	return rows{found}, nil
}

func (c conn) QueryRow(ctx context.Context, query string, args ...any) sqlstore.Row {
	return row{c.querier.QueryRow(ctx, words.In(query), ours(args)...)}
}

type row struct{ pgx.Row }

func (r row) Scan(targets ...any) error { return r.Row.Scan(unescaping(targets)...) }

type rows struct{ pgx.Rows }

func (r rows) Scan(targets ...any) error { return r.Rows.Scan(unescaping(targets)...) }

func (r rows) Close() error {
	r.Rows.Close()
	return nil
}

// unescaping changes targets so that they take what columns have.
func unescaping(targets []any) []any {
	for i, target := range targets {
		switch target := target.(type) {
		case *string:
			targets[i] = plain{target}
		case *sql.RawBytes:
			targets[i] = (*[]byte)(target)
		}
	}
	return targets
}

// asIs is text that stands in its column as it is.
type asIs string

// ours are arguments as columns of text have them.
func ours(args []any) []any {
	made := args
	put := func(i int, value any) {
		if &made[0] == &args[0] {
			made = slices.Clone(args)
		}
		made[i] = value
	}
	for i, arg := range args {
		switch arg := arg.(type) {
		case asIs:
			put(i, string(arg))
		case []asIs:
			texts := make([]string, len(arg))
			for j, text := range arg {
				texts[j] = string(text)
			}
			put(i, texts)
		case string:
			if text := escape(arg); text != arg {
				put(i, text)
			}
		case []string:
			put(i, escaped(arg))
		}
	}
	return made
}

// A writing implements sqlstore.Tx.
type writing struct {
	conn
	tx pgx.Tx
}

func inTx(tx pgx.Tx) writing { return writing{conn{tx}, tx} }

// Insert implements sqlstore.Tx.
func (w writing) Insert(ctx context.Context, into *sqlstore.Insertion, same []any, rows [][]any) (int64, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	args := same[:len(same):len(same)]
	for i, kind := range into.Kinds {
		switch kind {
		case 't':
			args = append(args, columnOfRows[string](rows, i))
		case 'b':
			args = append(args, columnOfRows[[]byte](rows, i))
		case 'i':
			args = append(args, columnOfRows[int64](rows, i))
		case 'd':
			args = append(args, columnOfRows[float64](rows, i))
		}
	}
	return w.Exec(ctx, into.Arrays, args...)
}

// columnOfRows are the values that rows have at a place.
func columnOfRows[T any](rows [][]any, at int) []T {
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = row[at].(T)
	}
	return all
}

// An engine implements sqlstore.Backend.
type engine struct{ *DB }

// Read implements sqlstore.Engine.
func (b engine) Read(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	return b.reading(ctx, op, func(ctx context.Context) error { return do(ctx, conn{b.pool}) })
}

// View implements sqlstore.Engine.
func (b engine) View(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	return b.reading(ctx, op, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, b.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			return do(ctx, conn{tx})
		})
	})
}

// Alone implements sqlstore.Engine: a statement is a transaction by itself.
func (b engine) Alone(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	return b.Read(ctx, op, do)
}

// Again implements sqlstore.Engine.
func (b engine) Again(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return b.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error { return do(ctx, inTx(tx)) })
}

// Once implements sqlstore.Engine.
func (b engine) Once(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return b.once(ctx, op, func(ctx context.Context, tx pgx.Tx) error { return do(ctx, inTx(tx)) })
}

// Fail implements sqlstore.Engine.
func (b engine) Fail(op string, err error) error { return storeError(op, err) }
