// Package cite ties statements to the words they lean on, and checks the tie.
//
// Flow: Document → Ledger (numbers the source, mints passage ids, durable) →
// passages in front of a model or an extractive writer → Locate and Bind (a claim
// gets exact spans) → Check (does the evidence say so?) → Hold (is the claim borne out
// by all that it cites? the one place that decides it) → Conflict (do two sources say
// different things?) → Verify (years later, from the stored bytes).
//
// Units: spans are bytes, half-open, of a source's canonical text. Scores run
// from 0 to 1.
// Errors: invalid_argument (a passage that is no span of its document, a brief of
// another schema), citations_failed (Verification.Err), and whatever the keeper or
// the archive returns.
// Concurrency: a Ledger may be used from many goroutines; all else is pure but for
// the archive it is given.
//
// Verdicts come from words, figures, dates, negation and direction, in code; a claim that
// is a near-copy of its evidence is judged by what differs. They
// can be wrong about meaning; they are never wrong about whether a quote, a hash, a
// number or an id is what was stored. Where there is an Embedder (Meanings) or a chat
// model's Opinion, these may move a verdict within bounds that code holds; each
// Judgement says what gave it and why. Verify goes by words alone, so that it finds the
// same whoever runs it. Why:
// doc/decision/0013-claim-check-with-models.md, 0028-one-judge-of-claims.md
package cite
