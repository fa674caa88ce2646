package app

import (
	"context"
	"errors"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/store/postgres"
	"github.com/citewell/citewell/store/sqlite"
	"github.com/citewell/citewell/store/transfer"
)

// A StoreCopied says what was copied, and from where to where.
type StoreCopied struct {
	From string `json:"from"`
	To   string `json:"to"`
	transfer.Report
}

// CopyStore copies all that one store keeps into another: see package transfer. Places are
// named as store.url names them, where sqlite is the folder that the configuration has, or by a folder.
func CopyStore(ctx context.Context, c config.Loaded, from, to string, heard func(transfer.Progress)) (StoreCopied, error) {
	source, fromPlace, err := openCopying(ctx, c, from, true)
	if err != nil {
		return StoreCopied{}, err
	}
	target, toPlace, err := openCopying(ctx, c, to, false)
	if err != nil {
		return StoreCopied{}, errors.Join(err, source.Close())
	}
	report, err := transfer.Copy(ctx, source, target, heard)
	return StoreCopied{fromPlace, toPlace, report}, errors.Join(err, source.Close(), target.Close())
}

// A copiedStore is one that is copied from or to.
type copiedStore interface {
	transfer.Target
	Close() error
}

// openCopying opens a store for a copy: one that is copied from is there, and is no copy that
// is not finished.
func openCopying(ctx context.Context, c config.Loaded, place string, source bool) (copiedStore, string, error) {
	if onPostgres(place) {
		db, err := postgres.Open(ctx, postgres.Options{URL: place, IsThere: source, Copying: !source, Application: "citewell store copy"})
		return orNone(db, err), storePlace(place, ""), err
	}
	configured, err := dataDir(c.Config.Store.URL, c.Paths.Data)
	if err != nil {
		return nil, "", err
	}
	dir, err := dataDir(place, configured)
	if err != nil { // neither of the two: a folder by its name
		if strings.Contains(place, "://") || strings.HasPrefix(place, "sqlite:") {
			return nil, "", err
		}
		dir = place
	}
	if dir == "" {
		return nil, "", &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "store.copy", Message: "a store is named by an empty word",
			Hint: "name a folder, sqlite for the one of the configuration, or postgres://USER@HOST/DATABASE"}
	}
	db, err := sqlite.Open(ctx, dir, sqlite.Options{IsThere: source, Copying: !source, Alone: !source && dir != configured}) // there tokens stand, too
	return orNone(db, err), storePlace("sqlite", dir), err
}

// orNone is no store where opening failed, and not a nil one.
func orNone(db copiedStore, err error) copiedStore {
	if err != nil {
		return nil
	}
	return db
}
