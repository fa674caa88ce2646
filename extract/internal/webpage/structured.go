package webpage

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/content"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

const (
	fromStructuredData = "the page shows its text by script: read from its structured data"
	withProductData    = "nothing was chosen of the product that the page sells: the first lines are from its " +
		"structured data"
)

// structuredBlocks are the paragraphs of the article that structured data holds whole, as text or HTML, for pages that
// show it to nobody without scripts.
func (m *metadata) structuredBlocks(ctx context.Context) []block.Block {
	if len(m.body) < media.LowYield {
		return nil
	}
	text := charset.WellFormedText(strings.ToValidUTF8(m.body, "\uFFFD"))
	body := tree.Element(atom.Body)
	if strings.Contains(text, "</") || strings.Contains(text, "<br") {
		nodes, err := tree.Fragment(text, body)
		if err != nil {
			return nil
		}
		for _, n := range nodes {
			body.AppendChild(n)
		}
		markup.Clean(ctx, body)
		return markup.Render(ctx, body)
	}
	for line := range strings.SplitSeq(text, "\n") {
		p := tree.Element(atom.P)
		p.AppendChild(&html.Node{Type: html.TextNode, Data: line})
		body.AppendChild(p)
	}
	return markup.Render(ctx, body)
}

// A product is what structured data says of the one thing that a page sells.
type product struct {
	name, description, price, availability string
}

// maxProductLine bounds a name, a price and an availability.
const maxProductLine = 300

func productOf(v map[string]any) product {
	line := func(value any) string {
		if n, ok := value.(float64); ok {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
		return text.Prefix(plain.OneLine(cmp.Or(imprint.Texts(value)...)), maxProductLine)
	}
	p := product{name: line(v["name"]), description: plain.OneLine(
		text.Prefix(cmp.Or(imprint.Texts(v["description"])...), maxDescribed))}
	offer := v["offers"]
	if all, ok := offer.([]any); ok && len(all) == 1 {
		offer = all[0]
	}
	if o, ok := offer.(map[string]any); ok {
		if price := cmp.Or(line(o["price"]), line(o["lowPrice"])); price != "" {
			p.price = strings.TrimSpace(price + " " + line(o["priceCurrency"]))
			if line(o["price"]) == "" {
				p.price = "from " + p.price
			}
		}
		availability := line(o["availability"])
		p.availability = availability[strings.LastIndexByte(availability, '/')+1:]
	}
	return p
}

// readProducts finds the products with an offer that structured data is about.
func (m *metadata) readProducts(value any, depth int) {
	if depth > 6 || m.products > 1 {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			m.readProducts(one, depth+1)
		}
	case map[string]any:
		for _, kind := range imprint.Texts(v["@type"]) {
			if productTypes[schemaName(kind)] && v["offers"] != nil {
				if m.products++; m.products == 1 {
					m.product = productOf(v)
				}
				break
			}
		}
		for _, key := range []string{"@graph", "mainEntity"} {
			m.readProducts(v[key], depth+1)
		}
	}
}

// productBlocks are what structured data says of the page's one product, if the chosen blocks have neither its name nor
// three words in a row of its description.
func (m *metadata) productBlocks(ctx context.Context, chosen []block.Block) []block.Block {
	p := m.product
	if m.products != 1 || p.name == "" || len(p.description) < 60 {
		return nil
	}
	shown := make([]string, len(chosen))
	for i, b := range chosen {
		shown[i] = b.Text
	}
	if strings.Contains(strings.ToLower(strings.Join(shown, "\n")), strings.ToLower(p.name)) {
		return nil
	}
	runs := content.RunsIn(shown)
	for run := range content.RunsIn([]string{p.description}) {
		if runs[run] {
			return nil
		}
	}
	body := tree.Element(atom.Body)
	for _, line := range []string{p.name, p.description, labelled("Price: ", p.price),
		labelled("Availability: ", p.availability)} {
		if line != "" {
			e := tree.Element(atom.P)
			e.AppendChild(&html.Node{Type: html.TextNode, Data: line})
			body.AppendChild(e)
		}
	}
	return markup.Render(ctx, body)
}

func labelled(name, value string) string {
	if value == "" {
		return ""
	}
	return name + value
}
