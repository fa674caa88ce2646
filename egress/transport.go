package egress

import (
	"net/http"
	"time"
)

// maxHeaderBytes bounds the headers of any response.
const maxHeaderBytes = 64 << 10

const (
	tlsTimeout    = 10 * time.Second
	headerTimeout = 30 * time.Second // from request to response headers of Transport
)

// Transport returns a new transport whose every connection passes the guard. It decides nothing about redirects, keeps
// no cookies, reads no proxy from the environment and decodes no body: send Accept-Encoding: gzip and read with
// ReadBody. Keep it, for it holds the idle connections; use one for each origin (Found, Led), or RoundTripper.
func (g *Guard) Transport() *http.Transport {
	t := g.transport()
	t.DialContext = g.DialContext
	t.ResponseHeaderTimeout = headerTimeout
	return t
}

// RoundTripper is Transport behind Options.Wrap. All callers share one with its idle connections, so a client may be
// made for each call. With adjust, which may change each transport before its use, it is the caller's own: keep it.
func (g *Guard) RoundTripper(adjust ...func(*http.Transport)) http.RoundTripper {
	if len(adjust) == 0 {
		return g.judged
	}
	return g.apart(adjust)
}

func (g *Guard) apart(adjust []func(*http.Transport)) http.RoundTripper {
	var apart byOrigin
	for o := range apart {
		t := g.Transport()
		for _, change := range adjust {
			change(t)
		}
		apart[o] = t
	}
	return g.wrap(apart)
}

// CloseIdleConnections closes the idle connections of RoundTripper and the trusted clients. The Guard can be used on.
func (g *Guard) CloseIdleConnections() {
	for _, shared := range []http.RoundTripper{g.judged, g.trusted} {
		closeIdle(shared)
	}
}

func closeIdle(t http.RoundTripper) {
	if t, ok := t.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

func (g *Guard) wrap(t http.RoundTripper) http.RoundTripper {
	if g.options.Wrap == nil {
		return t
	}
	return g.options.Wrap(t)
}

func (g *Guard) transport() *http.Transport {
	return &http.Transport{
		Proxy:                  nil,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		TLSHandshakeTimeout:    tlsTimeout,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
	}
}
