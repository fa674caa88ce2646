// Package storesuite is the suite that every store backend of Citewell passes: what the
// contracts of packages store, internal/runstore and internal/upkeep promise, tried on a real backend.
//
// Flow: a backend's test calls storetest.Run with a function that opens an empty store, and
// storetest.RunVectors, RunGraph, RunCache, and RunRuns and RunDisk here where it keeps such; each
// subtest opens its own. Package store/storetest gives outside backends what is not about runs.
// Errors: a broken promise fails the subtest that is named for it.
// What a backend must show itself, because it depends on its means: that nothing
// acknowledged is lost by kill -9, a full disk, or two processes at once.
package storesuite
