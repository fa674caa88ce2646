package store

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/fault"
)

// A Direction is which way edges are followed.
type Direction string

// The directions.
const (
	Outbound Direction = "out" // from src to dst
	Inbound  Direction = "in"
	BothWays Direction = "both"
)

// Graph keeps nodes and the edges between them. An edge is one for its source,
// relation and destination, and may name nodes that nobody has described: they have
// neighbours and no labels or properties.
type Graph interface {
	// UpsertNodes keeps nodes under their ids, all or none; labels and properties replace what was there.
	UpsertNodes(ctx context.Context, nodes []GraphNode) error
	// UpsertEdges keeps edges, all or none; weight and properties replace what was there.
	UpsertEdges(ctx context.Context, edges []GraphEdge) error
	// Node returns the node with that id; not_found where nobody has described it.
	Node(ctx context.Context, id string) (GraphNode, error)
	// Nodes returns nodes, by id, that have label; every node where label is empty.
	Nodes(ctx context.Context, label string, window Window) ([]GraphNode, error)
	// FindNodes returns described nodes, by id, in whose id or labels each word of text is,
	// in capitals or small letters; every node where text has no word.
	FindNodes(ctx context.Context, text string, window Window) ([]GraphNode, error)
	// Edges returns the edges of a node by source, relation and destination. A node
	// without any, or that is not there, has none.
	Edges(ctx context.Context, query EdgeQuery) ([]GraphEdge, error)
	// Neighbors returns the nodes that edges lead to from one, each once, nearest
	// first and then by id; never the node itself. A node that is not there has none.
	Neighbors(ctx context.Context, query NeighborQuery) (Neighbors, error)
	// RemoveNode forgets a node and every edge of it, described or not, and says whether there was anything.
	RemoveNode(ctx context.Context, id string) (bool, error)
	// RemoveEdge forgets one edge and says whether there was one.
	RemoveEdge(ctx context.Context, src, rel, dst string) (bool, error)
	// CountGraph returns how many described nodes and how many edges there are.
	CountGraph(ctx context.Context) (nodes, edges int, err error)
}

// A GraphNode is a thing that edges join.
type GraphNode struct {
	ID     string
	Labels []string       // given back sorted, each once
	Props  map[string]any // JSON; numbers are given back as json.Number
}

// A GraphEdge is a relation of one node to another.
type GraphEdge struct {
	Src, Rel, Dst string
	Weight        float64
	Props         map[string]any // JSON; numbers are given back as json.Number
}

// A Window is a part of a longer answer.
type Window struct {
	Limit  int // 100 when 0, at most MaxGraphPage
	Offset int
}

// An EdgeQuery asks for edges of one node.
type EdgeQuery struct {
	Node      string
	Direction Direction // both when empty; an edge from a node to itself is one
	Relations []string  // any when empty
	Window
}

// A NeighborQuery asks for what is near one node.
type NeighborQuery struct {
	Node      string
	Direction Direction // out when empty
	Relations []string  // any when empty
	Depth     int       // how many edges to follow; 1 when 0, at most MaxGraphDepth
	Window
}

// Neighbors is one page of what is near a node.
type Neighbors struct {
	Neighbors []Neighbor
	Total     int  // of all pages
	Cut       bool // MaxGraphVisit was reached: there are more than Total
}

// A Neighbor is a node and how many edges away it is by the shortest way.
type Neighbor struct {
	Node  GraphNode // of what nobody has described, the id alone
	Depth int
}

// Check says what of the node cannot be kept.
func (n GraphNode) Check(op string) error {
	if err := checkGraphName(op, "a node's id", n.ID); err != nil {
		return err
	}
	if len(n.Labels) > MaxLabels {
		return fault.Invalid(op, "node %q has %d labels and %d are allowed", n.ID, len(n.Labels), MaxLabels)
	}
	for _, label := range n.Labels {
		if err := checkGraphName(op, "a label", label); err != nil {
			return err
		}
	}
	return checkProps(op, n.Props)
}

// Check says what of the edge cannot be kept.
func (e GraphEdge) Check(op string) error {
	for _, part := range []struct{ what, name string }{{"an edge's src", e.Src}, {"an edge's rel", e.Rel},
		{"an edge's dst", e.Dst}} {
		if err := checkGraphName(op, part.what, part.name); err != nil {
			return err
		}
	}
	if math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) {
		return fault.Invalid(op, "weight is %v and must be a finite number", e.Weight)
	}
	return checkProps(op, e.Props)
}

// Check says what of the window is out of range, and sets Limit where none is given.
func (w *Window) Check(op string) error {
	switch {
	case w.Limit < 0 || w.Limit > MaxGraphPage:
		return fault.Invalid(op, "limit is %d and must be 0 to %d", w.Limit, MaxGraphPage)
	case w.Offset < 0:
		return fault.Invalid(op, "offset is %d and must be 0 or more", w.Offset)
	}
	w.Limit = cmp.Or(w.Limit, defaultGraphPage)
	return nil
}

// Check says what of the query is out of range, and sets what is not given.
func (q *EdgeQuery) Check(op string) error {
	q.Direction = cmp.Or(q.Direction, BothWays)
	if err := checkWay(op, q.Node, q.Direction, q.Relations); err != nil {
		return err
	}
	return q.Window.Check(op)
}

// Check says what of the query is out of range, and sets what is not given.
func (q *NeighborQuery) Check(op string) error {
	q.Direction = cmp.Or(q.Direction, Outbound)
	q.Depth = cmp.Or(q.Depth, 1)
	if q.Depth < 1 || q.Depth > MaxGraphDepth {
		return fault.Invalid(op, "depth is %d and must be 1 to %d", q.Depth, MaxGraphDepth)
	}
	if err := checkWay(op, q.Node, q.Direction, q.Relations); err != nil {
		return err
	}
	return q.Window.Check(op)
}

func checkWay(op, node string, direction Direction, relations []string) error {
	if err := checkGraphName(op, "a node's id", node); err != nil {
		return err
	}
	if len(relations) > MaxRelations {
		return fault.Invalid(op, "%d relations are given and %d are allowed", len(relations), MaxRelations)
	}
	for _, rel := range relations {
		if err := checkGraphName(op, "a relation", rel); err != nil {
			return err
		}
	}
	switch direction {
	case Outbound, Inbound, BothWays:
		return nil
	}
	return fault.Invalid(op, "direction is %q and must be out, in or both", direction)
}

func checkGraphName(op, what, name string) error {
	if name == "" || len(name) > MaxGraphName || !utf8.ValidString(name) {
		return fault.Invalid(op, "%s must be 1 to %d bytes of UTF-8", what, MaxGraphName)
	}
	return nil
}

func checkProps(op string, props map[string]any) error {
	data, err := json.Marshal(props)
	if err != nil {
		return fault.Invalid(op, "properties are no JSON: %v", err)
	}
	if len(data) > MaxGraphProps {
		return fault.Invalid(op, "properties are %d bytes of JSON and %d are allowed", len(data), MaxGraphProps)
	}
	return nil
}
