// Package cite ties statements to the words they lean on, and checks the tie.
//
// Flow: Document → Ledger (numbers the source, mints passage ids, durable) → passages in front
// of a model or an extractive writer → Hold (is the claim borne out by all that it cites, as far as
// words and exact facts can tell? the one place that decides it) → Inquiry, Held.Judged (what a judge
// says, where its quote stands) → Conflict (do two sources say different things?) → Verify (years later,
// from the stored bytes).
//
// Units: spans are bytes, half-open, of a source's canonical text.
// Errors: invalid_argument (a passage that is no span of its document, a brief of another schema),
// citations_failed (Verification.Err), and whatever the keeper or the archive returns.
// Concurrency: a Ledger may be used from many goroutines; all else is pure but for the archive it is
// given.
//
// Words say only what they know: that a claim stands there, that nothing differs in a near-copy, or
// that one figure, date, denial or opposite does. Everything else is undecided until a judge was asked.
// Code is never wrong about whether a quote, a hash, a number or an id is what was stored. Verify
// reports the verdicts that were given and gives none itself. Why:
// doc/decision/0066-words-and-a-judge.md
package cite
