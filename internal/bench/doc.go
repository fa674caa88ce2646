// Package bench measures Citewell on the user's own data: how well it answers questions over documents without a model
// (Answers), how well it tells true claims from others (Claims), and how well an agent with its model and searches
// answers a set of questions (QA).
//
// Flow: questions + documents → briefs → where the answer stands → sheet.Report. Claims: labelled claims + evidence → a
// ClaimJudge → sheet.Report. QA: questions → an agent's runs, as the user has configured them → a judge → Report; a
// file keeps each answer, so that the measurement can continue. The module bench/ compares parts with other systems and
// reports in the same form.
// Units: qualities are shares from 0 to 1; times as their columns say.
// Errors: not_found (the folder lacks a file of its set; the message names it), invalid_argument (a file of the wrong
// form), canceled.
// Concurrency: one measurement at a time.
package bench
