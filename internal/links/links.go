// Package links tells what has become of the pages that a brief or a report cites: it fetches each again, politely, and
// compares it with what was read then.
//
// Flow: cited sources → one address of a host at a time → Link, in the order of the sources.
// Errors: invalid_argument for more than MaxLinks; canceled. A page's failure is its Link's status. Nothing is kept or
// changed.
// Concurrency: Check asks atOnce hosts at the same time, and waits for all.
package links

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/verbatim"
	"golang.org/x/sync/errgroup"
)

// A Status is what has become of one page. Blocked, rate limited and failed say nothing of the page.
type Status string

const (
	Unchanged   Status = "unchanged" // the same text, if not the same bytes
	Changed     Status = "changed"
	Moved       Status = "moved"  // another address answers now, with the same text or another
	Gone        Status = "gone"   // 404, 410, or its host has no address
	Unread      Status = "unread" // it is there; it was not read then, so there is nothing to hold it against
	Blocked     Status = "blocked"
	RateLimited Status = "rate_limited"
	Failed      Status = "failed"
)

// Statuses are all of them, what asks for a person first.
var Statuses = []Status{Gone, Changed, Moved, Blocked, RateLimited, Failed, Unread, Unchanged}

// Asked says whether the page's site said what has become of it.
func (s Status) Asked() bool { return s != Blocked && s != RateLimited && s != Failed }

// A Link is one cited page. SameText and the quotes are of a page that came.
type Link struct {
	N        int               `json:"n"` // number of the source
	Title    string            `json:"title"`
	URL      string            `json:"url"` // that was read then, and is asked for
	Status   Status            `json:"status"`
	MovedTo  string            `json:"moved_to,omitempty"`
	SameText *bool             `json:"same_text,omitempty"`
	Quotes   int               `json:"quotes"`                // of it in the report
	Lost     []string          `json:"lost_quotes,omitempty"` // that are not on the page any more
	Read     time.Time         `json:"fetched_at,omitzero"`   // then
	Archived citewell.Archived `json:"archived,omitzero"`     // what was read then is an archive's copy
	Code     citewell.Code     `json:"code,omitempty"`
	Detail   string            `json:"detail,omitempty"`
}

// Options are the parts. Kept may be nil.
type Options struct {
	Fetcher interface {
		Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
	}
	// Extract are the ways a page's text may have been read, the usual one first.
	Extract []func(context.Context, citewell.Page) (citewell.Document, error)
	// Kept has pages as they were read then.
	Kept interface {
		Snapshot(ctx context.Context, finalURL string) (citewell.Page, citewell.Document, error)
	}
	Told func(Link) // of each page as it was asked, one at a time; may be nil
}

// MaxLinks bounds the pages of one check, timeout and maxBytes what one of them may take.
const (
	MaxLinks = 500

	atOnce   = 4
	timeout  = 20 * time.Second
	maxBytes = fetch.MaxMaxBytes
)

// Check asks for each page that b cites, and counts cited sources that are no pages: files, and answers of tools.
func Check(ctx context.Context, b citewell.Brief, o Options) ([]Link, int, error) {
	quotes := quotesOf(b)
	var links []Link
	var sources []citewell.Source
	elsewhere := 0
	for _, s := range b.Sources {
		said, cited := quotes[s.N]
		if !cited {
			continue
		}
		address := cmp.Or(s.FinalURL, s.URL)
		if s.Class == siteclass.ClassTool || !isWeb(address) {
			elsewhere++
			continue
		}
		sources = append(sources, s)
		links = append(links, Link{N: s.N, Title: s.Title, URL: address, Quotes: len(said), Read: s.FetchedAt,
			Archived: s.Archived})
	}
	if len(links) > MaxLinks {
		return nil, 0, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "links",
			Message: fmt.Sprintf("%d pages are cited, and at most %d are asked", len(links), MaxLinks)}
	}
	told := make(chan Link)
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		for link := range told {
			if o.Told != nil {
				o.Told(link)
			}
		}
	}()
	var g errgroup.Group
	g.SetLimit(atOnce)
	for _, host := range byHost(links) {
		g.Go(func() error {
			for _, i := range host {
				o.checkLink(ctx, &links[i], sources[i], quotes[sources[i].N])
				told <- links[i]
			}
			return nil
		})
	}
	_ = g.Wait() // each page has its own end
	close(told)
	<-heard
	return links, elsewhere, ctx.Err()
}

