package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
)

// graphChunk is how many ids one statement asks for.
const graphChunk = 256

// Node implements store.Graph.
func (s *Store) Node(ctx context.Context, id string) (store.GraphNode, error) {
	const op = "store.node"
	var packed []byte
	err := s.db.reads.QueryRowContext(ctx, `SELECT record FROM graph_node WHERE tenant = ? AND id = ?`, s.tenant, id).Scan(&packed)
	if err := orMissing(err, fault.NotFound(op, fmt.Sprintf("there is no node %q", id))); err != nil {
		return store.GraphNode{}, storeError(op, err)
	}
	record, err := readGraphRecord(packed)
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
	if err := window.Check(op); err != nil {
		return nil, err
	}
	if len(text) > store.MaxGraphText {
		return nil, fault.Invalid(op, "what nodes are found by has %d bytes, and %d are allowed", len(text), store.MaxGraphText)
	}
	names := map[string]string{} // id and labels of each, in small letters
	err := each(ctx, s.db.reads, `SELECT id, '' FROM graph_node WHERE tenant = ? UNION ALL SELECT node, label FROM graph_label WHERE tenant = ?`, func(scan func(...any) error) error {
		var id, label string
		err := scan(&id, &label)
		if names[id] == "" {
			names[id] = strings.ToLower(id)
		}
		names[id] += "\n" + strings.ToLower(label)
		return err
	}, s.tenant, s.tenant)
	if err != nil {
		return nil, storeError(op, err)
	}
	var found []string
	words := strings.Fields(strings.ToLower(text))
	for id, name := range names {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(name, word) }) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	found = found[min(len(found), window.Offset):]
	found = found[:min(len(found), window.Limit)]
	var nodes []store.GraphNode
	for chunk := range slices.Chunk(found, graphChunk) {
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
	record, err := readGraphRecord(packed)
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
		record, err := readGraphRecord(packed)
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

// Neighbors implements store.Graph. It goes outward one edge at a time, each node
// once, so circles end; where too many are reached, those with the smallest ids of
// the last round are in.
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
	var answer store.Neighbors
	var reached []store.Neighbor
	seen, frontier := map[string]bool{query.Node: true}, []string{query.Node}
	for depth := 1; depth <= query.Depth && len(frontier) > 0 && !answer.Cut; depth++ {
		// One more than there is room for tells whether the answer is cut.
		room := store.MaxGraphVisit - len(reached)
		next, err := s.step(ctx, tx, query, frontier, seen, room+1)
		if err != nil {
			return store.Neighbors{}, storeError(op, err)
		}
		if len(next) > room {
			next, answer.Cut = next[:room], true
		}
		for _, id := range next {
			seen[id] = true
			reached = append(reached, store.Neighbor{Node: store.GraphNode{ID: id}, Depth: depth})
		}
		frontier = next
	}
	answer.Total = len(reached)
	reached = reached[min(len(reached), query.Offset):]
	answer.Neighbors = reached[:min(len(reached), query.Limit)]
	return answer, storeError(op, s.describe(ctx, tx, answer.Neighbors))
}

// step returns the first want nodes, by id, that one edge joins to the frontier and
// that were not seen before.
func (s *Store) step(ctx context.Context, tx *sql.Tx, query store.NeighborQuery, frontier []string, seen map[string]bool, want int) ([]string, error) {
	var next []string
	for chunk := range slices.Chunk(frontier, graphChunk) {
		for _, way := range []struct {
			direction store.Direction
			from, to  string
		}{{store.Outbound, "src", "dst"}, {store.Inbound, "dst", "src"}} {
			if query.Direction != store.BothWays && query.Direction != way.direction {
				continue
			}
			from, args := oneOf(way.from, chunk)
			relation, relations := oneOf("rel", query.Relations)
			args = append(append([]any{s.tenant}, args...), relations...)
			// Of so many at least want are new.
			args = append(args, len(seen)+want)
			ids, err := readColumn[string](ctx, tx, `SELECT DISTINCT `+way.to+` FROM graph_edge WHERE tenant = ?`+from+relation+
				` ORDER BY 1 LIMIT ?`, args...)
			if err != nil {
				return nil, err
			}
			next = append(next, slices.DeleteFunc(ids, func(id string) bool { return seen[id] })...)
		}
	}
	slices.Sort(next)
	next = slices.Compact(next)
	return next[:min(len(next), want)], nil
}

// describe fills in what is known of each neighbour.
func (s *Store) describe(ctx context.Context, tx *sql.Tx, neighbors []store.Neighbor) error {
	at := make(map[string]int, len(neighbors))
	ids := make([]string, len(neighbors))
	for i, n := range neighbors {
		at[n.Node.ID], ids[i] = i, n.Node.ID
	}
	for chunk := range slices.Chunk(ids, graphChunk) {
		among, args := oneOf("id", chunk)
		nodes, err := readRows(ctx, tx, `SELECT id, record FROM graph_node WHERE tenant = ?`+among, scanNode, append([]any{s.tenant}, args...)...)
		if err != nil {
			return err
		}
		for _, node := range nodes {
			neighbors[at[node.ID]].Node = node
		}
	}
	return nil
}
