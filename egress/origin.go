package egress

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"golang.org/x/net/publicsuffix"
)

// An origin is who named the address that is asked for. It decides how far Options.AllowNetworks reach.
type origin int

const (
	asked origin = iota // the operator or the user: everything that is allowed
	found               // a search result or a page: by no public DNS name
	led                 // a redirect of a host that is not the operator's own: not at all
	origins
)

type originKey struct{}

// Found marks what is asked for below ctx as named by a search result or a page: a public
// DNS name leads to no private address then, unless Options.FollowIntoNetworks.
func Found(ctx context.Context) context.Context { return withOrigin(ctx, found) }

// Led marks what is asked for below ctx as a redirect of a host that is not the operator's
// own: it leads to no private address, unless Options.FollowIntoNetworks.
func Led(ctx context.Context) context.Context { return withOrigin(ctx, led) }

func withOrigin(ctx context.Context, o origin) context.Context {
	return context.WithValue(ctx, originKey{}, max(o, originOf(ctx)))
}

func originOf(ctx context.Context) origin {
	o, _ := ctx.Value(originKey{}).(origin)
	return o
}

// Enters says whether a connection to host that is asked for in ctx may lead into Options.AllowNetworks.
func (g *Guard) Enters(ctx context.Context, host string) bool {
	switch o := originOf(ctx); {
	case o == asked || g.options.FollowIntoNetworks:
		return true
	default:
		return o == found && !isPublicName(host)
	}
}

// Public reports whether a host's name may be told to a third party: all its addresses are public and none is in
// Options.AllowNetworks; or it has none, and its name is a public one.
func (g *Guard) Public(ctx context.Context, host string) bool {
	if _, err := netip.ParseAddr(host); err != nil && (!isPublicName(host) || isLocalhost(host)) {
		return false
	}
	if g.options.Offline {
		return isPublicName(host) // nothing is told to anybody
	}
	addrs, err := g.resolve(ctx, host)
	if err != nil {
		return citewell.CodeOf(err) == citewell.CodeDNSFailed
	}
	return !slices.ContainsFunc(addrs, func(addr netip.Addr) bool {
		ofOperator := func(n Network) bool { return n.Prefix.Contains(addr) }
		return slices.ContainsFunc(g.options.AllowNetworks, ofOperator) ||
			g.reason(Led(ctx), host, addr, g.ports[0]) != ""
	})
}

// isPublicName recognises names below a suffix of the public list, but no addresses, names of one label or names of
// private networks (RFC 6762, RFC 8375, ICANN's .internal).
func isPublicName(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(host, ".") ||
		strings.HasSuffix(host, ".home.arpa") {
		return false
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	return icann || strings.Contains(suffix, ".")
}

// byOrigin keeps apart the connections for users and for redirects, which could not have made them.
type byOrigin [origins]http.RoundTripper

func (b byOrigin) RoundTrip(req *http.Request) (*http.Response, error) {
	return b[originOf(req.Context())].RoundTrip(req)
}

// CloseIdleConnections lets http.Client reach the transports' idle connections.
func (b byOrigin) CloseIdleConnections() {
	for _, t := range b {
		closeIdle(t)
	}
}
