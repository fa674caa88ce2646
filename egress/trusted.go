package egress

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
)

// maxTrustedRedirects bounds the redirects within one configured host.
const maxTrustedRedirects = 5

// TrustedClient returns a client for a configured base URL, which may be on a private address. It talks to base's host
// alone, since a key goes with it. A GET is redirected within that host, and from http to https on it; any other
// redirect is refused with an error that names where it led. The context of each request is its only deadline, for a
// model may think long. All trusted clients of a Guard share its idle connections, so one may be made for each call.
//
// Do wraps errors in *url.Error, whose text holds the URL with its query: pass them through Classify.
func (g *Guard) TrustedClient(base *url.URL) *http.Client {
	return &http.Client{
		Transport:     &bound{base: base, next: g.trusted},
		CheckRedirect: func(req *http.Request, via []*http.Request) error { return checkTrusted(base, req, via) },
	}
}

// bound sends requests to one host only, whoever made them.
type bound struct {
	base *url.URL
	next http.RoundTripper
}

func (b *bound) RoundTrip(req *http.Request) (*http.Response, error) {
	if !weburl.StaysOn(b.base, req.URL) {
		if req.Body != nil {
			_ = req.Body.Close() // RoundTrip must close it on errors too
		}
		return nil, &citewell.Error{
			Code: citewell.CodeBlockedAddress, Op: "egress.trusted",
			Message: fmt.Sprintf("this client talks to its configured host only, not to %s", hostName(req.URL)),
		}
	}
	return b.next.RoundTrip(req)
}

// CloseIdleConnections lets http.Client reach the transport's idle connections.
func (b *bound) CloseIdleConnections() { closeIdle(b.next) }

func checkTrusted(base *url.URL, req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer") // it holds the last URL with its query
	refused := &citewell.Error{Code: citewell.CodeBlockedRedirect, Op: "egress.trusted"}
	switch {
	case len(via) > maxTrustedRedirects:
		refused.Code = citewell.CodeTooManyRedirects
		refused.Message = fmt.Sprintf("the service redirects more than %d times", maxTrustedRedirects)
	case !weburl.StaysOn(base, req.URL) || via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
		refused.Message = fmt.Sprintf("the service redirects to another host, %s", hostName(req.URL))
		refused.Hint = fmt.Sprintf("if %s is where the service lives, write it into base_url", hostName(req.URL))
	case via[0].Method != http.MethodGet && via[0].Method != http.MethodHead:
		refused.Message = fmt.Sprintf("the service redirects a %s to %s", via[0].Method, hostName(req.URL))
		refused.Hint = "write the final address into base_url: only a GET is redirected"
	default:
		return nil
	}
	return refused
}

// hostName names a host in messages: with its scheme alone, and not the configured one, which may be internal.
func hostName(u *url.URL) string { return u.Scheme + "://" + u.Host }

// dialTrusted connects without judging. With an egress proxy, public addresses go through it, private ones do not.
func (g *Guard) dialTrusted(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := splitHostPort(network, addr)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, g.dialTimeout)
	defer cancel()
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	addrs = interleave(addrs)
	if g.proxy != nil && g.special.SafeAddr(addrs[0]) == nil {
		return g.proxy.connectAny(ctx, addrs, port)
	}
	return g.dialAny(ctx, addrs, port, nil)
}
