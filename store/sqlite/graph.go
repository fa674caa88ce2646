package sqlite

import (
	"context"

	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

var insertEdges = sqlstore.Into("graph_edge", "tenant, updated_at = micros()",
	"src text, rel text, dst text, weight double precision, record bytea",
	`ON CONFLICT DO UPDATE SET weight = excluded.weight, record = excluded.record, updated_at = excluded.updated_at
	WHERE weight <> excluded.weight OR record <> excluded.record`)

// Unlabel implements sqlstore.Graphs.
func (e engine) Unlabel(ctx context.Context, tx sqlstore.Tx, tenant, id string, record []byte) error {
	if record == nil {
		return nil
	}
	old, err := codec.ReadGraph(record)
	if err != nil {
		return err
	}
	for _, label := range old.Labels {
		if _, err := tx.Exec(ctx, `DELETE FROM graph_label WHERE tenant = ? AND label = ? AND node = ?`,
			tenant, label, id); err != nil {
			return err
		}
	}
	return nil
}

// EdgeKey implements sqlstore.Graphs.
func (e engine) EdgeKey(_, _, _ string) []any { return nil }
