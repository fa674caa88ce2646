package documents

import (
	"context"
	"net/http"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/store"
)

// Bounds of what is told of the graph, which are those of the tools.
const (
	defaultNodes = 100
	maxNodes     = store.MaxGraphPage
	maxNodesAt   = store.MaxGraphVisit
	shownEdges   = 100
)

var (
	limitOfNodes    = intake.Parameter{Name: "limit", Form: intake.Digits, Must: "a number"}
	offsetOfNodes   = intake.Parameter{Name: "offset", Form: intake.Digits, Must: "a number"}
	nodesParameters = []intake.Parameter{{Name: "q", Form: lazyregexp.New(`^[^\x00]{0,256}$`),
		Must: "at most 256 characters"}, limitOfNodes, offsetOfNodes}
	nodeParameters = []intake.Parameter{
		{Name: "direction", Form: lazyregexp.New(`^(out|in|both)$`), Must: "out, in or both"},
		{Name: "rel", Form: lazyregexp.New(`^[^\x00]{1,256}$`), Must: "the name of a relation", Many: true},
		{Name: "depth", Form: intake.Digits, Must: "a number"}, limitOfNodes, offsetOfNodes}
)

// A Node of the graph. Of one that nobody has described there is the id alone.
type Node struct {
	ID     string         `json:"id"`
	Labels []string       `json:"labels"`
	Props  map[string]any `json:"props"`
}

func nodeOf(n store.GraphNode) Node {
	shown := Node{n.ID, n.Labels, n.Props}
	if shown.Labels == nil {
		shown.Labels = []string{}
	}
	if shown.Props == nil {
		shown.Props = map[string]any{}
	}
	return shown
}

// A Neighbor is a node, and how many edges away it is.
type Neighbor struct {
	Node
	Depth int `json:"depth"`
}

// An Edge of the graph.
type Edge struct {
	Src    string         `json:"src"`
	Rel    string         `json:"rel"`
	Dst    string         `json:"dst"`
	Weight float64        `json:"weight,omitempty"`
	Props  map[string]any `json:"props,omitempty"`
}

// nodes is GET /v1/graph.
func (a *API) nodes(w http.ResponseWriter, r *http.Request) error {
	values, err := intake.Query(r, nodesParameters...)
	if err != nil {
		return err
	}
	// and one more, which tells whether there are more
	limit, err := intake.Number(values, "limit", defaultNodes, 1, maxNodes-1)
	if err != nil {
		return err
	}
	offset, err := intake.Number(values, "offset", 0, 0, maxNodesAt)
	if err != nil {
		return err
	}
	answer, err := a.Nodes(r.Context(), values.Get("q"), int(limit), int(offset))
	return intake.Answer(w, answer, err)
}

// A NodeList is a page of the nodes of the graph.
type NodeList struct {
	Nodes      []Node `json:"nodes"`
	NextOffset int    `json:"next_offset,omitempty"`
	AllNodes   int    `json:"all_nodes"`
	AllEdges   int    `json:"all_edges"`
}

// Nodes are those that words find, all where there are none: limit of them behind offset.
func (a *API) Nodes(ctx context.Context, words string, limit, offset int) (NodeList, error) {
	answer := NodeList{Nodes: []Node{}}
	list, err := a.o.Store.FindNodes(ctx, words, store.Window{Limit: limit + 1, Offset: offset})
	if err != nil {
		return answer, err
	}
	if answer.AllNodes, answer.AllEdges, err = a.o.Store.CountGraph(ctx); err != nil {
		return answer, err
	}
	if len(list) > limit {
		list = list[:limit]
		if next := offset + limit; next <= maxNodesAt {
			answer.NextOffset = next
		}
	}
	for _, n := range list {
		answer.Nodes = append(answer.Nodes, nodeOf(n))
	}
	return answer, nil
}

// node is GET /v1/graph/{node}.
func (a *API) node(w http.ResponseWriter, r *http.Request) error {
	values, err := intake.Query(r, nodeParameters...)
	if err != nil {
		return err
	}
	q := store.NeighborQuery{Node: r.PathValue("node"), Direction: store.BothWays, Relations: values["rel"]}
	if values.Has("direction") {
		q.Direction = store.Direction(values.Get("direction"))
	}
	for _, part := range []struct {
		name                 string
		into                 *int
		otherwise, low, high int64
	}{{"depth", &q.Depth, 1, 1, store.MaxGraphDepth}, {"limit", &q.Limit, defaultNodes, 1, maxNodes},
		{"offset", &q.Offset, 0, 0, maxNodesAt}} {
		n, err := intake.Number(values, part.name, part.otherwise, part.low, part.high)
		if err != nil {
			return err
		}
		*part.into = int(n)
	}
	if len(q.Relations) > store.MaxRelations {
		return intake.Invalid("rel stands %d times, and %d are allowed", len(q.Relations), store.MaxRelations)
	}
	answer, err := a.Around(r.Context(), q)
	return intake.Answer(w, answer, err)
}

// Surroundings are a node, its own edges and what is near it.
type Surroundings struct {
	Node       Node       `json:"node"`
	Described  bool       `json:"described"`
	Edges      []Edge     `json:"edges"` // of the node itself, at most shownEdges
	Neighbors  []Neighbor `json:"neighbors"`
	Total      int        `json:"total"`
	NextOffset int        `json:"next_offset,omitempty"`
	Cut        bool       `json:"cut,omitempty"`
}

// Around is what is near a node: not_found where nobody has named it.
func (a *API) Around(ctx context.Context, q store.NeighborQuery) (s Surroundings, err error) {
	if len(q.Node) > store.MaxGraphName {
		return s, noNode()
	}
	known, err := a.o.Store.Node(ctx, q.Node)
	switch citewell.CodeOf(err) {
	case "":
		s.Described = true
	case citewell.CodeNotFound:
		known.ID = q.Node
		some, err := a.o.Store.Edges(ctx, store.EdgeQuery{Node: q.Node, Window: store.Window{Limit: 1}})
		if citewell.CodeOf(err) == citewell.CodeInvalidArgument || err == nil && len(some) == 0 {
			return s, noNode() // no node can have such an id, or none has it
		}
		if err != nil {
			return s, err
		}
	default:
		return s, err
	}
	s.Node, s.Edges, s.Neighbors = nodeOf(known), []Edge{}, []Neighbor{}
	edges, err := a.o.Store.Edges(ctx, store.EdgeQuery{Node: q.Node, Direction: q.Direction, Relations: q.Relations,
		Window: store.Window{Limit: shownEdges}})
	if err != nil {
		return s, err
	}
	for _, e := range edges {
		s.Edges = append(s.Edges, Edge(e))
	}
	near, err := a.o.Store.Neighbors(ctx, q)
	if err != nil {
		return s, err
	}
	for _, n := range near.Neighbors {
		s.Neighbors = append(s.Neighbors, Neighbor{nodeOf(n.Node), n.Depth})
	}
	s.Total, s.Cut = near.Total, near.Cut
	if reached := q.Offset + len(s.Neighbors); len(s.Neighbors) > 0 && reached < near.Total {
		s.NextOffset = reached
	}
	return s, nil
}

func noNode() error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "graph", Message: "there is no such node",
		Hint: "GET /v1/graph lists them"}
}
