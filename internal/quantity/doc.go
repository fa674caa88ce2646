// Package quantity reads the figures of a sentence with their units, and its dates, in the words and marks of each
// language.
//
// Flow: a sentence and its language → Figures and Dates → Supports, Agrees and Clashes compare two of them. An Unclear
// one can be read in two ways, and is never used against a claim.
//
// Units: a figure is in the base unit of its dimension; offsets are bytes, half-open [Start, End), as in package text.
// Languages are ISO 639-1 codes; a missing one is guessed.
//
// Errors: none. What cannot be read with certainty is left out.
//
// Concurrency: all functions are pure and safe for many goroutines.
package quantity
