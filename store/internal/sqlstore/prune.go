package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// pruneBatch is how many things one transaction lets go of, so that others who write wait for a moment only.
const pruneBatch = 100

// A Pruner does what of pruning each database does in its own way.
type Pruner interface {
	// EachBody calls do with every large input or result of a call.
	EachBody(ctx context.Context, from Conn, do func(tenant string, run int64, data []byte)) error
	// CountContents returns by how many tenants contents are kept, those that are, and the bytes they take.
	CountContents(ctx context.Context, from Conn, contents []string) (map[string]ContentCount, error)
	// Compact gives what is free back to the disk and returns how much that was.
	Compact(ctx context.Context) (bytes int64, err error)
}

// A ContentCount says how a content is kept.
type ContentCount struct {
	Tenants int
	Bytes   int64
}

// A content is bytes that a tenant may read.
type content struct{ tenant, sha256 string }

// An owner is a brief or a run, as packed names it, or without that name.
type owner struct{ tenant, name string }

// A keptSnapshot is one row of table snapshot.
type keptSnapshot struct {
	key        any // by which the backend finds it
	page, text content
	records    int64 // bytes
}

// A pruning is one Prune under way.
type pruning struct {
	db     *DB
	q      upkeep.PruneQuery
	before int64
	pruned upkeep.Pruned
	gone   map[string]int64 // contents that some tenant has no more, with their bytes
	going  map[owner]bool   // in a dry run, what would be gone by now
}

// Prune implements upkeep.Disk. It finds what is named by reading every record without a lock. A name that is written
// meanwhile is of a snapshot that was put within upkeep.MinPruneAge, which is looked at again before it is deleted, or
// is copied from a record that was read.
func (db *DB) Prune(ctx context.Context, q upkeep.PruneQuery) (upkeep.Pruned, error) {
	const op = "store.prune"
	if err := q.Check(op); err != nil {
		return upkeep.Pruned{}, err
	}
	now, err := readValue(ctx, db.b, op, func(from Conn) (now int64, err error) {
		err = from.QueryRow(ctx, `SELECT micros()`).Scan(&now)
		return now, err
	})
	if err != nil {
		return upkeep.Pruned{}, err
	}
	p := &pruning{db: db, q: q, before: now - q.OlderThan.Microseconds(), gone: make(map[string]int64),
		going: make(map[owner]bool)}
	p.pruned = upkeep.Pruned{DryRun: q.DryRun, Before: codec.MicroTime(p.before)}
	for _, step := range []func(context.Context) error{p.runs, p.briefs, p.snapshots, p.countGone} {
		if err := step(ctx); err != nil {
			return p.pruned, db.b.Fail(op, err)
		}
	}
	if !q.DryRun {
		p.pruned.DatabaseBytes, err = db.b.Compact(ctx)
	}
	return p.pruned, db.b.Fail(op, err)
}

// reading calls do with what reads.
func (p *pruning) reading(ctx context.Context, do func(Conn) error) error {
	return p.db.b.Read(ctx, "store.prune", do)
}

// findRows returns what scan makes of the rows of a query.
func findRows[T any](ctx context.Context, p *pruning, query string, scan func(func(...any) error) (T, error),
	args ...any) ([]T, error) {
	return readValue(ctx, p.db.b, "store.prune", func(from Conn) ([]T, error) {
		return ReadRows(ctx, from, query, scan, args...)
	})
}

func scanOwner(scan func(...any) error) (o owner, err error) {
	err = scan(&o.tenant, &o.name)
	return o, err
}

