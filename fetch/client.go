package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/pace"
	"github.com/citewell/citewell/internal/weburl"
)

// Options of a Client. The zero value is a polite client without a cache that reaches public addresses only.
type Options struct {
	Guard     *egress.Guard // judges every address; nil: public addresses on ports 80 and 443
	UserAgent string        // "" is DefaultUserAgent; robots.txt is read for the token Citewell whatever it says
	// AgentAt, unless nil, returns the User-Agent for an address whose host asks for another one, else "".
	AgentAt      func(u *url.URL) string
	IgnoreRobots bool  // the operator's word for all requests
	Cache        Cache // nil keeps nothing between fetches
	// how long an answer stays fresh whose server does not say; 0 is DefaultCacheTTL, below 0 none; with Cache nil no
	// page comes from a cache
	CacheTTL time.Duration
	Archive  *Archive // where copies of pages that are gone are looked for; nil: nowhere
	// between the starts of two requests to one public host; 0 is DefaultSpacing, below 0 none
	Spacing time.Duration
	// Pace keeps the turns at hosts, other than the operator's own, among all processes that share it; nil: within this
	// Client. Alone hears, once, why that failed; the turns of this Client hold then.
	Pace  pace.Turns
	Alone func(context.Context, error)
	// Heard hears of each Get when it is over, with its context; nil hears nothing. Several goroutines call it.
	Heard func(context.Context, Exchange)
}

// accept is sent with every request.
const accept = "text/html, application/xhtml+xml, text/markdown;q=0.9, text/plain;q=0.9, */*;q=0.5"

// An Exchange describes one Get to a program that watches fetches. Err may hold words of the host; show its code.
type Exchange struct {
	URL    string // that was asked for
	Page   citewell.Page
	Status int // of the last answer; 0 where there was none
	Err    error
	Took   time.Duration // with waits and redirects
}

// A Client fetches pages. It is safe for many goroutines; share one, since it keeps turns, robots.txt and connections.
type Client struct {
	transport    http.RoundTripper
	guard        *egress.Guard
	userAgent    string
	agentAt      func(*url.URL) string // may be nil
	ignoreRobots bool
	cache        Cache
	cacheTTL     time.Duration
	manners      *manners
	sites        *sites
	archive      *Archive          // nil: none is asked
	trusted      http.RoundTripper // to the archive alone
	heard        func(context.Context, Exchange)
}

// New returns a client. Close it when done.
func New(o Options) *Client {
	o.Guard = cmp.Or(o.Guard, egress.Default())
	return newClient(o, o.Guard.RoundTripper())
}

func newClient(o Options, transport http.RoundTripper) *Client {
	c := &Client{
		transport:    transport,
		guard:        o.Guard,
		userAgent:    cmp.Or(o.UserAgent, DefaultUserAgent),
		agentAt:      o.AgentAt,
		ignoreRobots: o.IgnoreRobots,
		cache:        o.Cache,
		cacheTTL:     max(cmp.Or(o.CacheTTL, DefaultCacheTTL), 0),
		manners:      newManners(max(cmp.Or(o.Spacing, DefaultSpacing), 0)),
		sites:        newSites(),
		heard:        o.Heard,
		archive:      o.Archive,
	}
	c.manners.pace, c.manners.alone = o.Pace, o.Alone
	if c.manners.alone == nil {
		c.manners.alone = func(context.Context, error) {}
	}
	if c.archive != nil {
		c.trusted = o.Guard.TrustedClient(c.archive.base).Transport
		c.manners.slow[hostPort(c.archive.base)] = c.archive.spacing
	}
	return c
}

