package fetch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/httpwire"
)

// asking is what one fetch wants, at every hop of it.
type asking struct {
	language  string
	agent     string // what the caller asks to be called; "": agentFor
	robots    bool   // obey robots.txt at each hop
	aside     bool   // a request for robots.txt itself: takes its turn, but nothing keeps away from it
	maxBytes  int64
	redirects int
	sameSite  bool
	fresh     bool          // nothing comes from the cache that its server does not confirm
	keep      time.Duration // Request.Keep
	archive   bool          // of the client's archive, whose address is the operator's word
}

// An answer is what one URL gave, before its redirect is followed.
type answer struct {
	status    int
	header    http.Header
	body      []byte // of a 2xx answer only
	truncated bool
	own       bool // the host is the operator's own (egress.Guard.Own)
	asked     time.Time
	fetchedAt time.Time // UTC; when the answer began
	cached    bool
}

// op is the step of errors that begin here; Get puts its own in their place.
const op = "fetch.exchange"

// Limits on retrying when a host asks for time.
const (
	defaultRetryWait = time.Second
	maxRetryWait     = 2 * time.Second
)

// askServer gets u's answer from its server, in u's host's turn. A 429, or a 503 that says when to come back, is asked
// once more; kept, if any, is revalidated. Who waits for a turn looks again whether the cache has the page: all who
// share cache and turns, in any process, cost the host one request.
func (c *Client) askServer(ctx context.Context, u *url.URL, a asking, kept *entry, spaced bool) (*answer, error) {
	come := false
	turn, err := c.manners.wait(ctx, u, spaced, !a.aside, func() bool {
		kept, come = c.lookInCache(ctx, u, a)
		return come
	})
	if err != nil {
		return nil, err
	}
	defer turn.done()
	if come {
		return kept.answer(), nil
	}
	got, err := c.exchange(ctx, u, a, kept, turn)
	if err != nil {
		return nil, err
	}
	wait, again := retryWait(got, c.manners.spacing)
	if again && turn.slow {
		turn.coolDown(got)
	} else if again {
		// The turn is kept: while the host wants to be left alone, nobody asks it.
		if err := sleep(ctx, wait); err != nil {
			refused := statusError(got)
			refused.Code, refused.Err = citewell.CodeRateLimited, err
			refused.Hint = "the host asks for more time than this fetch has left: try again later"
			if errors.Is(ctx.Err(), context.Canceled) {
				refused.Code = citewell.CodeCanceled
			}
			return nil, refused
		}
		if got, err = c.exchange(ctx, u, a, kept, turn); err != nil {
			return nil, err
		}
	}
	c.remember(ctx, u, a, got)
	return got, nil
}

// retryWait says whether the server asks for the same request again, and when.
func retryWait(got *answer, spacing time.Duration) (time.Duration, bool) {
	wait, said := retryAfter(got.header, got.fetchedAt)
	switch {
	case got.status == http.StatusTooManyRequests && !said:
		wait = defaultRetryWait
	case got.status == http.StatusTooManyRequests, got.status == http.StatusServiceUnavailable && said:
	default:
		return 0, false
	}
	return max(min(wait, maxRetryWait), spacing), true
}

// retryAfter reads the header in both its forms; a date counts from the server's own clock where it tells it.
func retryAfter(header http.Header, now time.Time) (time.Duration, bool) {
	value := header.Get("Retry-After")
	if wait, ok := deltaSeconds(value); ok {
		return wait, true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(at.Sub(dateOf(header, now)), 0), true
}

// agentFor is the User-Agent of one request: a host that a redirect leads to is not told what another one asked for.
func (c *Client) agentFor(u *url.URL, a asking) string {
	if a.agent == "" && c.agentAt != nil {
		a.agent = c.agentAt(u)
	}
	return cmp.Or(a.agent, c.userAgent)
}

// exchange sends one request and reads its answer.
func (c *Client) exchange(ctx context.Context, u *url.URL, a asking, kept *entry, turn *turn) (*answer, error) {
	var own atomic.Bool
	traced := tracingOwn(ctx, c.guard, func() { own.Store(true); turn.isOwn() })
	req, err := http.NewRequestWithContext(traced, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, httpwire.Classify(op, err)
	}
	req.Header.Set("User-Agent", c.agentFor(u, a))
	req.Header.Set("Accept", accept)
	req.Header.Set("Accept-Language", a.language)
	req.Header.Set("Accept-Encoding", "gzip")
	if kept != nil {
		kept.condition(req.Header)
	}
	if !a.aside || turn.slow {
		turn.count()
	}
	transport := c.transport
	if a.archive {
		transport = c.trusted
	}
	asked := time.Now()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, httpwire.Classify(op, err)
	}
	defer resp.Body.Close()
	came := time.Now()
	if resp.StatusCode == http.StatusNotModified && kept != nil {
		return kept.confirmed(resp.Header, asked.UTC(), came.UTC()), nil
	}
	got := &answer{status: resp.StatusCode, header: resp.Header, own: own.Load(), asked: asked.UTC(),
		fetchedAt: came.UTC()}
	if got.status < 200 || got.status > 299 {
		drain(resp)
		return got, nil
	}
	got.body, got.truncated, err = httpwire.ReadBody(ctx, resp, httpwire.Budget{MaxBytes: a.maxBytes})
	if err != nil {
		return nil, httpwire.Classify(op, err)
	}
	return got, nil
}

// tracingOwn has isOwn called where a connection leads to a host of the operator's own.
func tracingOwn(ctx context.Context, guard *egress.Guard, isOwn func()) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
		if guard.Own(got.Conn.RemoteAddr()) {
			isOwn()
		}
	}})
}

// drain reads the short body of an unused answer, so that its connection can be used again; otherwise it is closed.
func drain(resp *http.Response) {
	const most, patience = 4 << 10, 50 * time.Millisecond
	if resp.ContentLength <= 0 || resp.ContentLength > most {
		return
	}
	late := time.AfterFunc(patience, func() { resp.Body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, most)
}
