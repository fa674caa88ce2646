// Package identifier reads identifiers of works (DOI, arXiv, ISBN and others) out of words and
// questions.
//
// Errors: none; what is no identifier is empty. Concurrency: every function is pure.
package identifier
