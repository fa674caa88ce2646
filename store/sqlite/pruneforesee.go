package sqlite

import "context"

// foresee counts what a dry run would let go of: old, what only these and the runs that
// would be gone have, and where no other tenant has it, its file.
func (p *pruning) foresee(ctx context.Context, old []keptSnapshot) error {
	fewer := make(map[content]int) // how many names of it would go
	for _, s := range old {
		p.pruned.Snapshots++
		p.pruned.RecordBytes += s.records
		fewer[s.page]++
		fewer[s.text]++
	}
	err := each(ctx, p.db.reads, `SELECT tenant, 'run ' || run, sha256 FROM run_blob`, func(scan func(...any) error) error {
		var of owner
		c := content{}
		if err := scan(&of.tenant, &of.name, &c.sha256); err != nil {
			return err
		}
		if c.tenant = of.tenant; p.going[of] {
			fewer[c]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	tenants := make(map[string]int) // that would have it no more, by its hash
	for c, n := range fewer {
		var names, has int
		if err := p.db.reads.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM snapshot WHERE tenant = ?1 AND page_sha256 = ?2) + (SELECT count(*) FROM snapshot WHERE tenant = ?1 AND text_sha256 = ?2) +
			(SELECT count(*) FROM run_blob WHERE tenant = ?1 AND sha256 = ?2), (SELECT count(*) FROM blob WHERE sha256 = ?2)`, c.tenant, c.sha256).Scan(&names, &has); err != nil {
			return err
		}
		if names > n {
			continue
		}
		if tenants[c.sha256]++; tenants[c.sha256] == has {
			if err := p.countContent(c.sha256); err != nil {
				return err
			}
		}
	}
	return nil
}
