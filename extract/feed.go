package extract

import (
	"context"
	"mime"
	"net/url"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/textual"
)

// A Feed is what an RSS or Atom feed lists, in the order in which it does.
type Feed struct {
	Title string
	Items []FeedItem // at most 2,000
}

// A FeedItem is one entry of a feed.
type FeedItem struct {
	Title     string
	URL       string // absolute; empty where it leads nowhere
	Published string // YYYY-MM-DD; empty where it has no day
	Text      string // what it says, on one line, its first kilobytes
}

// ReadFeed reads a page that is an RSS or Atom feed, whatever its server declares it as, with the
// default options. Its errors are Extract's; unsupported_type is a page that is no feed.
func ReadFeed(ctx context.Context, page citewell.Page) (Feed, error) {
	op := "extract " + hostOf(page)
	if len(page.Body) == 0 {
		return Feed{}, &citewell.Error{Code: citewell.CodeEmptyBody, Op: op, Message: "the feed has no bytes to read"}
	}
	return bounded(ctx, standard, op, page, readFeed)
}

func readFeed(ctx context.Context, page citewell.Page) (Feed, error) {
	_, params, err := mime.ParseMediaType(page.ContentType)
	if err != nil {
		params = nil // it declares nothing that can be read
	}
	xml, _, _ := charset.Decode(page.Body[:min(len(page.Body), standard.options.MaxBytes)], params["charset"], false)
	title, items, isFeed, err := textual.Items(ctx, xml)
	if err != nil {
		return Feed{}, err
	}
	if !isFeed {
		return Feed{}, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: "extract " + hostOf(page),
			Message: "the page is no RSS or Atom feed",
			Hint:    "give the address of the feed itself, which the site's pages name"}
	}
	base, err := url.Parse(page.Base())
	if err != nil {
		base = &url.URL{}
	}
	feed := Feed{Title: title}
	for _, item := range items {
		link := ""
		if u, err := base.Parse(item.Link); err == nil && item.Link != "" {
			link = u.String()
		}
		feed.Items = append(feed.Items, FeedItem{Title: item.Title, URL: link, Published: item.Day,
			Text: item.Words(ctx)})
	}
	return feed, nil
}
