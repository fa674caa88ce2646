package content

import (
	"strings"
	"unicode"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
)

// Outlook is what a page says of itself, for the signals of its blocks.
type Outlook struct {
	Title, Body     string   // the title; the article as structured data has it
	Described       []string // what descriptions and structured data say of the content
	SchemaTypes     []string // every type of structured data
	OgType          string
	Authored, Dated bool // by a name, on a day
	DeclaredArticle bool // the page calls itself an article
	Forum           bool // the host is called so
	Documentation   bool // the host is called so
	Kind            string
	Path            string // of the page's address
	Query           bool   // the address has one
}

// schemaFlags are the types of structured data that tell kinds of page apart.
var schemaFlags = []string{"article", "product", "itemlist", "collectionpage", "discussionforumposting", "qapage",
	"faqpage", "website", "organization", "service", "localbusiness", "recipe", "blogposting", "newsarticle",
	"breadcrumblist", "webpage"}

// pathFlags are words in an address.
var pathFlags = map[string]int{
	"product": 0, "products": 0, "p": 0, "dp": 0, "item": 0, "shop": 0,
	"collection": 1, "collections": 1, "category": 1, "categories": 1, "c": 1, "catalog": 1, "store": 1,
	"blog": 2, "news": 2, "article": 2, "articles": 2, "story": 2, "stories": 2, "post": 2, "posts": 2,
	"forum": 3, "forums": 3, "thread": 3, "threads": 3, "topic": 3, "t": 3, "questions": 3, "viewtopic": 3,
	"discussion": 3, "community": 3, "showthread": 3,
	"docs": 4, "doc": 4, "documentation": 4, "guide": 4, "manual": 4, "reference": 4, "api": 4, "tutorial": 4,
	"learn": 4, "wiki": 4,
	"service": 5, "services": 5, "pricing": 5, "solutions": 5, "about": 5, "features": 5, "platform": 5,
	"tag": 6, "tags": 6, "list": 6, "listing": 6, "archive": 6, "search": 6, "jobs": 6, "events": 6, "best": 6,
	"directory": 6,
}

const pathFlagCount = 7

// pageSignals are the same for all blocks of a page.
func pageSignals(o Outlook, blocks []block.Block, letters []lettering, s *scopes) []float32 {
	var row []float32
	add := func(values ...float32) { row = append(row, values...) }
	var total, linked, long, headings, items, boiler, prices, codes, grids, h1, anchors int
	for i, b := range blocks {
		size := len(b.Text) - b.Marker
		total, linked = total+size, linked+b.Linked
		if size >= 100 && b.Linked*3 < size {
			long += size
		}
		switch b.Kind {
		case block.Heading:
			headings++
			if b.Level == 1 {
				h1++
			}
		case block.Item:
			items++
		case block.Code:
			codes += size
		case block.Grid:
			grids += size
		}
		if b.Boiler != "" {
			boiler += size
		}
		if letters[i].price {
			prices++
		}
		if b.Linked > 0 {
			anchors++
		}
	}
	add(logSize(total), ratio(linked, total), ratio(long, total), logSize(long), ratio(headings, len(blocks)),
		ratio(items, len(blocks)),
		logSize(len(blocks)), ratio(boiler, total), ratio(prices, len(blocks)), ratio(codes, total),
		ratio(grids, total), float32(min(h1, 5)), ratio(anchors, len(blocks)))
	for _, name := range schemaFlags {
		has := false
		for _, t := range o.SchemaTypes {
			has = has || t == name
		}
		add(truth(has))
	}
	var words [pathFlagCount]bool
	segments, digits := 0, false
	for part := range strings.SplitSeq(strings.ToLower(o.Path), "/") {
		if part == "" {
			continue
		}
		segments++
		for _, word := range strings.FieldsFunc(part, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}) {
			if at, known := pathFlags[word]; known {
				words[at] = true
			}
			digits = digits || len(word) >= 4 && plain.IsDigits(word)
		}
	}
	for _, has := range words {
		add(truth(has))
	}
	add(float32(segments), truth(digits), truth(o.Query), logSize(len(o.Path)))
	add(truth(o.Forum), truth(o.Documentation), truth(o.Dated), truth(o.Authored),
		truth(o.Kind == media.KindArticle), truth(o.Kind == media.KindDocumentation), truth(o.Kind == media.KindForum),
		truth(o.OgType == "article"), truth(o.OgType == "product" || o.OgType == "og:product"),
		truth(o.OgType == "website"))
	return row
}
