// Package notation reads how a Markdown text cites its sources.
//
// Flow: text with marks, links, footnotes and addresses → Numbered (every reference as [n]) → References (where
// the marks stand) → MapMarks, WithoutMarks (the text with other marks, or none). Links and Heads read the other
// parts of a text that a check of citations needs: where it leads to, and its tables.
//
// Units: spans are bytes, half-open, of the text. Source numbers run from 1 to 999.
// Errors: none; whatever is no reference stays as it is.
// Concurrency: all functions are pure. Each takes time in proportion to its text, also to a hostile one.
// Why: doc/decision/0027-notations.md
package notation
