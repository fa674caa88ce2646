package page

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/documents"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/store"
)

// Bounds of what the page of the graph shows.
const (
	graphNodes = 50 // of a list
	graphNear  = 100
	graphDrawn = 20 // edges on each side of a picture
	graphName  = 32 // cells of a name in it
)

// A graphPage is the graph around a node, or a list of nodes where none is named.
type graphPage struct {
	frame
	Words  string
	List   documents.NodeList
	Next   string // the address of the nodes after these
	Wrong  string
	Node   *documents.Node
	Props  []property
	Edges  []edgeRow
	Others []documents.Neighbor // that no edge of the list leads to
	More   string               // what of it is not here
	Drawn  nodePicture
}

// A property of a node.
type property struct{ Name, Value string }

// An edgeRow is an edge as the table has it.
type edgeRow struct {
	documents.Edge
	Out bool // it leads away from the node
}

// nodeLink is the address of the page of a node.
func nodeLink(id string) string { return "/library/graph?" + url.Values{"node": {id}}.Encode() }

// A nodePicture is a node between those that lead to it and those that it leads to.
type nodePicture struct {
	Height, Middle int
	From, Width    int // of the middle and what stands beside it, so that a small screen shows that first
	Name           string
	In, Out        []drawnEdge
	Left           int // edges that are not drawn
}

// Rem is the height as text of the page's size takes it.
func (p nodePicture) Rem() string { return rem(p.Height) }

// Wide is the width likewise.
func (p nodePicture) Wide() string { return rem(p.Width) }

// A drawnEdge is an edge with the node at its other end.
type drawnEdge struct {
	ID, Name, Rel string
	Y             int
	Path          string
}

// units are about how wide the words of an edge's end are.
func (e drawnEdge) units() int { return 10 * max(cells(e.Name), cells(e.Rel)+2) }

// graph is GET /library/graph.
func (s *Site) graph(w http.ResponseWriter, r *http.Request) error {
	asked := r.URL.Query()
	p := graphPage{frame: s.frame(r, "Graph", "library"), Words: strings.TrimSpace(asked.Get("q"))}
	if id := asked.Get("node"); id != "" {
		return s.node(w, r, p, id)
	}
	offset, _ := strconv.Atoi(asked.Get("offset"))
	list, err := s.o.Shelf.Nodes(r.Context(), p.Words, graphNodes, min(max(offset, 0), store.MaxGraphVisit))
	if citewell.CategoryOf(err) == citewell.CategoryInvalid {
		p.Wrong = citewell.View(err).Line()
		return show(w, intake.StatusOf(err), "graph.html", p)
	}
	if err != nil {
		return err
	}
	if p.List = list; list.NextOffset > 0 {
		p.Next = "/library/graph?" + url.Values{"q": {p.Words}, "offset": {strconv.Itoa(list.NextOffset)}}.Encode()
	}
	return show(w, http.StatusOK, "graph.html", p)
}

func (s *Site) node(w http.ResponseWriter, r *http.Request, p graphPage, id string) error {
	near, err := s.o.Shelf.Around(r.Context(), store.NeighborQuery{
		Node: id, Direction: store.BothWays, Depth: 1, Window: store.Window{Limit: graphNear}})
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return notFound("there is no such node", "the graph of the library lists them")
	}
	if err != nil {
		return err
	}
	p.Title, p.Node = id, &near.Node
	for _, name := range slices.Sorted(maps.Keys(near.Node.Props)) {
		value, err := json.Marshal(near.Node.Props[name])
		if err != nil {
			return fmt.Errorf("page: the property %q of a node: %w", name, err)
		}
		words := string(value)
		if text, is := near.Node.Props[name].(string); is {
			words = text
		}
		p.Props = append(p.Props, property{name, words})
	}
	ends := map[string]bool{}
	for _, e := range near.Edges {
		row := edgeRow{e, e.Src == id}
		p.Edges = append(p.Edges, row)
		ends[e.Src], ends[e.Dst] = true, true
	}
	for _, n := range near.Neighbors {
		if !ends[n.ID] {
			p.Others = append(p.Others, n)
		}
	}
	if near.NextOffset > 0 || near.Cut {
		p.More = fmt.Sprintf("It has %s neighbours in all; GET /v1/graph/NODE gives all of them.",
			thousands(near.Total))
	}
	p.Drawn = drawNode(id, p.Edges)
	return show(w, http.StatusOK, "graph.html", p)
}

// drawNode places a node in the middle, and the ends of its edges at its sides in the order of
// the table. What leads from it to itself is in the table alone.
func drawNode(id string, edges []edgeRow) nodePicture {
	const row, from, to, end = 44, 310, 380, 580
	p := nodePicture{Name: shortened(shown(id), 22)}
	for _, e := range edges {
		other, side := e.Src, &p.In
		if e.Out {
			other, side = e.Dst, &p.Out
		}
		if e.Src == e.Dst {
			continue
		}
		if len(*side) == graphDrawn {
			p.Left++
			continue
		}
		*side = append(*side, drawnEdge{ID: other, Name: shortened(shown(other), graphName),
			Rel: shortened(shown(e.Rel), graphName)})
	}
	p.Height = max(len(p.In), len(p.Out), 1)*row + 16
	p.Middle = p.Height / 2
	first, last := to, end
	for _, e := range p.In {
		first = min(first, from-10-e.units())
	}
	for _, e := range p.Out {
		last = max(last, end+72+e.units())
	}
	p.From, p.Width = first-8, last-first+16
	place := func(side []drawnEdge, path func(y int) string) {
		top := p.Middle - len(side)*row/2
		for i := range side {
			side[i].Y = top + i*row + row/2
			side[i].Path = path(side[i].Y)
		}
	}
	place(p.In, func(y int) string {
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", from, y, from+35, y, to-35, p.Middle, to-8, p.Middle)
	})
	place(p.Out, func(y int) string {
		return fmt.Sprintf("M%d %dC%d %d %d %d %d %d", end, p.Middle, end+35, p.Middle, end+35, y, end+62, y)
	})
	return p
}
