package sqlstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/graphwalk"
)

// Node implements store.Graph.
func (s *Store) Node(ctx context.Context, id string) (store.GraphNode, error) {
	const op = "store.node"
	return readValue(ctx, s.b, op, func(from Conn) (store.GraphNode, error) {
		node, err := scanNode(from.QueryRow(ctx, `SELECT id, record FROM graph_node WHERE tenant = $1 AND id = $2`,
			s.tenant, id).Scan)
		return node, OrMissing(err, fault.NotFound(op, fmt.Sprintf("there is no node %q", id)))
	})
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

// Nodes implements store.Graph.
func (s *Store) Nodes(ctx context.Context, label string, window store.Window) ([]store.GraphNode, error) {
	const op = "store.nodes"
	if err := window.Check(op); err != nil {
		return nil, err
	}
	query, args := `SELECT id, record FROM graph_node WHERE tenant = $1 ORDER BY id LIMIT $2 OFFSET $3`,
		[]any{s.tenant, window.Limit, window.Offset}
	if label != "" {
		query, args = `SELECT n.id, n.record FROM graph_label AS l {then join} graph_node AS n ON n.tenant = l.tenant
			AND n.id = l.node
			WHERE l.tenant = $1 AND l.label = $4 ORDER BY l.node LIMIT $2 OFFSET $3`, append(args, label)
	}
	return readValue(ctx, s.b, op, func(from Conn) ([]store.GraphNode, error) {
		return ReadRows(ctx, from, query, scanNode, args...)
	})
}

// FindNodes implements store.Graph. It reads every id of the tenant.
func (s *Store) FindNodes(ctx context.Context, text string, window store.Window) (nodes []store.GraphNode, err error) {
	const op = "store.find_nodes"
	if err := graphwalk.CheckFind(op, text, &window); err != nil {
		return nil, err
	}
	err = s.b.Read(ctx, op, func(from Conn) error {
		names := graphwalk.Names{}
		if err := Each(ctx, from, `SELECT id, '' FROM graph_node WHERE tenant = $1 UNION ALL SELECT node, label
			FROM graph_label WHERE tenant = $1`,
			func(scan func(...any) error) error {
				var id, label string
				err := scan(&id, &label)
				names.Add(id, label)
				return err
			}, s.tenant); err != nil {
			return err
		}
		nodes = nil
		for chunk := range slices.Chunk(names.Find(text, window), graphwalk.Chunk) {
			more, err := s.described(ctx, from, chunk)
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
func (s *Store) described(ctx context.Context, from Conn, ids []string) ([]store.GraphNode, error) {
	args := Arguments{s.tenant}
	among := oneOf(s.db, &args, "id", ids)
	return ReadRows(ctx, from, `SELECT id, record FROM graph_node WHERE tenant = $1 AND `+among+` ORDER BY id`,
		scanNode, args...)
}

// related is the condition that an edge has one of relations, where there are any.
func related(db *DB, args *Arguments, relations []string) string {
	if len(relations) == 0 {
		return ``
	}
	return ` AND ` + oneOf(db, args, "rel", relations)
}

// Edges implements store.Graph.
func (s *Store) Edges(ctx context.Context, query store.EdgeQuery) ([]store.GraphEdge, error) {
	const op = "store.edges"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	ends := map[store.Direction]string{store.Outbound: `src = $2`, store.Inbound: `dst = $2`,
		store.BothWays: `(src = $2 OR dst = $2)`}
	args := Arguments{s.tenant, query.Node, query.Limit, query.Offset}
	where := ends[query.Direction] + related(s.db, &args, query.Relations)
	return readValue(ctx, s.b, op, func(from Conn) ([]store.GraphEdge, error) {
		return ReadRows(ctx, from, `SELECT src, rel, dst, weight, record FROM graph_edge WHERE tenant = $1 AND `+where+`
			ORDER BY src, rel, dst LIMIT $3 OFFSET $4`, func(scan func(...any) error) (e store.GraphEdge, err error) {
			var packed []byte
			if err := scan(&e.Src, &e.Rel, &e.Dst, &e.Weight, &packed); err != nil {
				return e, err
			}
			record, err := codec.ReadGraph(packed)
			e.Props = record.Props
			return e, err
		}, args...)
	})
}

// CountGraph implements store.Graph.
func (s *Store) CountGraph(ctx context.Context) (nodes, edges int, err error) {
	err = s.b.Read(ctx, "store.count_graph", func(from Conn) error {
		return from.QueryRow(ctx, `SELECT (SELECT count(*) FROM graph_node WHERE tenant = $1), (SELECT count(*)
			FROM graph_edge WHERE tenant = $1)`,
			s.tenant).Scan(&nodes, &edges)
	})
	return nodes, edges, err
}

// Neighbors implements store.Graph. All is of one moment.
func (s *Store) Neighbors(ctx context.Context, query store.NeighborQuery) (answer store.Neighbors, err error) {
	const op = "store.neighbors"
	if err := query.Check(op); err != nil {
		return store.Neighbors{}, err
	}
	err = s.b.View(ctx, op, func(view Conn) (err error) {
		answer, err = graphwalk.Neighbors(query, func(from, to string, nodes []string, limit int) ([]string, error) {
			args := Arguments{s.tenant, limit}
			among := oneOf(s.db, &args, from, nodes) + related(s.db, &args, query.Relations)
			return ReadColumn[string](ctx, view, `SELECT DISTINCT `+to+` FROM graph_edge WHERE tenant = $1 AND `+among+`
				ORDER BY 1 LIMIT $2`, args...)
		})
		if err != nil {
			return err
		}
		return graphwalk.Describe(answer.Neighbors, func(ids []string) ([]store.GraphNode, error) {
			return s.described(ctx, view, ids)
		})
	})
	if err != nil {
		return store.Neighbors{}, err
	}
	return answer, nil
}
