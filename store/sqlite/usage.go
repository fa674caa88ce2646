package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// Measure implements sqlstore.Meter.
func (e engine) Measure(ctx context.Context, view sqlstore.Conn, usage *upkeep.Usage) (err error) {
	m := measuring{db: e.DB, view: view, usage: usage}
	for _, step := range []func(context.Context) error{m.files, m.database, m.log} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	usage.FreeBytes, err = freeBytes(filepath.Dir(e.path))
	return err
}

// A measuring is one Usage under way.
type measuring struct {
	db    *DB
	view  sqlstore.Conn
	usage *upkeep.Usage
}

// contentKinds says for what a content is kept: for the first that has it.
const contentKinds = `SELECT sha256, max(kind) FROM (
	SELECT page_sha256 AS sha256, 3 AS kind FROM snapshot UNION ALL SELECT text_sha256, 2 FROM snapshot UNION ALL
	SELECT sha256, 1 FROM run_blob UNION ALL SELECT sha256, 0 FROM blob_gone) GROUP BY sha256`

// fileParts are the kinds of contentKinds, and files that no row is about, left by a killed program or being written.
var fileParts = []string{"let go, removed an hour later", "large results of calls", "texts", "pages",
	"without an entry"}

// files measures every file below snapshots.
func (m measuring) files(ctx context.Context) error {
	kinds := make(map[string]int)
	if err := sqlstore.Each(ctx, m.view, contentKinds, func(scan func(...any) error) error {
		var sha256 string
		var kind int
		err := scan(&sha256, &kind)
		kinds[sha256] = kind
		return err
	}); err != nil {
		return err
	}
	parts := make([]upkeep.UsagePart, len(fileParts))
	for i, name := range fileParts {
		parts[i] = upkeep.UsagePart{In: "files", Part: name}
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
	size, n, err := pageCounts(ctx, m.view)
	if err != nil {
		return err
	}
	parts := codec.NewTableParts()
	rest := (n.all - n.free) * size
	if err := sqlstore.Each(ctx, m.view, `SELECT s.tbl_name, d.pgsize FROM dbstat AS d
		JOIN sqlite_schema AS s ON s.name = d.name WHERE d.aggregate = 1`, func(scan func(...any) error) error {
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
	for _, part := range append(parts.Parts(""), upkeep.UsagePart{
		In: "database", Part: "free pages, used again", Bytes: n.free * size},
		upkeep.UsagePart{In: "database", Part: "schema and page map", Bytes: rest}) {
		m.usage.Add(part)
	}
	return nil
}

// log measures what stands beside state.db.
func (m measuring) log(context.Context) error {
	part := upkeep.UsagePart{In: "database", Part: "write-ahead log"}
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