// runs lets go of ended runs, where that is asked for.
func (p *pruning) runs(ctx context.Context) error {
	if !p.q.Runs {
		return nil
	}
	numbers := make(map[owner]int64)
	ended, err := findRows(ctx, p, `SELECT tenant, {id}, {n} FROM run WHERE ended_at > 0 AND ended_at < $1 ORDER BY {n}`,
		func(scan func(...any) error) (o owner, err error) {
			var n int64
			err = scan(&o.tenant, &o.name, &n)
			numbers[o] = n
			return o, err
		}, p.before)
	if err != nil {
		return err
	}
	for _, r := range ended {
		if p.q.DryRun {
			p.going[owner{r.tenant, fmt.Sprint("run ", numbers[r])}],
				p.going[owner{r.tenant, "brief " + r.name}] = true, true
			p.pruned.Runs++
			continue
		}
		s := Bind(p.db, r.tenant)
		switch gone, err := s.dropRun(ctx, "store.prune", r.name); citewell.CodeOf(err) {
		case "":
			p.pruned.Runs++
			p.went(gone)
		case citewell.CodeRunLeased, citewell.CodeNotFound: // somebody has it, or has deleted it
		default:
			return err
		}
	}
	if p.q.DryRun || len(ended) == 0 {
		return nil
	}
	return p.db.b.Deleted(ctx)
}

// oldLedgers are ledgers whose brief is of no run, and, unless those are to go too, is not kept.
const oldLedgers = `SELECT l.tenant, l.brief FROM
	(SELECT tenant, brief, created_at FROM source UNION ALL SELECT tenant, id, created_at FROM brief) AS l
	WHERE NOT EXISTS (SELECT 1 FROM run AS r WHERE r.tenant = l.tenant AND r.{id} = l.brief)
	AND ($2 OR NOT EXISTS (SELECT 1 FROM brief AS b WHERE b.tenant = l.tenant AND b.id = l.brief))
	GROUP BY l.tenant, l.brief HAVING max(l.created_at) < $1 ORDER BY 1, 2`

