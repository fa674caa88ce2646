package store

import (
	"cmp"
	"context"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
)

// Library is the index that a person's own documents are in: what the methods of Text that name no index work on.
const Library = "library"

// Text is full-text search over documents: BM25 over words that are segmented and
// stemmed in Go, so that every language is found, with snippets cut from the
// original text.
//
// A document is known by its id within an index. An index is there as long as it
// has a document; its name is any text of up to MaxIndexName bytes.
type Text interface {
	// IndexDocument makes doc findable in Library under its URL, replacing an older
	// version. SourceStamp says what version of the original it was made from (for a
	// file, its size and time); it is compared by Stamp and never parsed.
	IndexDocument(ctx context.Context, doc citewell.Document, sourceStamp string) error
	// Stamp returns the stamp that the document under url was indexed with, and empty where there is none.
	Stamp(ctx context.Context, url string) (string, error)
	// RemoveDocument forgets the document under url and says whether there was one.
	RemoveDocument(ctx context.Context, url string) (bool, error)
	// CountDocuments returns how many documents of Library are indexed under a URL prefix.
	CountDocuments(ctx context.Context, urlPrefix string) (int, error)
	// ListDocuments returns the URLs of the documents of Library under a URL prefix, sorted.
	ListDocuments(ctx context.Context, urlPrefix string) ([]string, error)
	// Documents returns documents of Library by URL, without their texts.
	Documents(ctx context.Context, query DocumentQuery) ([]ListedDocument, error)

	// IndexDocuments makes docs findable in an index, each replacing what was there
	// under its id; of two with one id the later stays. It is much faster than one by
	// one. After an error the first of docs may be there and the others not: the same
	// call again mends that. Nothing is kept of a call with a bad argument.
	IndexDocuments(ctx context.Context, index string, docs []TextDocument) error
	// TextDocument returns a document as it was indexed. not_found where there is none.
	TextDocument(ctx context.Context, index, id string) (TextDocument, error)
	// RemoveDocuments forgets what is selected and returns how many that were. A
	// selection that names nothing is an invalid_argument unless All is set.
	RemoveDocuments(ctx context.Context, index string, which TextSelection) (int, error)
	// ListIndexes returns the indexes that have a document, by name.
	ListIndexes(ctx context.Context) ([]TextIndex, error)

	// SearchText returns the best documents for a query, best first; see TextQuery
	// for how its text is read. No text is a syntax error; one without words to look
	// for finds nothing.
	SearchText(ctx context.Context, query TextQuery) ([]TextHit, error)
	// CountText returns how many documents the query finds in all, whatever its Limit and Offset.
	CountText(ctx context.Context, query TextQuery) (int, error)
}

// A TextDocument is what an index keeps under an id.
type TextDocument struct {
	ID    string `json:"id"`
	URL   string `json:"url,omitempty"` // where it is from; empty where it has none
	Title string `json:"title,omitempty"`
	Text  string `json:"text"`
	// ISO 639-1; when empty told from the text, and where that does not show it, that of most texts in its script
	Language  string            `json:"language,omitempty"`
	Published string            `json:"published,omitempty"` // YYYY-MM-DD
	Stamp     string            `json:"stamp,omitempty"`     // compared by whoever gave it, never parsed
	Metadata  map[string]string `json:"metadata,omitempty"`
}

// A DocumentQuery asks for documents of Library.
type DocumentQuery struct {
	URLPrefix string // empty means all
	After     string // only URLs after this one
	Limit     int    // 50 when 0, at most MaxListed
}

// Check says what of the query is out of range, and sets Limit where none is given.
func (q *DocumentQuery) Check(op string) error {
	if q.Limit < 0 || q.Limit > MaxListed {
		return fault.Invalid(op, "limit is %d and must be 0 to %d", q.Limit, MaxListed)
	}
	q.Limit = cmp.Or(q.Limit, defaultListed)
	return nil
}

// A ListedDocument is a document of Library without its text. What follows IndexedAt is of
// the newest snapshot of its URL, and zero where none is kept.
type ListedDocument struct {
	URL       string
	Title     string
	Published string // YYYY-MM-DD or empty
	Language  string // ISO 639-1; empty where it could not be told
	IndexedAt time.Time

	MediaType  string // as the page was read
	Bytes      int64  // of the page
	TextBytes  int64
	PageSHA256 string
	TextSHA256 string
	FetchedAt  time.Time
	Extractor  citewell.Extractor
	Pages      int    // of what PageUnit names; 0 where the document has none
	PageUnit   string // page or slide; what is said in a recording has none
}

// A TextSelection names documents: those with one of the IDs, and those that have the prefix and meet all filters.
type TextSelection struct {
	IDs      []string
	IDPrefix string
	Filters  []Filter // on metadata, and on "language" and "published" of the document
	All      bool     // every document, where nothing else is set
}

// A TextIndex is one index and what it holds.
type TextIndex struct {
	Name      string   `json:"name"`
	Documents int      `json:"documents"`
	Languages []string `json:"languages"` // of its documents, sorted; "" for those that could not be told
}

// A TextQuery asks a text index.
//
// Text is read as people write queries:
//
//	tide harbour        documents with any of the words; those with more, and with rarer ones, come first
//	"high water"        these words beside each other (function words between them and endings aside): required
//	harb*               words that begin so, of two letters at least
//	title:tide          the word, phrase or word* in a field: required. Fields are title, text,
//	                    url and every metadata key of the index; before another word a colon is only a mark
//	+tide               required
//	-tide, NOT tide     documents that have it are left out; a minus before a figure is a sign
//	tide AND harbour    both required
//	tide OR harbour     one of them required where one is; binds weaker than AND, stronger than a space
//	( )                 what stands between them is one term
//
// Only capitals are operators. What makes no sense (an operator without a word, a
// quote or parenthesis alone) is passed over. The first 8 KiB, 512 terms and eight
// levels of parentheses are read.
type TextQuery struct {
	Index     string // Library when empty
	Text      string
	Limit     int      // 10 when 0
	Offset    int      // how many of the best are passed over
	URLPrefix string   // only documents whose id, in Library their URL, begins so; empty means all
	Filters   []Filter // on metadata, and on "language" and "published" of the document
}

// A TextHit is one document that a query found.
type TextHit struct {
	ID        string
	URL       string
	Title     string
	Published string // YYYY-MM-DD or empty
	Language  string
	Metadata  map[string]string
	Snippet   string  // one line from the original text, around the best match, with … where it goes on
	Excerpt   Excerpt // the same place, unchanged
	Score     float64 // comparable within one answer
}

// An Excerpt is a span of a document's text and which words in it were looked for.
type Excerpt struct {
	Start, End int    // bytes of the text, half-open
	Text       string // these bytes
	Marks      []Span // of the text, not of the excerpt; rising, apart from each other, within Start and End
}

// A Span is half-open and in bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}
