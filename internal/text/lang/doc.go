// Package lang holds what Citewell knows about each language, one file a language: de.txt is German.
//
// Flow: a code → Of → a Language: its traits, and its sections as sets, numbers or rows → text, quantity,
// cite and brief. No other package names a language.
//
// A file begins with a head (name, script, traits, what it has none of); sections follow, in the order of
// the constants of [Section]. A line of a section is "key: words" or words alone; two sides of words have
// a slash with spaces between them; _ stands for a space within a word; a line that begins with a space goes
// on with the line before, and one that begins with # is a comment. To add a language, copy the file of one
// that is like it, write its words, and run "go test ./internal/text/lang -update".
//
// Errors: none at run time. A file that cannot be read is a fault of the program; the test of all files
// names the file, the section and the line.
//
// Concurrency: all functions are safe for many goroutines. The heads are read when the first language is
// asked for, a section when it is. Callers only read the maps that they get.
//
// Source: the words are our own, written by hand. Why: doc/decision/0070-a-language-is-one-file.md
package lang
