package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// pruneBatch is how many things one transaction lets go of, so that others who write
// wait for a moment only.
const pruneBatch = 100

var _ store.Disk = (*DB)(nil)

// A content is bytes that a tenant may read.
type content struct{ tenant, sha256 string }

// An owner is a brief or a run, as packedColumns names it.
type owner struct{ tenant, name string }

// A keptSnapshot is one row of table snapshot.
type keptSnapshot struct {
	id         int64
	page, text content
	records    int64 // bytes
}

// A pruning is one Prune under way.
type pruning struct {
	db     *DB
	q      store.PruneQuery
	before int64
	pruned store.Pruned

	going map[owner]bool // in a dry run, what would be gone by now
}

// Prune implements store.Disk.
//
// What is named is found by reading every record without the write lock. A name that is
// written meanwhile is of a snapshot that was put within store.MinPruneAge, which is
// looked at again where it is deleted, or is copied from a record that was read.
func (db *DB) Prune(ctx context.Context, q store.PruneQuery) (store.Pruned, error) {
	const op = "store.prune"
	if err := q.Check(op); err != nil {
		return store.Pruned{}, err
	}
	began := time.Now()
	before := began.Add(-q.OlderThan)
	p := &pruning{db: db, q: q, before: before.UnixMicro(), going: make(map[owner]bool),
		pruned: store.Pruned{DryRun: q.DryRun, Before: before.UTC()}}
	size, had, err := pageCounts(ctx, db.reads)
	if err == nil {
		err = p.run(ctx, began)
	}
	if err == nil && !q.DryRun {
		var has pages
		_, has, err = pageCounts(ctx, db.reads)
		p.pruned.DatabaseBytes = max(0, had.all-has.all) * size
	}
	return p.pruned, storeError(op, err)
}

func (p *pruning) run(ctx context.Context, began time.Time) error {
	for _, step := range []func(context.Context) error{p.runs, p.briefs} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	old, err := p.unnamed(ctx)
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
	if err := p.countGone(ctx, began); err != nil {
		return err
	}
	if err := p.db.sweepContents(ctx); err != nil {
		return err
	}
	return p.db.compact(ctx)
}

// runs lets go of ended runs, where that is asked for.
func (p *pruning) runs(ctx context.Context) error {
	if !p.q.Runs {
		return nil
	}
	type ended struct {
		id           int64
		tenant, name string
	}
	runs, err := readRows(ctx, p.db.reads, `SELECT id, tenant, name FROM run WHERE ended_at > 0 AND ended_at < ?`, func(scan func(...any) error) (r ended, err error) {
		err = scan(&r.id, &r.tenant, &r.name)
		return r, err
	}, p.before)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if p.q.DryRun {
			p.going[owner{r.tenant, fmt.Sprint("run ", r.id)}], p.going[owner{r.tenant, "brief " + r.name}] = true, true
			p.pruned.Runs++
			continue
		}
		switch err := p.db.Tenant(r.tenant).DeleteRun(ctx, r.name); citewell.CodeOf(err) {
		case "":
			p.pruned.Runs++
		case citewell.CodeRunLeased, citewell.CodeNotFound: // somebody has it, or has deleted it
		default:
			return err
		}
	}
	return nil
}

// oldLedgers are ledgers whose brief is of no run, with whether there is one.
const oldLedgers = `SELECT l.tenant, l.brief, EXISTS (SELECT 1 FROM brief AS b WHERE b.tenant = l.tenant AND b.id = l.brief) FROM
	(SELECT tenant, brief, created_at FROM source UNION ALL SELECT tenant, id, created_at FROM brief) AS l
	WHERE NOT EXISTS (SELECT 1 FROM run AS r WHERE r.tenant = l.tenant AND r.name = l.brief)
	GROUP BY l.tenant, l.brief HAVING max(l.created_at) < ?`

