package weburl

import (
	"net/url"
	"strings"
)

// SameOrigin says whether two URLs have one scheme, host and port.
func SameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Hostname(), b.Hostname()) &&
		PortOf(a) == PortOf(b)
}

// StaysOn reports whether u is base's host and port, or its https form if base is plain http on the usual port: what is
// meant for base may be sent there.
func StaysOn(base, u *url.URL) bool {
	if u.Scheme != "http" && u.Scheme != "https" || !strings.EqualFold(base.Hostname(), u.Hostname()) {
		return false
	}
	if PortOf(base) == PortOf(u) {
		return base.Scheme == u.Scheme || u.Scheme == "https"
	}
	return base.Scheme == "http" && PortOf(base) == "80" && u.Scheme == "https" && PortOf(u) == "443"
}

// PortOf returns the port of a URL, its own or that of its scheme.
func PortOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
