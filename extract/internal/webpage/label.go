package webpage

import (
	"net/url"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
)

// sections are words that stand alone between the slashes of an address: what lies under them is mostly this.
var sections = map[string]string{
	"product": media.KindProduct, "products": media.KindProduct, "p": media.KindProduct, "dp": media.KindProduct,
	"itm": media.KindProduct, "item": media.KindProduct, "shop": media.KindProduct,
	"collection": media.KindCollection, "collections": media.KindCollection, "product-category": media.KindCollection,
	"cat": media.KindCollection, "c": media.KindCollection, "browse": media.KindCollection,
	"category": media.KindListing, "categories": media.KindListing, "tag": media.KindListing, "tags": media.KindListing,
	"archive": media.KindListing, "archives": media.KindListing,
	"jobs": media.KindListing, "topic": media.KindListing, "topics": media.KindListing,
	"service": media.KindService, "services": media.KindService, "solutions": media.KindService,
	"our-services": media.KindService,
	"blog":         media.KindArticle, "blogs": media.KindArticle, "news": media.KindArticle,
	"article":  media.KindArticle,
	"articles": media.KindArticle, "posts": media.KindArticle, "stories": media.KindArticle,
	"docs": media.KindDocumentation, "documentation": media.KindDocumentation,
	"learn": media.KindPage, "guides": media.KindPage, "resources": media.KindPage, "insights": media.KindPage,
	"case-studies": media.KindPage, "press": media.KindPage, "magazine": media.KindPage,
}

var (
	productTypes = map[string]bool{"product": true, "productgroup": true, "productmodel": true,
		"individualproduct": true}
	// trades are kinds of local business that are asked for what they do, not for what
	// they sell. The other kinds stand on the pages of shops as well.
	trades = map[string]bool{"service": true, "professionalservice": true, "financialservice": true,
		"legalservice": true, "homeandconstructionbusiness": true,
		"hvacbusiness": true, "plumber": true, "electrician": true, "roofingcontractor": true,
		"generalcontractor": true, "housepainter": true, "locksmith": true,
		"movingcompany": true, "attorney": true, "notary": true, "accountingservice": true, "insuranceagency": true,
		"autorepair": true, "dentist": true, "employmentagency": true, "taxiservice": true, "governmentservice": true}
)

// A layout is the shape of a page, as far as it tells lists from texts.
type layout struct {
	total, long, linked int // bytes of content, of its paragraphs, inside its links
	prices              int // blocks with the sign of a currency
	cards               int // headings that are links
}

func layoutOf(blocks []block.Block) layout {
	var l layout
	for _, b := range blocks {
		if b.Boiler != "" {
			continue
		}
		l.total, l.linked = l.total+len(b.Text), l.linked+b.Linked
		if len(b.Text) >= 100 && b.Linked*3 < len(b.Text) {
			l.long += len(b.Text)
		}
		if strings.ContainsAny(b.Text, "$€£¥₹") {
			l.prices++
		}
		if b.Kind == block.Heading && b.Linked > 0 {
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

// Label is the kind that a document says its page is: what the page declares, then where it lies, then its shape. A
// page that is nothing for sure stays what it was read as. It is one table of decisions, the surest first: parts of it
// would need its whole state.
func (s *Page) Label(address *url.URL) string {
	o := offeringOf(s.about)
	if s.kind == media.KindForum && !o.discussion && o.offered == 1 {
		return media.KindProduct // "/t/" is a thread in some addresses and a thing in others
	}
	if s.kind != media.KindArticle && s.kind != media.KindPage || o.article {
		return s.kind
	}
	l := layoutOf(s.Blocks)
	section, below := sectionOf(address.Path)
	switch og := strings.TrimPrefix(s.about.ogType, "og:"); {
	case og == "product.group" || o.group:
		return media.KindCollection
	case l.shelf() && o.offered != 1:
		return media.KindCollection
	case o.offered == 1 || og == "product" || og == "product.item" || og == "ebay-objects:item":
		return media.KindProduct
	case s.kind == media.KindPage && o.products == 1 && l.prices > 0 && !o.service && !o.business:
		return media.KindProduct
	case section == media.KindProduct && below && (o.products > 0 || l.prices > 0 && l.prices < 8 && l.cards < 5):
		return media.KindProduct
	case section == media.KindCollection && below && s.about.published == "":
		return media.KindCollection
	case o.collection && (l.prices >= 3 || section == media.KindProduct):
		return media.KindCollection
	case s.kind == media.KindPage && o.shelved:
		return media.KindCollection
	case section == media.KindListing && below && l.cards >= 5, l.wall() && l.prices < 3 && l.total >= 1000:
		return media.KindListing
	case s.kind == media.KindPage && o.listed && l.long*2 < l.total, o.collection && l.cards >= 5:
		return media.KindListing
	case section != media.KindArticle && section != media.KindPage && o.products == 0 &&
		(o.service || o.business && address.Path == "/"):
		return media.KindService
	case section == media.KindService && l.cards < 12:
		return media.KindService
	case section == media.KindDocumentation && below:
		return media.KindDocumentation
	case section == media.KindArticle && below && l.cards < 8 && l.long*2 >= l.total:
		return media.KindArticle
	case address.Path == "" || address.Path == "/" || section == media.KindProduct || section == media.KindCollection:
		return media.KindPage // made by a publishing system that calls whatever it makes an article
	}
	return s.kind
}

// sectionOf is what the last telling word of an address says, and whether the page lies below that word.
func sectionOf(path string) (section string, below bool) {
	parts := strings.Split(strings.Trim(strings.ToLower(path), "/"), "/")
	for i, part := range parts {
		if kind, known := sections[part]; known {
			section, below = kind, i+1 < len(parts)
			if below && (kind == media.KindArticle || kind == media.KindDocumentation) {
				break // a guide in the manual, an article on products
			}
		}
	}
	if section == "" && strings.HasSuffix(parts[len(parts)-1], "-services") {
		return media.KindService, false
	}
	return section, below
}
