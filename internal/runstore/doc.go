// Package runstore holds the contracts of what stores keep of the work of the agent: runs with
// their logs and journals, leases, watches, what was spent, and when services were called.
//
// Backends of package store keep them for one tenant at a time, under its promises of durability
// and concurrency. No program outside plays runs, so the contracts are not public.
// Errors: as package store's; run_leased, lease_lost, run_finished, run_exists and quota_exceeded
// are runs' own.
// Why: doc/decision/0018-runs.md, doc/decision/0075-small-doors.md
package runstore
