package services

import "github.com/citewell/citewell/internal/lazyregexp"

// IsStackExchange says whether a host is one of Stack Exchange's sites.
func IsStackExchange(host string) bool { return stackExchangeSites.MatchString(host) }

// stackExchangeSites are the hosts of its sites, in the form in which its API takes them, too.
var stackExchangeSites = lazyregexp.New(`^(stackoverflow\.com|superuser\.com|serverfault\.com|` +
	`askubuntu\.com|mathoverflow\.net|([a-z]+\.){1,2}stackexchange\.com)$`)
