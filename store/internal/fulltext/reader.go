package fulltext

import (
	"context"
	"strings"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
)

// A Reader reads what a backend keeps of one index of a tenant, as it was at one moment. Records come as they were
// sealed; the backend may use them again when do has returned.
type Reader interface {
	// Parts returns the parts of the index that have documents.
	Parts(ctx context.Context) ([]Part, error)
	// HasField says whether a document has a key of metadata.
	HasField(ctx context.Context, key string) (bool, error)
	// Selection says which documents have the query's prefix and meet its filters.
	Selection(ctx context.Context, query store.TextQuery) (keep func(id int64) bool, err error)
	PartReader
	// SegmentTexts reads the page of a segment that says which documents it has; a TextCache does.
	SegmentTexts(segment int64, page Page) ([]Text, error)
	// Loose calls do with the documents of a part that no segment has yet, by rising id.
	Loose(ctx context.Context, part int64, do func(text Text, terms []byte) error) error
	// Terms calls do with the key and the list of terms of each of ids, in any order.
	Terms(ctx context.Context, ids []int64, do func(id int64, key string, terms []byte) error) error
	// Originals calls do with each of ids, in any order.
	Originals(ctx context.Context, ids []int64, do func(Original) error) error
}

// A PartReader reads the segments of a part.
type PartReader interface {
	// Segments returns the segments of a part in the order of their documents.
	Segments(ctx context.Context, part int64) ([]Segment, error)
	// Gone returns the documents of a part that segments still have and that are gone.
	Gone(ctx context.Context, part int64) (IDs, error)
	// Pages calls do, for each segment and each term, with the first page whose last term is not before the term, if
	// any, and with their places. The page of the empty term is that of the documents.
	Pages(ctx context.Context, segments []int64, terms []string, do func(segment, term int, page Page) error) error
}

// A Segment is documents of a part that were packed together.
type Segment struct {
	ID        int64
	Documents int
}

// A Page is the postings of some terms of a segment.
type Page struct {
	Last   string // its last term
	Sealed []byte
}

// An Original is a document as it was indexed.
type Original struct {
	ID        int64
	Key       string
	URL       string
	Title     string
	Published string
	Metadata  string // JSON, or empty
	Text      []byte // sealed
}

const opSearch = "store.search_text"

func damaged(op string, cause error) error {
	return fault.Damaged(op, "the text index is damaged", cause)
}

// TextsOf returns the documents of segments, each in the order of its places.
func TextsOf(ctx context.Context, r PartReader, op string, segments []Segment) ([][]Text, error) {
	return textsOf(ctx, r, op, segments, func(_ int64, page Page) ([]Text, error) { return unsealTexts(op, page) })
}

func textsOf(ctx context.Context, r PartReader, op string, segments []Segment,
	read func(segment int64, page Page) ([]Text, error)) ([][]Text, error) {
	texts := make([][]Text, len(segments))
	there := 0
	err := r.Pages(ctx, idsOf(segments), []string{""}, func(segment, _ int, page Page) (err error) {
		there++
		texts[segment], err = read(segments[segment].ID, page)
		return err
	})
	if err == nil && there < len(segments) {
		err = damaged(op, errPostings)
	}
	return texts, err
}

func unsealTexts(op string, page Page) ([]Text, error) {
	if page.Last != "" {
		return nil, damaged(op, errPostings)
	}
	plain, err := Unseal(op, page.Sealed)
	if err != nil {
		return nil, err
	}
	texts, err := readSegmentTexts(plain)
	if err != nil {
		return nil, damaged(op, err)
	}
	return texts, nil
}

func idsOf(segments []Segment) []int64 {
	ids := make([]int64, len(segments))
	for i, s := range segments {
		ids[i] = s.ID
	}
	return ids
}

// eachTermOf calls do with the terms of segments that are wanted, or begin with a wanted prefix, and with their places.
func eachTermOf(ctx context.Context, r PartReader, op string, segments []Segment, wanted []wantedTerm,
	do func(segment, term int, t termPostings)) error {
	type further struct {
		segment, term int
		after         string
	}
	var goesOn []further
	ids, from := idsOf(segments), make([]string, len(wanted))
	for i, w := range wanted {
		from[i] = w.term
	}
	read := func(segment, term int, page Page) error {
		plain, err := Unseal(op, page.Sealed)
		if err != nil {
			return err
		}
		w := wanted[term]
		more := w.prefix
		err = eachTerm(plain, w.term, func(t termPostings) bool {
			if t.term != w.term && !(w.prefix && strings.HasPrefix(t.term, w.term)) {
				more = false
				return false
			}
			do(segment, term, t)
			return w.prefix
		})
		if err != nil {
			return damaged(op, err)
		}
		if more {
			goesOn = append(goesOn, further{segment, term, page.Last + "\x00"}) // the least string that comes after
		}
		return nil
	}
	if err := r.Pages(ctx, ids, from, read); err != nil {
		return err
	}
	for len(goesOn) > 0 { // seldom: a prefix whose words fill a page
		next := goesOn
		goesOn = nil
		for _, f := range next {
			err := r.Pages(ctx, ids[f.segment:f.segment+1], []string{f.after}, func(_, _ int, page Page) error {
				return read(f.segment, f.term, page)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
