// Package sqlstore does what backends over SQL do alike: runs with their logs and journals, leases,
// watches, spending, ledgers, the graph, the text index, collections of embeddings and pruning.
//
// Flow: a backend makes a DB with New, gives it a Backend, and embeds the DB and its Stores in its own.
// A Backend runs SQL (Engine), says what its database has other words for (Dialect), and does what
// only one of the databases can do: leases by its clock, contents, pages of the text index, codes of
// embeddings.
// SQL is PostgreSQL's as far as SQLite knows it too. A place of an argument is $1, $2 …; micros() is
// the time; a word in braces, {n} for one, is a Dialect's to choose.
// Units: times are microseconds since 1970.
// Errors: what Engine makes of them; see package fault.
// Concurrency: a DB and a Store are safe for many goroutines.
// Why: doc/decision/0068-one-sql-store.md
package sqlstore
