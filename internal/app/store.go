package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store/sqlite"
)

// CheckStore reads everything the store keeps and says what is damaged.
func (a *App) CheckStore(ctx context.Context) (sqlite.CheckReport, error) { return a.db.Check(ctx) }

// DropCollection removes a collection of vectors with all it holds. A collection that is
// not there is not_found, with the names of those that are.
func (a *App) DropCollection(ctx context.Context, name string) error {
	dropped, err := a.Store.DropCollection(ctx, name)
	if dropped || err != nil {
		return err
	}
	collections, err := a.Store.Collections(ctx)
	if err != nil {
		return err
	}
	hint := "there is none"
	if len(collections) > 0 {
		names := make([]string, len(collections))
		for i, c := range collections {
			names[i] = c.Name
		}
		hint = "there are " + strings.Join(names, ", ")
	}
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "store", Message: fmt.Sprintf("there is no collection %.100q", name), Hint: hint}
}

// BackupStore copies the whole store into a new folder.
func (a *App) BackupStore(ctx context.Context, dir string) (sqlite.BackupReport, error) {
	return a.db.Backup(ctx, dir)
}
