// Package upkeep holds the contract by which operators look after a store: what it holds on its
// disk, what may go, whether it is whole, and what a backup has.
//
// Units: bytes. Errors: invalid_argument, store_failed.
package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/citewell/citewell/internal/fault"
)

// MinPruneAge is the least age of what Prune lets go of: what a search or a run has read
// is named by its ledger or its journal well within it.
const MinPruneAge = time.Hour

// Disk tells what a backend holds and lets go of what is not needed. Both are for the
// operator and about all tenants.
type Disk interface {
	// Usage measures what is held. It reads the whole database once.
	Usage(ctx context.Context) (Usage, error)
	// Prune lets go of snapshots that were last fetched or read longer ago than
	// q.OlderThan and that nothing names: no kept brief, no run (its request, log, journal
	// or ledger), no document of the library, of which the newest snapshot stays. Ledgers
	// as old whose brief was never finished go too. Everything that a kept brief or run
	// cites is there afterwards as before. Others may read and write meanwhile, and a
	// Prune that is killed leaves a whole store; it is begun again. invalid_argument
	// where q.OlderThan is below MinPruneAge.
	Prune(ctx context.Context, q PruneQuery) (Pruned, error)
}

// A PruneQuery says what may be let go of.
type PruneQuery struct {
	OlderThan time.Duration
	Runs      bool // ended runs that ended longer ago too, with all that DeleteRun removes
	Briefs    bool // briefs of searches that are older too, with their ledgers
	DryRun    bool // only tell
}

// Check says what of the query is out of range.
func (q PruneQuery) Check(op string) error {
	if q.OlderThan < MinPruneAge {
		return fault.Invalid(op, "the age is %v and must be at least %v: what is younger may be in use",
			q.OlderThan, MinPruneAge)
	}
	return nil
}

// Pruned says what was let go of, or of a dry run, would be.
type Pruned struct {
	DryRun bool      `json:"dry_run"`
	Before time.Time `json:"before"` // what is older was looked at

	Runs        int   `json:"runs"`
	Briefs      int   `json:"briefs"` // and ledgers of briefs that were never finished
	Snapshots   int   `json:"snapshots"`
	RecordBytes int64 `json:"record_bytes"` // of the snapshots' records in the database
	Kept        int   `json:"kept"`         // snapshots as old that something names

	// Contents are pages, texts and large results of calls that nothing has any more; a
	// backup under way may still copy them, so their files go an hour later, when the
	// store is next opened or pruned.
	Contents     int   `json:"contents"`
	ContentBytes int64 `json:"content_bytes"` // of their files

	DatabaseBytes int64 `json:"database_bytes"` // by which the database shrank; 0 of a dry run
}

// MaxProblems are described by a CheckReport; of more, only the number is told.
const MaxProblems = 100

// A CheckReport says what was read and what of it is damaged.
type CheckReport struct {
	Pages int `json:"pages"` // of the database's file; 0 where it looks after them itself
	// packed rows: snapshots, sources, passages, briefs, nodes, edges, embeddings, what runs have
	Records   int      `json:"records"`
	Documents int      `json:"documents"` // of the text index
	Contents  int      `json:"contents"`  // pages, texts and large results of calls
	Problems  []string `json:"problems"`
	More      int      `json:"more,omitempty"` // problems that are not described
}

// Problem notes something that is damaged.
func (r *CheckReport) Problem(format string, args ...any) {
	if len(r.Problems) >= MaxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// A BackupReport says what a backup holds.
type BackupReport struct {
	Path     string   `json:"path"`
	Contents int      `json:"contents"` // files of snapshots
	Bytes    int64    `json:"bytes"`    // of all its files
	Problems []string `json:"problems"` // contents that are damaged here, and so not in it
}

// Usage is what a store holds on its disk.
type Usage struct {
	Parts     []UsagePart `json:"parts"`
	Bytes     int64       `json:"bytes"`      // of all parts
	FreeBytes int64       `json:"free_bytes"` // of the disk, for this user; 0 of a disk elsewhere, which is not known

	Snapshots struct {
		Count  int       `json:"count"`
		Oldest time.Time `json:"oldest,omitzero"` // when it was last fetched or read
		Newest time.Time `json:"newest,omitzero"`
	} `json:"snapshots"`
	Runs        int          `json:"runs"`
	Briefs      int          `json:"briefs"` // kept; those of runs too
	Indexes     []UsageIndex `json:"indexes"`
	Collections []UsageIndex `json:"collections"`
}

// A UsagePart is how many bytes some kind of thing takes: lengths of files, and pages of
// the database. A file system rounds each file up to its block.
type UsagePart struct {
	In    string `json:"in"`   // files, database or cache
	Part  string `json:"part"` // what is held
	Bytes int64  `json:"bytes"`
	Count int    `json:"count,omitempty"` // of files, or of entries of the cache
}

// A UsageIndex is a text index with its documents, or a collection with its vectors.
type UsageIndex struct {
	Name  string `json:"name"`
	Items int    `json:"items"`
	// of texts and lists of terms, or of embeddings, as they are stored; the index itself is shared
	Bytes int64 `json:"bytes"`
}

// Add counts a part, and its bytes.
func (u *Usage) Add(part UsagePart) {
	u.Parts = append(u.Parts, part)
	u.Bytes += part.Bytes
}
