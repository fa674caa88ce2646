// Package fetch gets pages from public URLs, politely and without reaching
// private networks.
//
// Flow: URL → judge → cache → robots.txt → turn at the host → guarded connection →
// body budget → redirect, which begins again with "judge" → Page.
// A Caller (call.go) is the other door: one request to an API, GET or POST, with
// headers of its caller's own, under the same guard and budgets but without manners.
// Units: sizes in bytes, times UTC. A zero Request has web_search's limits: 6 s,
// 5 MiB, 3 redirects. Timeout covers everything, waiting for a turn included.
// Errors: *citewell.Error. invalid_argument, invalid_url, unsupported_scheme: mend
// the call. blocked_address, blocked_redirect: the address is not public, nor one of the
// operator's that is open to who named it (egress.Found, egress.Led).
// robots_disallowed (with the rule's line), cross_domain_redirect. rate_limited: no
// turn in time, or the host asks for more time than is left. http_status,
// empty_body, too_many_redirects, timeout, response_too_slow, response_too_large,
// unsupported_encoding, dns_failed, connect_failed, tls_failed, http_failed: the
// site's side. canceled: the caller's. A body at its cap is not an error but a page
// with outcome truncated.
// Concurrency: a Client is safe for many goroutines and starts none that outlives
// a call, idle connections aside, which Close ends. One request at a time goes to
// a host and port, their starts 250 ms apart, and up to 16 at any time to one on a
// private address that the guard's AllowNetworks have; robots.txt is read once for
// many pages.
// Archive: a page that is gone may be read in an archive's copy (Archive, Request.Archived), which is
// asked for one thing in three seconds and told of public hosts and of addresses without keys alone; its
// errors are not_found, blocked_by_policy, blocked_by_provider, bad_response, provider_not_configured.
// Source: the Wayback CDX server's notes, RFC 9309 (robots.txt), RFC 9111 (caching), RFC 9110 (redirects,
// Retry-After). The media type is not judged here: package extract does that.
package fetch
