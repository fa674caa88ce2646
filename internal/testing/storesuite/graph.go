package storesuite

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

// A GraphBackend is one open graph.
type GraphBackend struct {
	// Tenant returns the graph bound to a tenant.
	Tenant func(name string) store.Graph
	// Reopen closes the store and opens it again; the GraphBackend is not used after.
	Reopen func(t *testing.T) GraphBackend
}

// RunGraph tries every promise of Graph. Open gives an empty store and sees to it
// that the store is closed when t ends.
func RunGraph(t *testing.T, open func(t *testing.T) GraphBackend) {
	tests := []struct {
		name string
		run  func(t *testing.T, b GraphBackend)
	}{
		{"node_round_trip", nodeRoundTrip},
		{"node_replace", nodeReplace},
		{"node_pages", nodePages},
		{"nodes_are_found", nodesAreFound},
		{"edge_is_one", edgeIsOne},
		{"edge_without_nodes", edgeWithoutNodes},
		{"edges_of_a_node", edgesOfANode},
		{"neighbors_by_direction_and_relation", neighborsByDirectionAndRelation},
		{"neighbors_in_circles", neighborsInCircles},
		{"neighbors_of_a_hub", neighborsOfAHub},
		{"graph_remove", graphRemove},
		{"graph_bad_arguments", graphBadArguments},
		{"graph_all_or_none", graphAllOrNone},
		{"graph_tenants", graphTenants},
		{"graph_survives_reopening", graphSurvivesReopening},
		{"graph_many_goroutines", graphManyGoroutines},
		{"graph_canceled", graphCanceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// addEdges keeps edges given as "src rel dst".
func addEdges(t *testing.T, s store.Graph, edges ...string) {
	t.Helper()
	var list []store.GraphEdge
	for _, edge := range edges {
		part := strings.Fields(edge)
		list = append(list, store.GraphEdge{Src: part[0], Rel: part[1], Dst: part[2]})
	}
	must(t, s.UpsertEdges(t.Context(), list))
}

func wantEdges(t *testing.T, s store.Graph, q store.EdgeQuery, want ...string) {
	t.Helper()
	edges, err := s.Edges(t.Context(), q)
	must(t, err)
	var got []string
	for _, e := range edges {
		got = append(got, e.Src+" "+e.Rel+" "+e.Dst)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edges of %+v (-want +got):\n%s", q, diff)
	}
}

// wantNeighbors wants "id:depth" for each, in order.
func wantNeighbors(t *testing.T, s store.Graph, q store.NeighborQuery, want string) {
	t.Helper()
	answer, err := s.Neighbors(t.Context(), q)
	must(t, err)
	var got []string
	for _, n := range answer.Neighbors {
		got = append(got, fmt.Sprint(n.Node.ID, ":", n.Depth))
	}
	if strings.Join(got, " ") != want {
		t.Errorf("neighbours of %+v are %v, want %s", q, got, want)
	}
}

func wantCounts(t *testing.T, s store.Graph, nodes, edges int) {
	t.Helper()
	n, e, err := s.CountGraph(t.Context())
	must(t, err)
	if n != nodes || e != edges {
		t.Errorf("%d nodes and %d edges, want %d and %d", n, e, nodes, edges)
	}
}

func nodeRoundTrip(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	node := store.GraphNode{ID: "Zoë & 潮汐", Labels: []string{"person", "author", "person"},
		Props: map[string]any{"born": 1961, "big": json.Number("9007199254740993"), "names": []any{"Zoë", nil, true},
			"in": map[string]any{"x": "<y>"}}}
	for range 2 {
		must(t, s.UpsertNodes(ctx, []store.GraphNode{node, {ID: "bare"}}))
	}
	got, err := s.Node(ctx, node.ID)
	must(t, err)
	want := store.GraphNode{ID: node.ID, Labels: []string{"author", "person"},
		Props: map[string]any{"born": json.Number("1961"), "big": json.Number("9007199254740993"),
			"names": []any{"Zoë", nil, true}, "in": map[string]any{"x": "<y>"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("node (-want +got):\n%s", diff)
	}
	bare, err := s.Node(ctx, "bare")
	must(t, err)
	if diff := cmp.Diff(store.GraphNode{ID: "bare"}, bare); diff != "" {
		t.Errorf("bare node (-want +got):\n%s", diff)
	}
	_, err = s.Node(ctx, "absent")
	wantCode(t, err, citewell.CodeNotFound)
	wantCounts(t, s, 2, 0)
}

func nodeReplace(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	must(t, s.UpsertNodes(ctx, []store.GraphNode{{ID: "n", Labels: []string{"old", "both"},
		Props: map[string]any{"a": "1", "b": "2"}}}))
	addEdges(t, s, "n cites m")
	must(t, s.UpsertNodes(ctx, []store.GraphNode{{ID: "n", Labels: []string{"both", "new"},
		Props: map[string]any{"b": "3"}}}))
	got, err := s.Node(ctx, "n")
	must(t, err)
	if diff := cmp.Diff(store.GraphNode{ID: "n", Labels: []string{"both", "new"}, Props: map[string]any{"b": "3"}},
		got); diff != "" {
		t.Errorf("node (-want +got):\n%s", diff)
	}
	for label, want := range map[string]int{"old": 0, "both": 1, "new": 1, "": 1} {
		nodes, err := s.Nodes(ctx, label, store.Window{})
		must(t, err)
		if len(nodes) != want {
			t.Errorf("label %q has %d nodes, want %d", label, len(nodes), want)
		}
	}
	wantEdges(t, s, store.EdgeQuery{Node: "n"}, "n cites m")
}

func nodePages(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	var nodes []store.GraphNode
	for i := range 150 {
		nodes = append(nodes, store.GraphNode{ID: fmt.Sprintf("%03d", (i*7)%150),
			Labels: []string{"all", fmt.Sprint("mod", i%2)}})
	}
	must(t, s.UpsertNodes(ctx, nodes))
	for _, test := range []struct {
		label       string
		window      store.Window
		count       int
		first, last string
	}{
		{"", store.Window{}, 100, "000", "099"},
		{"all", store.Window{Limit: 1000}, 150, "000", "149"},
		{"all", store.Window{Limit: 20, Offset: 140}, 10, "140", "149"},
		{"", store.Window{Limit: 20, Offset: 20}, 20, "020", "039"},
		{"mod1", store.Window{Limit: 2}, 2, "001", "003"},
		{"", store.Window{Offset: 150}, 0, "", ""},
	} {
		got, err := s.Nodes(ctx, test.label, test.window)
		must(t, err)
		if len(got) != test.count || test.count > 0 && (got[0].ID != test.first || got[len(got)-1].ID != test.last) {
			t.Errorf("%q %+v gives %d nodes, want %d from %s to %s", test.label, test.window, len(got), test.count,
				test.first, test.last)
		}
	}
	for _, window := range []store.Window{{Limit: -1}, {Limit: store.MaxGraphPage + 1}, {Offset: -1}} {
		_, err := s.Nodes(ctx, "", window)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
}

// edgeIsOne fixes what a graph without a unique key does: an upsert that adds a
// second edge and never changes the first.
func nodesAreFound(t *testing.T, b GraphBackend) {
	s := b.Tenant("a")
	must(t, s.UpsertNodes(t.Context(), []store.GraphNode{{ID: "person:ada-lovelace",
		Labels: []string{"Person", "Mathematician"}, Props: map[string]any{"born": "1815"}},
		{ID: "person:Émile", Labels: []string{"Person"}}, {ID: "work:notes"}}))
	must(t, b.Tenant("b").UpsertNodes(t.Context(), []store.GraphNode{{ID: "person:bob"}}))
	addEdges(t, s, "person:ada-lovelace WROTE work:undescribed")
	for text, want := range map[string]string{"": "person:ada-lovelace person:Émile work:notes",
		"LOVELACE": "person:ada-lovelace", "person": "person:ada-lovelace person:Émile",
		"ada mathem": "person:ada-lovelace", "émile": "person:Émile", "ada notes": "", "bob": "", "undescribed": "",
		"%": "", "1815": ""} {
		nodes, err := s.FindNodes(t.Context(), text, store.Window{})
		must(t, err)
		var got []string
		for _, n := range nodes {
			got = append(got, n.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
		if text == "LOVELACE" && (len(nodes[0].Labels) != 2 || nodes[0].Props["born"] != "1815") {
			t.Errorf("a found node lacks what is known of it: %+v", nodes[0])
		}
	}
	for window, want := range map[store.Window]int{{Limit: 2}: 2, {Limit: 2, Offset: 2}: 1, {Offset: 5}: 0} {
		if nodes, err := s.FindNodes(t.Context(), "", window); err != nil || len(nodes) != want {
			t.Errorf("%+v finds %d, want %d (%v)", window, len(nodes), want, err)
		}
	}
	_, err := s.FindNodes(t.Context(), strings.Repeat("a", store.MaxGraphText+1), store.Window{})
	wantCode(t, err, citewell.CodeInvalidArgument)
	_, err = s.FindNodes(t.Context(), "", store.Window{Limit: store.MaxGraphPage + 1})
	wantCode(t, err, citewell.CodeInvalidArgument)
}

func graphRemove(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	must(t, s.UpsertNodes(ctx, []store.GraphNode{{ID: "a", Labels: []string{"l"}}, {ID: "b", Labels: []string{"l"}}}))
	addEdges(t, s, "a to b", "b to a", "b to c", "b to b", "a to c")
	for _, want := range []bool{true, false} {
		removed, err := s.RemoveEdge(ctx, "a", "to", "c")
		must(t, err)
		if removed != want {
			t.Errorf("edge removed is %v, want %v", removed, want)
		}
	}
	for _, want := range []bool{true, false} {
		removed, err := s.RemoveNode(ctx, "b")
		must(t, err)
		if removed != want {
			t.Errorf("node removed is %v, want %v", removed, want)
		}
	}
	wantCounts(t, s, 1, 0)
	nodes, err := s.Nodes(ctx, "l", store.Window{})
	must(t, err)
	if len(nodes) != 1 || nodes[0].ID != "a" {
		t.Errorf("label has %+v, want a alone", nodes)
	}
	addEdges(t, s, "x to y") // nobody described x
	if removed, err := s.RemoveNode(ctx, "x"); !removed || err != nil {
		t.Errorf("removing what only edges name gives %v, %v", removed, err)
	}
	wantCounts(t, s, 1, 0)
}

func graphBadArguments(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	long := strings.Repeat("x", store.MaxGraphName+1)
	for _, node := range []store.GraphNode{{}, {ID: long}, {ID: "\xff"}, {ID: "n", Labels: []string{""}},
		{ID: "n", Labels: make([]string, store.MaxLabels+1)},
		{ID: "n", Props: map[string]any{"f": func() {}}}, {ID: "n", Props: map[string]any{"k": math.NaN()}},
		{ID: "n", Props: map[string]any{"k": strings.Repeat("x", store.MaxGraphProps)}}} {
		wantCode(t, s.UpsertNodes(ctx, []store.GraphNode{node}), citewell.CodeInvalidArgument)
	}
	for _, edge := range []store.GraphEdge{{}, {Src: "a", Rel: "r"}, {Src: "a", Dst: "b"}, {Rel: "r", Dst: "b"},
		{Src: long, Rel: "r", Dst: "b"},
		{Src: "a", Rel: "r", Dst: "b", Weight: math.NaN()}, {Src: "a", Rel: "r", Dst: "b", Weight: math.Inf(1)}} {
		wantCode(t, s.UpsertEdges(ctx, []store.GraphEdge{edge}), citewell.CodeInvalidArgument)
	}
	wantCode(t, s.UpsertNodes(ctx, make([]store.GraphNode, store.MaxGraphBatch+1)), citewell.CodeInvalidArgument)
	wantCode(t, s.UpsertEdges(ctx, make([]store.GraphEdge, store.MaxGraphBatch+1)), citewell.CodeInvalidArgument)
	for _, query := range []store.NeighborQuery{{}, {Node: "a", Depth: -1}, {Node: "a", Depth: store.MaxGraphDepth + 1},
		{Node: "a", Direction: "up"},
		{Node: "a", Relations: []string{""}}, {Node: "a", Relations: make([]string, store.MaxRelations+1)},
		{Node: "a", Window: store.Window{Limit: -1}}} {
		_, err := s.Neighbors(ctx, query)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	_, err := s.Edges(ctx, store.EdgeQuery{Node: ""})
	wantCode(t, err, citewell.CodeInvalidArgument)
	wantCounts(t, s, 0, 0)
}

func graphAllOrNone(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	wantCode(t, s.UpsertNodes(ctx, []store.GraphNode{{ID: "a"}, {}}), citewell.CodeInvalidArgument)
	wantCode(t, s.UpsertEdges(ctx, []store.GraphEdge{{Src: "a", Rel: "r", Dst: "b"}, {}}), citewell.CodeInvalidArgument)
	wantCounts(t, s, 0, 0)
}

func graphTenants(t *testing.T, b GraphBackend) {
	mine, ctx := b.Tenant("a"), t.Context()
	must(t, mine.UpsertNodes(ctx, []store.GraphNode{{ID: "n", Labels: []string{"l"},
		Props: map[string]any{"whose": "mine"}}, {ID: "m"}}))
	addEdges(t, mine, "n to m")
	for _, name := range []string{"b", "A", "a ", "", "%", "a' OR '1'='1"} {
		other := b.Tenant(name)
		_, err := other.Node(ctx, "n")
		wantCode(t, err, citewell.CodeNotFound)
		nodes, err := other.Nodes(ctx, "l", store.Window{})
		must(t, err)
		if len(nodes) > 0 {
			t.Errorf("tenant %q sees %+v", name, nodes)
		}
		wantNeighbors(t, other, store.NeighborQuery{Node: "n", Direction: store.BothWays, Depth: 3}, "")
		wantEdges(t, other, store.EdgeQuery{Node: "n"})
		wantCounts(t, other, 0, 0)
		if removed, err := other.RemoveNode(ctx, "n"); removed || err != nil {
			t.Errorf("tenant %q removes another's node: %v, %v", name, removed, err)
		}
		if removed, err := other.RemoveEdge(ctx, "n", "to", "m"); removed || err != nil {
			t.Errorf("tenant %q removes another's edge: %v, %v", name, removed, err)
		}
	}
	must(t, b.Tenant("b").UpsertNodes(ctx, []store.GraphNode{{ID: "n", Props: map[string]any{"whose": "theirs"}}}))
	got, err := mine.Node(ctx, "n")
	must(t, err)
	if got.Props["whose"] != "mine" {
		t.Errorf("another tenant's write is seen: %+v", got)
	}
	wantNeighbors(t, mine, store.NeighborQuery{Node: "n"}, "m:1")
}

func graphSurvivesReopening(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	must(t, s.UpsertNodes(ctx, []store.GraphNode{{ID: "n", Labels: []string{"l"}}}))
	addEdges(t, s, "n to m", "m to o")
	s = b.Reopen(t).Tenant("a")
	wantNeighbors(t, s, store.NeighborQuery{Node: "n", Depth: 2}, "m:1 o:2")
	got, err := s.Node(ctx, "n")
	must(t, err)
	if len(got.Labels) != 1 {
		t.Errorf("node is %+v, want its label", got)
	}
}

func graphManyGoroutines(t *testing.T, b GraphBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	const writers, each = 8, 20
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				id := fmt.Sprint("shared", i)
				for _, err := range []error{
					s.UpsertNodes(ctx, []store.GraphNode{{ID: id, Labels: []string{fmt.Sprint("w", w)}}}),
					s.UpsertEdges(ctx, []store.GraphEdge{{Src: id, Rel: "by", Dst: fmt.Sprint("w", w),
						Weight: float64(i)}}),
				} {
					if err != nil {
						t.Error(err)
					}
				}
				if _, err := s.Node(ctx, id); err != nil {
					t.Errorf("own write is not read: %v", err)
				}
			}
		})
	}
	group.Wait()
	wantCounts(t, s, each, writers*each)
	labelled := 0
	for w := range writers {
		nodes, err := s.Nodes(ctx, fmt.Sprint("w", w), store.Window{})
		must(t, err)
		labelled += len(nodes)
	}
	if labelled != each {
		t.Errorf("%d labels are left, want one for each of %d nodes: the last write's", labelled, each)
	}
}

func graphCanceled(t *testing.T, b GraphBackend) {
	s := b.Tenant("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantCode(t, s.UpsertNodes(ctx, []store.GraphNode{{ID: "n"}}), citewell.CodeCanceled)
	wantCode(t, s.UpsertEdges(ctx, []store.GraphEdge{{Src: "a", Rel: "r", Dst: "b"}}), citewell.CodeCanceled)
	_, err := s.Neighbors(ctx, store.NeighborQuery{Node: "n"})
	wantCode(t, err, citewell.CodeCanceled)
	wantCounts(t, s, 0, 0)
}
