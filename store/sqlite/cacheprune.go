package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/citewell/citewell/internal/upkeep"
)

// Usage measures the cache of all tenants: its entries, those that have expired, and what its file takes beside them.
func (c *Cache) Usage(ctx context.Context) ([]upkeep.UsagePart, error) {
	live, expired, rest := upkeep.UsagePart{In: "cache", Part: "entries"},
		upkeep.UsagePart{In: "cache", Part: "expired entries"},
		upkeep.UsagePart{In: "cache", Part: "free and other pages"}
	err := c.file.use(ctx, "cache.usage", func(db *sql.DB) error {
		if err := db.QueryRowContext(ctx,
			`SELECT count(*) FILTER (WHERE expires_at > ?1), coalesce(sum(size) FILTER (WHERE expires_at > ?1), 0),
			count(*) FILTER (WHERE expires_at <= ?1), coalesce(sum(size) FILTER (WHERE expires_at <= ?1), 0) FROM entry`, time.Now().UnixMicro()).
			Scan(&live.Count, &live.Bytes, &expired.Count, &expired.Bytes); err != nil {
			return err
		}
		size, n, err := pageCounts(ctx, conn{db})
		rest.Bytes = max(0, n.all*size-live.Bytes-expired.Bytes)
		return err
	})
	return []upkeep.UsagePart{live, expired, rest}, err
}

// Prune removes the expired entries of all tenants, gives their pages back to the disk, and returns how many they were
// and their bytes. A dry run removes nothing.
func (c *Cache) Prune(ctx context.Context, dryRun bool) (entries int, bytes int64, err error) {
	err = c.file.use(ctx, "cache.prune", func(db *sql.DB) error {
		now := time.Now().UnixMicro()
		if err := db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(size), 0) FROM entry WHERE expires_at <= ?`,
			now).Scan(&entries, &bytes); err != nil || dryRun {
			return err
		}
		if _, err := db.ExecContext(ctx, `DELETE FROM entry WHERE expires_at <= ?`, now); err != nil {
			return err
		}
		for before := int64(-1); ; {
			_, n, err := pageCounts(ctx, conn{db})
			if err != nil || n.free == 0 || n.free == before {
				return err
			}
			before = n.free
			if _, err := db.ExecContext(ctx, fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, compactPages)); err != nil {
				return err
			}
		}
	})
	return entries, bytes, err
}