// Close ends idle connections. Fetches under way go on.
func (c *Client) Close() {
	if t, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Get fetches one page, following its redirects. A page longer than MaxBytes comes cut, with outcome truncated;
// anything else without content is an error.
func (c *Client) Get(ctx context.Context, r Request) (page citewell.Page, err error) {
	status := 0
	if c.heard != nil {
		defer func(began time.Time, asked string) {
			c.heard(ctx, Exchange{URL: asked, Page: page, Status: status, Err: err, Took: time.Since(began)})
		}(time.Now(), r.URL)
	}
	r, err = r.withDefaults()
	if err != nil {
		return citewell.Page{}, err
	}
	first, err := parse(r.URL)
	if err != nil {
		return citewell.Page{}, err
	}
	limited, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	a := asking{
		language:  cmp.Or(r.AcceptLanguage, DefaultAcceptLanguage),
		agent:     r.UserAgent,
		robots:    !r.IgnoreRobots && !c.ignoreRobots,
		maxBytes:  r.MaxBytes,
		redirects: r.MaxRedirects,
		sameSite:  r.SameSite,
		fresh:     r.Revalidate || ctx.Value(httpwire.FreshKey{}) != nil,
		keep:      r.Keep,
	}
	if r.Archived == ArchiveOnly {
		page, status, err = c.fromArchive(limited, first, r, a)
	} else {
		page, status, err = c.fromSite(limited, first, r, a)
		if err != nil && r.Archived == ArchiveWhenGone && c.mayFallBack(limited, first, err) {
			longer, cancel := limited, func() {}
			if r.ArchiveTimeout > 0 {
				longer, cancel = context.WithTimeout(ctx, r.ArchiveTimeout)
			}
			defer cancel()
			var failed error
			if page, _, failed = c.fromArchive(longer, first, r, a); failed == nil {
				status, err = page.Status, nil
			} else {
				err = withoutCopy(err, failed)
			}
		}
	}
	if err != nil {
		return citewell.Page{}, named("fetch.get "+first.Hostname(), late(ctx, limited, r.Timeout, err))
	}
	return page, nil
}

// fromSite gets the page itself, and the status of the last answer.
func (c *Client) fromSite(ctx context.Context, first *url.URL, r Request, a asking) (citewell.Page, int, error) {
	got, final, err := c.follow(ctx, first, a)
	if err != nil {
		return citewell.Page{}, 0, err
	}
	page, err := got.page(r, final)
	return page, got.status, err
}

// late says of a timeout that it was the request's own, where it was.
func late(ctx, limited context.Context, allowed time.Duration, err error) error {
	if citewell.CodeOf(err) != citewell.CodeTimeout || limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	return &citewell.Error{
		Code:    citewell.CodeTimeout,
		Message: fmt.Sprintf("no complete answer within %v", allowed),
		Hint:    "allow more time, or try again later",
		Err:     err,
	}
}

// named gives err the step and the host that the caller asked for: an error may come from a hop, robots.txt or another
// fetch.
func named(op string, err error) error {
	e, ok := errors.AsType[*citewell.Error](err)
	if !ok {
		e = &citewell.Error{Code: citewell.CodeOf(err)}
	}
	renamed := *e
	renamed.Op, renamed.Err = op, err
	return &renamed
}

// parse judges a URL and drops the fragment, which never leaves the client.
func parse(raw string) (*url.URL, error) {
	u, err := weburl.Parse(raw)
	if err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// page makes the shared word of the last answer of a fetch.
func (a *answer) page(r Request, final *url.URL) (citewell.Page, error) {
	if a.status < 200 || a.status > 299 {
		return citewell.Page{}, statusError(a)
	}
	if len(a.body) == 0 {
		return citewell.Page{}, &citewell.Error{Code: citewell.CodeEmptyBody}
	}
	p := citewell.Page{
		URL:         r.URL,
		FinalURL:    final.String(),
		Status:      a.status,
		ContentType: a.header.Get("Content-Type"),
		FetchedAt:   a.fetchedAt,
		Body:        a.body,
		Outcome:     citewell.FetchOK,
		Cached:      a.cached,
	}
	if modified, err := http.ParseTime(a.header.Get("Last-Modified")); err == nil {
		p.LastModified = modified.UTC()
	}
	truncated := a.truncated || a.status == http.StatusPartialContent
	if int64(len(p.Body)) > r.MaxBytes {
		p.Body, truncated = p.Body[:r.MaxBytes:r.MaxBytes], true
	}
	if truncated {
		p.Outcome = citewell.FetchTruncated
	}
	p.SHA256 = citewell.SHA256(p.Body)
	return p, nil
}

// A statusCode is the cause of an error for an answer that has no page.
type statusCode int

func (s statusCode) Error() string { return fmt.Sprintf("HTTP status %d", int(s)) }

// StatusOf is the HTTP status of the answer that err is for; 0 where there was none.
func StatusOf(err error) int {
	s, _ := errors.AsType[statusCode](err)
	return int(s)
}

func statusError(a *answer) *citewell.Error {
	e := &citewell.Error{Code: citewell.CodeHTTPStatus, Err: statusCode(a.status)}
	if a.status == http.StatusTooManyRequests {
		e.Code = citewell.CodeRateLimited
	}
	e.RetryAfter, _ = retryAfter(a.header, time.Now())
	switch text := http.StatusText(a.status); {
	case a.status >= 300 && a.status <= 399:
		e.Message = fmt.Sprintf("the server answered %d without saying where to go", a.status)
	case text == "":
		e.Message = fmt.Sprintf("the server answered %d", a.status)
	default:
		e.Message = fmt.Sprintf("the server answered %d %s", a.status, text)
	}
	return e
}
