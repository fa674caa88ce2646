// Package storetest is the suite that every store backend passes: what the contracts of package
// store promise, tried on a real backend.
//
// Flow: a backend's test calls Run with a function that opens an empty store, and RunVectors,
// RunGraph and RunCache where it keeps such; each subtest opens its own.
// Errors: a broken promise fails the subtest that is named for it.
// What a backend must show itself, because it depends on its means: that nothing
// acknowledged is lost by kill -9, a full disk, or two processes at once.
package storetest

import (
	"testing"

	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
)

// A Store is everything that Run tries of one tenant.
type Store = storesuite.Store

// A Backend is one open store.
type Backend = storesuite.Backend

// A VectorBackend is one open store of embeddings.
type VectorBackend = storesuite.VectorBackend

// A GraphBackend is one open store of a graph.
type GraphBackend = storesuite.GraphBackend

// Run tries every promise of Snapshots, Ledger and Text. Open gives an empty store and sees to it
// that the store is closed when t ends.
func Run(t *testing.T, open func(t *testing.T) Backend) { storesuite.Run(t, open) }

// RunVectors tries every promise of Vectors, as Run does.
func RunVectors(t *testing.T, open func(t *testing.T) VectorBackend) { storesuite.RunVectors(t, open) }

// RunGraph tries every promise of Graph, as Run does.
func RunGraph(t *testing.T, open func(t *testing.T) GraphBackend) { storesuite.RunGraph(t, open) }

// RunCache tries every promise of Cache, as Run does.
func RunCache(t *testing.T, open func(t *testing.T) store.Cache) { storesuite.RunCache(t, open) }
