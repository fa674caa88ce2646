// Package sqlite keeps everything that Citewell stores in one folder of one machine: state.db (SQLite, pure Go) and
// snapshots/ (one zstd file per content hash). A separate, disposable cache.db keeps what can be fetched or made again.
//
// Flow: Open → migrations → Tenant → a Store with the contracts of package store.
// One writer makes the writes of all goroutines, and puts those that wait at the same time into one transaction (group
// commit). A snapshot's files are written, synced, renamed and their folder synced before the row that names them
// commits, so no power cut leaves a row without its file.
// Documents of the text index are cut and stemmed outside of any transaction, while earlier ones are written: see
// doc/decision/0016-text-index.md. Queries are ranked by postings packed into segments: see
// doc/decision/0026-text-query-cost.md.
// Embeddings are searched by short codes, which the first search of a collection loads into memory and later ones
// update, whichever process wrote.
// A run's row is the sum of its events; both change in one transaction, which checks the executor's lease: see
// doc/decision/0018-runs.md.
// Layout: DIR/state.db (with -wal and -shm), DIR/snapshots/ab/abcd….zst, DIR/snapshots/tmp for unfinished files.
// Units: sizes in bytes; times in tables are UTC microseconds since 1970.
// Errors: store_failed (disk full, damaged, locked too long, written by a newer program), permission_denied, not_found,
// invalid_argument, canceled.
// Concurrency: a DB, a Store and a Cache are safe for many goroutines, and several processes may open one folder; they
// wait for each other up to Options.LockWait.
// Source: sqlite.org/wal.html, sqlite.org/fts5.html, RFC 8878 (zstd).
package sqlite
