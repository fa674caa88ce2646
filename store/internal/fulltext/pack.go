package fulltext

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

const (
	// A part's last documents stay loose, up to so many or to so many terms: a search reads each of them.
	looseDocuments = 128
	looseTerms     = 50_000

	// So many segments of like size are merged. Larger ones are not, so that no write waits long.
	mergedSegments = 8
	finalSegment   = 1 << 16

	// A page ends with the term that fills it so far.
	pageBytes = 3 << 10

	// A segment is written anew when one in so many of its documents is gone.
	goneShare = 4
	// removedMany documents in one transaction have it look for such segments itself; fewer wait for the next packing.
	removedMany = 64
)

// A PartWriter changes the segments of one part, within one transaction.
type PartWriter interface {
	PartReader
	// CountLoose returns how many documents no segment has yet, and how many terms they have.
	CountLoose(ctx context.Context) (documents, terms int, err error)
	// TakeLoose takes out the documents that no segment has yet and calls do with each, by rising id.
	TakeLoose(ctx context.Context, do func(text Text, terms []byte) error) error
	// PutLoose puts one back.
	PutLoose(ctx context.Context, text Text) error
	// Stale returns the segments of whose documents at least one in share is gone.
	Stale(ctx context.Context, share int) ([]Segment, error)
	// NewSegment makes a segment of so many documents, whose ids are from first to last.
	NewSegment(ctx context.Context, documents int, first, last int64) (id int64, err error)
	PutPage(ctx context.Context, segment int64, page Page) error
	// DropSegment removes a segment with its pages.
	DropSegment(ctx context.Context, segment int64) error
	// ForgetGone forgets that documents are gone, which no segment has any more.
	ForgetGone(ctx context.Context, ids []int64) error
}

const opPack = "store.index_documents"

// Pack moves the loose documents of a part into a segment, if they are many, and merges and renews segments. removed is
// how many documents were removed just now.
func Pack(ctx context.Context, w PartWriter, part int64, removed int) error {
	documents, terms, err := w.CountLoose(ctx)
	if err != nil {
		return err
	}
	full := documents >= looseDocuments || terms >= looseTerms
	if full {
		if err := packLoose(ctx, w); err != nil {
			return err
		}
	}
	if !full && removed < removedMany {
		return nil
	}
	stale, err := w.Stale(ctx, goneShare)
	if err != nil {
		return err
	}
	for _, s := range stale {
		if err := merge(ctx, w, part, []Segment{s}); err != nil {
			return err
		}
	}
	for {
		segments, err := w.Segments(ctx, part)
		if err != nil {
			return err
		}
		from := mergeFrom(segments)
		if from == len(segments) {
			return nil
		}
		if err := merge(ctx, w, part, segments[from:]); err != nil {
			return err
		}
	}
}

// mergeFrom returns the first of the last segments, no larger than the last one's class, that are enough to be merged,
// else their number.
func mergeFrom(segments []Segment) int {
	if len(segments) == 0 {
		return 0
	}
	class := func(s Segment) int {
		n := 0
		for size := s.Documents / looseDocuments; size >= mergedSegments; size /= mergedSegments {
			n++
		}
		return n
	}
	last := len(segments) - 1
	from := last
	for from > 0 && class(segments[from-1]) <= class(segments[last]) && segments[from-1].Documents < finalSegment {
		from--
	}
	if last-from+1 < mergedSegments {
		return len(segments)
	}
	return from
}

