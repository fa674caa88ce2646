// Package postgres keeps everything that Citewell stores in a PostgreSQL database, for one machine or many: any number
// of processes may open it.
//
// Flow: Open → migrations → Tenant → a Store with the contracts of package store.
// A write is one transaction (tx.go). If an error does not tell whether it was committed, a write that may be repeated
// without harm is repeated; any other leaves a mark that shows whether it was done. A run's row is its truth and its
// place in the queue; both change in one transaction, which checks the executor's lease.
// Times are the server's, so clients' clocks may differ. Text columns hold the output of escape, because PostgreSQL
// refuses NUL and broken UTF-8.
// Units: sizes in bytes; times in tables are UTC microseconds since 1970.
// Errors: store_failed (unreachable, full, damaged, too old, written by a newer program), permission_denied, not_found,
// invalid_argument, canceled, timeout.
// Concurrency: a DB, a Store and a Cache are safe for many goroutines.
// Why: doc/decision/0052-postgres.md
package postgres
