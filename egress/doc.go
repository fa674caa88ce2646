// Package egress makes every connection to the network, and checks each address before it connects.
//
// Flow: host → Check (resolve, check every answer) → DialContext (dial exactly those addresses, check again as the
// socket connects) → Transport → httpwire.ReadBody.
// Transport is for URLs from third parties. TrustedClient is for the configured base URL of a provider or model: the
// operator chose it, so its address is not checked, but the client talks to that host only. Who named the host decides
// how far Options.AllowNetworks reach: Found and Led mark a context. Why: doc/decision/0048-who-named-it.md
// Units: sizes in bytes, rates in bytes per second. Zero Options and a zero Budget mean the documented defaults.
// Errors: *citewell.Error with blocked_address, blocked_redirect, dns_failed, connect_failed, tls_failed, http_failed,
// timeout, canceled, response_too_large, response_too_slow, unsupported_encoding, invalid_config. Messages contain
// neither URLs nor addresses; Options.Audit gets the detail.
// Concurrency: a Guard, its transports and clients are safe for many goroutines.
// Source: the IANA special-purpose registries through code.dny.dev/ssrf, RFC 6052 and RFC 7050 (NAT64), RFC 5214
// (ISATAP), RFC 6761 (localhost), RFC 8305 (happy eyeballs).
package egress
