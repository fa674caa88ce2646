// Package outcomes names how providers and fetches end, by the table of the root package.
package outcomes

import "github.com/citewell/citewell"

// OfProvider returns how Coverage names err when a provider ends with it.
func OfProvider(err error) citewell.ProviderOutcome {
	if o := citewell.CodeOf(err).Row().Provider; o != "" {
		return o
	}
	return citewell.ProviderFailed
}

// OfFetch returns how Coverage names err when a fetch ends with it.
func OfFetch(err error) citewell.FetchOutcome {
	if o := citewell.CodeOf(err).Row().Fetch; o != "" {
		return o
	}
	return citewell.FetchHTTPError
}
