// Package egress is the one way out: every connection to the network is made here,
// to an address that was judged first.
//
// Flow: host → Check (resolve, judge every answer) → DialContext (dial exactly
// those addresses, judge again as the socket connects) → Transport → httpwire.ReadBody.
// Transport is for URLs that a third party supplied. TrustedClient is for a
// provider's or model's configured base URL: the operator's word, so its address
// is not judged, but the client talks to that host alone.
// How far Options.AllowNetworks reach depends on who named the host: Found and Led mark a
// context. Why: doc/decision/0048-who-named-it.md
// Units: sizes in bytes, rates in bytes per second. Zero Options and a zero Budget
// mean the documented defaults.
// Errors: *citewell.Error with blocked_address, blocked_redirect, dns_failed,
// connect_failed, tls_failed, http_failed, timeout, canceled, response_too_large,
// response_too_slow, unsupported_encoding, invalid_config. Messages hold neither
// URLs nor addresses; Options.Audit gets the detail.
// Concurrency: a Guard, its transports and clients are safe for many goroutines.
// Source: the IANA special-purpose registries through code.dny.dev/ssrf, RFC 6052
// and RFC 7050 (NAT64), RFC 5214 (ISATAP), RFC 6761 (localhost), RFC 8305 (happy
// eyeballs).
package egress
