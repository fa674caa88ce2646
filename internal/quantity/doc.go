// Package quantity reads what a sentence measures: its figures with their units, and its
// dates, in the words and marks of each language.
//
// Flow: a sentence and its language → Figures and Dates → Supports, Agrees and Clashes say
// how two of them go together. Unclear are those that can be read in two ways, which nothing
// is held against.
//
// Units: a figure is in the base unit of its dimension; offsets are bytes, half-open
// [Start, End), as those of package text. Languages are ISO 639-1 codes; where none is given
// it is guessed.
//
// Errors: none. What cannot be read for sure is left out.
//
// Concurrency: all functions are pure and safe for many goroutines.
package quantity
