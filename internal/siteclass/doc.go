// Package siteclass tells what kind of site a host is, and what a reader should know of it.
//
// Errors: none. Concurrency: every function is pure.
package siteclass
