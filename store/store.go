// Package store holds the contracts of what Citewell keeps: snapshots of pages and
// texts, the ledger of sources and passages, the text index, embeddings, a graph and a cache.
// What backends keep of runs is internal/runstore's.
//
// A backend is one folder below this one that passes storetest. Citewell never falls back silently to a backend that
// forgets.
//
// Tenants: a backend is opened once and bound to a tenant; the bound store puts
// the tenant into every key and every query, so no caller can leave it out.
// Durability: when a method that writes returns nil, the write is on disk (fsync
// done) and survives kill -9 and power loss. The cache alone promises nothing.
// Concurrency: every method may be called from many goroutines, and several
// processes may open one store.
// Errors: store_failed (disk full, damaged, locked too long), not_found.
package store
