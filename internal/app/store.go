package app

import (
	"context"

	"github.com/citewell/citewell/store/sqlite"
)

// CheckStore reads everything the store keeps and says what is damaged.
func (a *App) CheckStore(ctx context.Context) (sqlite.CheckReport, error) { return a.db.Check(ctx) }

// BackupStore copies the whole store into a new folder.
func (a *App) BackupStore(ctx context.Context, dir string) (sqlite.BackupReport, error) {
	return a.db.Backup(ctx, dir)
}
