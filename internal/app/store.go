package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/upkeep"
)

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
	hint := "there is none at all: they come with an embedding model, or with vector_upsert"
	if len(collections) > 0 {
		names := make([]string, len(collections))
		for i, c := range collections {
			names[i] = c.Name
		}
		hint = "there are " + strings.Join(names, ", ")
	}
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "store",
		Message: fmt.Sprintf("there is no collection %.100q", name), Hint: hint}
}

// StoreUsage measures what the store and the cache hold.
func (a *App) StoreUsage(ctx context.Context) (upkeep.Usage, error) {
	usage, err := a.DB.Usage(ctx)
	if err != nil || a.Cache == nil {
		return usage, err
	}
	parts, err := a.Cache.Usage(ctx)
	for _, part := range parts {
		usage.Add(part)
	}
	return usage, err
}

// A StorePruned says what was let go of in the store and in the cache.
type StorePruned struct {
	upkeep.Pruned
	CacheEntries int   `json:"cache_entries"` // that had expired
	CacheBytes   int64 `json:"cache_bytes"`
}

// PruneStore lets go of what nothing names in the store, and of what has expired in the cache.
func (a *App) PruneStore(ctx context.Context, q upkeep.PruneQuery) (StorePruned, error) {
	pruned, err := a.DB.Prune(ctx, q)
	report := StorePruned{Pruned: pruned}
	if err == nil && a.Cache != nil {
		report.CacheEntries, report.CacheBytes, err = a.Cache.Prune(ctx, q.DryRun)
	}
	return report, err
}
