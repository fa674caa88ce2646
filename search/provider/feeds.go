package provider

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/search"
	"golang.org/x/sync/errgroup"
)

const feedsName = "feeds"

func init() {
	register(Description{
		Name:  feedsName,
		About: "the newest entries of the RSS and Atom feeds that you list",
		Docs:  "https://www.rssboard.org/rss-specification",
		Needs: []string{needFeeds},
		Kinds: []search.Kind{search.KindNews},
		// One search at a time in all processes, so that no feed is fetched by two; the next finds
		// what the first has got. A feed that fails is not tried again at once.
		Limits: search.Limits{Parallel: 1, Tries: 1, MaxResults: 30, Shared: true},
	}, func(d Deps, s Settings) (search.Provider, error) {
		if d.Pages == nil {
			return nil, &citewell.Error{Code: citewell.CodeProviderNotConfigured, Op: "search " + feedsName,
				Message: "feeds has nothing to fetch pages with", Hint: "set Deps.Pages to a fetch.Client"}
		}
		urls, err := feedURLs(s)
		return &feeds{d.Pages, urls, time.Now}, err
	})
}

const (
	// feedInterval is how long a feed is not asked for again, whatever came of it.
	feedInterval = 15 * time.Minute
	// maxFeeds is how many feeds are read for one search.
	maxFeeds = 200
	// feedsAtOnce is how many are fetched at a time, each of another host.
	feedsAtOnce = 8
	// feedsShare is the share of a search's time in which feeds are fetched: what has come by
	// then is an answer.
	feedsShare = 0.8
	// maxOPML bounds in bytes the file that lists feeds.
	maxOPML = 4 << 20
	// maxFeedsNamed is how many feeds that could not be read are named.
	maxFeedsNamed = 3
	// feedTextRead is how many bytes of an entry are compared with a question.
	feedTextRead = 4 << 10
)

// feeds finds entries of the user's own list of feeds by their words. It has no index: feeds hold
// tens of entries, and what they hold is known for feedInterval.
type feeds struct {
	pages PageGetter
	urls  []string
	now   func() time.Time
}

// Name implements search.Provider.
func (p *feeds) Name() string { return feedsName }

// Profile implements search.Profiled.
func (p *feeds) Profile() search.Profile { return profileOf(feedsName) }

func (p *feeds) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	entries, err := p.entries(ctx)
	if err != nil {
		return nil, err
	}
	since, until := window(q, p.now())
	entries = slices.DeleteFunc(entries, func(e extract.FeedItem) bool {
		return e.URL == "" || e.Published != "" && (e.Published < since || until != "" && e.Published > until)
	})
	passages := make([]citewell.Passage, len(entries))
	for i, e := range entries {
		passages[i] = citewell.Passage{Text: e.Title + "\n" + text.Prefix(e.Text, feedTextRead)}
	}
	var results []citewell.Result
	for _, found := range rank.Passages(q.Text, passages, rank.Options{}) {
		e := entries[found.Index]
		results = append(results, citewell.Result{Title: loose(e.Title).orElse(loose(text.ShortenAtWord(e.Text, 80))),
			URL: e.URL, Snippet: e.Text, Published: e.Published})
	}
	return tidy(feedsName, results, wanted(q, len(results))), nil
}

