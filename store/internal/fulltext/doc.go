// Package fulltext is the text index of every backend: it turns documents into terms and packed postings, reads a
// query, finds documents and ranks them. A backend keeps the rows, and reads and writes them through Reader and
// PartWriter.
//
// Flow: TextDocument → Prepare → rows → Pack → segments; TextQuery → Search → TextHit.
// Units: places are bytes of the text. Records are sealed: S2 with a checksum.
// Errors: invalid_argument; store_failed if a record is damaged.
// Concurrency: every function may be called by many goroutines; a Reader and a PartWriter by one at a time.
// Source: BM25 as in Robertson and Zaragoza, 2009. Why: doc/decision/0016-text-index.md, 0026-text-query-cost.md
package fulltext
