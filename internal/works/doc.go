// Package works compares scholarly works: whether two records are of one work, and in which
// field they agree, come near or differ.
//
// Errors: none. Concurrency: every function is pure. Why: doc/decision/0054-one-work-once.md
package works
