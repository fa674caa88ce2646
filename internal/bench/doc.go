// Package bench measures what a user has on data of the user's own: whether questions over
// documents are answered without a model (Answers), whether true claims are told from
// others (Claims), and what an agent, its model and its searches make of a set of
// questions (QA).
//
// Flow: questions + documents → briefs → where the answer stands → sheet.Report.
// Claims: labelled claims + evidence → a ClaimJudge → sheet.Report.
// QA is another matter: questions → an agent's runs → a judge → Report, all of it as the
// user has configured it, kept answer by answer in a file that is gone on with.
// The module bench/ measures parts beside their peers; what it finds has the same form.
// Units: qualities are shares from 0 to 1; times as their columns say.
// Errors: not_found (the folder lacks a file of its set; the message names it),
// invalid_argument (a file that cannot be read as what it should be), canceled.
// Concurrency: one measurement at a time.
package bench
