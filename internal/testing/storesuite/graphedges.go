package storesuite

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

func edgeIsOne(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	for weight := range 3 {
		must(t, s.UpsertEdges(ctx, []store.GraphEdge{{Src: "a", Rel: "cites", Dst: "b", Weight: float64(weight),
			Props: map[string]any{"at": weight}}}))
	}
	addEdges(t, s, "b cites a", "a names b", "a cites a")
	wantCounts(t, s, 0, 4)
	edges, err := s.Edges(ctx, store.EdgeQuery{Node: "b", Direction: store.Inbound, Relations: []string{"cites"}})
	must(t, err)
	want := []store.GraphEdge{{Src: "a", Rel: "cites", Dst: "b", Weight: 2,
		Props: map[string]any{"at": json.Number("2")}}}
	if diff := cmp.Diff(want, edges); diff != "" {
		t.Errorf("edge (-want +got):\n%s", diff)
	}
}

func edgeWithoutNodes(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	addEdges(t, s, "a cites b")
	must(t, s.UpsertNodes(ctx, []store.GraphNode{{ID: "b", Labels: []string{"paper"}}}))
	_, err := s.Node(ctx, "a")
	wantCode(t, err, citewell.CodeNotFound)
	answer, err := s.Neighbors(ctx, store.NeighborQuery{Node: "b", Direction: store.BothWays})
	must(t, err)
	want := store.Neighbors{Neighbors: []store.Neighbor{{Node: store.GraphNode{ID: "a"}, Depth: 1}}, Total: 1}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("neighbours (-want +got):\n%s", diff)
	}
	answer, err = s.Neighbors(ctx, store.NeighborQuery{Node: "a"})
	must(t, err)
	want.Neighbors[0].Node = store.GraphNode{ID: "b", Labels: []string{"paper"}}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Errorf("neighbours (-want +got):\n%s", diff)
	}
}

func edgesOfANode(t *testing.T, b GraphBackend) {
	s := b.Tenant("a")
	addEdges(t, s, "a cites b", "a cites c", "a names b", "b cites a", "a cites a", "x cites y")
	wantEdges(t, s, store.EdgeQuery{Node: "a"}, "a cites a", "a cites b", "a cites c", "a names b", "b cites a")
	wantEdges(t, s, store.EdgeQuery{Node: "a", Direction: store.Outbound}, "a cites a", "a cites b", "a cites c",
		"a names b")
	wantEdges(t, s, store.EdgeQuery{Node: "a", Direction: store.Inbound}, "a cites a", "b cites a")
	wantEdges(t, s, store.EdgeQuery{Node: "a", Relations: []string{"names", "knows"}}, "a names b")
	wantEdges(t, s, store.EdgeQuery{Node: "a", Window: store.Window{Limit: 2, Offset: 1}}, "a cites b", "a cites c")
	wantEdges(t, s, store.EdgeQuery{Node: "nobody"})
}

func neighborsByDirectionAndRelation(t *testing.T, b GraphBackend) {
	s := b.Tenant("a")
	addEdges(t, s, "a cites c", "a cites b", "a names b", "d cites a", "b cites e", "e names f", "d cites g")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a"}, "b:1 c:1")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Relations: []string{"names"}}, "b:1")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Direction: store.Inbound}, "d:1")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Direction: store.BothWays}, "b:1 c:1 d:1")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Depth: 2}, "b:1 c:1 e:2")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Depth: 3, Relations: []string{"cites"}}, "b:1 c:1 e:2")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Depth: 3, Direction: store.BothWays}, "b:1 c:1 d:1 e:2 g:2 f:3")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Depth: 3, Direction: store.BothWays,
		Window: store.Window{Limit: 2, Offset: 2}}, "d:1 e:2")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Window: store.Window{Offset: 7}}, "")
	wantNeighbors(t, s, store.NeighborQuery{Node: "nobody", Depth: 10}, "")
}

func neighborsInCircles(t *testing.T, b GraphBackend) {
	s := b.Tenant("a")
	addEdges(t, s, "a to b", "b to c", "c to a", "a to a", "b to a", "c to c", "c to d")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Depth: 10}, "b:1 c:2 d:3")
	wantNeighbors(t, s, store.NeighborQuery{Node: "a", Depth: 10, Direction: store.BothWays}, "b:1 c:1 d:2")
}

func neighborsOfAHub(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	const leaves = store.MaxGraphVisit + 500
	for at := 0; at < leaves; at += store.MaxGraphBatch {
		var edges []store.GraphEdge
		for i := at; i < min(leaves, at+store.MaxGraphBatch); i++ {
			edges = append(edges, store.GraphEdge{Src: "hub", Rel: "has", Dst: fmt.Sprintf("%05d", leaves-1-i)})
		}
		must(t, s.UpsertEdges(ctx, edges))
	}
	addEdges(t, s, "hub has a", "a has b")
	answer, err := s.Neighbors(ctx, store.NeighborQuery{Node: "hub", Depth: 3,
		Window: store.Window{Limit: 2, Offset: store.MaxGraphVisit - 2}})
	must(t, err)
	if !answer.Cut || answer.Total != store.MaxGraphVisit || len(answer.Neighbors) != 2 ||
		answer.Neighbors[1].Node.ID != fmt.Sprintf("%05d", store.MaxGraphVisit-1) {
		t.Errorf("cut %v, total %d, last %+v; want the %d smallest ids", answer.Cut, answer.Total, answer.Neighbors,
			store.MaxGraphVisit)
	}
	// Through the hub every leaf is near; that it was seen already takes no room.
	answer, err = s.Neighbors(ctx, store.NeighborQuery{Node: "b", Direction: store.BothWays, Depth: 3})
	must(t, err)
	if !answer.Cut || answer.Neighbors[0].Node.ID != "a" || answer.Neighbors[1].Node.ID != "hub" ||
		answer.Neighbors[2].Depth != 3 {
		t.Errorf("neighbours begin with %+v, cut %v", answer.Neighbors[:3], answer.Cut)
	}
}
