package postgres

import (
	"context"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/jackc/pgx/v5"
)

// Usage implements store.Disk. What is free on the server's disk is not told: nobody may ask.
func (db *DB) Usage(ctx context.Context) (usage store.Usage, err error) {
	const op = "store.usage"
	err = db.reading(ctx, op, func(ctx context.Context) error {
		usage = store.Usage{Indexes: []store.UsageIndex{}, Collections: []store.UsageIndex{}}
		// One view, whatever is written meanwhile.
		return pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			return measure(ctx, tx, &usage)
		})
	})
	return usage, err
}

func measure(ctx context.Context, tx pgx.Tx, usage *store.Usage) error {
	var oldest, newest int64
	if err := tx.QueryRow(ctx, `SELECT count(*), coalesce(min(kept_at), 0), coalesce(max(kept_at), 0), (SELECT count(*) FROM run), (SELECT count(*) FROM brief) FROM snapshot`).
		Scan(&usage.Snapshots.Count, &oldest, &newest, &usage.Runs, &usage.Briefs); err != nil {
		return err
	}
	if oldest > 0 {
		usage.Snapshots.Oldest, usage.Snapshots.Newest = codec.MicroTime(oldest), codec.MicroTime(newest)
	}
	for query, list := range map[string]*[]store.UsageIndex{
		`SELECT index_name, count(*), sum(length(text_record) + length(terms_record))::bigint FROM text_document GROUP BY 1 ORDER BY 1`:                                                                         &usage.Indexes,
		`SELECT c.name, count(v.id), coalesce(sum(length(v.embedding)), 0)::bigint FROM vector_collection AS c LEFT JOIN vector_item AS v ON v.tenant = c.tenant AND v.collection = c.id GROUP BY 1 ORDER BY 1`: &usage.Collections,
	} {
		if err := each(ctx, tx, query, func(scan func(...any) error) error {
			var index store.UsageIndex
			err := scan(plain{&index.Name}, &index.Items, &index.Bytes)
			*list = append(*list, index)
			return err
		}); err != nil {
			return err
		}
	}
	parts := codec.NewTableParts()
	if err := each(ctx, tx, `SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relname <> 'cache_entry'
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

// Usage measures the cache of all tenants: its entries, those that have expired, and what its
// table takes beside them.
func (c *Cache) Usage(ctx context.Context) ([]store.UsagePart, error) {
	live, expired, rest := store.UsagePart{In: "cache", Part: "entries"}, store.UsagePart{In: "cache", Part: "expired entries"}, store.UsagePart{In: "cache", Part: "free and other pages"}
	err := c.db.reading(ctx, "cache.usage", func(ctx context.Context) error {
		var all int64
		err := c.db.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE expires_at > now), coalesce(sum(size) FILTER (WHERE expires_at > now), 0)::bigint,
			count(*) FILTER (WHERE expires_at <= now), coalesce(sum(size) FILTER (WHERE expires_at <= now), 0)::bigint, pg_total_relation_size('cache_entry')
			FROM (SELECT micros() AS now) AS clock LEFT JOIN cache_entry ON true`).Scan(&live.Count, &live.Bytes, &expired.Count, &expired.Bytes, &all)
		rest.Bytes = max(0, all-live.Bytes-expired.Bytes)
		return err
	})
	return []store.UsagePart{live, expired, rest}, err
}

// Prune removes the entries of all tenants that have expired. It returns how many they were
// and their bytes; a dry run removes nothing.
func (c *Cache) Prune(ctx context.Context, dryRun bool) (entries int, bytes int64, err error) {
	err = c.db.again(ctx, "cache.prune", func(ctx context.Context, tx pgx.Tx) error {
		if dryRun {
			return tx.QueryRow(ctx, `SELECT count(*), coalesce(sum(size), 0)::bigint FROM cache_entry WHERE expires_at <= micros()`).Scan(&entries, &bytes)
		}
		return tx.QueryRow(ctx, `WITH gone AS (DELETE FROM cache_entry WHERE expires_at <= micros() RETURNING size)
			SELECT count(*), coalesce(sum(size), 0)::bigint FROM gone`).Scan(&entries, &bytes)
	})
	return entries, bytes, err
}

// Close does nothing: the cache is the database's, which its DB closes.
func (c *Cache) Close() error { return nil }
