package sqlstore

import (
	"context"

	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
)

// A Meter does what of Usage each database does in its own way.
type Meter interface {
	// Measure adds what files and tables take.
	Measure(ctx context.Context, view Conn, usage *upkeep.Usage) error
}

// Usage implements upkeep.Disk. What is free is told of this machine's disk alone: nobody may ask PostgreSQL.
func (db *DB) Usage(ctx context.Context) (usage upkeep.Usage, err error) {
	err = db.b.View(ctx, "store.usage", func(view Conn) error {
		usage = upkeep.Usage{Indexes: []upkeep.UsageIndex{}, Collections: []upkeep.UsageIndex{}}
		var oldest, newest int64
		if err := view.QueryRow(ctx, `SELECT count(*), coalesce(min(kept_at), 0), coalesce(max(kept_at), 0),
			(SELECT count(*) FROM run), (SELECT count(*) FROM brief) FROM snapshot`).
			Scan(&usage.Snapshots.Count, &oldest, &newest, &usage.Runs, &usage.Briefs); err != nil {
			return err
		}
		if oldest > 0 {
			usage.Snapshots.Oldest, usage.Snapshots.Newest = codec.MicroTime(oldest), codec.MicroTime(newest)
		}
		for query, list := range map[string]*[]upkeep.UsageIndex{ // of all tenants together
			`SELECT index_name, count(*), CAST(sum(length(text_record) + length(terms_record)) AS bigint)
				FROM text_document GROUP BY 1 ORDER BY 1`: &usage.Indexes,
			`SELECT c.name, count(v.id), CAST(coalesce(sum(length(v.embedding)), 0) AS bigint) FROM vector_collection AS c
				LEFT JOIN {vector} AS v ON v.tenant = c.tenant AND v.collection = c.id GROUP BY 1 ORDER BY 1`: &usage.Collections,
		} {
			if err := Each(ctx, view, query, func(scan func(...any) error) error {
				var index upkeep.UsageIndex
				err := scan(&index.Name, &index.Items, &index.Bytes)
				*list = append(*list, index)
				return err
			}); err != nil {
				return err
			}
		}
		return db.b.Measure(ctx, view, &usage)
	})
	return usage, err
}
