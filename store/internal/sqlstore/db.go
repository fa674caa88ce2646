package sqlstore

import (
	"context"
	"errors"
	"sync"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/follow"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/textsql"
)

// ErrClosed is the cause of errors of a store that is closed.
var ErrClosed = errors.New("closed")

// A Backend is what each database does in its own way.
type Backend interface {
	Engine
	Leases
	Contents
	News
	Pruner
	Graphs
	Paces
	Texts
	Copies
	Checks
	Vectors
	Meter
}

// News tells of runs that were written.
type News interface {
	// Wrote is called after a commit that wrote a run; its number is 0 where none was.
	Wrote(run int64)
	// Wanted is called after a commit by which a run may want an executor.
	Wanted(run int64)
	// Deleted is called after runs were deleted.
	Deleted(ctx context.Context) error
	// Hub knows who follows runs.
	Hub() *follow.Hub
}

// A Dialect is what databases have other statements for.
type Dialect struct {
	Arrays bool // a list is one argument

	LastTurn       string // now, and the last turn of other callers' runs ($2) that wait: tenant, caller, RunWaiting
	TenantsWanting string // tenants with runs or watches that are due
	LongestWait    string // microseconds
	AddMessage     string // tenant, run, name, record

	Texts      textsql.Dialect
	LooseTexts string // id, terms and list of terms of the documents of a part ($1) that no segment has yet
	StaleAfter string // the condition that a document is after version $2, tenant $3, index $4 and id $5, and the order

	InsertEdges *Insertion // the key, where there is one, src, rel, dst, weight, record
}

// A DB is what all tenants keep.
type DB struct {
	b       Backend
	dialect Dialect
	events  runstore.EventSchema

	parts    sync.Map // partKey → int64
	segments fulltext.TextCache
}

// New returns a DB over a backend, which is not called before New returns.
func New(b Backend, d Dialect, events runstore.EventSchema) *DB {
	return &DB{b: b, dialect: d, events: events}
}

// A Store is what one tenant keeps.
type Store struct {
	db     *DB
	b      Backend
	tenant string
}

var (
	_ upkeep.Disk     = (*DB)(nil)
	_ transfer.Target = (*DB)(nil)

	_ store.Snapshots   = (*Store)(nil)
	_ store.Ledger      = (*Store)(nil)
	_ store.Text        = (*Store)(nil)
	_ store.Vectors     = (*Store)(nil)
	_ store.Graph       = (*Store)(nil)
	_ runstore.Runs     = (*Store)(nil)
	_ runstore.Spending = (*Store)(nil)
	_ runstore.Watches  = (*Store)(nil)
	_ runstore.Pace     = (*Store)(nil)
)

// Bind returns what a tenant of db keeps.
func Bind(db *DB, tenant string) Store { return Store{db, db.b, tenant} }

// Written are the statements of sqlstore that are written again and again.
func Written() []string {
	return []string{fenceRun, insertEvents.Values, beginCall, finishCall, countTexts}
}

// oneOf is the condition that a column has one of values.
func oneOf[S ~string](db *DB, a *Arguments, column string, values []S) string {
	if db.dialect.Arrays {
		texts := make([]string, len(values))
		for i, value := range values {
			texts[i] = string(value)
		}
		return column + ` = ANY (` + a.Place(texts) + `)`
	}
	return listed(a, column, values)
}

// oneOfIDs is the condition that a column has one of ids.
func oneOfIDs(db *DB, a *Arguments, column string, ids []int64) string {
	if db.dialect.Arrays {
		return column + ` = ANY (` + a.Place(ids) + `)`
	}
	return listed(a, column, ids)
}

func listed[T any](a *Arguments, column string, values []T) string {
	condition := column + ` IN (`
	for i, value := range values {
		if i > 0 {
			condition += `, `
		}
		condition += a.Place(value)
	}
	return condition + `)`
}
