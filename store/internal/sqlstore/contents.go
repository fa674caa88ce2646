package sqlstore

import (
	"context"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/codec"
)

// Contents are the bytes of pages, texts and large bodies of calls, by their hash.
type Contents interface {
	// StageContents makes contents durable, before the transaction that keeps them, where they are not in the database.
	StageContents(ctx context.Context, contents map[string][]byte) error
	// KeepContents keeps contents that the transaction names.
	KeepContents(ctx context.Context, tx Tx, tenant string, contents map[string][]byte) error
	// ReadContent returns the bytes of a hash after checking them, and sql.ErrNoRows where the tenant has none.
	ReadContent(ctx context.Context, from Conn, op, tenant, sha256 string) ([]byte, error)
	// LetGo takes contents from a tenant unless something else of it has them too, and returns those that went.
	LetGo(ctx context.Context, tx Tx, tenant string, contents []string) ([]Gone, error)
	// InsertSnapshot adds a snapshot, or replaces one that was fetched no later, and returns how many rows it wrote.
	InsertSnapshot(ctx context.Context, tx Tx, tenant string, made codec.Snapshot) (int64, error)
	// URLKey is the value of column {url} by which the snapshots of a final URL are found.
	URLKey(finalURL string) any
}

// A Gone is a content that a tenant has no more.
type Gone struct {
	SHA256 string
	Bytes  int64 // that it takes
}

// Blob implements store.Snapshots.
func (s *Store) Blob(ctx context.Context, sha256 string) ([]byte, error) {
	const op = "store.blob"
	return readValue(ctx, s.b, op, func(from Conn) ([]byte, error) { return s.content(ctx, from, op, sha256) })
}

func (s *Store) content(ctx context.Context, from Conn, op, sha256 string) ([]byte, error) {
	missing := fault.NotFound(op, "no content with that sha256 is kept")
	if !codec.ValidHash(sha256) {
		return nil, missing
	}
	data, err := s.b.ReadContent(ctx, from, op, s.tenant, sha256)
	return data, OrMissing(err, missing)
}
