// Package text reads written language: words, terms for an index, sentences, the language itself, and the form in which
// two quotes are compared. It also shortens texts for display.
//
// Flow: bytes of a document → Sentences → Words or TermTokens → code that counts, ranks or compares. Every span points
// into the given string, so a match can always be shown in the author's own spelling.
//
// Units: offsets are bytes, half-open [Start, End), and never split a rune. Languages are ISO 639-1 codes; "en-US" is
// read as "en", "nb" and "nn" as "no", and the empty string means an unknown language.
//
// Errors: none. Any string is accepted, also one that is not UTF-8; unreadable parts are left out, and an empty answer
// means that there was nothing to read.
//
// Concurrency: all functions are pure and safe for many goroutines.
//
// Source: Unicode Standard Annex 29 (words) and 15 (normal forms); the Snowball stemmers for the languages that have
// one. The words of languages are those of internal/text/lang.
package text
