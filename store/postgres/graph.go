package postgres

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/jackc/pgx/v5"
)

var _ store.Graph = (*Store)(nil)

// UpsertNodes implements store.Graph.
func (s *Store) UpsertNodes(ctx context.Context, nodes []store.GraphNode) error {
	const op = "store.upsert_nodes"
	records, labels, err := codec.PackNodes(op, nodes)
	if err != nil {
		return storeError(op, err)
	}
	last := make(map[string]int, len(nodes)) // of two with one id, the later counts
	for i, node := range nodes {
		last[node.ID] = i
	}
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		for _, i := range inOrder(last) {
			if err := s.upsertNode(ctx, tx, nodes[i].ID, labels[i], records[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// inOrder are the values of a map by its keys, so that two who write the same rows never wait
// for each other.
func inOrder[K cmp.Ordered](of map[K]int) (values []int) {
	keys := make([]K, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		values = append(values, of[key])
	}
	return values
}

func (s *Store) upsertNode(ctx context.Context, tx pgx.Tx, id string, labels []string, record []byte) error {
	var old []byte
	there, err := anyRow(tx.QueryRow(ctx, `SELECT record FROM graph_node WHERE tenant = $1 AND id = $2`, s.tenant, escape(id)).Scan(&old))
	if err != nil || there && bytes.Equal(old, record) {
		return err
	}
	// The row is locked from here on, and its labels with it.
	if _, err := tx.Exec(ctx, `INSERT INTO graph_node (tenant, id, record, updated_at) VALUES ($1, $2, $3, micros())
		ON CONFLICT (tenant, id) DO UPDATE SET record = excluded.record, updated_at = excluded.updated_at`, s.tenant, escape(id), record); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM graph_label WHERE tenant = $1 AND node = $2`, s.tenant, escape(id)); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO graph_label (tenant, label, node) SELECT $1, unnest($2::text[]), $3`, s.tenant, escaped(labels), escape(id))
	return err
}

// UpsertEdges implements store.Graph.
func (s *Store) UpsertEdges(ctx context.Context, edges []store.GraphEdge) error {
	const op = "store.upsert_edges"
	records, err := codec.PackEdges(op, edges)
	if err != nil {
		return storeError(op, err)
	}
	last := make(map[string]int, len(edges)) // of two that are one, the later counts
	for i, e := range edges {
		last[string(hashOf(e.Src, e.Rel, e.Dst))] = i
	}
	n := len(last)
	keys, src, rel, dst, weights, packed := make([][]byte, 0, n), make([]string, 0, n), make([]string, 0, n), make([]string, 0, n), make([]float64, 0, n), make([][]byte, 0, n)
	for _, i := range inOrder(last) {
		e := edges[i]
		keys, weights, packed = append(keys, hashOf(e.Src, e.Rel, e.Dst)), append(weights, e.Weight), append(packed, records[i])
		src, rel, dst = append(src, escape(e.Src)), append(rel, escape(e.Rel)), append(dst, escape(e.Dst))
	}
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO graph_edge AS g (tenant, key, src, rel, dst, weight, record, updated_at)
			SELECT $1, e.key, e.src, e.rel, e.dst, e.weight, e.record, micros()
			FROM unnest($2::bytea[], $3::text[], $4::text[], $5::text[], $6::double precision[], $7::bytea[]) AS e (key, src, rel, dst, weight, record)
			ON CONFLICT (tenant, key) DO UPDATE SET weight = excluded.weight, record = excluded.record, updated_at = excluded.updated_at
			WHERE g.weight <> excluded.weight OR g.record <> excluded.record`, s.tenant, keys, src, rel, dst, weights, packed)
		return err
	})
}

// RemoveNode implements store.Graph.
func (s *Store) RemoveNode(ctx context.Context, id string) (removed bool, err error) {
	err = s.db.once(ctx, "store.remove_node", func(ctx context.Context, tx pgx.Tx) error {
		removed = false
		for _, from := range []string{"graph_node WHERE tenant = $1 AND id = $2", "graph_label WHERE tenant = $1 AND node = $2",
			"graph_edge WHERE tenant = $1 AND src = $2", "graph_edge WHERE tenant = $1 AND dst = $2"} {
			n, err := affected(tx.Exec(ctx, `DELETE FROM `+from, s.tenant, escape(id)))
			if err != nil {
				return err
			}
			removed = removed || n > 0
		}
		return nil
	})
	return removed && err == nil, err
}

// RemoveEdge implements store.Graph.
func (s *Store) RemoveEdge(ctx context.Context, src, rel, dst string) (removed bool, err error) {
	err = s.db.once(ctx, "store.remove_edge", func(ctx context.Context, tx pgx.Tx) error {
		n, err := affected(tx.Exec(ctx, `DELETE FROM graph_edge WHERE tenant = $1 AND key = $2`, s.tenant, hashOf(src, rel, dst)))
		removed = n > 0
		return err
	})
	return removed && err == nil, err
}
