package extract

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/media"
)

// TestLabel reads small pages through the front door.
func TestLabel(t *testing.T) {
	card := func(price string) string {
		return `<li><h3><a href="/x">A thing with a name of its own</a></h3><p><a href="/x">` + price + `</a></p></li>`
	}
	text := "<p>" + strings.Repeat("These words say at length what there is to say, and no more than that. ", 8) + "</p>"
	script := func(ld string) string { return `<script type="application/ld+json">` + ld + `</script>` }
	for name, c := range map[string]struct{ path, page, want string }{
		"JSON-LD product with an offer":  {"/x", script(`{"@graph":[{"@type":"WebPage"},{"@type":"http://schema.org/Product","offers":{"price":"5"}}]}`) + text, media.KindProduct},
		"microdata product":              {"/x", `<div itemscope itemtype="https://schema.org/Product"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer">$ 5</div>` + text + `</div>`, media.KindProduct},
		"og product":                     {"/x", `<meta property="og:type" content="product">` + text, media.KindProduct},
		"address of a product, a price":  {"/product/kettle", text + "<p>Price: £ 20</p>", media.KindProduct},
		"address of a product, no price": {"/product/kettle", text, media.KindPage},
		"product that an article tests":  {"/x", script(`[{"@type":"NewsArticle"},{"@type":"Product","offers":{}}]`) + text, media.KindArticle},
		"product with stars and no sale": {"/x", script(`{"@type":"Product","aggregateRating":{}}`) + text, media.KindPage},
		"shelf":                          {"/x", "<ul>" + strings.Repeat(card("$ 12.00"), 12) + "</ul>", media.KindCollection},
		"address of a shelf":             {"/collections/sheets", text, media.KindCollection},
		"product on a shelf's address":   {"/collections/sheets/products/red", script(`{"@type":"Product","offers":[{}]}`) + text, media.KindProduct},
		"list of products":               {"/x", script(`{"@type":"ItemList","itemListElement":[`+strings.Repeat(`{"@type":"ListItem","item":{"@type":"Product"}},`, 5)+`{}]}`) + text, media.KindCollection},
		"table of fees":                  {"/x", "<ul>" + strings.Repeat("<li>A small cut of hair costs $ 12</li>", 12) + "</ul>", media.KindPage},
		"wall of headlines":              {"/", "<ul>" + strings.Repeat(card("read it now, all of it, here and today"), 30) + "</ul>", media.KindListing},
		"service":                        {"/x", script(`{"@type":["Service"]}`) + text, media.KindService},
		"plumber's article":              {"/blog/pipes", script(`{"@type":"Plumber"}`) + text, media.KindArticle},
		"address of a service":           {"/services/tax", text, media.KindService},
		"structured data that is broken": {"/x", script(`{"@type":{"@type":[1,null]},"itemListElement":[null,7],"mainEntity":[[[]]]}`) + text, media.KindPage},
	} {
		d, err := Extract(t.Context(), citewell.Page{URL: "https://site.example" + c.path, ContentType: "text/html", Body: []byte("<!doctype html><title>Name</title><body>" + c.page)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d.Kind != c.want {
			t.Errorf("%s: the page is called %q, want %q", name, d.Kind, c.want)
		}
	}
}
