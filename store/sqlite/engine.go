package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell/store/internal/follow"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/textsql"
	sqlite3 "modernc.org/sqlite"
)

func init() {
	sqlite3.MustRegisterScalarFunction("micros", 0, func(*sqlite3.FunctionContext,
		[]driver.Value) (driver.Value, error) {
		return time.Now().UnixMicro(), nil
	})
}

// The parts that both backends have alike.
type (
	sharedDB    = sqlstore.DB
	sharedStore = sqlstore.Store
)

// words are SQLite's. Without a plus, it may read all rows of a tenant to find a few.
var words = sqlstore.NewWords("{n}", "id", "{id}", "name", "{+}", "+", "{least}", "min", "{strpos}", "instr",
	"{then join}", "CROSS JOIN", // SQLite's word for tables that are read in the order in which they are named
	"{for key share}", "", "{for update}", "", "{no owner}", "owner = '', boot = '', process = ''",
	"{snapshot key}", "id", "{url}", "final_url", "{d.head =}", "", "{key}", "key",
	"{head,}", "", "{body}", "NULL", "{t.tenant, t.index_name,}", "", "{vector}", "vector",
	"{collection}", "newest, gone, gone_known, false", "{, created_at}", ", created_at", "{, micros()}", ", micros()")

// dialect is SQLite's.
var dialect = sqlstore.Dialect{
	LastTurn: `WITH clock AS MATERIALIZED (SELECT micros() AS now) SELECT now, max(
		coalesce((SELECT created_at + behind FROM run WHERE tenant = $1 AND wanted = 1 AND caller <> $2
			AND created_at + behind <= now
			ORDER BY created_at + behind DESC LIMIT 1), 0),
		coalesce((SELECT max(created_at + behind) FROM run WHERE tenant = $1 AND state = $3 AND caller <> $2
			AND created_at + behind <= now), 0))
		FROM clock`,
	TenantsWanting: `SELECT tenant FROM run WHERE wanted = 1 UNION SELECT tenant FROM watch WHERE next_at <= micros()`,
	LongestWait: `SELECT max(0, coalesce(micros() - (SELECT min(updated_at) FROM run WHERE wanted = 1
		AND owner = ''), 0))`,
	AddMessage: `INSERT INTO run_message (tenant, run, n, name, record)
		SELECT $1, $2, coalesce(max(n), 0) + 1, $3, $4 FROM run_message WHERE run = $2`,
	InsertEdges: insertEdges,
	Texts:       textsql.Bytes,
	LooseTexts: `SELECT l.document, l.terms, d.terms_record FROM text_loose AS l
		JOIN text_document AS d ON d.id = l.document
		WHERE l.part = $1 ORDER BY l.document`,
	StaleAfter: `(terms_version, id) > ($2, $5) ORDER BY terms_version, id`,
}

// A handle is a pool or a transaction.
type handle interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	preparer
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A preparer prepares what is asked again and again.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
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
	return affected(w.execute(ctx, query, args...))
}

func (w writing) execute(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if parsed := w.parsed[query]; parsed != nil {
		return w.StmtContext(ctx, parsed).ExecContext(ctx, args...)
	}
	return w.ExecContext(ctx, words.In(query), args...)
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
func (w writing) Insert(ctx context.Context, into *sqlstore.Insertion, same []any,
	rows [][]any) (added int64, err error) {
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
func (e engine) Read(ctx context.Context, op string, do func(sqlstore.Conn) error) error {
	return storeError(op, do(conn{e.reads}))
}

// View implements sqlstore.Engine.
func (e engine) View(ctx context.Context, op string, do func(sqlstore.Conn) error) error {
	tx, err := e.reads.BeginTx(ctx, nil)
	if err != nil {
		return storeError(op, err)
	}
	defer tx.Rollback()
	return storeError(op, do(conn{tx}))
}

// Alone implements sqlstore.Engine.
func (e engine) Alone(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	return e.Once(ctx, op, func(ctx context.Context, tx sqlstore.Tx) error { return do(ctx, tx) })
}

// Again implements sqlstore.Engine.
func (e engine) Again(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return e.Once(ctx, op, do)
}

// Once implements sqlstore.Engine: the outcome of a commit is known here.
func (e engine) Once(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return storeError(op, e.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return do(ctx, e.writing(tx))
	}))
}

func (db *DB) writing(tx *sql.Tx) writing { return writing{conn{tx}, tx, db.parsed} }

// Fail implements sqlstore.Engine.
func (e engine) Fail(op string, err error) error { return storeError(op, err) }

// parse prepares what is written again and again, for all the time that a store is open.
func (db *DB) parse(ctx context.Context) error {
	db.parsed = make(map[string]*sql.Stmt)
	for _, query := range slices.Concat(sqlstore.Written(), writtenTexts, writtenVectors, []string{renewLease}) {
		parsed, err := db.writes.PrepareContext(ctx, unnumbered(words.In(query)))
		if err != nil {
			return err
		}
		db.parsed[query] = parsed
	}
	return nil
}

// unnumbered puts question marks for the arguments of a statement if each stands there once and in turn: SQLite looks
// for a named one at each call.
func unnumbered(query string) string {
	made := query
	for n := 1; strings.Contains(made, "$"); n++ {
		before, after, found := strings.Cut(made, fmt.Sprint("$", n))
		if !found || strings.Contains(before, "$") {
			return query
		}
		made = before + "?" + after
	}
	return made
}

func (db *DB) forgetParsed() error {
	var errs []error
	for _, parsed := range db.parsed {
		errs = append(errs, parsed.Close())
	}
	return errors.Join(errs...)
}

// Wrote implements sqlstore.News.
func (e engine) Wrote(int64) { e.followers.wroteSome() }

// Wanted implements sqlstore.News: who looks for work asks.
func (e engine) Wanted(int64) { e.followers.wroteSome() }

// Deleted implements sqlstore.News.
func (e engine) Deleted(ctx context.Context) error {
	e.followers.WakeAll() // who followed one finds that it is gone
	return e.sweepContents(ctx)
}

// Hub implements sqlstore.News.
func (e engine) Hub() *follow.Hub { return e.followers.Hub }

// affected returns how many rows a statement changed.
func affected(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
