// Package sqlstore holds what all SQL backends share: runs with their logs and journals, leases, watches, spending,
// ledgers, the graph, the text index, collections of embeddings, and pruning.
//
// Flow: a backend makes a DB with New, gives it a Backend, and embeds the DB and its Stores in its own. A Backend runs
// SQL (Engine), names the words that differ in its database (Dialect), and does what only that database can do: leases
// by its clock, contents, pages of the text index, codes of embeddings.
// SQL is PostgreSQL's as far as SQLite knows it too. Arguments are $1, $2 …; micros() is the time; a Dialect replaces a
// word in braces, such as {n}.
// Units: times are microseconds since 1970.
// Errors: as Engine makes them; see package fault.
// Concurrency: a DB and a Store are safe for many goroutines.
// Why: doc/decision/0068-one-sql-store.md
package sqlstore
