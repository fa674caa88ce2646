// Package wordvec knows which English words are near to each other in meaning: it has static vectors of word pieces in
// the binary, so that "capital" is near to "city" without a model at run time.
//
// Flow: word → lower case without accents → runs of letters → word pieces → the sum of their rows → Vector.
//
// Units: a Vector has 256 numbers, and Cosine is from −1 to 1. Unrelated words have about 0.
//
// Errors: none. Of returns false for a word that it has no vector of.
//
// Concurrency: all functions are safe for many goroutines. The table is read at the first call of Of.
//
// english.bin is what scripts/word-vectors.py writes:
//
//	a line     "wordvec 1 N"
//	N lines    one piece each; "##" before a piece that continues a word
//	N scales   float32, little endian
//	N rows     128 bytes each; byte j holds the numbers 2j (its lower four bits) and 2j+1 (its upper four)
//
// Four bits q of a row stand for the number (2q−15) × the row's scale. The length of a row is the weight of its piece:
// frequent pieces, endings above all, have short rows.
//
// Source: Schuster and Nakajima 2012 (word pieces); Arora, Liang and Ma 2017 (weights by frequency); NOTICE names the
// model. Why: doc/decision/0076-word-vectors.md
package wordvec
