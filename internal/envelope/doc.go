// Package envelope carries words from outside to a model, so that they cannot pass for an instruction.
//
// Concurrency: every function is safe for many goroutines. Why: doc/decision/0033-one-door.md
package envelope
