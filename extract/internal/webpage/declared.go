package webpage

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// A thing is what a page's structured data is about: no part of another thing.
type thing struct {
	kind    string // its schema.org type, lower-case
	offered bool   // has an offer, or variants that have
	listed  int    // elements of a list
	sold    bool   // those elements are products
}

// maxThings bounds what is kept of structured data's things.
const maxThings = 100

// gatherThings reads the things of one JSON-LD script.
func gatherThings(things []thing, value any, depth int) []thing {
	if depth > 6 || len(things) >= maxThings {
		return things
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			things = gatherThings(things, one, depth+1)
		}
	case map[string]any:
		for _, kind := range imprint.Texts(v["@type"]) {
			things = append(things, thing{kind: schemaName(kind), offered: v["offers"] != nil || v["hasVariant"] != nil,
				listed: elementsOf(v["itemListElement"]), sold: holdsProducts(v["itemListElement"])})
		}
		for _, key := range []string{"@graph", "mainEntity"} {
			things = gatherThings(things, v[key], depth+1)
		}
	}
	return things
}

// markedThing is the thing that an element's microdata is about.
func markedThing(n *html.Node, itemtype string) (thing, bool) {
	if tree.Attribute(n, "itemprop") != "" {
		return thing{}, false
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if outer := tree.Attribute(p, "itemtype"); outer != "" && schemaName(outer) != "webpage" &&
			schemaName(outer) != "itempage" {
			return thing{}, false
		}
	}
	kind, _, _ := strings.Cut(strings.TrimSpace(itemtype), " ")
	t := thing{kind: schemaName(kind)}
	if !productTypes[t.kind] {
		return t, true
	}
	for c := range n.Descendants() {
		if t.offered = tree.Attribute(c, "itemprop") == "offers"; t.offered {
			break
		}
	}
	return t, true
}

// schemaName is a type without its vocabulary's address.
func schemaName(s string) string {
	s = strings.ToLower(strings.TrimSpace(text.Prefix(s, 200)))
	return s[strings.LastIndexAny(s, "/:#")+1:]
}

func elementsOf(value any) int {
	switch v := value.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return 1
	}
	return 0
}

// holdsProducts reports whether the first element of a list is a product.
func holdsProducts(value any) bool {
	all, _ := value.([]any)
	if len(all) == 0 {
		return false
	}
	element, _ := all[0].(map[string]any)
	if item, ok := element["item"].(map[string]any); ok {
		element = item
	}
	return slices.ContainsFunc(imprint.Texts(element["@type"]), func(kind string) bool {
		return productTypes[schemaName(kind)]
	})
}
