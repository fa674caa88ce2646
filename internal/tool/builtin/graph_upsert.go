package builtin

import (
	"context"

	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() {
	register("graph_upsert_node", newGraphUpsertNode, ofGraph)
	register("graph_upsert_edge", newGraphUpsertEdge, ofGraph)
}

var upsertHints = tool.Hints{Idempotent: true, Destructive: true}

type graphNodeInput struct {
	ID     string         `json:"id" jsonschema:"stable, in your own words, as person:ada-lovelace"`
	Labels []string       `json:"labels,omitempty" jsonschema:"what kind of thing it is" bounds:"0..64"`
	Props  map[string]any `json:"props,omitempty" jsonschema:"what is known about it"`
}

type graphNodeOutput struct {
	ID string `json:"id"`
}

func newGraphUpsertNode(graph store.Graph) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_upsert_node", Title: "Keep a thing in the graph", Unsourced: true,
		Description: "Keeps a node: a person, a place, a product, a claim. The same id again replaces its labels and " +
			"properties.",
		Hints: upsertHints, Hidden: needsStore(graph != nil)},
		func(ctx context.Context, in graphNodeInput) (graphNodeOutput, error) {
			return graphNodeOutput{in.ID}, graph.UpsertNodes(ctx,
				[]store.GraphNode{{ID: in.ID, Labels: in.Labels, Props: in.Props}})
		})
}

type graphEdgeInput struct {
	Src    string         `json:"src" jsonschema:"node that it goes from"`
	Rel    string         `json:"rel" jsonschema:"the relation, as in WROTE"`
	Dst    string         `json:"dst" jsonschema:"node that it goes to"`
	Props  map[string]any `json:"props,omitempty" jsonschema:"what is known about it, as its source"`
	Weight float64        `json:"weight,omitempty" jsonschema:"how strong the relation is" default:"0"`
}

type graphEdgeOutput struct {
	Src string `json:"src"`
	Rel string `json:"rel"`
	Dst string `json:"dst"`
}

func newGraphUpsertEdge(graph store.Graph) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_upsert_edge", Title: "Keep a relation in the graph", Unsourced: true,
		Description: "Keeps a relation between two nodes, which need not be kept yet. The same src, rel and " +
			"dst again " +
			"replace its weight and properties.",
		Hints: upsertHints, Hidden: needsStore(graph != nil)},
		func(ctx context.Context, in graphEdgeInput) (graphEdgeOutput, error) {
			return graphEdgeOutput{in.Src, in.Rel, in.Dst}, graph.UpsertEdges(ctx,
				[]store.GraphEdge{{Src: in.Src, Rel: in.Rel, Dst: in.Dst, Weight: in.Weight, Props: in.Props}})
		})
}
