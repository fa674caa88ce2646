// Package realpages holds no code, only a test: real documentation of SQLite,
// PostgreSQL, Python and Go is served on loopback as four sites, indexed, and asked
// questions whose answers and sources are known.
//
// Flow: pages.tar.gz of the data set demo-web → four sites on one loopback server →
// the library and the app's own parts, as citewell index uses them → briefs.
// The test skips where the data set is missing; CITEWELL_SHARED names the folder
// that has it as data/demo-web.
package realpages
