package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/jackc/pgx/v5"
)

// pruneBatch is how many things one transaction lets go of, so that others who write
// wait for a moment only.
const pruneBatch = 100

var _ store.Disk = (*DB)(nil)

// A tenantHash is a content that a tenant may read.
type tenantHash struct{ tenant, sha256 string } // as their columns have them

// A keptSnapshot is one row of table snapshot.
type keptSnapshot struct {
	tenant     string
	key        []byte
	page, text tenantHash
	records    int64 // bytes
}

// A pruning is one Prune under way.
type pruning struct {
	db     *DB
	q      store.PruneQuery
	before int64
	pruned store.Pruned
	gone   map[string]int64 // contents that some tenant has no more, with their bytes

	from  querier
	batch func(ctx context.Context, do func(context.Context, pgx.Tx) error) error
}

// errDryRun undoes what a dry run did.
var errDryRun = errors.New("only told")

// Prune implements store.Disk. What is named is found by reading every record first. A name
// that is written meanwhile is of a snapshot that was put within store.MinPruneAge, which is
// looked at again where it is deleted, or is copied from a record that was read. A dry run does all
// of it in one transaction, which is then undone.
func (db *DB) Prune(ctx context.Context, q store.PruneQuery) (store.Pruned, error) {
	const op = "store.prune"
	if err := q.Check(op); err != nil {
		return store.Pruned{}, err
	}
	p := &pruning{db: db, q: q, gone: make(map[string]int64), from: db.pool}
	var now int64
	if err := db.pool.QueryRow(ctx, `SELECT micros()`).Scan(&now); err != nil {
		return store.Pruned{}, storeError(op, err)
	}
	p.before = now - q.OlderThan.Microseconds()
	p.pruned = store.Pruned{DryRun: q.DryRun, Before: codec.MicroTime(p.before)}
	if !q.DryRun {
		p.batch = func(ctx context.Context, do func(context.Context, pgx.Tx) error) error { return db.again(ctx, op, do) }
		err := p.run(ctx)
		return p.pruned, storeError(op, err)
	}
	err := pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		p.from = tx
		p.batch = func(ctx context.Context, do func(context.Context, pgx.Tx) error) error { return do(ctx, tx) }
		if err := p.run(ctx); err != nil {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return p.pruned, storeError(op, err)
}

func (p *pruning) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{p.runs, p.briefs, p.snapshots, p.countGone} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// runs lets go of ended runs, where that is asked for.
func (p *pruning) runs(ctx context.Context) error {
	if !p.q.Runs {
		return nil
	}
	ended, err := readRows(ctx, p.from, `SELECT tenant, id FROM run WHERE ended_at > 0 AND ended_at < $1 ORDER BY n`, scanNamed, p.before)
	if err != nil {
		return err
	}
	for _, r := range ended {
		s := &Store{db: p.db, tenant: r.tenant}
		var gone []goneContent
		err := p.batch(ctx, func(ctx context.Context, tx pgx.Tx) error {
			row, err := s.lockRun(ctx, tx, "store.prune", unescape(r.name))
			if err == nil {
				gone, err = s.deleteRun(ctx, tx, row)
			}
			return err
		})
		switch {
		case err == nil:
			p.pruned.Runs++
			p.went(gone)
		case citewell.CodeOf(err) != citewell.CodeNotFound: // else somebody has deleted it
			return err
		}
	}
	if !p.q.DryRun {
		p.db.news.WakeAll()
	}
	return nil
}

// A named is something of a tenant by its name, as their columns have them.
type named struct{ tenant, name string }

func scanNamed(scan func(...any) error) (n named, err error) {
	err = scan(&n.tenant, &n.name)
	return n, err
}

// oldLedgers are ledgers whose brief is of no run, and, unless those are to go too, is not kept.
const oldLedgers = `SELECT l.tenant, l.brief FROM
	(SELECT tenant, brief, created_at FROM source UNION ALL SELECT tenant, id, created_at FROM brief) AS l
	WHERE NOT EXISTS (SELECT 1 FROM run AS r WHERE r.tenant = l.tenant AND r.id = l.brief)
	AND ($2 OR NOT EXISTS (SELECT 1 FROM brief AS b WHERE b.tenant = l.tenant AND b.id = l.brief))
	GROUP BY l.tenant, l.brief HAVING max(l.created_at) < $1 ORDER BY 1, 2`

// briefs lets go of ledgers whose brief was never finished, and of the briefs of searches
// where that is asked for.
func (p *pruning) briefs(ctx context.Context) error {
	ledgers, err := readRows(ctx, p.from, oldLedgers, scanNamed, p.before, p.q.Briefs)
	if err != nil {
		return err
	}
	p.pruned.Briefs = len(ledgers)
	for batch := range slices.Chunk(ledgers, pruneBatch) {
		if err := p.batch(ctx, func(ctx context.Context, tx pgx.Tx) error {
			for _, l := range batch {
				if err := (&Store{db: p.db, tenant: l.tenant}).deleteBrief(ctx, tx, l.name); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// notIndexed says of a snapshot that no document of the library is made of it.
const notIndexed = `NOT (EXISTS (SELECT 1 FROM text_document AS d WHERE d.tenant = s.tenant AND d.index_name = '` + store.Library + `'
	AND d.head = left(s.final_url, 600) AND d.key = s.final_url)
	AND s.id = (SELECT id FROM snapshot AS n WHERE n.tenant = s.tenant AND n.url = s.url ORDER BY fetched_at DESC, id DESC LIMIT 1))`

// snapshots lets go of the old ones that nothing names.
func (p *pruning) snapshots(ctx context.Context) error {
	old, err := readRows(ctx, p.from, `SELECT tenant, key, page_sha256, text_sha256, length(page_record) + length(document_record) FROM snapshot AS s
		WHERE kept_at < $1 AND `+notIndexed+` ORDER BY kept_at, id`, func(scan func(...any) error) (s keptSnapshot, err error) {
		err = scan(&s.tenant, &s.key, &s.page.sha256, &s.text.sha256, &s.records)
		s.page.tenant, s.text.tenant = s.tenant, s.tenant
		return s, err
	}, p.before)
	if err != nil || len(old) == 0 {
		return err
	}
	if old, err = p.unnamed(ctx, old); err != nil {
		return err
	}
	for batch := range slices.Chunk(old, pruneBatch) {
		if err := p.letGo(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// unnamed are those of old that may go, and counts those that stay. Where only the text of one is
// named, one snapshot with that text stays.
func (p *pruning) unnamed(ctx context.Context, old []keptSnapshot) ([]keptSnapshot, error) {
	names := make(map[tenantHash]bool)
	for _, s := range old {
		names[s.page], names[s.text] = false, false
	}
	if err := p.markNamed(ctx, names); err != nil {
		return nil, err
	}
	with := make(map[tenantHash]int) // how many snapshots have a text that is named
	for text, is := range names {
		if is {
			var n int
			if err := p.from.QueryRow(ctx, `SELECT count(*) FROM snapshot WHERE tenant = $1 AND text_sha256 = $2`, text.tenant, text.sha256).Scan(&n); err != nil {
				return nil, err
			}
			with[text] = n
		}
	}
	return slices.DeleteFunc(old, func(s keptSnapshot) bool {
		stays := names[s.page] || names[s.text] && with[s.text] < 2
		if stays {
			p.pruned.Kept++
		} else if names[s.text] {
			with[s.text]--
		}
		return stays
	}), nil
}

// markNamed notes which contents a record names, of a brief, a run or whatever else has
// records, and a large input or result of a call.
func (p *pruning) markNamed(ctx context.Context, names map[tenantHash]bool) error {
	mark := func(query string, read func(packed []byte, sha256 string, size int64) ([]byte, error)) error {
		return each(ctx, p.from, query, func(scan func(...any) error) error {
			var tenant, sha256 string
			var size int64
			var packed []byte
			if err := scan(&tenant, &packed, &sha256, &size); err != nil {
				return err
			}
			data, err := read(packed, sha256, size)
			if err != nil {
				return fault.Failed("store.prune", "a record is damaged, so that nobody knows what it needs; no snapshot was let go", "a check of the store names it", err)
			}
			codec.EachHash(data, func(found string) {
				if _, asked := names[tenantHash{tenant, found}]; asked {
					names[tenantHash{tenant, found}] = true
				}
			})
			return nil
		})
	}
	for _, c := range packedColumns {
		if c.table == "snapshot" { // what is in those names nothing
			continue
		}
		if err := mark(fmt.Sprintf(`SELECT tenant, %[1]s, '', 0 FROM %[2]s WHERE %[1]s IS NOT NULL`, c.column, c.table), func(packed []byte, _ string, _ int64) ([]byte, error) {
			return codec.Unpack("store.prune", packed)
		}); err != nil {
			return err
		}
	}
	return mark(`SELECT DISTINCT b.tenant, b.body, b.sha256, b.size FROM run_blob AS r JOIN blob AS b ON b.tenant = r.tenant AND b.sha256 = r.sha256`, func(packed []byte, sha256 string, size int64) ([]byte, error) {
		return codec.UnpackContent("store.prune", packed, sha256, size)
	})
}

// letGo removes snapshots that are still as old, and the contents that only they had.
func (p *pruning) letGo(ctx context.Context, batch []keptSnapshot) error {
	var snapshots int
	var records int64
	var gone []goneContent
	err := p.batch(ctx, func(ctx context.Context, tx pgx.Tx) error {
		snapshots, records, gone = 0, 0, nil // it may be done again
		for _, snap := range batch {
			n, err := affected(tx.Exec(ctx, `DELETE FROM snapshot AS s WHERE tenant = $1 AND key = $2 AND kept_at < $3 AND `+notIndexed, snap.tenant, snap.key, p.before))
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			snapshots, records = snapshots+1, records+snap.records
			went, err := (&Store{db: p.db, tenant: snap.tenant}).letGo(ctx, tx, []string{snap.page.sha256, snap.text.sha256})
			if err != nil {
				return err
			}
			gone = append(gone, went...)
		}
		return nil
	})
	if err == nil {
		p.pruned.Snapshots += snapshots
		p.pruned.RecordBytes += records
		p.went(gone)
	}
	return err
}

func (p *pruning) went(gone []goneContent) {
	for _, c := range gone {
		p.gone[c.sha256] = c.bytes
	}
}

// countGone counts the contents that went and that no tenant has any more.
func (p *pruning) countGone(ctx context.Context) error {
	hashes := make([]string, 0, len(p.gone))
	for sha256 := range p.gone {
		hashes = append(hashes, sha256)
	}
	left, err := readColumn[string](ctx, p.from, `SELECT DISTINCT sha256 FROM blob WHERE sha256 = ANY ($1)`, hashes)
	if err != nil {
		return err
	}
	for sha256, bytes := range p.gone {
		if !slices.Contains(left, sha256) {
			p.pruned.Contents++
			p.pruned.ContentBytes += bytes
		}
	}
	return nil
}
