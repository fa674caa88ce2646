package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/weburl"
)

// follow asks first and then whatever its redirects lead to, by Location alone. Each hop is under the rules of the
// first: the URL is judged, its host's robots.txt asked, the address guarded.
func (c *Client) follow(ctx context.Context, first *url.URL, a asking) (*answer, *url.URL, error) {
	at, site := first, first
	seen := map[string]bool{first.String(): true}
	spaced := !a.aside
	for hop := 0; ; hop++ {
		got, err := c.visit(ctx, at, a, spaced)
		if err != nil {
			if hop > 0 {
				err = hopError(err)
			}
			return nil, at, err
		}
		location := got.header.Get("Location")
		if !isRedirect(got.status) || location == "" {
			return got, at, nil
		}
		next, err := resolve(at, location)
		if err != nil {
			return nil, at, hopError(err)
		}
		if hop == a.redirects {
			return nil, at, redirectError(citewell.CodeTooManyRedirects,
				fmt.Sprintf("more than %d redirects", a.redirects))
		}
		if seen[next.String()] {
			return nil, at, redirectError(citewell.CodeTooManyRedirects, "the redirects go round in a circle")
		}
		if a.sameSite && !weburl.SameSite(site, next) {
			if !weburl.IsResolver(site.Hostname()) {
				return nil, at, redirectError(citewell.CodeCrossDomainRedirect,
					"a redirect leads to another site"+nameOf(next))
			}
			site = next // a resolver's whole job is to lead here
		}
		seen[next.String()] = true
		// A redirect on the same host is part of one fetch and goes at once.
		spaced = !a.aside && hostPort(next) != hostPort(at)
		at = next
		if !got.own {
			ctx = egress.Led(ctx)
		}
	}
}

// visit gets one hop's answer: from the cache while it is fresh, else from the server, if its robots.txt allows.
func (c *Client) visit(ctx context.Context, u *url.URL, a asking, spaced bool) (*answer, error) {
	kept, usable := c.lookInCache(ctx, u, a)
	if usable {
		return kept.answer(), nil
	}
	if a.robots {
		if err := c.obey(ctx, u, a); err != nil {
			return nil, err
		}
	}
	return c.askServer(ctx, u, a, kept, spaced)
}

// lookInCache returns what the cache has of u, or nil, and whether that answers without asking the server.
func (c *Client) lookInCache(ctx context.Context, u *url.URL, a asking) (kept *entry, usable bool) {
	kept = c.remembered(ctx, u, a)
	if kept != nil && kept.Own && !c.guard.Enters(ctx, u.Hostname()) {
		kept = nil // whoever asks now may not have got it
	}
	return kept, kept != nil && kept.usable(a)
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// resolve reads a Location as seen from at, and judges what comes out.
func resolve(at *url.URL, location string) (*url.URL, error) {
	ref, err := at.Parse(location)
	if err != nil {
		return nil, redirectError(citewell.CodeInvalidURL, "")
	}
	return parse(ref.String())
}

// hopError tells the caller that a redirect led where nothing is fetched, but not where.
func hopError(err error) error {
	switch citewell.CodeOf(err) {
	case citewell.CodeBlockedAddress, citewell.CodeInvalidURL, citewell.CodeInvalidArgument,
		citewell.CodeUnsupportedScheme:
		return &citewell.Error{Code: citewell.CodeBlockedRedirect, Err: err}
	}
	return err
}

// nameOf names a host that someone registered, and no address or inside name.
func nameOf(u *url.URL) string {
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") {
		return ""
	}
	return ", " + host
}

func redirectError(code citewell.Code, message string) *citewell.Error {
	return &citewell.Error{Code: code, Message: message}
}
