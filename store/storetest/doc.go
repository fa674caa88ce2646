// Package storetest is the suite that every store backend passes: it tests the promises of package store's contracts on
// a real backend.
//
// Flow: a backend's test calls Run with a function that opens an empty store, and RunVectors, RunGraph, RunRuns and
// RunCache for the contracts that it has; each subtest opens its own store.
// Errors: a broken promise fails the subtest with its name.
// A backend must show by its own tests that kill -9, a full disk, or two processes at once lose nothing acknowledged.
package storetest
