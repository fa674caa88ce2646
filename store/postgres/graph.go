package postgres

import (
	"context"

	"github.com/citewell/citewell/store/internal/sqlstore"
)

var insertEdges = sqlstore.Into("graph_edge AS g", "tenant, updated_at = micros()",
	"key bytea, src text, rel text, dst text, weight double precision, record bytea",
	`ON CONFLICT (tenant, key) DO UPDATE SET weight = excluded.weight, record = excluded.record,
		updated_at = excluded.updated_at
	WHERE g.weight <> excluded.weight OR g.record <> excluded.record`)

// Unlabel implements sqlstore.Graphs: another may have changed the record before the node was locked.
func (e engine) Unlabel(ctx context.Context, tx sqlstore.Tx, tenant, id string, _ []byte) error {
	_, err := tx.Exec(ctx, `DELETE FROM graph_label WHERE tenant = $1 AND node = $2`, tenant, id)
	return err
}

// EdgeKey implements sqlstore.Graphs: three names may be longer than an index takes.
func (e engine) EdgeKey(src, rel, dst string) []any { return []any{hashOf(src, rel, dst)} }
