// Package weburl decides which strings from outside may be fetched, and whether two URLs mean the same page or the same
// site.
//
// Flow: raw string → Parse → *url.URL whose host is exactly the one that will be dialled. Canonical, Host,
// RegisteredDomain and SameSite compare and show; their results are never fetched.
// Units: lengths in bytes of the raw string.
// Errors: *citewell.Error with invalid_argument, invalid_url or unsupported_scheme. A message never repeats the URL, so
// it cannot leak a password or a key in a query.
// Concurrency: pure functions.
// Source: RFC 3986, RFC 6761 (localhost), UTS #46 (IDNA), the WHATWG URL standard (which hosts count as numbers),
// publicsuffix.org. This package does not judge addresses: a name can resolve to anything, so egress checks each
// address that is dialled.
package weburl
