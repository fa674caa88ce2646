package postgres

import (
	"context"

	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

// Measure implements sqlstore.Meter.
func (e engine) Measure(ctx context.Context, view sqlstore.Conn, usage *upkeep.Usage) error {
	parts := codec.NewTableParts()
	if err := sqlstore.Each(ctx, view, `SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'
		AND relname <> 'cache_entry'
		AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'run'::regclass)`, func(scan func(...any) error) error {
		var table string
		var bytes int64
		err := scan(&table, &bytes)
		parts.Add(table, bytes)
		return err
	}); err != nil {
		return err
	}
	for _, part := range parts.Parts("other tables") {
		usage.Add(part)
	}
	return nil
}

// Usage measures the cache of all tenants: its entries, those that have expired, and what its table takes beside them.
func (c *Cache) Usage(ctx context.Context) ([]upkeep.UsagePart, error) {
	live, expired, rest := upkeep.UsagePart{In: "cache", Part: "entries"},
		upkeep.UsagePart{In: "cache", Part: "expired entries"},
		upkeep.UsagePart{In: "cache", Part: "free and other pages"}
	err := c.db.reading(ctx, "cache.usage", func(ctx context.Context) error {
		var all int64
		err := c.db.pool.QueryRow(ctx,
			`SELECT count(*) FILTER (WHERE expires_at > now), coalesce(sum(size) FILTER (WHERE expires_at > now), 0)::bigint,
			count(*) FILTER (WHERE expires_at <= now), coalesce(sum(size) FILTER (WHERE expires_at <= now), 0)::bigint, pg_total_relation_size('cache_entry')
			FROM (SELECT micros() AS now) AS clock LEFT JOIN cache_entry ON true`).Scan(&live.Count, &live.Bytes, &expired.Count, &expired.Bytes, &all)
		rest.Bytes = max(0, all-live.Bytes-expired.Bytes)
		return err
	})
	return []upkeep.UsagePart{live, expired, rest}, err
}

// Prune removes the expired entries of all tenants and returns their number and bytes. A dry run removes nothing.
func (c *Cache) Prune(ctx context.Context, dryRun bool) (entries int, bytes int64, err error) {
	err = c.db.again(ctx, "cache.prune", func(ctx context.Context, tx pgx.Tx) error {
		if dryRun {
			return tx.QueryRow(ctx,
				`SELECT count(*), coalesce(sum(size), 0)::bigint FROM cache_entry WHERE expires_at <= micros()`).
				Scan(&entries, &bytes)
		}
		return tx.QueryRow(ctx, `WITH gone AS (DELETE FROM cache_entry WHERE expires_at <= micros() RETURNING size)
			SELECT count(*), coalesce(sum(size), 0)::bigint FROM gone`).Scan(&entries, &bytes)
	})
	return entries, bytes, err
}

// Close does nothing: the cache is the database's, which its DB closes.
func (c *Cache) Close() error { return nil }
