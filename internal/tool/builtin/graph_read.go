package builtin

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() {
	register("graph_neighbors", newGraphNeighbors, ofGraph)
	register("graph_get_node", newGraphGetNode, ofGraph)
}

var graphReadHints = tool.Hints{ReadOnly: true, Idempotent: true}

type graphNeighborsInput struct {
	ID        string   `json:"id" jsonschema:"where to start"`
	Rel       string   `json:"rel,omitempty" jsonschema:"this relation alone"`
	Rels      []string `json:"rels,omitempty" jsonschema:"these, in place of rel" bounds:"1..64"`
	Direction string   `json:"direction,omitempty" jsonschema:"the way of the edges" default:"out" oneof:"out in both"`
	Depth     int      `json:"depth,omitempty" jsonschema:"edges to follow" default:"1" bounds:"1..10"`
	Limit     int      `json:"limit,omitempty" default:"100" bounds:"1..1000"`
	Offset    int      `json:"offset,omitempty" default:"0" bounds:"0..10000"`
}

type graphNeighborsOutput struct {
	Neighbors  []graphNeighbor `json:"neighbors" jsonschema:"nearest first, then by id"`
	Total      int             `json:"total"`
	NextOffset int             `json:"next_offset,omitempty"`
	Cut        bool            `json:"cut,omitempty" jsonschema:"there are more than were counted"`
}

type graphNeighbor struct {
	graphNode
	Depth int `json:"depth" jsonschema:"how many edges away"`
}

type graphNode struct {
	ID     string         `json:"id"`
	Labels []string       `json:"labels"`
	Props  map[string]any `json:"props"`
}

func asNode(n store.GraphNode) graphNode {
	out := graphNode{ID: n.ID, Labels: n.Labels, Props: n.Props}
	if out.Labels == nil {
		out.Labels = []string{}
	}
	if out.Props == nil {
		out.Props = map[string]any{}
	}
	return out
}

func newGraphNeighbors(graph store.Graph) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_neighbors", Title: "Follow relations in the graph",
		Description: "Lists the nodes to which relations lead from one, each once, the nearest first. An " +
			"unknown node " +
			"has no neighbours.",
		Hints: graphReadHints, Hidden: needsStore(graph != nil)},
		func(ctx context.Context, in graphNeighborsInput) (graphNeighborsOutput, error) {
			relations := in.Rels
			if len(relations) == 0 && in.Rel != "" {
				relations = []string{in.Rel}
			}
			found, err := graph.Neighbors(ctx, store.NeighborQuery{Node: in.ID,
				Direction: store.Direction(in.Direction), Relations: relations,
				Depth: in.Depth, Window: store.Window{Limit: in.Limit, Offset: in.Offset}})
			out := graphNeighborsOutput{Neighbors: []graphNeighbor{}, Total: found.Total, Cut: found.Cut}
			for _, n := range found.Neighbors {
				out.Neighbors = append(out.Neighbors, graphNeighbor{asNode(n.Node), n.Depth})
			}
			if reached := in.Offset + len(out.Neighbors); len(out.Neighbors) > 0 && reached < found.Total {
				out.NextOffset = reached
			}
			return out, err
		})
}

type graphGetInput struct {
	ID    string `json:"id" jsonschema:"of the node"`
	Edges bool   `json:"edges,omitempty" jsonschema:"its relations, too, up to 100" default:"false"`
}

type graphGetOutput struct {
	Node  graphNode   `json:"node"`
	Edges []graphEdge `json:"edges" jsonschema:"of the node, where they were asked for"`
}

type graphEdge struct {
	Src    string         `json:"src"`
	Rel    string         `json:"rel"`
	Dst    string         `json:"dst"`
	Weight float64        `json:"weight,omitempty"`
	Props  map[string]any `json:"props,omitempty"`
}

func newGraphGetNode(graph store.Graph) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_get_node", Title: "Read a thing of the graph",
		Description: "Returns a node with its labels and properties; not_found where there is none.",
		Hints:       graphReadHints, Hidden: needsStore(graph != nil)},
		func(ctx context.Context, in graphGetInput) (graphGetOutput, error) {
			out := graphGetOutput{Edges: []graphEdge{}}
			n, err := describedNode(ctx, graph, in.ID)
			if err != nil {
				return out, err
			}
			if out.Node = asNode(n); !in.Edges {
				return out, nil
			}
			edges, err := graph.Edges(ctx, store.EdgeQuery{Node: in.ID})
			for _, e := range edges {
				out.Edges = append(out.Edges, graphEdge(e))
			}
			return out, err
		})
}

// describedNode reads a node. Of one that is not there it says whether edges name it.
func describedNode(ctx context.Context, graph store.Graph, id string) (store.GraphNode, error) {
	n, err := graph.Node(ctx, id)
	if citewell.CodeOf(err) != citewell.CodeNotFound {
		return n, err
	}
	missing := &citewell.Error{Code: citewell.CodeNotFound, Op: "graph_get_node",
		Message: fmt.Sprintf("node %.100q not found", id), Hint: "graph_upsert_node keeps a node", Err: err}
	edges, err := graph.Edges(ctx, store.EdgeQuery{Node: id, Window: store.Window{Limit: 1}})
	if err != nil {
		return n, err
	}
	if len(edges) > 0 {
		missing.Message += ": edges name it, and nobody has described it"
		missing.Hint = "graph_upsert_node describes it; graph_neighbors tells what it is joined to"
	}
	return n, missing
}
