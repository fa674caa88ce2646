// Package httpwire has what all who speak HTTP share: bodies read within a Budget, errors of the
// network with a code, how long a server asks to wait, which headers a caller may set.
//
// Errors: of the table in the root package; what prints names no URL and no address.
// Concurrency: every function is safe for many goroutines.
package httpwire
