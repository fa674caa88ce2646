// Package citewell holds the types that every part of Citewell shares, such as query, result, page, document, passage,
// citation and brief, and the one table of error codes and outcomes.
//
// Everything here is plain data. The package imports only the standard library, so any other package may import it, and
// a program that only reads a brief as JSON needs nothing else.
//
// Units: byte offsets are half-open spans [start, end) into UTF-8 text; times are UTC and RFC 3339 in JSON; durations
// in JSON are integer milliseconds and their names end in _ms. Sizes are bytes.
package citewell
