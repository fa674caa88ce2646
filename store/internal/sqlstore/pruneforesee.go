package sqlstore

import (
	"context"
	"maps"
	"slices"
)

// foresee counts what a dry run would let go of: old, contents that only these and runs to go name, and unshared bytes.
func (p *pruning) foresee(ctx context.Context, old []keptSnapshot) error {
	fewer := make(map[content]int) // how many names of it would go
	for _, s := range old {
		p.pruned.Snapshots++
		p.pruned.RecordBytes += s.records
		fewer[s.page]++
		fewer[s.text]++
	}
	bodies, err := findRows(ctx, p, `SELECT tenant, 'run ' || run, sha256 FROM run_blob`,
		func(scan func(...any) error) (c content, err error) {
			var of owner
			if err = scan(&of.tenant, &of.name, &c.sha256); p.going[of] {
				c.tenant = of.tenant
			}
			return c, err
		})
	if err != nil {
		return err
	}
	for _, c := range bodies {
		if c.tenant != "" {
			fewer[c]++
		}
	}
	var tenants map[string]int // that would have it no more, by its hash
	if err := p.reading(ctx, func(from Conn) error {
		tenants = make(map[string]int)
		for c, n := range fewer {
			var names int
			if err := from.QueryRow(ctx, `SELECT (SELECT count(*) FROM snapshot WHERE tenant = $1 AND page_sha256 = $2)
				+ (SELECT count(*) FROM snapshot WHERE tenant = $1 AND text_sha256 = $2)
				+ (SELECT count(*) FROM run_blob WHERE tenant = $1 AND sha256 = $2)`, c.tenant, c.sha256).Scan(&names); err != nil {
				return err
			}
			if names > n {
				continue
			}
			tenants[c.sha256]++
		}
		return nil
	}); err != nil {
		return err
	}
	return p.counted(ctx, slices.Collect(maps.Keys(tenants)), func(sha256 string, c ContentCount) {
		if tenants[sha256] == c.Tenants {
			p.pruned.Contents++
			p.pruned.ContentBytes += c.Bytes
		}
	})
}
