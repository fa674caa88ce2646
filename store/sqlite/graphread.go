package sqlite

import (
	"context"
	"fmt"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/store/internal/graphwalk"
)

// Node implements store.Graph.
func (s *Store) Node(ctx context.Context, id string) (store.GraphNode, error) {
	const op = "store.node"
	var packed []byte
	err := s.db.reads.QueryRowContext(ctx, `SELECT record FROM graph_node WHERE tenant = ? AND id = ?`, s.tenant, id).Scan(&packed)
	if err := orMissing(err, fault.NotFound(op, fmt.Sprintf("there is no node %q", id))); err != nil {
		return store.GraphNode{}, storeError(op, err)
	}
	record, err := codec.ReadGraph(packed)
	return store.GraphNode{ID: id, Labels: record.Labels, Props: record.Props}, err
}

// Nodes implements store.Graph.
func (s *Store) Nodes(ctx context.Context, label string, window store.Window) ([]store.GraphNode, error) {
	const op = "store.nodes"
	if err := window.Check(op); err != nil {
		return nil, err
	}
	query, args := `SELECT id, record FROM graph_node WHERE tenant = ? ORDER BY id LIMIT ? OFFSET ?`, []any{s.tenant}
	if label != "" {
		query, args = `SELECT n.id, n.record FROM graph_label AS l CROSS JOIN graph_node AS n WHERE l.tenant = ? AND l.label = ?
			AND n.tenant = l.tenant AND n.id = l.node ORDER BY l.node LIMIT ? OFFSET ?`, []any{s.tenant, label}
	}
	nodes, err := readRows(ctx, s.db.reads, query, scanNode, append(args, window.Limit, window.Offset)...)
	return nodes, storeError(op, err)
}

// FindNodes implements store.Graph. It reads every id of the tenant.
func (s *Store) FindNodes(ctx context.Context, text string, window store.Window) ([]store.GraphNode, error) {
	const op = "store.find_nodes"
	if err := graphwalk.CheckFind(op, text, &window); err != nil {
		return nil, err
	}
	names := graphwalk.Names{}
	err := each(ctx, s.db.reads, `SELECT id, '' FROM graph_node WHERE tenant = ? UNION ALL SELECT node, label FROM graph_label WHERE tenant = ?`, func(scan func(...any) error) error {
		var id, label string
		err := scan(&id, &label)
		names.Add(id, label)
		return err
	}, s.tenant, s.tenant)
	if err != nil {
		return nil, storeError(op, err)
	}
	var nodes []store.GraphNode
	for chunk := range slices.Chunk(names.Find(text, window), graphwalk.Chunk) {
		among, args := oneOf("id", chunk)
		more, err := readRows(ctx, s.db.reads, `SELECT id, record FROM graph_node WHERE tenant = ?`+among+` ORDER BY id`, scanNode, append([]any{s.tenant}, args...)...)
		if err != nil {
			return nil, storeError(op, err)
		}
		nodes = append(nodes, more...)
	}
	return nodes, nil
}

func scanNode(scan func(...any) error) (node store.GraphNode, err error) {
	var packed []byte
	if err := scan(&node.ID, &packed); err != nil {
		return node, err
	}
	record, err := codec.ReadGraph(packed)
	node.Labels, node.Props = record.Labels, record.Props
	return node, err
}

// Edges implements store.Graph.
func (s *Store) Edges(ctx context.Context, query store.EdgeQuery) ([]store.GraphEdge, error) {
	const op = "store.edges"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	where, args := `src = ?`, []any{s.tenant, query.Node}
	switch query.Direction {
	case store.Inbound:
		where = `dst = ?`
	case store.BothWays:
		where, args = `(src = ? OR dst = ?)`, append(args, query.Node)
	}
	relation, more := oneOf("rel", query.Relations)
	args = append(append(args, more...), query.Limit, query.Offset)
	edges, err := readRows(ctx, s.db.reads, `SELECT src, rel, dst, weight, record FROM graph_edge WHERE tenant = ? AND `+where+relation+`
		ORDER BY src, rel, dst LIMIT ? OFFSET ?`, func(scan func(...any) error) (e store.GraphEdge, err error) {
		var packed []byte
		if err := scan(&e.Src, &e.Rel, &e.Dst, &e.Weight, &packed); err != nil {
			return e, err
		}
		record, err := codec.ReadGraph(packed)
		e.Props = record.Props
		return e, err
	}, args...)
	return edges, storeError(op, err)
}

// CountGraph implements store.Graph.
func (s *Store) CountGraph(ctx context.Context) (nodes, edges int, err error) {
	err = s.db.reads.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM graph_node WHERE tenant = ?),
		(SELECT count(*) FROM graph_edge WHERE tenant = ?)`, s.tenant, s.tenant).Scan(&nodes, &edges)
	return nodes, edges, storeError("store.count_graph", err)
}

// Neighbors implements store.Graph.
func (s *Store) Neighbors(ctx context.Context, query store.NeighborQuery) (store.Neighbors, error) {
	const op = "store.neighbors"
	if err := query.Check(op); err != nil {
		return store.Neighbors{}, err
	}
	tx, err := s.db.reads.BeginTx(ctx, nil)
	if err != nil {
		return store.Neighbors{}, storeError(op, err)
	}
	defer tx.Rollback()
	relation, relations := oneOf("rel", query.Relations)
	answer, err := graphwalk.Neighbors(query, func(from, to string, nodes []string, limit int) ([]string, error) {
		among, args := oneOf(from, nodes)
		args = append(append(append([]any{s.tenant}, args...), relations...), limit)
		return readColumn[string](ctx, tx, `SELECT DISTINCT `+to+` FROM graph_edge WHERE tenant = ?`+among+relation+` ORDER BY 1 LIMIT ?`, args...)
	})
	if err != nil {
		return store.Neighbors{}, storeError(op, err)
	}
	return answer, storeError(op, graphwalk.Describe(answer.Neighbors, func(ids []string) ([]store.GraphNode, error) {
		among, args := oneOf("id", ids)
		return readRows(ctx, tx, `SELECT id, record FROM graph_node WHERE tenant = ?`+among, scanNode, append([]any{s.tenant}, args...)...)
	}))
}
