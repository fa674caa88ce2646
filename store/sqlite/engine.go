package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"time"

	"github.com/citewell/citewell/store/internal/sqlstore"
	sqlite3 "modernc.org/sqlite"
)

func init() {
	sqlite3.MustRegisterScalarFunction("micros", 0, func(*sqlite3.FunctionContext, []driver.Value) (driver.Value, error) {
		return time.Now().UnixMicro(), nil
	})
}

// The parts that both backends have alike.
type (
	sharedDB    = sqlstore.DB
	sharedStore = sqlstore.Store
)

// words are SQLite's. Without a plus, it may read all rows of a tenant to find a few.
var words = sqlstore.NewWords("{n}", "id", "{id}", "name", "{least}", "min", "{greatest}", "max", "{+}", "+")

// dialect is SQLite's.
var dialect = sqlstore.Dialect{}

// A handle is a pool or a transaction.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A conn implements sqlstore.Conn.
type conn struct{ handle }

func (c conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	return affected(c.ExecContext(ctx, words.In(query), args...))
}

func (c conn) Query(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	rows, err := c.QueryContext(ctx, words.In(query), args...)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (c conn) QueryRow(ctx context.Context, query string, args ...any) sqlstore.Row {
	return c.QueryRowContext(ctx, words.In(query), args...)
}

// A writing implements sqlstore.Tx. What is written again and again is parsed once.
type writing struct {
	conn
	*sql.Tx
	parsed map[string]*sql.Stmt
}

func (w writing) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if parsed := w.parsed[query]; parsed != nil {
		return affected(w.StmtContext(ctx, parsed).ExecContext(ctx, args...))
	}
	return w.conn.Exec(ctx, query, args...)
}

func (w writing) QueryRow(ctx context.Context, query string, args ...any) sqlstore.Row {
	if parsed := w.parsed[query]; parsed != nil {
		return w.StmtContext(ctx, parsed).QueryRowContext(ctx, args...)
	}
	return w.conn.QueryRow(ctx, query, args...)
}

func (w writing) Query(ctx context.Context, query string, args ...any) (sqlstore.Rows, error) {
	return w.conn.Query(ctx, query, args...)
}

// Insert implements sqlstore.Tx.
func (w writing) Insert(ctx context.Context, into *sqlstore.Insertion, same []any, rows [][]any) (added int64, err error) {
	statement := w.parsed[into.Values]
	if statement != nil {
		statement = w.StmtContext(ctx, statement)
	} else if statement, err = w.PrepareContext(ctx, words.In(into.Values)); err != nil {
		return 0, err
	} else {
		defer statement.Close()
	}
	for _, row := range rows {
		n, err := affected(statement.ExecContext(ctx, append(same[:len(same):len(same)], row...)...))
		if err != nil {
			return added, err
		}
		added += n
	}
	return added, nil
}

// An engine implements sqlstore.Backend.
type engine struct{ *DB }

// Read implements sqlstore.Engine.
func (b engine) Read(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	return storeError(op, do(ctx, conn{b.reads}))
}

// View implements sqlstore.Engine.
func (b engine) View(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	tx, err := b.reads.BeginTx(ctx, nil)
	if err != nil {
		return storeError(op, err)
	}
	defer tx.Rollback()
	return storeError(op, do(ctx, conn{tx}))
}

// Alone implements sqlstore.Engine.
func (b engine) Alone(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	return b.Once(ctx, op, func(ctx context.Context, tx sqlstore.Tx) error { return do(ctx, tx) })
}

// Again implements sqlstore.Engine.
func (b engine) Again(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return b.Once(ctx, op, do)
}

// Once implements sqlstore.Engine: the outcome of a commit is known here.
func (b engine) Once(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return storeError(op, b.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error { return do(ctx, b.writing(tx)) }))
}

func (db *DB) writing(tx *sql.Tx) writing { return writing{conn{tx}, tx, db.parsed} }

// Fail implements sqlstore.Engine.
func (b engine) Fail(op string, err error) error { return storeError(op, err) }

// parse prepares what is written again and again, for all the time that a store is open.
func (db *DB) parse(ctx context.Context) error {
	db.parsed = make(map[string]*sql.Stmt)
	for _, query := range sqlstore.Written() {
		parsed, err := db.writes.PrepareContext(ctx, words.In(query))
		if err != nil {
			return err
		}
		db.parsed[query] = parsed
	}
	return nil
}

func (db *DB) forgetParsed() error {
	var errs []error
	for _, parsed := range db.parsed {
		errs = append(errs, parsed.Close())
	}
	return errors.Join(errs...)
}
