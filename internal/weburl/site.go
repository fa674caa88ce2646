package weburl

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Host returns the host of raw as it is shown: in ASCII, without www. and port, and empty where Parse refuses raw.
func Host(raw string) string {
	u, err := Parse(raw)
	if err != nil {
		return ""
	}
	return withoutWWW(u.Hostname())
}

// withoutWWW drops www. where a name is left: www.com is one.
func withoutWWW(host string) string {
	if rest, ok := strings.CutPrefix(host, "www."); ok && strings.Contains(rest, ".") {
		return rest
	}
	return host
}

// RegisteredDomain returns the part of host that one registrant answers for: its public suffix and one label more.
// Private suffixes count, so alice.github.io and bob.github.io are two sites. An address, a single label and a suffix
// itself are returned as they are; under localhost one label more makes a site.
func RegisteredDomain(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if !isDomain(host) {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// isDomain tells a name with a registrant from an address and a bare host.
func isDomain(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	return strings.Contains(host, ".")
}

// SameSite reports whether a and b have the same registered domain, or for addresses and bare hosts the same host and
// port.
func SameSite(a, b *url.URL) bool {
	if isDomain(a.Hostname()) {
		return RegisteredDomain(a.Hostname()) == RegisteredDomain(b.Hostname())
	}
	return strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPort(u.Scheme)
}

// resolvers are hosts that only redirect to other sites: persistent identifiers, and the short forms of links.
var resolvers = map[string]bool{
	"doi.org": true, "dx.doi.org": true, "hdl.handle.net": true, "handle.net": true,
	"purl.org": true, "purl.oclc.org": true, "w3id.org": true, "n2t.net": true,
	"arks.org": true, "identifiers.org": true, "urn.nb.no": true,
	"urn.kb.se": true, "urn.fi": true, "nbn-resolving.org": true, "nbn-resolving.de": true,
	"aka.ms": true, "amzn.to": true, "bit.ly": true, "buff.ly": true,
	"g.co": true, "goo.gl": true, "is.gd": true, "lnkd.in": true, "ow.ly": true,
	"redd.it": true, "t.co": true, "tinyurl.com": true, "v.gd": true, "youtu.be": true,
}

// IsResolver reports whether host only redirects to other sites, so that its first redirect may leave the domain.
func IsResolver(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return resolvers[withoutWWW(host)]
}

// OnSites says whether raw is a page of one of sites, which are hosts, or of a subdomain of one.
func OnSites(raw string, sites []string) bool {
	host := Host(raw)
	return slices.ContainsFunc(sites, func(site string) bool {
		return host == site || strings.HasSuffix(host, "."+site)
	})
}

// Registrant names who answers for an address: its registered domain, or of a resolver's address the domain with the
// first part of the path, as in doi.org/10.5555. It is empty where Parse refuses raw.
func Registrant(raw string) string {
	u, err := Parse(raw)
	if err != nil {
		return ""
	}
	domain := RegisteredDomain(withoutWWW(u.Hostname()))
	if first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); first != "" && IsResolver(u.Hostname()) {
		return domain + "/" + strings.ToLower(first)
	}
	return domain
}