// entries are those of all feeds that could be read, feed by feed. Some that could not are
// Noted; that none could is the first one's error.
func (p *feeds) entries(ctx context.Context) ([]extract.FeedItem, error) {
	within := ctx
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		fetching, cancel := context.WithTimeout(ctx, time.Duration(float64(left)*feedsShare))
		defer cancel()
		within = fetching
	}
	read := make([]extract.Feed, len(p.urls))
	failed := make([]error, len(p.urls))
	var g errgroup.Group
	g.SetLimit(feedsAtOnce)
	for i, at := range p.urls {
		g.Go(func() error {
			// it is there to be read by programs
			page, err := p.pages.Get(within, fetch.Request{URL: at, Keep: feedInterval, IgnoreRobots: true})
			if err == nil {
				read[i], err = extract.ReadFeed(within, page)
			}
			failed[i] = err
			return nil
		})
	}
	_ = g.Wait() // each feed keeps its own error
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var entries []extract.FeedItem
	var reasons []string
	for i := range p.urls {
		entries = append(entries, read[i].Items...)
		if failed[i] != nil {
			reasons = append(reasons, weburl.Host(p.urls[i])+" ("+feedReason(failed[i])+")")
		}
	}
	if len(reasons) == 0 {
		return entries, nil
	}
	said := fmt.Sprintf("%d of %s could not be read: %s", len(reasons), text.Count(len(p.urls), "feed"),
		strings.Join(reasons[:min(len(reasons), maxFeedsNamed)], ", "))
	if len(reasons) < len(p.urls) {
		searchcall.Note(ctx, said)
		return entries, nil
	}
	e := &citewell.Error{Code: citewell.CodeBadResponse, Op: "search " + feedsName, Message: said,
		Hint: "check search.providers.feeds"}
	if first, ok := errors.AsType[*citewell.Error](failed[0]); ok {
		e.RetryAfter = first.RetryAfter
		if first.Code != citewell.CodeUnsupportedType && first.Code != citewell.CodeEmptyBody {
			e.Code = first.Code
		}
	}
	return nil, e
}

// feedReason says why a feed could not be read. Its address may be a secret of its reader's.
func feedReason(err error) string {
	view := citewell.View(err)
	return text.ShortenAtWord(view.Message, 100)
}

// feedURLs are the addresses that settings list, those of the OPML file behind the others, each
// once.
func feedURLs(s Settings) ([]string, error) {
	refuse := func(message, hint string) error {
		return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "search " + feedsName,
			Message: message, Hint: hint}
	}
	var urls []string
	for i, at := range s.URLs {
		if _, err := weburl.Parse(at); err != nil {
			return nil, refuse(fmt.Sprintf("the feed number %d of search.providers.feeds.urls is not an http or "+
				"https URL", i+1), "write it with its scheme, as in https://news.example.org/feed.xml")
		}
		urls = append(urls, at)
	}
	if s.OPML != "" {
		listed, err := readOPML(s.OPML)
		if err != nil {
			return nil, refuse("the file of search.providers.feeds.opml cannot be read",
				"give the path of an OPML file, as readers of feeds export it")
		}
		if len(listed) == 0 {
			return nil, refuse("the file of search.providers.feeds.opml lists no feed",
				"give the path of an OPML file, as readers of feeds export it")
		}
		urls = append(urls, listed...)
	}
	seen := make(map[string]bool)
	urls = slices.DeleteFunc(urls, func(at string) bool {
		again := seen[at]
		seen[at] = true
		return again
	})
	if len(urls) > maxFeeds {
		return nil, refuse(fmt.Sprintf("search.providers.feeds lists %d feeds, and at most %d are read", len(urls),
			maxFeeds), "leave some out")
	}
	return urls, nil
}

// readOPML are the addresses of the feeds that an OPML file lists, at any depth. What is none is
// left out.
func readOPML(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return opmlFeeds(io.LimitReader(file, maxOPML))
}

func opmlFeeds(r io.Reader) ([]string, error) {
	decoder := xml.NewDecoder(r)
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	var urls []string
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return urls, nil
		}
		if err != nil {
			return nil, err
		}
		outline, ok := token.(xml.StartElement)
		if !ok || !strings.EqualFold(outline.Name.Local, "outline") {
			continue
		}
		for _, a := range outline.Attr {
			at := strings.TrimSpace(a.Value)
			if _, err := weburl.Parse(at); strings.EqualFold(a.Name.Local, "xmlUrl") && err == nil {
				urls = append(urls, at)
			}
		}
	}
}
