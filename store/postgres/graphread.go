package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/store/internal/graphwalk"
	"github.com/jackc/pgx/v5"
)

// Node implements store.Graph.
func (s *Store) Node(ctx context.Context, id string) (store.GraphNode, error) {
	const op = "store.node"
	return read(ctx, s.db, op, func(ctx context.Context) (store.GraphNode, error) {
		node, err := scanNode(s.db.pool.QueryRow(ctx, `SELECT id, record FROM graph_node WHERE tenant = $1 AND id = $2`, s.tenant, escape(id)).Scan)
		return node, orMissing(err, fault.NotFound(op, fmt.Sprintf("there is no node %q", id)))
	})
}

func scanNode(scan func(...any) error) (node store.GraphNode, err error) {
	var packed []byte
	if err := scan(plain{&node.ID}, &packed); err != nil {
		return node, err
	}
	record, err := codec.ReadGraph(packed)
	node.Labels, node.Props = record.Labels, record.Props
	return node, err
}

// Nodes implements store.Graph.
func (s *Store) Nodes(ctx context.Context, label string, window store.Window) ([]store.GraphNode, error) {
	const op = "store.nodes"
	if err := window.Check(op); err != nil {
		return nil, err
	}
	query, args := `SELECT id, record FROM graph_node WHERE tenant = $1 ORDER BY id LIMIT $2 OFFSET $3`, []any{s.tenant, window.Limit, window.Offset}
	if label != "" {
		query, args = `SELECT n.id, n.record FROM graph_label AS l JOIN graph_node AS n ON n.tenant = l.tenant AND n.id = l.node
			WHERE l.tenant = $1 AND l.label = $4 ORDER BY l.node LIMIT $2 OFFSET $3`, append(args, escape(label))
	}
	return read(ctx, s.db, op, func(ctx context.Context) ([]store.GraphNode, error) {
		return readRows(ctx, s.db.pool, query, scanNode, args...)
	})
}

// FindNodes implements store.Graph. It reads every id of the tenant.
func (s *Store) FindNodes(ctx context.Context, text string, window store.Window) (nodes []store.GraphNode, err error) {
	const op = "store.find_nodes"
	if err := graphwalk.CheckFind(op, text, &window); err != nil {
		return nil, err
	}
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		names := graphwalk.Names{}
		if err := each(ctx, s.db.pool, `SELECT id, '' FROM graph_node WHERE tenant = $1 UNION ALL SELECT node, label FROM graph_label WHERE tenant = $1`, func(scan func(...any) error) error {
			var id, label string
			err := scan(plain{&id}, plain{&label})
			names.Add(id, label)
			return err
		}, s.tenant); err != nil {
			return err
		}
		nodes = nil
		for chunk := range slices.Chunk(names.Find(text, window), graphwalk.Chunk) {
			more, err := s.described(ctx, s.db.pool, chunk)
			if err != nil {
				return err
			}
			nodes = append(nodes, more...)
		}
		return nil
	})
	return nodes, err
}

// described are those of ids that somebody has described, in their order.
func (s *Store) described(ctx context.Context, from querier, ids []string) ([]store.GraphNode, error) {
	return readRows(ctx, from, `SELECT id, record FROM graph_node WHERE tenant = $1 AND id = ANY ($2) ORDER BY id`, scanNode, s.tenant, escaped(ids))
}

// Edges implements store.Graph.
func (s *Store) Edges(ctx context.Context, query store.EdgeQuery) ([]store.GraphEdge, error) {
	const op = "store.edges"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	where := map[store.Direction]string{store.Outbound: `src = $2`, store.Inbound: `dst = $2`, store.BothWays: `(src = $2 OR dst = $2)`}[query.Direction]
	return read(ctx, s.db, op, func(ctx context.Context) ([]store.GraphEdge, error) {
		return readRows(ctx, s.db.pool, `SELECT src, rel, dst, weight, record FROM graph_edge WHERE tenant = $1 AND `+where+`
			AND (cardinality($3::text[]) = 0 OR rel = ANY ($3)) ORDER BY src, rel, dst LIMIT $4 OFFSET $5`, func(scan func(...any) error) (e store.GraphEdge, err error) {
			var packed []byte
			if err := scan(plain{&e.Src}, plain{&e.Rel}, plain{&e.Dst}, &e.Weight, &packed); err != nil {
				return e, err
			}
			record, err := codec.ReadGraph(packed)
			e.Props = record.Props
			return e, err
		}, s.tenant, escape(query.Node), escaped(query.Relations), query.Limit, query.Offset)
	})
}

// CountGraph implements store.Graph.
func (s *Store) CountGraph(ctx context.Context) (nodes, edges int, err error) {
	const op = "store.count_graph"
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		return s.db.pool.QueryRow(ctx, `SELECT (SELECT count(*) FROM graph_node WHERE tenant = $1), (SELECT count(*) FROM graph_edge WHERE tenant = $1)`, s.tenant).Scan(&nodes, &edges)
	})
	return nodes, edges, err
}

// Neighbors implements store.Graph. All is of one moment.
func (s *Store) Neighbors(ctx context.Context, query store.NeighborQuery) (answer store.Neighbors, err error) {
	const op = "store.neighbors"
	if err := query.Check(op); err != nil {
		return store.Neighbors{}, err
	}
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, s.db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			answer, err = graphwalk.Neighbors(query, func(from, to string, nodes []string, limit int) ([]string, error) {
				return readStrings(ctx, tx, `SELECT DISTINCT `+to+` FROM graph_edge WHERE tenant = $1 AND `+from+` = ANY ($2)
					AND (cardinality($3::text[]) = 0 OR rel = ANY ($3)) ORDER BY 1 LIMIT $4`, s.tenant, escaped(nodes), escaped(query.Relations), limit)
			})
			if err != nil {
				return err
			}
			return graphwalk.Describe(answer.Neighbors, func(ids []string) ([]store.GraphNode, error) { return s.described(ctx, tx, ids) })
		})
	})
	return answer, err
}
