package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

var _ store.Graph = (*Store)(nil)

// UpsertNodes implements store.Graph.
func (s *Store) UpsertNodes(ctx context.Context, nodes []store.GraphNode) error {
	const op = "store.upsert_nodes"
	records, labels, err := codec.PackNodes(op, nodes)
	if err != nil {
		return storeError(op, err)
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for i, node := range nodes {
			if err := s.upsertNode(ctx, tx, node.ID, labels[i], records[i]); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *Store) upsertNode(ctx context.Context, tx *sql.Tx, id string, labels []string, record []byte) error {
	var old []byte
	there, err := anyRow(tx.QueryRowContext(ctx, `SELECT record FROM graph_node WHERE tenant = ? AND id = ?`, s.tenant, id).Scan(&old))
	if there && bytes.Equal(old, record) {
		return nil
	}
	if there {
		err = s.unlabel(ctx, tx, id, old)
	}
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO graph_node (tenant, id, record, updated_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET record = excluded.record, updated_at = excluded.updated_at`,
		s.tenant, id, record, time.Now().UnixMicro()); err != nil {
		return err
	}
	for _, label := range labels {
		if _, err := tx.ExecContext(ctx, `INSERT INTO graph_label (tenant, label, node) VALUES (?, ?, ?)`, s.tenant, label, id); err != nil {
			return err
		}
	}
	return nil
}

// unlabel takes a node's labels, which its record names, out of their table.
func (s *Store) unlabel(ctx context.Context, tx *sql.Tx, id string, record []byte) error {
	old, err := codec.ReadGraph(record)
	if err != nil {
		return err
	}
	for _, label := range old.Labels {
		if _, err := tx.ExecContext(ctx, `DELETE FROM graph_label WHERE tenant = ? AND label = ? AND node = ?`, s.tenant, label, id); err != nil {
			return err
		}
	}
	return nil
}

// UpsertEdges implements store.Graph.
func (s *Store) UpsertEdges(ctx context.Context, edges []store.GraphEdge) error {
	const op = "store.upsert_edges"
	records, err := codec.PackEdges(op, edges)
	if err != nil {
		return storeError(op, err)
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, `INSERT INTO graph_edge (tenant, src, rel, dst, weight, record, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = excluded.weight, record = excluded.record,
			updated_at = excluded.updated_at WHERE weight <> excluded.weight OR record <> excluded.record`)
		if err != nil {
			return err
		}
		defer put.Close()
		now := time.Now().UnixMicro()
		for i, e := range edges {
			if _, err := put.ExecContext(ctx, s.tenant, e.Src, e.Rel, e.Dst, e.Weight, records[i], now); err != nil {
				return err
			}
		}
		return nil
	}))
}

// RemoveNode implements store.Graph.
func (s *Store) RemoveNode(ctx context.Context, id string) (bool, error) {
	var removed bool
	err := s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var record []byte
		there, err := anyRow(tx.QueryRowContext(ctx, `DELETE FROM graph_node WHERE tenant = ? AND id = ? RETURNING record`, s.tenant, id).Scan(&record))
		if there {
			err = s.unlabel(ctx, tx, id, record)
		}
		if err != nil {
			return err
		}
		removed = there
		for _, end := range []string{"src", "dst"} {
			n, err := affected(tx.ExecContext(ctx, `DELETE FROM graph_edge WHERE tenant = ? AND `+end+` = ?`, s.tenant, id))
			if err != nil {
				return err
			}
			removed = removed || n > 0
		}
		return nil
	})
	if err != nil {
		return false, storeError("store.remove_node", err)
	}
	return removed, nil
}

// RemoveEdge implements store.Graph.
func (s *Store) RemoveEdge(ctx context.Context, src, rel, dst string) (bool, error) {
	var removed int64
	err := s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		removed, err = affected(tx.ExecContext(ctx, `DELETE FROM graph_edge WHERE tenant = ? AND src = ? AND rel = ? AND dst = ?`, s.tenant, src, rel, dst))
		return err
	})
	if err != nil {
		return false, storeError("store.remove_edge", err)
	}
	return removed > 0, nil
}
