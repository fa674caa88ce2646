// Package lang holds what Citewell knows about each language, in one file for each: de.txt is German.
//
// Flow: a code → Of → a Language: its traits, and its sections as sets, numbers or rows → text, quantity, cite and
// brief. No other package names a language.
//
// A file begins with a head (name, script, traits, missing sections); sections follow, in the order of the constants of
// [Section]. A line of a section is "key: words" or words alone. A slash with spaces around it parts two sides of
// words; _ stands for a space within a word; a line that begins with a space continues the line before, and one that
// begins with # is a comment. CONTRIBUTING.md says how to add a language.
//
// Errors: none at run time. A file that cannot be read is a fault of the program; the test of all files names the file,
// the section and the line.
//
// Concurrency: all functions are safe for many goroutines. The heads are read when the first language is asked for, a
// section at its first use. Callers must not change the maps that they get.
//
// Source: the words were written by hand for Citewell. Why: doc/decision/0070-a-language-is-one-file.md
package lang
