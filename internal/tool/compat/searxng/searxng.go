// Package searxng answers searches as a SearXNG does: by the configured instance, or by Citewell's own providers, which
// get the meaning of a query in SearXNG's syntax and whose results get its form.
//
// Flow: a query → words, bangs, a language (query.go, bangs.go) → questions to providers (substitute.go, open.go) → an
// Answer. A keyword that computes something (computed.go) needs no provider.
// Units: lengths in bytes.
// Errors: provider_not_configured if no provider can be asked, all_providers_failed if none answered; the Answer names
// a provider that did not answer.
// Concurrency: its tools may be called from many goroutines.
// Source: the SearXNG toolkit's description of search; SearXNG's API and settings.
package searxng

import (
	"context"

	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

// Name is the toolset of the system that is imitated here, and the provider that asks a SearXNG.
const Name = "searxng"

// Deps are what its tools search with.
type Deps struct {
	// Providers returns what search providers are built from, and the default ones' names; nil: there are none.
	Providers func(ctx context.Context) (provider.Deps, []string, error)
	// Gates hold all calls of the process to the providers' limits; nil holds those of one call only.
	Gates *search.Gates
}

// Definitions are its tools: search for every toolset, and as the toolkit has it.
var Definitions = tool.Definitions[Deps]{}
