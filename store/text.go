package store

import (
	"context"

	"github.com/citewell/citewell"
)

// Text is full-text search over documents: BM25 over words that are segmented and
// stemmed in Go, so that every language is found, with snippets cut from the
// original text.
type Text interface {
	// IndexDocument makes doc findable under its URL, replacing an older version.
	// SourceStamp says what version of the original it was made from (for a file,
	// its size and time); it is compared by Stamp and never parsed.
	IndexDocument(ctx context.Context, doc citewell.Document, sourceStamp string) error
	// Stamp returns the stamp that the document under url was indexed with, and
	// empty where there is none.
	Stamp(ctx context.Context, url string) (string, error)
	// RemoveDocument forgets the document under url and says whether there was one.
	RemoveDocument(ctx context.Context, url string) (bool, error)
	// SearchText returns the best documents for the words of query, best first. No
	// query is a syntax error; one without words finds nothing.
	SearchText(ctx context.Context, query TextQuery) ([]TextHit, error)
	// CountDocuments returns how many documents are indexed under a URL prefix.
	CountDocuments(ctx context.Context, urlPrefix string) (int, error)
	// ListDocuments returns the URLs of the documents under a URL prefix, sorted.
	ListDocuments(ctx context.Context, urlPrefix string) ([]string, error)
}

// A TextQuery asks the text index.
type TextQuery struct {
	Text      string
	Limit     int    // 10 when 0
	URLPrefix string // only documents whose URL begins so; empty means all
}

// A TextHit is one document that the words of a query occur in.
type TextHit struct {
	URL       string
	Title     string
	Published string // YYYY-MM-DD or empty
	Snippet   string // from the original text, around the best match
	Score     float64
}
