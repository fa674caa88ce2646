package store

import (
	"context"

	"github.com/citewell/citewell"
)

// Snapshots keeps what was fetched and what was read from it, by content hash, so
// that a citation can be checked years later and offline.
type Snapshots interface {
	// PutSnapshot keeps the page's body and the document's text. Keeping the same
	// content twice stores it once. The page's and document's hashes are computed
	// by the store from the bytes it is given; a field that disagrees is an error.
	PutSnapshot(ctx context.Context, page citewell.Page, doc citewell.Document) error
	// Blob returns the bytes kept under sha256. It checks them against the hash
	// first: a flipped bit is store_failed, an unknown hash not_found.
	Blob(ctx context.Context, sha256 string) ([]byte, error)
	// Snapshot returns the newest page and document kept for a final URL, text and
	// body included, passages not. not_found where there is none.
	Snapshot(ctx context.Context, finalURL string) (citewell.Page, citewell.Document, error)
}