func isWeb(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// quotesOf are the different quotes of each source that is cited.
func quotesOf(b citewell.Brief) map[int][]string {
	quotes := map[int][]string{}
	for c := range b.Citations() {
		if !slices.Contains(quotes[c.N], c.Quote) {
			quotes[c.N] = append(quotes[c.N], c.Quote)
		}
	}
	return quotes
}

// byHost are the places of the links of each host, which are asked one after another.
func byHost(links []Link) [][]int {
	var hosts [][]int
	at := map[string]int{}
	for i, link := range links {
		host := link.URL
		if u, err := url.Parse(link.URL); err == nil {
			host = u.Host
		}
		if _, known := at[host]; !known {
			at[host], hosts = len(hosts), append(hosts, nil)
		}
		hosts[at[host]] = append(hosts[at[host]], i)
	}
	return hosts
}

// checkLink asks for one page, whose address a stranger may have written, and says what has become of it.
func (o Options) checkLink(ctx context.Context, link *Link, s citewell.Source, quotes []string) {
	request := fetch.Request{URL: link.URL, Timeout: timeout, MaxBytes: maxBytes, MaxRedirects: fetch.MaxMaxRedirects,
		Revalidate: true}
	if !s.Archived.IsZero() {
		request.Archived = fetch.ArchiveOnly
	}
	page, err := o.Fetcher.Get(egress.Found(ctx), request)
	if err != nil {
		link.Status, link.Code, link.Detail = StatusOf(err), citewell.CodeOf(err), citewell.View(err).Message
		return
	}
	link.Status = Unchanged
	if page.FinalURL != link.URL {
		link.Status, link.MovedTo = Moved, page.FinalURL
	}
	if !s.Outcome.Readable() || s.PageSHA256 == "" {
		if link.Status == Unchanged {
			link.Status = Unread
		}
		return
	}
	same, text, detail := o.compare(ctx, s, page)
	link.SameText, link.Detail = &same, detail
	if same {
		return
	}
	if link.Status == Unchanged {
		link.Status = Changed
	}
	for _, quote := range quotes {
		if _, _, there := verbatim.Locate(quote, text); !there {
			link.Lost = append(link.Lost, quote)
		}
	}
}

// compare says whether a page has the text that s was read from, and its text now where it has not.
func (o Options) compare(ctx context.Context, s citewell.Source, page citewell.Page) (same bool, text, detail string) {
	kept, isKept := o.kept(ctx, s)
	if s.Outcome == citewell.FetchTruncated && isKept && len(page.Body) > len(kept.Body) { // as much as was read then
		page.Body, page.Outcome = page.Body[:len(kept.Body):len(kept.Body)], citewell.FetchTruncated
		page.SHA256 = citewell.SHA256(page.Body)
	}
	if page.SHA256 == s.PageSHA256 {
		return true, "", ""
	}
	known := false // whether the text of then can be compared
	var failed error
	for _, extract := range o.Extract {
		doc, err := extract(ctx, page)
		if err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		text = cmp.Or(text, doc.Text)
		then := s.TextSHA256
		if doc.Extractor != s.Extractor && isKept { // read by another version, so both are read by this one
			if was, err := extract(ctx, kept); err == nil {
				then, known = was.TextSHA256, true
			}
		} else if doc.Extractor == s.Extractor {
			known = true
		}
		if then == doc.TextSHA256 {
			return true, "", ""
		}
	}
	switch {
	case text == "":
		detail = "there is no text now: " + citewell.View(failed).Message
	case s.Outcome == citewell.FetchTruncated && !isKept:
		detail = "only the first part was read then, and it is not kept here"
	case !known:
		detail = "the bytes differ; the text was read by another version then, and the page is not kept here"
	}
	return false, text, detail
}

// kept is the page that s was read from.
func (o Options) kept(ctx context.Context, s citewell.Source) (citewell.Page, bool) {
	if o.Kept == nil {
		return citewell.Page{}, false
	}
	page, _, err := o.Kept.Snapshot(ctx, cmp.Or(s.FinalURL, s.URL))
	return page, err == nil && page.SHA256 == s.PageSHA256
}

// StatusOf is what an error says of a page, or of why it could not be asked.
func StatusOf(err error) Status {
	switch status, code := fetch.StatusOf(err), citewell.CodeOf(err); {
	case fetch.Gone(err):
		return Gone
	case code.Row().Category == citewell.CategoryRateLimited, status == http.StatusTooManyRequests:
		return RateLimited
	case slices.Contains([]citewell.Category{citewell.CategoryBlocked, citewell.CategoryDenied}, code.Row().Category),
		status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusUnavailableForLegalReasons:
		return Blocked
	}
	return Failed
}
