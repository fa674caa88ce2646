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
	text := "<p>" + strings.Repeat("These words say at length what there is to say, and no more than that. ", 8) +
		"</p>"
	script := func(ld string) string { return `<script type="application/ld+json">` + ld + `</script>` }
	for name, c := range map[string]struct{ path, page, want string }{
		"JSON-LD product with an offer": {
			"/x", script(`{"@graph":[{"@type":"WebPage"},{"@type":"http://schema.org/Product","offers":{"price":"5"}}]}`) + text, media.KindProduct},
		"microdata product": {
			"/x", `<div itemscope itemtype="https://schema.org/Product"><div itemprop="offers" itemscope itemtype="https://schema.org/Offer">$ 5</div>` + text + `</div>`, media.KindProduct},
		"og product": {"/x", `<meta property="og:type" content="product">` + text,
			media.KindProduct},
		"address of a product, a price":  {"/product/kettle", text + "<p>Price: £ 20</p>", media.KindProduct},
		"address of a product, no price": {"/product/kettle", text, media.KindPage},
		"product that an article tests": {"/x", script(`[{"@type":"NewsArticle"},{"@type":"Product","offers":{}}]`) +
			text, media.KindArticle},
		"product with stars and no sale": {"/x", script(`{"@type":"Product","aggregateRating":{}}`) + text,
			media.KindPage},
		"shelf": {"/x", "<ul>" + strings.Repeat(card("$ 12.00"), 12) + "</ul>",
			media.KindCollection},
		"shelf below a product on offer": {"/x", script(`{"@type":"Product","offers":{}}`) + "<ul>" +
			strings.Repeat(card("$ 12.00"), 12) + "</ul>", media.KindProduct},
		"address of a shelf": {"/collections/sheets", text, media.KindCollection},
		"product on a shelf's address": {"/collections/sheets/products/red",
			script(`{"@type":"Product","offers":[{}]}`) + text, media.KindProduct},
		"list of products": {"/x", script(`{"@type":"ItemList","itemListElement":[`+
			strings.Repeat(`{"@type":"ListItem","item":{"@type":"Product"}},`, 5)+`{}]}`) + text, media.KindCollection},
		"table of fees": {"/x", "<ul>" + strings.Repeat("<li>A small cut of hair costs $ 12</li>",
			12) + "</ul>", media.KindPage},
		"wall of headlines": {"/", "<ul>" + strings.Repeat(card("read it now, all of it, here and today"),
			30) + "</ul>", media.KindListing},
		"service":              {"/x", script(`{"@type":["Service"]}`) + text, media.KindService},
		"plumber's article":    {"/blog/pipes", script(`{"@type":"Plumber"}`) + text, media.KindArticle},
		"address of a service": {"/services/tax", text, media.KindService},
		"group of products":    {"/x", script(`{"@type":"SomeProducts"}`) + text, media.KindCollection},
		"og group": {"/x", `<meta property="og:type" content="og:product.group">` + text,
			media.KindCollection},
		"og item": {"/x", `<meta property="og:type" content="product.item">` + text,
			media.KindProduct},
		"page of a collection, prices": {"/x", script(`{"@type":"CollectionPage"}`) + text + "<p>$ 1<p>$ 2<p>$ 3",
			media.KindCollection},
		"page of a collection, no price": {"/x", script(`{"@type":"CollectionPage"}`) + text + "<p>$ 1<p>$ 2",
			media.KindPage},
		"page of a collection, cards": {"/x", script(`{"@type":"CollectionPage"}`) + text +
			strings.Repeat(card("read it"), 5), media.KindListing},
		"page of a collection, few": {"/x", script(`{"@type":"CollectionPage"}`) + text +
			strings.Repeat(card("read it"), 4), media.KindPage},
		"shop's page of a collection": {"/shop", script(`{"@type":"CollectionPage"}`) + text, media.KindCollection},
		"local business at home":      {"/", script(`{"@type":"LocalBusiness"}`) + text, media.KindService},
		"local business elsewhere":    {"/x", script(`{"@type":"LocalBusiness"}`) + text, media.KindPage},
		"one product with a price":    {"/x", script(`{"@type":"Product"}`) + text + "<p>$ 5", media.KindProduct},
		"one product of a plumber": {"/x", script(`[{"@type":"Product"},{"@type":"Plumber"}]`) + text + "<p>$ 5",
			media.KindPage},
		"two products with a price": {"/x", script(`[{"@type":"Product"},{"@type":"Product"}]`) + text + "<p>$ 5",
			media.KindPage},
		"two products on offer": {
			"/x", script(`[{"@type":"Product","offers":{}},{"@type":"Product","offers":{}}]`) + text, media.KindPage},
		"variants of a product": {"/x", script(`{"@type":"ProductGroup","hasVariant":[]}`) + text,
			media.KindProduct},
		"product's address, many prices": {"/product/kettle", text + strings.Repeat("<p>£ 20", 8), media.KindPage},
		"product's address, a few":       {"/product/kettle", text + strings.Repeat("<p>£ 20", 7), media.KindProduct},
		"product's address, cards": {"/product/kettle", text + "<p>£ 20" + strings.Repeat(card("read it"), 5),
			media.KindPage},
		"address of products": {"/product", text + "<p>£ 20", media.KindPage},
		"shelf's address with a day": {"/collections/sheets", `<meta name=date content="2025-03-04">` + text,
			media.KindPage},
		"address of shelves": {"/collections", text, media.KindPage},
		"list of five": {"/x", script(`{"@type":"ItemList","itemListElement":[{},{},{},{},{}]}`) +
			"<p>Words.", media.KindListing},
		"list of four": {"/x", script(`{"@type":"ItemList","itemListElement":[{},{},{},{}]}`) +
			"<p>Words.", media.KindPage},
		"list of five beside text": {"/x", script(`{"@type":"ItemList","itemListElement":[{},{},{},{},{}]}`) +
			text, media.KindPage},
		"address of a list":       {"/tag/mills", text + strings.Repeat(card("read it"), 5), media.KindListing},
		"address of a short list": {"/tag/mills", text + strings.Repeat(card("read it"), 4), media.KindPage},
		"address of lists":        {"/tag", text + strings.Repeat(card("read it"), 5), media.KindPage},
		"nine prices":             {"/x", "<ul>" + strings.Repeat(card("$ 12.00"), 9) + "</ul>", media.KindPage},
		"ten prices": {"/x", "<ul>" + strings.Repeat(card("$ 12.00"), 10) + "</ul>",
			media.KindCollection},
		"shelf in a menu": {"/x", text + "<nav><ul>" + strings.Repeat(card("$ 12.00"), 12) +
			"</ul></nav>", media.KindPage},
		"address of the docs":   {"/documentation/x", text, media.KindDocumentation},
		"address of services":   {"/tax-services", text, media.KindService},
		"address of an article": {"/blog/x", text, media.KindArticle},
		"address of articles":   {"/blog", text, media.KindPage},
		"guide of a product":    {"/learn/products/x", text, media.KindPage},
		"structured data that is broken": {
			"/x", script(`{"@type":{"@type":[1,null]},"itemListElement":[null,7],"mainEntity":[[[]]]}`) + text,
			media.KindPage},
	} {
		d, err := Extract(t.Context(), citewell.Page{URL: "https://site.example" + c.path, ContentType: "text/html",
			Body: []byte("<!doctype html><title>Name</title><body>" + c.page)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d.Kind != c.want {
			t.Errorf("%s: the page is called %q, want %q", name, d.Kind, c.want)
		}
	}
}
