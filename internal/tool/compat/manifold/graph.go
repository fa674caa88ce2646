package manifold

import (
	"context"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() {
	Definitions.Add(Name, "graph_upsert_node", newGraphUpsertNode)
	Definitions.Add(Name, "graph_upsert_edge", newGraphUpsertEdge)
	Definitions.Add(Name, "graph_neighbors", newGraphNeighbors)
	Definitions.Add(Name, "graph_get_node", newGraphGetNode)
}

type nodeInput struct {
	ID     string         `json:"id" jsonschema:"stable, in your own words, as person:ada-lovelace"`
	Labels []string       `json:"labels,omitempty" jsonschema:"what kind of thing it is" bounds:"0..64"`
	Props  map[string]any `json:"props,omitempty" jsonschema:"what is known about it"`
}

func newGraphUpsertNode(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_upsert_node", Title: "Keep a thing in the graph", Unsourced: true,
		Description: "Create or update a node in the graph database.",
		Hints:       putHints, Hidden: needsStore(d.Graph != nil)},
		func(ctx context.Context, in nodeInput) (done, error) {
			return done{OK: true}, d.Graph.UpsertNodes(ctx, []store.GraphNode{
				{ID: in.ID, Labels: in.Labels, Props: in.Props}})
		})
}

type edgeInput struct {
	Src   string         `json:"src" jsonschema:"node that it goes from"`
	Rel   string         `json:"rel" jsonschema:"the relation, as in WROTE"`
	Dst   string         `json:"dst" jsonschema:"node that it goes to"`
	Props map[string]any `json:"props,omitempty" jsonschema:"what is known about it, as its source"`
}

func newGraphUpsertEdge(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_upsert_edge", Title: "Keep a relation in the graph", Unsourced: true,
		Description: "Create or update a relationship between two nodes.",
		Hints:       putHints, Hidden: needsStore(d.Graph != nil)},
		func(ctx context.Context, in edgeInput) (done, error) {
			return done{OK: true}, d.Graph.UpsertEdges(ctx, []store.GraphEdge{
				{Src: in.Src, Rel: in.Rel, Dst: in.Dst, Props: in.Props}})
		})
}

type neighborsInput struct {
	ID  string `json:"id"`
	Rel string `json:"rel"`
}

type neighborsOutput struct {
	OK        bool     `json:"ok"`
	Neighbors []string `json:"neighbors"`
}

func newGraphNeighbors(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_neighbors", Title: "Follow relations in the graph",
		Description: "List outbound neighbor IDs for a node filtered by relationship type.", Hints: readHints,
		Hidden: needsStore(d.Graph != nil)},
		func(ctx context.Context, in neighborsInput) (neighborsOutput, error) {
			out := neighborsOutput{OK: true, Neighbors: []string{}}
			for { // Manifold knows no pages
				found, err := d.Graph.Neighbors(ctx, store.NeighborQuery{Node: in.ID, Relations: []string{in.Rel},
					Window: store.Window{Limit: store.MaxGraphPage, Offset: len(out.Neighbors)}})
				if err != nil {
					return out, err
				}
				for _, n := range found.Neighbors {
					out.Neighbors = append(out.Neighbors, n.Node.ID)
				}
				if len(found.Neighbors) < store.MaxGraphPage {
					slices.Sort(out.Neighbors)
					return out, nil
				}
			}
		})
}

type node struct {
	ID     string
	Labels []string
	Props  map[string]any
}

type nodeOutput struct {
	OK   bool `json:"ok"`
	Node node `json:"node"`
}

func newGraphGetNode(d Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_get_node", Title: "Read a thing of the graph",
		Description: "Fetch a node by ID.", Hints: readHints, Hidden: needsStore(d.Graph != nil)},
		func(ctx context.Context, in idInput) (nodeOutput, error) {
			n, err := d.Graph.Node(ctx, in.ID)
			if citewell.CodeOf(err) == citewell.CodeNotFound {
				err = &citewell.Error{Code: citewell.CodeNotFound, Op: "graph_get_node", Message: "not found",
					Hint: "graph_upsert_node keeps a node", Err: err}
			}
			out := node{ID: n.ID, Labels: []string{}, Props: map[string]any{}}
			if n.Labels != nil {
				out.Labels = n.Labels
			}
			if n.Props != nil {
				out.Props = n.Props
			}
			return nodeOutput{OK: true, Node: out}, err
		})
}