// briefs lets go of ledgers whose brief was never finished, and of the briefs of searches where that is asked for.
func (p *pruning) briefs(ctx context.Context) error {
	ledgers, err := findRows(ctx, p, oldLedgers, scanOwner, p.before, p.q.Briefs)
	if err != nil {
		return err
	}
	p.pruned.Briefs = len(ledgers)
	for batch := range slices.Chunk(ledgers, pruneBatch) {
		if p.q.DryRun {
			for _, l := range batch {
				p.going[owner{l.tenant, "brief " + l.name}] = true
			}
			continue
		}
		if err := p.db.b.Again(ctx, "store.prune", func(ctx context.Context, tx Tx) error {
			for _, l := range batch {
				s := Bind(p.db, l.tenant)
				if err := s.deleteBrief(ctx, tx, l.name); err != nil {
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
const notIndexed = `NOT (EXISTS (SELECT 1 FROM text_document AS d
	WHERE d.tenant = s.tenant AND d.index_name = '` + store.Library + `' AND {d.head =} d.key = s.final_url)
	AND s.id = (SELECT id FROM snapshot AS n WHERE n.tenant = s.tenant AND n.{url} = s.{url}
		ORDER BY fetched_at DESC, id DESC LIMIT 1))`

// snapshots lets go of the old ones that nothing names, oldest first.
func (p *pruning) snapshots(ctx context.Context) error {
	old, err := findRows(ctx, p, `SELECT tenant, {snapshot key}, page_sha256, text_sha256,
		length(page_record) + length(document_record)
		FROM snapshot AS s WHERE kept_at < $1 AND `+notIndexed+` ORDER BY kept_at, id`,
		func(scan func(...any) error) (s keptSnapshot, err error) {
			err = scan(&s.page.tenant, &s.key, &s.page.sha256, &s.text.sha256, &s.records)
			s.text.tenant = s.page.tenant
			return s, err
		}, p.before)
	if err == nil && len(old) > 0 {
		old, err = p.unnamed(ctx, old)
	}
	if err != nil {
		return err
	}
	if p.q.DryRun {
		return p.foresee(ctx, old)
	}
	for batch := range slices.Chunk(old, pruneBatch) {
		if err := p.letGo(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

// unnamed returns those of old that may go, and counts the others. If only the text of one is named, one with it stays.
func (p *pruning) unnamed(ctx context.Context, old []keptSnapshot) ([]keptSnapshot, error) {
	named := make(map[content]bool)
	for _, s := range old {
		named[s.page], named[s.text] = false, false
	}
	if err := p.markNamed(ctx, named); err != nil {
		return nil, err
	}
	with := make(map[content]int) // how many snapshots have a text that is named
	if err := p.reading(ctx, func(from Conn) error {
		for text, is := range named {
			if is {
				var n int
				if err := from.QueryRow(ctx, `SELECT count(*) FROM snapshot WHERE tenant = $1 AND text_sha256 = $2`,
					text.tenant, text.sha256).Scan(&n); err != nil {
					return err
				}
				with[text] = n
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(old, func(s keptSnapshot) bool {
		stays := named[s.page] || named[s.text] && with[s.text] < 2
		if stays {
			p.pruned.Kept++
		} else if named[s.text] {
			with[s.text]--
		}
		return stays
	}), nil
}

// markNamed notes which contents are named by a record that stays, or by a large input or result of a call.
func (p *pruning) markNamed(ctx context.Context, named map[content]bool) error {
	note := func(of owner, data []byte) {
		if !p.going[of] {
			codec.EachHash(data, func(sha256 string) {
				if _, asked := named[content{of.tenant, sha256}]; asked {
					named[content{of.tenant, sha256}] = true
				}
			})
		}
	}
	for _, c := range packed {
		if c.owner == "" {
			continue
		}
		if err := p.reading(ctx, func(from Conn) error {
			return Each(ctx, from, `SELECT tenant, `+c.owner+`, `+c.column+` FROM `+c.table+` WHERE `+c.column+
				` IS NOT NULL`,
				func(scan func(...any) error) error {
					var of owner
					var record sql.RawBytes
					if err := scan(&of.tenant, &of.name, &record); err != nil {
						return err
					}
					data, err := codec.Unpack("store.prune", record)
					if err == nil {
						note(of, data)
					}
					return err
				})
		}); err != nil {
			return unsure(err)
		}
	}
	return unsure(p.reading(ctx, func(from Conn) error {
		return p.db.b.EachBody(ctx, from, func(tenant string, run int64, data []byte) {
			note(owner{tenant, fmt.Sprint("run ", run)}, data)
		})
	}))
}

// unsure says of damage that it may hide what is needed.
func unsure(err error) error {
	if e, ok := errors.AsType[*citewell.Error](err); ok && e.Code == citewell.CodeStoreFailed {
		return &citewell.Error{Code: e.Code, Op: "store.prune", Err: err, Hint: "a check of the store names it",
			Message: "a record is damaged, so nobody knows what it needs; no snapshot was removed"}
	}
	return err
}

// letGo removes snapshots that are still as old, and the contents that only they had.
func (p *pruning) letGo(ctx context.Context, batch []keptSnapshot) error {
	var snapshots int
	var records int64
	var gone []Gone
	err := p.db.b.Again(ctx, "store.prune", func(ctx context.Context, tx Tx) error {
		snapshots, records, gone = 0, 0, nil // it may be done again
		for _, snap := range batch {
			n, err := tx.Exec(ctx,
				`DELETE FROM snapshot AS s WHERE {+}tenant = $1 AND {snapshot key} = $2 AND kept_at < $3
				AND `+notIndexed, snap.page.tenant, snap.key, p.before)
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			snapshots, records = snapshots+1, records+snap.records
			went, err := p.db.b.LetGo(ctx, tx, snap.page.tenant, []string{snap.page.sha256, snap.text.sha256})
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

func (p *pruning) went(gone []Gone) {
	for _, c := range gone {
		p.gone[c.SHA256] = c.Bytes
	}
}

// countGone counts the contents that went and that no tenant has any more.
func (p *pruning) countGone(ctx context.Context) error {
	return p.counted(ctx, slices.Collect(maps.Keys(p.gone)), func(sha256 string, left ContentCount) {
		if left.Tenants == 0 {
			p.pruned.Contents++
			p.pruned.ContentBytes += p.gone[sha256]
		}
	})
}

// counted calls do with how each of contents is kept.
func (p *pruning) counted(ctx context.Context, contents []string, do func(sha256 string, c ContentCount)) error {
	for chunk := range slices.Chunk(contents, 1000) {
		counts, err := readValue(ctx, p.db.b, "store.prune", func(from Conn) (map[string]ContentCount, error) {
			return p.db.b.CountContents(ctx, from, chunk)
		})
		if err != nil {
			return err
		}
		for _, sha256 := range chunk {
			do(sha256, counts[sha256])
		}
	}
	return nil
}
