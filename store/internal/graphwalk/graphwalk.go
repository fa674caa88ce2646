// Package graphwalk answers questions about a graph that a backend keeps in tables.
//
// Errors: invalid_argument, and what the backend gives.
package graphwalk

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
)

// Chunk is how many ids one statement asks for.
const Chunk = 256

// Names are the ids of nodes with their labels, by which they are found.
type Names map[string]string

// Add adds a node, or a label of one.
func (n Names) Add(id, label string) {
	if n[id] == "" {
		n[id] = strings.ToLower(id)
	}
	n[id] += "\n" + strings.ToLower(label)
}

// CheckFind says what of a question by words cannot be asked.
func CheckFind(op, text string, window *store.Window) error {
	if err := window.Check(op); err != nil {
		return err
	}
	if len(text) > store.MaxGraphText {
		return fault.Invalid(op, "what nodes are found by has %d bytes, and %d are allowed", len(text),
			store.MaxGraphText)
	}
	return nil
}

// Find returns the ids in which each word of text is, sorted, those of the window.
func (n Names) Find(text string, window store.Window) (found []string) {
	words := strings.Fields(strings.ToLower(text))
	for id, name := range n {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(name, word) }) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	return part(found, window)
}

func part[T any](all []T, window store.Window) []T {
	all = all[min(len(all), window.Offset):]
	return all[:min(len(all), window.Limit)]
}

// A Joined gives the first limit ids, in order, that edges join to at most Chunk nodes, from column from to column to.
type Joined func(from, to string, nodes []string, limit int) ([]string, error)

// Neighbors goes outward from a node one edge at a time, each node once; where too many are reached, the smallest ids
// of the last round are in. The query is checked. It sets the ids of nodes alone.
func Neighbors(query store.NeighborQuery, joined Joined) (store.Neighbors, error) {
	var answer store.Neighbors
	var reached []store.Neighbor
	seen, frontier := map[string]bool{query.Node: true}, []string{query.Node}
	for depth := 1; depth <= query.Depth && len(frontier) > 0 && !answer.Cut; depth++ {
		// One more than there is room for tells whether the answer is cut.
		room := store.MaxGraphVisit - len(reached)
		next, err := step(query.Direction, frontier, seen, room+1, joined)
		if err != nil {
			return store.Neighbors{}, err
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
	answer.Neighbors = part(reached, query.Window)
	return answer, nil
}

// step returns the first want nodes, by id, that one edge joins to the frontier and that were not seen before.
func step(direction store.Direction, frontier []string, seen map[string]bool, want int,
	joined Joined) ([]string, error) {
	var next []string
	for chunk := range slices.Chunk(frontier, Chunk) {
		for _, way := range []struct {
			direction store.Direction
			from, to  string
		}{{store.Outbound, "src", "dst"}, {store.Inbound, "dst", "src"}} {
			if direction != store.BothWays && direction != way.direction {
				continue
			}
			ids, err := joined(way.from, way.to, chunk, len(seen)+want) // of so many at least want are new
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

// Describe fills in what is known of each neighbour; nodes gives the described ones of at most Chunk ids.
func Describe(neighbors []store.Neighbor, nodes func(ids []string) ([]store.GraphNode, error)) error {
	at := make(map[string]int, len(neighbors))
	ids := make([]string, len(neighbors))
	for i, n := range neighbors {
		at[n.Node.ID], ids[i] = i, n.Node.ID
	}
	for chunk := range slices.Chunk(ids, Chunk) {
		described, err := nodes(chunk)
		if err != nil {
			return err
		}
		for _, node := range described {
			neighbors[at[node.ID]].Node = node
		}
	}
	return nil
}
