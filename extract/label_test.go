package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// TestLabels prints what the marked pages are said to be beside what a person called
// them: the table of doc/bench.md. The rules were made on the even half; the odd half
// was only counted. The floors hold what was reached on all of them.
func TestLabels(t *testing.T) {
	measured(t)
	kinds := []string{kindArticle, kindDocumentation, kindForum, kindProduct, kindCollection, kindListing, kindService}
	labels := append(kinds[:len(kinds):len(kinds)], kindPage)
	var said [2]map[string]int
	for half := range said {
		said[half] = map[string]int{}
	}
	for _, s := range samplesOf(t) {
		if s.set == "webtypes" {
			said[half(s)][s.kind+" "+s.page.label(s.address)]++
		}
	}
	for part, name := range []string{"even half, which the rules were made on", "odd half, unseen"} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n%-13s", name, "")
		for _, label := range labels {
			fmt.Fprintf(&b, "  %s", label)
		}
		for _, kind := range kinds {
			fmt.Fprintf(&b, "\n%-13s", kind)
			for _, label := range labels {
				fmt.Fprintf(&b, "  %*d", len(label), said[part][kind+" "+label])
			}
		}
		t.Log(b.String())
	}
	floors := map[string]struct{ right, wrong int }{ // pages found; others that are called so
		kindArticle: {70, 35}, kindDocumentation: {50, 5}, kindForum: {50, 2}, kindProduct: {42, 5},
		kindCollection: {36, 11}, kindListing: {10, 2}, kindService: {10, 1},
	}
	for label, floor := range floors {
		right, wrong := 0, 0
		for _, kind := range kinds {
			n := said[0][kind+" "+label] + said[1][kind+" "+label]
			if kind == label {
				right += n
			} else {
				wrong += n
			}
		}
		if right < floor.right || wrong > floor.wrong {
			t.Errorf("%s: %d pages are found and %d others called so, want at least %d and at most %d", label, right, wrong, floor.right, floor.wrong)
		}
	}
}

// TestLabel reads small pages through the front door.
func TestLabel(t *testing.T) {
	card := func(price string) string {
		return `<li><h3><a href="/x">A thing with a name of its own</a></h3><p><a href="/x">` + price + `</a></p></li>`
	}
	text := "<p>" + strings.Repeat("These words say at length what there is to say, and no more than that. ", 8) + "</p>"
	script := func(ld string) string { return `<script type="application/ld+json">` + ld + `</script>` }
	for name, c := range map[string]struct{ path, page, want string }{
		"JSON-LD product with an offer":  {"/x", script(`{"@graph":[{"@type":"WebPage"},{"@type":"http://schema.org/Product","offers":{"price":"5"}}]}`) + text, kindProduct},
		"microdata product":              {"/x", `<div itemscope itemtype="https://schema.org/Product"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer">$ 5</div>` + text + `</div>`, kindProduct},
		"og product":                     {"/x", `<meta property="og:type" content="product">` + text, kindProduct},
		"address of a product, a price":  {"/product/kettle", text + "<p>Price: £ 20</p>", kindProduct},
		"address of a product, no price": {"/product/kettle", text, kindPage},
		"product that an article tests":  {"/x", script(`[{"@type":"NewsArticle"},{"@type":"Product","offers":{}}]`) + text, kindArticle},
		"product with stars and no sale": {"/x", script(`{"@type":"Product","aggregateRating":{}}`) + text, kindPage},
		"shelf":                          {"/x", "<ul>" + strings.Repeat(card("$ 12.00"), 12) + "</ul>", kindCollection},
		"address of a shelf":             {"/collections/sheets", text, kindCollection},
		"product on a shelf's address":   {"/collections/sheets/products/red", script(`{"@type":"Product","offers":[{}]}`) + text, kindProduct},
		"list of products":               {"/x", script(`{"@type":"ItemList","itemListElement":[`+strings.Repeat(`{"@type":"ListItem","item":{"@type":"Product"}},`, 5)+`{}]}`) + text, kindCollection},
		"table of fees":                  {"/x", "<ul>" + strings.Repeat("<li>A small cut of hair costs $ 12</li>", 12) + "</ul>", kindPage},
		"wall of headlines":              {"/", "<ul>" + strings.Repeat(card("read it now, all of it, here and today"), 30) + "</ul>", kindListing},
		"service":                        {"/x", script(`{"@type":["Service"]}`) + text, kindService},
		"plumber's article":              {"/blog/pipes", script(`{"@type":"Plumber"}`) + text, kindArticle},
		"address of a service":           {"/services/tax", text, kindService},
		"structured data that is broken": {"/x", script(`{"@type":{"@type":[1,null]},"itemListElement":[null,7],"mainEntity":[[[]]]}`) + text, kindPage},
	} {
		d, err := Extract(t.Context(), citewell.Page{URL: "https://site.example" + c.path, ContentType: "text/html", Body: []byte("<!doctype html><title>Name</title><body>" + c.page)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d.Kind != c.want {
			t.Errorf("%s: the page is called %q, want %q", name, d.Kind, c.want)
		}
	}
}
