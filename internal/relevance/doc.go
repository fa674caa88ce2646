// Package relevance has the measures behind package rank: BM25, lists of rankings fused into one,
// near-duplicates in clusters, words and meaning together.
//
// Units: scores are comparable within one call only, and larger is better. Errors: none.
// Concurrency: every function is pure.
package relevance
