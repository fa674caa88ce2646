package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// Usage implements store.Disk.
func (db *DB) Usage(ctx context.Context) (store.Usage, error) {
	const op = "store.usage"
	tx, err := db.reads.BeginTx(ctx, nil) // one view, whatever is written meanwhile
	if err != nil {
		return store.Usage{}, storeError(op, err)
	}
	defer tx.Rollback()
	usage := store.Usage{Indexes: []store.UsageIndex{}, Collections: []store.UsageIndex{}}
	m := measuring{db: db, tx: tx, usage: &usage}
	for _, step := range []func(context.Context) error{m.counts, m.named, m.files, m.database, m.log} {
		if err := step(ctx); err != nil {
			return usage, storeError(op, err)
		}
	}
	usage.FreeBytes, err = freeBytes(filepath.Dir(db.path))
	return usage, storeError(op, err)
}

// A measuring is one Usage under way.
type measuring struct {
	db    *DB
	tx    *sql.Tx
	usage *store.Usage
}

func (m measuring) counts(ctx context.Context) error {
	var oldest, newest int64
	if err := m.tx.QueryRowContext(ctx, `SELECT count(*), coalesce(min(kept_at), 0), coalesce(max(kept_at), 0),
		(SELECT count(*) FROM run), (SELECT count(*) FROM brief) FROM snapshot`).Scan(&m.usage.Snapshots.Count, &oldest, &newest, &m.usage.Runs, &m.usage.Briefs); err != nil {
		return err
	}
	if oldest > 0 {
		m.usage.Snapshots.Oldest, m.usage.Snapshots.Newest = codec.MicroTime(oldest), codec.MicroTime(newest)
	}
	return nil
}

// named measures text indexes and collections by their names, those of all tenants
// together.
func (m measuring) named(ctx context.Context) error {
	for query, list := range map[string]*[]store.UsageIndex{
		`SELECT index_name, count(*), sum(length(text_record) + length(terms_record)) FROM text_document GROUP BY 1 ORDER BY 1`:                                            &m.usage.Indexes,
		`SELECT c.name, count(v.id), coalesce(sum(length(v.embedding)), 0) FROM vector_collection AS c LEFT JOIN vector AS v ON v.collection = c.id GROUP BY 1 ORDER BY 1`: &m.usage.Collections,
	} {
		if err := each(ctx, m.tx, query, func(scan func(...any) error) error {
			var index store.UsageIndex
			err := scan(&index.Name, &index.Items, &index.Bytes)
			*list = append(*list, index)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// contentKinds says for what a content is kept: for the first that has it.
const contentKinds = `SELECT sha256, max(kind) FROM (
	SELECT page_sha256 AS sha256, 3 AS kind FROM snapshot UNION ALL SELECT text_sha256, 2 FROM snapshot UNION ALL
	SELECT sha256, 1 FROM run_blob UNION ALL SELECT sha256, 0 FROM blob_gone) GROUP BY sha256`

// fileParts are the kinds of contentKinds, and files that no row is about: what a program
// left that was killed, or is writing now.
var fileParts = []string{"let go, removed an hour later", "large results of calls", "texts", "pages", "without an entry"}

// files measures every file below snapshots.
func (m measuring) files(ctx context.Context) error {
	kinds := make(map[string]int)
	if err := each(ctx, m.tx, contentKinds, func(scan func(...any) error) error {
		var sha256 string
		var kind int
		err := scan(&sha256, &kind)
		kinds[sha256] = kind
		return err
	}); err != nil {
		return err
	}
	parts := make([]store.UsagePart, len(fileParts))
	for i, name := range fileParts {
		parts[i] = store.UsagePart{In: "files", Part: name}
	}
	err := fs.WalkDir(m.db.blobs.root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreMissing(err) // it was removed meanwhile
		}
		kind, known := kinds[strings.TrimSuffix(entry.Name(), ".zst")]
		if !known {
			kind = len(fileParts) - 1
		}
		parts[kind].Bytes += info.Size()
		parts[kind].Count++
		return nil
	})
	for i := len(fileParts) - 2; i >= 0; i-- { // what there is most of, first
		m.usage.Add(parts[i])
	}
	m.usage.Add(parts[len(fileParts)-1])
	return err
}

// database measures the pages of state.db by what is on them.
func (m measuring) database(ctx context.Context) error {
	size, n, err := pageCounts(ctx, m.tx)
	if err != nil {
		return err
	}
	parts := codec.NewTableParts()
	rest := (n.all - n.free) * size
	if err := each(ctx, m.tx, `SELECT s.tbl_name, d.pgsize FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name WHERE d.aggregate = 1`, func(scan func(...any) error) error {
		var table string
		var bytes int64
		if err := scan(&table, &bytes); err != nil {
			return err
		}
		if parts.Add(table, bytes) {
			rest -= bytes
		}
		return nil
	}); err != nil {
		return err
	}
	for _, part := range append(parts.Parts(""), store.UsagePart{In: "database", Part: "free pages, used again", Bytes: n.free * size},
		store.UsagePart{In: "database", Part: "schema and page map", Bytes: rest}) {
		m.usage.Add(part)
	}
	return nil
}

// log measures what stands beside state.db.
func (m measuring) log(context.Context) error {
	part := store.UsagePart{In: "database", Part: "write-ahead log"}
	for _, suffix := range []string{"-wal", "-shm"} {
		info, err := os.Stat(m.db.path + suffix)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		part.Bytes += info.Size()
	}
	m.usage.Add(part)
	return nil
}
