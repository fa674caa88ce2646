// Package cite ties statements to the words that support them, and checks the tie.
//
// Flow: Document → Ledger (numbers the source, assigns durable passage ids) → passages for a model or an extractive
// writer → Hold (checks a claim by words and exact facts) → Inquiry, Held.Judged (applies a judge's opinion whose quote
// stands) → Conflict (two sources disagree) → Verify (checks again from the stored bytes, years later).
//
// Units: spans are bytes, half-open, of a source's canonical text.
// Errors: invalid_argument (a passage that is no span of its document, a brief of another schema), citations_failed
// (Verification.Err), and any error of the keeper or the archive.
// Concurrency: a Ledger is safe for many goroutines; all other functions are pure, except for the archive that Verify
// reads.
//
// Words decide only whether a source repeats a claim, exactly or as a near-copy, and whether a near-copy differs in one
// figure, date, denial or opposite. Every other claim is undecided until a judge is asked. Quotes, hashes, numbers and
// ids are checked exactly. Verify reports the verdicts that were given and gives none itself. Why:
// doc/decision/0066-words-and-a-judge.md
package cite
