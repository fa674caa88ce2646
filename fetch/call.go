package fetch

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/weburl"
)

// A Caller calls HTTP APIs at URLs that its own caller names, with headers and a body. It shares a Client's guard and
// budgets. One request that somebody asked for is no crawling, so there is no robots.txt, turn, retry or cache, and an
// error status is an answer like any other. It is safe for many goroutines.
type Caller struct {
	transport http.RoundTripper
	guard     *egress.Guard
	userAgent string
}

// NewCaller returns a Caller; nil is egress.Default, an empty userAgent DefaultUserAgent. No connection outlives a
// call.
func NewCaller(guard *egress.Guard, userAgent string) *Caller {
	guard = cmp.Or(guard, egress.Default())
	transport := guard.RoundTripper(func(t *http.Transport) {
		t.DisableKeepAlives = true
		t.ResponseHeaderTimeout = 0 // a call's own deadline, which may be longer, covers it
	})
	return &Caller{transport: transport, guard: guard, userAgent: cmp.Or(userAgent, DefaultUserAgent)}
}

// A Call is one request. The zero value of each limit is its default.
type Call struct {
	Method   string // GET or POST
	URL      string
	Header   http.Header   // as httpwire.ParseHeader gives it
	Body     []byte        // of a POST
	Timeout  time.Duration // for everything; 0 is 30 s, at most MaxTimeout
	MaxBytes int64         // of the decoded body; 0 is 512,000, at most MaxMaxBytes
}

// A Reply is the last answer to a call, whatever its status.
type Reply struct {
	Status    int
	Header    http.Header
	Body      []byte // decoded from its content encoding
	Truncated bool   // Body is the first MaxBytes of more
	FinalURL  string // after redirects
	FetchedAt time.Time
	Notes     []string // what redirects changed of the request
}

// Do makes the call and follows its redirects, each hop under the same guard. An error is of the network, the guard or
// the arguments; whatever has a status is a Reply.
func (c *Caller) Do(ctx context.Context, call Call) (Reply, error) {
	call.Timeout = cmp.Or(call.Timeout, DefaultCallTimeout)
	call.MaxBytes = cmp.Or(call.MaxBytes, DefaultCallMaxBytes)
	switch {
	case call.Method != http.MethodGet && call.Method != http.MethodPost:
		return Reply{}, outOfRange("method must be GET or POST")
	case call.Timeout < 0 || call.Timeout > MaxTimeout:
		return Reply{}, outOfRange("timeout must be between 1ms and %v", MaxTimeout)
	case call.MaxBytes < 0 || call.MaxBytes > MaxMaxBytes:
		return Reply{}, outOfRange("max_bytes must be between 1 and %d", MaxMaxBytes)
	}
	first, err := parse(call.URL)
	if err != nil {
		return Reply{}, err
	}
	limited, cancel := context.WithTimeout(ctx, call.Timeout)
	defer cancel()
	reply, err := c.follow(limited, hop{method: call.Method, url: first, header: call.Header, body: call.Body},
		call.MaxBytes)
	if err != nil {
		return Reply{}, named("fetch.call "+first.Hostname(), late(ctx, limited, call.Timeout, err))
	}
	return reply, nil
}

// A hop is one request of a call.
type hop struct {
	method string
	url    *url.URL
	header http.Header // the caller's
	body   []byte
}

// follow sends first and then what its redirects lead to.
func (c *Caller) follow(ctx context.Context, first hop, maxBytes int64) (Reply, error) {
	at, notes := first, []string(nil)
	seen := map[string]bool{first.method + first.url.String(): true}
	for redirects := 0; ; redirects++ {
		var own atomic.Bool
		resp, err := c.send(tracingOwn(ctx, c.guard, func() { own.Store(true) }), at)
		if err != nil {
			if redirects > 0 {
				err = hopError(err)
			}
			return Reply{}, err
		}
		location := resp.Header.Get("Location")
		if !isRedirect(resp.StatusCode) || location == "" {
			r := Reply{Status: resp.StatusCode, Header: resp.Header, FinalURL: at.url.String(),
				FetchedAt: time.Now().UTC(), Notes: notes}
			r.Body, r.Truncated, err = httpwire.ReadBody(ctx, resp, httpwire.Budget{MaxBytes: maxBytes})
			if err != nil {
				return Reply{}, httpwire.Classify(op, err)
			}
			return r, nil
		}
		_ = resp.Body.Close() // what stands beside a redirect is not read
		to, err := resolve(at.url, location)
		if err != nil {
			return Reply{}, hopError(err)
		}
		if redirects == MaxCallRedirects {
			return Reply{}, redirectError(citewell.CodeTooManyRedirects,
				fmt.Sprintf("more than %d redirects", MaxCallRedirects))
		}
		var changed []string
		if at, changed, err = at.redirected(resp.StatusCode, to); err != nil {
			return Reply{}, err
		}
		notes = append(notes, changed...)
		if seen[at.method+at.url.String()] {
			return Reply{}, redirectError(citewell.CodeTooManyRedirects, "the redirects go round in a circle")
		}
		seen[at.method+at.url.String()] = true
		if !own.Load() {
			ctx = egress.Led(ctx)
		}
	}
}

// redirected is the request that a redirect asks for, and how it differs from this one. As in browsers, a POST becomes
// a GET without a body at 301, 302 and 303. At 307 and 308 it stays one, but no other host gets it. The caller's
// headers stay behind at another host, and do not come back.
func (h hop) redirected(status int, to *url.URL) (hop, []string, error) {
	var notes []string
	next := hop{method: h.method, url: to, header: h.header, body: h.body}
	stays := weburl.StaysOn(h.url, to)
	if h.method == http.MethodPost {
		if status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect {
			next.method, next.body, next.header = http.MethodGet, nil, without(next.header, ofBody...)
			notes = append(notes, fmt.Sprintf("a %d redirect was followed by a GET without the data", status))
		} else if !stays {
			return hop{}, nil, &citewell.Error{Code: citewell.CodeCrossDomainRedirect,
				Message: fmt.Sprintf("a %d redirect asks to send the data on to another host%s, which is not done",
					status, nameOf(to)),
				Hint: "call that host's URL itself if the data are meant for it"}
		}
	}
	if !stays {
		kept := only(next.header, travelling...)
		if len(kept) < len(next.header) {
			notes = append(notes, "a redirect led to another host, to which your headers were not sent")
		}
		next.header = kept
	}
	return next, notes, nil
}

var (
	ofBody = []string{"Content-Type", "Content-Language", "Content-Location", "Content-Md5", "Content-Disposition",
		"Digest", "Idempotency-Key"}
	travelling = []string{"Accept", "Accept-Language", "User-Agent"}
)

func without(header http.Header, names ...string) http.Header {
	rest := header.Clone()
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

func only(header http.Header, names ...string) http.Header {
	kept := http.Header{}
	for _, name := range names {
		if values, ok := header[name]; ok {
			kept[name] = values
		}
	}
	return kept
}

// send makes one request; the answer's body is still to be read.
func (c *Caller) send(ctx context.Context, h hop) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, h.method, h.url.String(), bytes.NewReader(h.body))
	if err != nil {
		return nil, httpwire.Classify(op, err)
	}
	req.Header.Set("User-Agent", c.userAgent)
	req.Header.Set("Accept", "*/*")
	if h.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range h.header {
		req.Header[name] = values
	}
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, httpwire.Classify(op, err)
	}
	return resp, nil
}
