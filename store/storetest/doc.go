// Package storetest is the suite that every store backend passes: what the
// contracts of package store promise, tried on a real backend.
//
// Flow: a backend's test calls Run with a function that opens an empty store, and
// RunVectors, RunGraph, RunRuns and RunCache where it keeps such; each subtest opens
// its own.
// Errors: a broken promise fails the subtest that is named for it.
// What a backend must show itself, because it depends on its means: that nothing
// acknowledged is lost by kill -9, a full disk, or two processes at once.
package storetest
