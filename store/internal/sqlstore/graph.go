package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// Graphs are what of the graph each database does in its own way.
type Graphs interface {
	// Unlabel takes a node's labels, which its record names, out of their table.
	Unlabel(ctx context.Context, tx Tx, tenant, id string, record []byte) error
	// EdgeKey is by what an edge is found, the column key, where it is not by its three names.
	EdgeKey(src, rel, dst string) []any
}

// UpsertNodes implements store.Graph.
func (s *Store) UpsertNodes(ctx context.Context, nodes []store.GraphNode) error {
	const op = "store.upsert_nodes"
	records, labels, err := codec.PackNodes(op, nodes)
	if err != nil {
		return s.b.Fail(op, err)
	}
	last := make(map[string]int, len(nodes)) // of two with one id, the later counts
	for i, node := range nodes {
		last[node.ID] = i
	}
	return s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		// In order, so that two who write the same rows never wait for each other.
		for _, id := range slices.Sorted(maps.Keys(last)) {
			if err := s.upsertNode(ctx, tx, id, labels[last[id]], records[last[id]]); err != nil {
				return err
			}
		}
		return nil
	})
}

var insertLabels = Into("graph_label", "tenant, node", "label text", "")

func (s *Store) upsertNode(ctx context.Context, tx Tx, id string, labels []string, record []byte) error {
	var old []byte
	there, err := AnyRow(tx.QueryRow(ctx, `SELECT record FROM graph_node WHERE tenant = $1 AND id = $2`,
		s.tenant, id).Scan(&old))
	if err != nil || there && bytes.Equal(old, record) {
		return err
	}
	// The row is locked from here on, and its labels with it.
	if _, err := tx.Exec(ctx, `INSERT INTO graph_node (tenant, id, record, updated_at) VALUES ($1, $2, $3, micros())
		ON CONFLICT (tenant, id) DO UPDATE SET record = excluded.record, updated_at = excluded.updated_at`,
		s.tenant, id, record); err != nil {
		return err
	}
	if err := s.b.Unlabel(ctx, tx, s.tenant, id, old); err != nil {
		return err
	}
	rows := make([][]any, len(labels))
	for i, label := range labels {
		rows[i] = []any{label}
	}
	_, err = tx.Insert(ctx, insertLabels, []any{s.tenant, id}, rows)
	return err
}

// UpsertEdges implements store.Graph.
func (s *Store) UpsertEdges(ctx context.Context, edges []store.GraphEdge) error {
	const op = "store.upsert_edges"
	records, err := codec.PackEdges(op, edges)
	if err != nil {
		return s.b.Fail(op, err)
	}
	type names struct{ src, rel, dst string }
	last := make(map[names]int, len(edges)) // of two that are one, the later counts
	for i, e := range edges {
		last[names{e.Src, e.Rel, e.Dst}] = i
	}
	var rows [][]any
	for _, n := range slices.SortedFunc(maps.Keys(last), func(a, b names) int {
		return cmp.Or(cmp.Compare(a.src, b.src), cmp.Compare(a.rel, b.rel), cmp.Compare(a.dst, b.dst))
	}) {
		rows = append(rows, append(s.b.EdgeKey(n.src, n.rel, n.dst), n.src, n.rel, n.dst, edges[last[n]].Weight,
			records[last[n]]))
	}
	return s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		_, err := tx.Insert(ctx, s.db.dialect.InsertEdges, []any{s.tenant}, rows)
		return err
	})
}

// RemoveNode implements store.Graph.
func (s *Store) RemoveNode(ctx context.Context, id string) (removed bool, err error) {
	err = s.b.Once(ctx, "store.remove_node", func(ctx context.Context, tx Tx) error {
		var record []byte
		removed, err = AnyRow(tx.QueryRow(ctx, `DELETE FROM graph_node WHERE tenant = $1 AND id = $2 RETURNING record`,
			s.tenant, id).Scan(&record))
		if removed {
			err = s.b.Unlabel(ctx, tx, s.tenant, id, record)
		}
		for _, end := range []string{"src", "dst"} {
			if err != nil {
				return err
			}
			var n int64
			n, err = tx.Exec(ctx, `DELETE FROM graph_edge WHERE tenant = $1 AND `+end+` = $2`, s.tenant, id)
			removed = removed || n > 0
		}
		return err
	})
	return removed && err == nil, err
}

// RemoveEdge implements store.Graph.
func (s *Store) RemoveEdge(ctx context.Context, src, rel, dst string) (removed bool, err error) {
	condition, args := `src = $2 AND rel = $3 AND dst = $4`, []any{s.tenant, src, rel, dst}
	if key := s.b.EdgeKey(src, rel, dst); key != nil {
		condition, args = `key = $2`, append(args[:1], key...)
	}
	err = s.b.Once(ctx, "store.remove_edge", func(ctx context.Context, tx Tx) error {
		n, err := tx.Exec(ctx, `DELETE FROM graph_edge WHERE tenant = $1 AND `+condition, args...)
		removed = n > 0
		return err
	})
	return removed && err == nil, err
}
