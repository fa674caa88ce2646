package backend

import (
	"context"
	"errors"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/store/postgres"
	"github.com/citewell/citewell/store/sqlite"
)

// A Copied says what was copied, and from where to where.
type Copied struct {
	From string `json:"from"`
	To   string `json:"to"`
	transfer.Report
}

// CopyOptions say what is copied. Stores are named as store.url names them, where sqlite is the folder of
// the configured store, or by a folder.
type CopyOptions struct {
	From, To string
	StoreURL string // of the configuration
	Standard string // folder of a store whose URL names none
	Heard    func(transfer.Progress)
}

// Copy copies all that one store keeps into another: see package transfer.
func Copy(ctx context.Context, o CopyOptions) (Copied, error) {
	source, from, err := o.open(ctx, o.From, true)
	if err != nil {
		return Copied{}, err
	}
	target, to, err := o.open(ctx, o.To, false)
	if err != nil {
		return Copied{}, errors.Join(err, source.Close())
	}
	report, err := transfer.Copy(ctx, source, target, o.Heard)
	return Copied{from, to, report}, errors.Join(err, source.Close(), target.Close())
}

// A copiedStore is one that is copied from or to.
type copiedStore interface {
	transfer.Target
	Close() error
}

// open opens a store for a copy: one that is copied from is there, and is no copy that
// is not finished.
func (o CopyOptions) open(ctx context.Context, place string, source bool) (copiedStore, string, error) {
	if onPostgres(place) {
		db, err := postgres.Open(ctx, postgres.Options{URL: place, IsThere: source, Copying: !source,
			Application: "citewell store copy"})
		return orNone(db, err), Place(place, ""), err
	}
	configured, err := Dir(o.StoreURL, o.Standard)
	if err != nil {
		return nil, "", err
	}
	dir, err := Dir(place, configured)
	if err != nil { // neither of the two: a folder by its name
		if strings.Contains(place, "://") || strings.HasPrefix(place, "sqlite:") {
			return nil, "", err
		}
		dir = place
	}
	if dir == "" {
		return nil, "", &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "store.copy",
			Message: "the name of a store is empty",
			Hint:    "name a folder, sqlite for the configured one, or postgres://USER@HOST/DATABASE"}
	}
	// there tokens stand, too
	db, err := sqlite.Open(ctx, dir, sqlite.Options{IsThere: source, Copying: !source, Alone: !source &&
		dir != configured})
	return orNone(db, err), Place("sqlite", dir), err
}

// orNone is no store where opening failed, and not a nil one.
func orNone(db copiedStore, err error) copiedStore {
	if err != nil {
		return nil
	}
	return db
}
