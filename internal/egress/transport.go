package egress

import (
	"net/http"
	"time"
)

// MaxHeaderBytes bounds the headers of any response.
const MaxHeaderBytes = 64 << 10

// Transport returns a new transport whose every connection passes the guard. It
// decides nothing about redirects, keeps no cookies, reads no proxy from the
// environment and decodes no body: send Accept-Encoding: gzip and read with
// ReadBody. Keep it, for it holds the idle connections.
func (g *Guard) Transport() *http.Transport {
	t := g.transport()
	t.DialContext = g.DialContext
	t.ResponseHeaderTimeout = g.options.HeaderTimeout
	return t
}

// RoundTripper is Transport behind Options.Wrap, which is what a client is made of;
// adjust may change the transport before it is used.
func (g *Guard) RoundTripper(adjust ...func(*http.Transport)) http.RoundTripper {
	t := g.Transport()
	for _, change := range adjust {
		change(t)
	}
	return g.wrap(t)
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
		MaxResponseHeaderBytes: MaxHeaderBytes,
		TLSHandshakeTimeout:    g.options.TLSTimeout,
		ExpectContinueTimeout:  time.Second,
		MaxIdleConns:           100,
		MaxIdleConnsPerHost:    4,
		IdleConnTimeout:        90 * time.Second,
	}
}
