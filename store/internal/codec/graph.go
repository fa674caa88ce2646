package codec

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
)

// A Graph is what a node's or an edge's row keeps of it.
type Graph struct {
	Labels []string       `json:"labels,omitempty"`
	Props  map[string]any `json:"props,omitempty"`
}

// ReadGraph reads what PackNodes or PackEdges made.
func ReadGraph(packed []byte) (r Graph, err error) {
	const op = "store.graph"
	data, err := Unpack(op, packed)
	if err != nil {
		return r, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil {
		return r, fault.Damaged(op, damaged, err)
	}
	return r, nil
}

// PackNodes checks nodes and makes their records and, of each, its labels sorted and each once.
func PackNodes(op string, nodes []store.GraphNode) (records [][]byte, labels [][]string, err error) {
	if len(nodes) > store.MaxGraphBatch {
		return nil, nil, fault.Invalid(op, "%d nodes are given and %d are allowed at once", len(nodes),
			store.MaxGraphBatch)
	}
	records, labels = make([][]byte, len(nodes)), make([][]string, len(nodes))
	for i, node := range nodes {
		if err := node.Check(op); err != nil {
			return nil, nil, err
		}
		labels[i] = slices.Compact(slices.Sorted(slices.Values(node.Labels)))
		if records[i], err = PackJSON(Graph{labels[i], node.Props}); err != nil {
			return nil, nil, err
		}
	}
	return records, labels, nil
}

// PackEdges checks edges and makes their records.
func PackEdges(op string, edges []store.GraphEdge) (records [][]byte, err error) {
	if len(edges) > store.MaxGraphBatch {
		return nil, fault.Invalid(op, "%d edges are given and %d are allowed at once", len(edges), store.MaxGraphBatch)
	}
	records = make([][]byte, len(edges))
	for i, edge := range edges {
		if err := edge.Check(op); err != nil {
			return nil, err
		}
		if records[i], err = PackJSON(Graph{Props: edge.Props}); err != nil {
			return nil, err
		}
	}
	return records, nil
}
