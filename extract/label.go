package extract

import (
	"net/url"
	"strings"
)

// What else a page is said to be. These are told to the reader of a document and
// alter nothing in how its page is read: kindOf alone does.
const (
	kindProduct    = "product"    // one thing that is sold
	kindCollection = "collection" // a shelf of things that are sold
	kindListing    = "listing"    // a list of anything else: articles, jobs, courses
	kindService    = "service"    // what someone does for others
)

// sections are words that stand alone between the slashes of an address: what lies
// under them is mostly this.
var sections = map[string]string{
	"product": kindProduct, "products": kindProduct, "p": kindProduct, "dp": kindProduct, "itm": kindProduct, "item": kindProduct, "shop": kindProduct,
	"collection": kindCollection, "collections": kindCollection, "product-category": kindCollection, "cat": kindCollection, "c": kindCollection, "browse": kindCollection,
	"category": kindListing, "categories": kindListing, "tag": kindListing, "tags": kindListing, "archive": kindListing, "archives": kindListing,
	"jobs": kindListing, "topic": kindListing, "topics": kindListing,
	"service": kindService, "services": kindService, "solutions": kindService, "our-services": kindService,
	"blog": kindArticle, "blogs": kindArticle, "news": kindArticle, "article": kindArticle, "articles": kindArticle, "posts": kindArticle, "stories": kindArticle,
	"docs": kindDocumentation, "documentation": kindDocumentation,
	"learn": kindPage, "guides": kindPage, "resources": kindPage, "insights": kindPage, "case-studies": kindPage, "press": kindPage, "magazine": kindPage,
}

var (
	productTypes = map[string]bool{"product": true, "productgroup": true, "productmodel": true, "individualproduct": true}
	// trades are kinds of local business that are asked for what they do, not for what
	// they sell. The other kinds stand on the pages of shops as well.
	trades = map[string]bool{"service": true, "professionalservice": true, "financialservice": true, "legalservice": true, "homeandconstructionbusiness": true,
		"hvacbusiness": true, "plumber": true, "electrician": true, "roofingcontractor": true, "generalcontractor": true, "housepainter": true, "locksmith": true,
		"movingcompany": true, "attorney": true, "notary": true, "accountingservice": true, "insuranceagency": true, "autorepair": true, "dentist": true,
		"employmentagency": true, "taxiservice": true, "governmentservice": true}
)

// A layout is the shape of a page, as far as it tells lists from texts.
type layout struct {
	total, long, linked int // bytes of content, of its paragraphs, inside its links
	prices              int // blocks with the sign of a currency
	cards               int // headings that are links
}

func layoutOf(blocks []block) layout {
	var l layout
	for _, b := range blocks {
		if b.boiler != "" {
			continue
		}
		l.total, l.linked = l.total+len(b.text), l.linked+b.linked
		if len(b.text) >= 100 && b.linked*3 < len(b.text) {
			l.long += len(b.text)
		}
		if strings.ContainsAny(b.text, "$€£¥₹") {
			l.prices++
		}
		if b.kind == heading && b.linked > 0 {
			l.cards++
		}
	}
	return l
}

// shelf tells many prices among links, and few paragraphs, from a table of fees.
func (l layout) shelf() bool { return l.prices >= 10 && l.long*5 < l.total*3 && l.linked*8 >= l.total }

// wall tells a page of linked headings and next to nothing else.
func (l layout) wall() bool { return l.cards >= 12 && l.long*4 < l.total && l.linked*4 >= l.total }

// An offering is what structured data says a page is about.
type offering struct {
	article, discussion bool
	products, offered   int // things that can be sold; those with an offer
	group, collection   bool
	service, business   bool
	listed, shelved     bool // a list of five or more; of products
}

func offeringOf(m metadata) offering {
	var o offering
	for _, t := range m.things {
		switch {
		case productTypes[t.kind]:
			o.products++
			if t.offered {
				o.offered++
			}
		case strings.HasSuffix(t.kind, "article") || t.kind == "blogposting" || t.kind == "report":
			o.article = true
		case t.kind == "discussionforumposting" || t.kind == "qapage" || t.kind == "question":
			o.discussion = true
		case t.kind == "someproducts":
			o.group = true
		case t.kind == "collectionpage":
			o.collection = true
		case trades[t.kind]:
			o.service = true
		case t.kind == "localbusiness":
			o.business = true
		case t.kind == "itemlist" && t.listed >= 5:
			o.listed, o.shelved = true, o.shelved || t.sold
		}
	}
	return o
}

// label is the kind that a document says its page is: what the page declares, then
// where it lies, then its shape. A page that is nothing for sure stays what it was
// read as, mostly a page.
func (s *scan) label(address *url.URL) string {
	o := offeringOf(s.about)
	if s.kind == kindForum && !o.discussion && o.offered == 1 {
		return kindProduct // "/t/" is a thread in some addresses and a thing in others
	}
	if s.kind != kindArticle && s.kind != kindPage || o.article {
		return s.kind
	}
	l := layoutOf(s.blocks)
	section, below := sectionOf(address.Path)
	switch og := strings.TrimPrefix(s.about.ogType, "og:"); {
	case og == "product.group" || o.group:
		return kindCollection
	case l.shelf() && o.offered != 1:
		return kindCollection
	case o.offered == 1 || og == "product" || og == "product.item" || og == "ebay-objects:item":
		return kindProduct
	case s.kind == kindPage && o.products == 1 && l.prices > 0 && !o.service && !o.business:
		return kindProduct
	case section == kindProduct && below && (o.products > 0 || l.prices > 0 && l.prices < 8 && l.cards < 5):
		return kindProduct
	case section == kindCollection && below && s.about.published == "":
		return kindCollection
	case o.collection && (l.prices >= 3 || section == kindProduct):
		return kindCollection
	case s.kind == kindPage && o.shelved:
		return kindCollection
	case section == kindListing && below && l.cards >= 5, l.wall() && l.prices < 3 && l.total >= 1000:
		return kindListing
	case s.kind == kindPage && o.listed && l.long*2 < l.total, o.collection && l.cards >= 5:
		return kindListing
	case section != kindArticle && section != kindPage && o.products == 0 && (o.service || o.business && address.Path == "/"):
		return kindService
	case section == kindService && l.cards < 12:
		return kindService
	case section == kindDocumentation && below:
		return kindDocumentation
	case section == kindArticle && below && l.cards < 8 && l.long*2 >= l.total:
		return kindArticle
	case address.Path == "" || address.Path == "/" || section == kindProduct || section == kindCollection:
		return kindPage // made by a publishing system that calls whatever it makes an article
	}
	return s.kind
}

// sectionOf is what the last telling word of an address says, and whether the page
// lies below that word.
func sectionOf(path string) (section string, below bool) {
	parts := strings.Split(strings.Trim(strings.ToLower(path), "/"), "/")
	for i, part := range parts {
		if kind, known := sections[part]; known {
			section, below = kind, i+1 < len(parts)
			if below && (kind == kindArticle || kind == kindDocumentation) {
				break // a guide in the manual, an article on products
			}
		}
	}
	if section == "" && strings.HasSuffix(parts[len(parts)-1], "-services") {
		return kindService, false
	}
	return section, below
}
