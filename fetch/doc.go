// Package fetch gets pages from public URLs, politely and without reaching private networks.
//
// Flow: URL → check → cache → robots.txt → turn at the host → guarded connection → body budget → redirect, which is
// checked like a URL → Page. A Caller (call.go) makes one request to an API, GET or POST, with its caller's headers,
// under the same guard and budgets but without robots.txt and turns.
// Units: sizes in bytes, times UTC. A zero Request has web_search's limits: 6 s, 5 MiB, 3 redirects. Timeout covers
// everything, including the wait for a turn.
// Errors: *citewell.Error.
// invalid_argument, invalid_url, unsupported_scheme: the caller must change the call.
// blocked_address, blocked_redirect: the address is neither public nor in a network that the operator opened to whoever
// named it (egress.Found, egress.Led).
// robots_disallowed (with the rule's line), cross_domain_redirect.
// rate_limited: no turn in time, or the host asks for more time than is left.
// http_status, empty_body, too_many_redirects, timeout, response_too_slow, response_too_large, unsupported_encoding,
// dns_failed, connect_failed, tls_failed, http_failed: the site failed.
// canceled: the caller gave up. A body at its limit is no error but a page with outcome truncated.
// Concurrency: a Client is safe for many goroutines. None that it starts outlives a call, except for idle connections,
// which Close ends. A host and port get one request at a time, at least 250 ms apart; a private host in the guard's
// AllowNetworks gets up to 16 at once. robots.txt is read once for many pages.
// Archive: a page that is gone may be read from an archive's copy (Archive, Request.Archived). The archive gets one
// request in three seconds, and only public hosts and addresses without keys; its errors are not_found,
// blocked_by_policy, blocked_by_provider, bad_response, provider_not_configured.
// Source: the Wayback CDX server's notes, RFC 9309 (robots.txt), RFC 9111 (caching), RFC 9110 (redirects, Retry-After).
// Package extract, not this one, judges the media type.
package fetch