// packLoose makes a segment of the loose documents of a part, but for those whose list of terms is damaged.
func packLoose(ctx context.Context, w PartWriter) error {
	b := postingBuilder{terms: map[string]*termBuilder{}}
	var left []Text
	err := w.TakeLoose(ctx, func(text Text, terms []byte) error {
		record, err := Unseal(opPack, terms)
		if err != nil {
			left = append(left, text)
			return nil
		}
		if err := b.addDocument(text, record); err != nil {
			return damaged(opPack, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, text := range left {
		if err := w.PutLoose(ctx, text); err != nil {
			return err
		}
	}
	if len(b.texts) == 0 {
		return nil
	}
	s, err := newSegment(ctx, w, b.texts)
	if err != nil {
		return err
	}
	for _, term := range slices.Sorted(maps.Keys(b.terms)) {
		t := b.terms[term]
		if err := s.addTerm(ctx, termPostings{term, t.documents, t.list}); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}

// A segmentWriter writes the pages of a new segment, its terms in byte order.
type segmentWriter struct {
	PartWriter
	id   int64
	page []byte
	last string // its last term
}

func newSegment(ctx context.Context, w PartWriter, texts []Text) (*segmentWriter, error) {
	byID := func(a, b Text) int { return cmp.Compare(a.ID, b.ID) }
	id, err := w.NewSegment(ctx, len(texts), slices.MinFunc(texts, byID).ID, slices.MaxFunc(texts, byID).ID)
	if err != nil {
		return nil, err
	}
	s := &segmentWriter{PartWriter: w, id: id, page: appendSegmentTexts(nil, texts)}
	return s, s.flush(ctx)
}

func (s *segmentWriter) addTerm(ctx context.Context, t termPostings) error {
	s.page, s.last = appendTermPostings(s.page, t), t.term
	if len(s.page) < pageBytes {
		return nil
	}
	return s.flush(ctx)
}

// flush writes the page that was gathered.
func (s *segmentWriter) flush(ctx context.Context) error {
	if len(s.page) == 0 {
		return nil
	}
	err := s.PutPage(ctx, s.id, Page{s.last, Seal(nil, s.page)})
	s.page = s.page[:0]
	return err
}

// merge makes one segment of several, without the documents that are gone.
func merge(ctx context.Context, w PartWriter, part int64, segments []Segment) error {
	gone, err := w.Gone(ctx, part)
	if err != nil {
		return err
	}
	all, err := TextsOf(ctx, w, opPack, segments)
	if err != nil {
		return err
	}
	var texts []Text
	var left []int64
	sources := make([]*mergeSource, len(segments))
	for i, s := range segments {
		source := &mergeSource{PartReader: w, segment: s.ID, places: make([]int, len(all[i]))}
		for place, text := range all[i] {
			source.places[place] = -1
			if gone.Has(text.ID) {
				left = append(left, text.ID)
				continue
			}
			source.places[place] = len(texts)
			texts = append(texts, text)
		}
		if err := source.advance(ctx); err != nil {
			return err
		}
		sources[i] = source
	}
	if err := w.ForgetGone(ctx, left); err != nil {
		return err
	}
	if len(texts) > 0 {
		made, err := newSegment(ctx, w, texts)
		if err != nil {
			return err
		}
		if err := made.merge(ctx, sources); err != nil {
			return err
		}
	}
	for _, s := range segments {
		if err := w.DropSegment(ctx, s.ID); err != nil {
			return err
		}
	}
	return nil
}

// merge writes the terms of all sources, which are in byte order in each.
func (s *segmentWriter) merge(ctx context.Context, sources []*mergeSource) error {
	var list []byte
	for {
		least, any := "", false
		for _, source := range sources {
			if len(source.terms) > 0 && (!any || source.terms[0].term < least) {
				least, any = source.terms[0].term, true
			}
		}
		if !any {
			return s.flush(ctx)
		}
		list = list[:0]
		documents, next := 0, 0
		for _, source := range sources {
			if len(source.terms) == 0 || source.terms[0].term != least {
				continue
			}
			r := readPostings(source.terms[0].list)
			for p, ok := r.read(); ok; p, ok = r.read() {
				if p.place >= len(source.places) {
					r.bad = true
					break
				}
				if p.place = source.places[p.place]; p.place >= 0 {
					list = appendPosting(list, next, p)
					documents++
					next = p.place + 1
				}
			}
			if r.bad {
				return damaged(opPack, errPostings)
			}
			if source.terms = source.terms[1:]; len(source.terms) == 0 {
				if err := source.advance(ctx); err != nil {
					return err
				}
			}
		}
		if documents > 0 {
			if err := s.addTerm(ctx, termPostings{least, documents, list}); err != nil {
				return err
			}
		}
	}
}

// A mergeSource is a segment that is read from its first term to its last.
type mergeSource struct {
	PartReader
	segment int64
	places  []int          // old place → new one, -1 for a document that is gone
	last    string         // of the page that was read
	terms   []termPostings // the rest of that page
}

// advance reads the next page, if there is one.
func (s *mergeSource) advance(ctx context.Context) error {
	return s.Pages(ctx, []int64{s.segment}, []string{s.last + "\x00"}, func(_, _ int, page Page) error {
		s.last = page.Last
		plain, err := Unseal(opPack, page.Sealed)
		if err != nil {
			return err
		}
		err = eachTerm(plain, "", func(t termPostings) bool {
			s.terms = append(s.terms, t)
			return true
		})
		if err != nil {
			return damaged(opPack, err)
		}
		return nil
	})
}

// EachPosting calls do with every posting of a segment, those of removed documents among them.
func EachPosting(ctx context.Context, r PartReader, op string, segment Segment,
	do func(text Text, term string, title, body int)) error {
	texts, err := TextsOf(ctx, r, op, []Segment{segment})
	if err != nil {
		return err
	}
	for pages := (&mergeSource{PartReader: r, segment: segment.ID}); ; {
		if err := pages.advance(ctx); err != nil || len(pages.terms) == 0 {
			return err
		}
		for _, t := range pages.terms {
			if err := eachOf(t.list, len(texts[0]), func(p posting) {
				do(texts[0][p.place], t.term, p.title, p.body)
			}); err != nil {
				return damaged(op, err)
			}
		}
		pages.terms = pages.terms[:0]
	}
}
