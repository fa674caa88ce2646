package sqlstore

import (
	"github.com/citewell/citewell/store"
)

// A Backend is what each database does in its own way.
type Backend interface {
	Engine
}

// A Dialect is what databases have other words for.
type Dialect struct {
	Arrays bool // a list is one argument
}

// A DB is what all tenants keep.
type DB struct {
	b       Backend
	dialect Dialect
	events  store.EventSchema
}

// New returns a DB over a backend, which is not called before New returns.
func New(b Backend, d Dialect, events store.EventSchema) *DB {
	return &DB{b: b, dialect: d, events: events}
}

// A Store is what one tenant keeps.
type Store struct {
	db     *DB
	b      Backend
	tenant string
}

// Bind returns what a tenant keeps.
func (db *DB) Bind(tenant string) Store { return Store{db, db.b, tenant} }
