package postgres

import (
	"context"
	"database/sql"
	"slices"

	"github.com/citewell/citewell/store/internal/follow"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

// The parts that both backends have alike.
type (
	sharedDB    = sqlstore.DB
	sharedStore = sqlstore.Store
)

// words are PostgreSQL's.
var words = sqlstore.NewWords("{n}", "n", "{id}", "id", "{+}", "", "{least}", "least", "{strpos}", "strpos",
	"{then join}", "JOIN", "{for key share}", "FOR KEY SHARE", "{for update}", "FOR UPDATE", "{no owner}", "owner = ''",
	"{snapshot key}", "key", "{url}", "url", "{d.head =}", "d.head = left(s.final_url, 600) AND", "{key}", "sha256",
	"{head,}", "head,", "{body}", "body", "{t.tenant, t.index_name,}", "t.tenant, t.index_name,",
	"{vector}", "vector_item",
	"{collection}", `0, 0, 0,
		coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('vector_near_' || id)), false)`,
	"{, created_at}", "", "{, micros()}", "")

// dialect is PostgreSQL's.
var dialect = sqlstore.Dialect{
	Arrays: true,
	LastTurn: `SELECT now, greatest(0, (SELECT created_at + behind FROM run
			WHERE tenant = $1 AND wanted AND owner = '' AND caller <> $2 AND created_at + behind <= now
				ORDER BY created_at + behind DESC LIMIT 1),
		(SELECT max(created_at + behind) FROM run WHERE tenant = $1 AND wanted AND owner <> '' AND caller <> $2
			AND created_at + behind <= now),
		(SELECT max(created_at + behind) FROM run WHERE tenant = $1 AND state = $3 AND caller <> $2
			AND created_at + behind <= now))
		FROM micros() AS now`,
	// It goes from one tenant to the next, however many runs each has.
	TenantsWanting: `WITH RECURSIVE has AS (
		(SELECT least((SELECT min(tenant) FROM run WHERE wanted AND owner = ''), (SELECT min(tenant) FROM run WHERE wanted
			AND owner <> '')) AS tenant)
		UNION ALL SELECT least((SELECT min(tenant) FROM run WHERE wanted AND owner = '' AND tenant > has.tenant),
			(SELECT min(tenant) FROM run WHERE wanted AND owner <> '' AND tenant > has.tenant)) FROM has
				WHERE has.tenant IS NOT NULL)
		SELECT tenant FROM has WHERE tenant IS NOT NULL UNION SELECT tenant FROM watch WHERE next_at <= micros()`,
	LongestWait: `SELECT greatest(0, (SELECT max(micros() - updated_at) FROM run WHERE wanted AND owner = ''),
		(SELECT max(micros() - expires_at) FROM run WHERE wanted AND owner <> ''))`,
	AddMessage:  `INSERT INTO run_message (tenant, run, name, record) VALUES ($1, $2, $3, $4)`,
	InsertEdges: insertEdges,
	Texts:       heads,
	LooseTexts:  looseTexts,
	StaleAfter: `(terms_version, tenant, index_name, id) > ($2, $3, $4, $5)
		ORDER BY terms_version, tenant, index_name, id`,
}

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
		case "text":
			args = append(args, columnOf[string](rows, i))
		case "bytea":
			args = append(args, columnOf[[]byte](rows, i))
		case "bigint":
			args = append(args, columnOf[int64](rows, i))
		default: // double
			args = append(args, columnOf[float64](rows, i))
		}
	}
	return w.Exec(ctx, into.Arrays, args...)
}

// columnOf are the values that rows have at a place.
func columnOf[T any, Row ~[]any](rows []Row, at int) []T {
	all := make([]T, len(rows))
	for i, row := range rows {
		all[i] = row[at].(T)
	}
	return all
}

// An engine implements sqlstore.Backend.
type engine struct{ *DB }

// Read implements sqlstore.Engine.
func (e engine) Read(ctx context.Context, op string, do func(sqlstore.Conn) error) error {
	return e.reading(ctx, op, func(ctx context.Context) error { return do(conn{e.pool}) })
}

// View implements sqlstore.Engine.
func (e engine) View(ctx context.Context, op string, do func(sqlstore.Conn) error) error {
	return e.reading(ctx, op, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, e.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
			func(tx pgx.Tx) error {
				return do(conn{tx})
			})
	})
}

// Alone implements sqlstore.Engine: a statement is a transaction by itself.
func (e engine) Alone(ctx context.Context, op string, do func(context.Context, sqlstore.Conn) error) error {
	return e.Read(ctx, op, func(from sqlstore.Conn) error { return do(ctx, from) })
}

// Again implements sqlstore.Engine.
func (e engine) Again(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return e.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error { return do(ctx, inTx(tx)) })
}

// Once implements sqlstore.Engine.
func (e engine) Once(ctx context.Context, op string, do func(context.Context, sqlstore.Tx) error) error {
	return e.once(ctx, op, func(ctx context.Context, tx pgx.Tx) error { return do(ctx, inTx(tx)) })
}

// Fail implements sqlstore.Engine.
func (e engine) Fail(op string, err error) error { return storeError(op, err) }

// Wrote implements sqlstore.News.
func (e engine) Wrote(run int64) { e.news.wrote(run) }

// Wanted implements sqlstore.News.
func (e engine) Wanted(run int64) { e.news.wanted(run) }

// Deleted implements sqlstore.News: who followed one finds that it is gone.
func (e engine) Deleted(context.Context) error {
	e.news.WakeAll()
	return nil
}

// Hub implements sqlstore.News.
func (e engine) Hub() *follow.Hub { return e.news.Hub }
