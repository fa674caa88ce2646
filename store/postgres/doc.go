// Package postgres keeps everything Citewell stores in a PostgreSQL database, for one machine
// or many: any number of processes may open it.
//
// Flow: Open → migrations → Tenant → a Store with the contracts of package store.
// A write is one transaction, see tx.go: what may be done twice without harm is done again
// after an error that says nothing of whether it was committed, and what may not leaves a
// mark by which it is known. A run's row is its truth and its place in the queue; both
// change in one transaction, which checks the executor's lease.
// Times are the server's, so that the clocks of those who use it may differ. Columns of text
// hold what escape makes of a string: PostgreSQL refuses NUL and broken UTF-8.
// Units: sizes in bytes; times in tables are UTC microseconds since 1970.
// Errors: store_failed (unreachable, full, damaged, too old, written by a newer program),
// permission_denied, not_found, invalid_argument, canceled, timeout.
// Concurrency: a DB, a Store and a Cache are safe for many goroutines.
// Why: doc/decision/0052-postgres.md
package postgres