// briefs lets go of ledgers whose brief was never finished, and of the briefs of searches
// where that is asked for.
func (p *pruning) briefs(ctx context.Context) error {
	var ledgers []owner
	err := each(ctx, p.db.reads, oldLedgers, func(scan func(...any) error) error {
		var l owner
		var kept bool
		if err := scan(&l.tenant, &l.name, &kept); err != nil {
			return err
		}
		if !kept || p.q.Briefs {
			ledgers = append(ledgers, l)
		}
		return nil
	}, p.before)
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
		if err := p.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
			for _, l := range batch {
				if err := p.db.Tenant(l.tenant).deleteBrief(ctx, tx, l.name); err != nil {
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

// oldSnapshots are those that no document of the library is made of.
const oldSnapshots = `SELECT id, tenant, page_sha256, text_sha256, length(page_record) + length(document_record) FROM snapshot AS s
	WHERE kept_at < ? AND ` + notIndexed + ` ORDER BY kept_at, id`

const notIndexed = `NOT (EXISTS (SELECT 1 FROM text_document AS d WHERE d.tenant = s.tenant AND d.index_name = '` + store.Library + `' AND d.key = s.final_url)
	AND s.id = (SELECT id FROM snapshot AS n WHERE n.tenant = s.tenant AND n.final_url = s.final_url ORDER BY fetched_at DESC, id DESC LIMIT 1))`

// unnamed returns the old snapshots that may go, oldest first, and counts those that stay.
// Where only the text of one is named, one snapshot with that text stays.
func (p *pruning) unnamed(ctx context.Context) ([]keptSnapshot, error) {
	var old []keptSnapshot
	named := make(map[content]bool)
	err := each(ctx, p.db.reads, oldSnapshots, func(scan func(...any) error) error {
		var s keptSnapshot
		var tenant string
		if err := scan(&s.id, &tenant, &s.page.sha256, &s.text.sha256, &s.records); err != nil {
			return err
		}
		s.page.tenant, s.text.tenant = tenant, tenant
		named[s.page], named[s.text] = false, false
		old = append(old, s)
		return nil
	}, p.before)
	if err != nil || len(old) == 0 {
		return nil, err
	}
	if err := p.markNamed(ctx, named); err != nil {
		return nil, err
	}
	with := make(map[content]int) // how many snapshots have a text that is named
	for text, is := range named {
		if is {
			var n int
			if err := p.db.reads.QueryRowContext(ctx, `SELECT count(*) FROM snapshot WHERE tenant = ? AND text_sha256 = ?`, text.tenant, text.sha256).Scan(&n); err != nil {
				return nil, err
			}
			with[text] = n
		}
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

// markNamed notes which contents a record names that stays, of a brief, a run or whatever
// else has records, and a large input or result of a call.
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
	for _, c := range packedColumns {
		if c.owner == "" {
			continue
		}
		err := each(ctx, p.db.reads, `SELECT tenant, `+c.owner+`, `+c.column+` FROM `+c.table+` WHERE `+c.column+` IS NOT NULL`, func(scan func(...any) error) error {
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
		if err != nil {
			return unsure(err)
		}
	}
	return unsure(each(ctx, p.db.reads, `SELECT r.tenant, 'run ' || r.run, r.sha256, b.size FROM run_blob AS r
		JOIN blob AS b ON b.tenant = r.tenant AND b.sha256 = r.sha256`, func(scan func(...any) error) error {
		var of owner
		var sha256 string
		var size int64
		if err := scan(&of.tenant, &of.name, &sha256, &size); err != nil {
			return err
		}
		data, err := p.db.blobs.Get(sha256, size)
		if err == nil {
			note(of, data)
		}
		return err
	}))
}

// unsure says of damage that it may hide what is needed.
func unsure(err error) error {
	if e, ok := errors.AsType[*citewell.Error](err); ok && e.Code == citewell.CodeStoreFailed {
		return &citewell.Error{Code: e.Code, Op: "store.prune", Message: "a record is damaged, so that nobody knows what it needs; no snapshot was let go",
			Hint: "a check of the store names it", Err: err}
	}
	return err
}

// letGo removes snapshots that are still as old, and the contents that only they had.
func (p *pruning) letGo(ctx context.Context, batch []keptSnapshot) error {
	var gone int
	var records int64
	err := p.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		gone, records = 0, 0 // it may be done again
		for _, snap := range batch {
			n, err := affected(tx.ExecContext(ctx, `DELETE FROM snapshot AS s WHERE id = ? AND kept_at < ? AND `+notIndexed, snap.id, p.before))
			if err != nil {
				return err
			}
			if n == 0 {
				continue
			}
			gone, records = gone+1, records+snap.records
			for _, c := range []content{snap.page, snap.text} {
				if err := p.db.Tenant(c.tenant).letGo(ctx, tx, c.sha256); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		p.pruned.Snapshots += gone
		p.pruned.RecordBytes += records
	}
	return err
}

// countGone counts the contents that have been let go of since.
func (p *pruning) countGone(ctx context.Context, since time.Time) error {
	return each(ctx, p.db.reads, `SELECT DISTINCT sha256 FROM blob_gone AS g WHERE gone_at >= ?
		AND NOT EXISTS (SELECT 1 FROM blob AS b WHERE b.sha256 = g.sha256)`, func(scan func(...any) error) error {
		var sha256 string
		if err := scan(&sha256); err != nil {
			return err
		}
		return p.countContent(sha256)
	}, since.UnixMicro())
}

func (p *pruning) countContent(sha256 string) error {
	size, err := p.db.blobs.Size(sha256)
	p.pruned.Contents++
	p.pruned.ContentBytes += size
	return err
}
