// Package searchcall has what a context carries for the searches below it: who hears notes and
// reports, how old an answer may be, how long they wait for their turn. It also says what reports mean
// together.
//
// Concurrency: what a context hands to is called from several goroutines.
package searchcall
