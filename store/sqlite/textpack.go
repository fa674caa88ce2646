package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/citewell/citewell/store/internal/fault"
)

const (
	// A part's last documents stay loose, up to so many or to so many terms: a search
	// reads each of them, and a segment of few is not worth its pages.
	looseDocuments = 128
	looseTerms     = 50_000

	// Segments of like size are merged when there are so many. One of finalSegment
	// documents is merged no more, so that no write waits long for a merge.
	mergedSegments = 8
	finalSegment   = 1 << 16

	// A page ends with the term that fills it so far.
	pageBytes = 3 << 10

	// A segment is written anew when one in so many of its documents is gone.
	goneShare = 4
	// removedMany is how many documents one transaction removes before it looks for such
	// segments itself; fewer wait for the next packing.
	removedMany = 64
)

// A segment is what was packed together.
type segment struct {
	id        int64
	documents int
}

// pack moves the loose documents of a part into a segment, where they are many, and
// keeps its segments few and mostly of documents that are there.
func (w textWrite) pack(ctx context.Context, part int64, removed int) error {
	var documents, terms int
	if err := w.tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(terms), 0) FROM text_loose WHERE part = ?`, part).Scan(&documents, &terms); err != nil {
		return err
	}
	full := documents >= looseDocuments || terms >= looseTerms
	if full {
		if err := w.packLoose(ctx, part); err != nil {
			return err
		}
	}
	if !full && removed < removedMany {
		return nil
	}
	if err := w.renewSegments(ctx, part); err != nil {
		return err
	}
	for {
		segments, err := readSegments(ctx, w.tx, part)
		if err != nil {
			return err
		}
		from := mergeFrom(segments)
		if from == len(segments) {
			return nil
		}
		if err := w.merge(ctx, part, segments[from:]); err != nil {
			return err
		}
	}
}

// mergeFrom returns the first of the last segments that are to be merged: those that are
// no larger than the last one's class, where they are enough. Else it returns their number.
func mergeFrom(segments []segment) int {
	if len(segments) == 0 {
		return 0
	}
	class := func(s segment) int {
		n := 0
		for size := s.documents / looseDocuments; size >= mergedSegments; size /= mergedSegments {
			n++
		}
		return n
	}
	last := len(segments) - 1
	from := last
	for from > 0 && class(segments[from-1]) <= class(segments[last]) && segments[from-1].documents < finalSegment {
		from--
	}
	if last-from+1 < mergedSegments {
		return len(segments)
	}
	return from
}

// readSegments returns the segments of a part in the order of their documents.
func readSegments(ctx context.Context, tx *sql.Tx, part int64) ([]segment, error) {
	return readRows(ctx, tx, `SELECT id, documents FROM text_segment WHERE part = ? ORDER BY first`, scanSegment, part)
}

func scanSegment(scan func(...any) error) (s segment, err error) {
	err = scan(&s.id, &s.documents)
	return s, err
}

// packLoose makes a segment of the loose documents of a part. One whose list of terms is
// damaged stays loose; a check of the store names it.
func (w textWrite) packLoose(ctx context.Context, part int64) error {
	b := postingBuilder{terms: map[string]*termBuilder{}}
	var left []segmentText
	err := each(ctx, w.tx, looseTexts, func(scan func(...any) error) error {
		var text segmentText
		var sealed sql.RawBytes
		if err := scan(&text.id, &text.length, &sealed); err != nil {
			return err
		}
		record, err := unseal("store.index_documents", sealed)
		if err != nil {
			left = append(left, text)
			return nil
		}
		if err := b.add(text, record); err != nil {
			return fault.Damaged("store.index_documents", "the text index is damaged", err)
		}
		return nil
	}, part)
	if err != nil || len(b.texts) == 0 {
		return err
	}
	if _, err := w.tx.ExecContext(ctx, `DELETE FROM text_loose WHERE part = ?`, part); err != nil {
		return err
	}
	for _, text := range left {
		if _, err := w.tx.ExecContext(ctx, `INSERT INTO text_loose VALUES (?, ?, ?)`, part, text.id, text.length); err != nil {
			return err
		}
	}
	s, err := w.newSegment(ctx, part, b.texts)
	if err != nil {
		return err
	}
	for _, term := range slices.Sorted(maps.Keys(b.terms)) {
		t := b.terms[term]
		if err := s.add(ctx, termPostings{term, t.documents, t.list}); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}

// forgetPostings notes that a document is gone, where a segment may have it.
func (w textWrite) forgetPostings(ctx context.Context, part, id int64) error {
	if loose, err := affected(w.tx.StmtContext(ctx, w.db.texts.removeLoose).ExecContext(ctx, part, id)); err != nil || loose > 0 {
		return err
	}
	var packed bool
	if err := w.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM text_segment WHERE part = ? AND ? BETWEEN first AND last)`,
		part, id).Scan(&packed); err != nil || !packed {
		return err
	}
	_, err := w.tx.StmtContext(ctx, w.db.texts.gone).ExecContext(ctx, part, id)
	return err
}

// looseTexts are the loose documents of a part with their lists of terms.
const looseTexts = `SELECT l.document, l.terms, d.terms_record FROM text_loose AS l JOIN text_document AS d ON d.id = l.document
	WHERE l.part = ? ORDER BY l.document`

// A segmentWriter writes the pages of a new segment, its terms in byte order.
type segmentWriter struct {
	tx   *sql.Tx
	id   int64
	page []byte
	last string // its last term
}

func (w textWrite) newSegment(ctx context.Context, part int64, texts []segmentText) (*segmentWriter, error) {
	byID := func(a, b segmentText) int { return cmp.Compare(a.id, b.id) }
	result, err := w.tx.ExecContext(ctx, `INSERT INTO text_segment (part, documents, first, last) VALUES (?, ?, ?, ?)`,
		part, len(texts), slices.MinFunc(texts, byID).id, slices.MaxFunc(texts, byID).id)
	if err != nil {
		return nil, err
	}
	s := &segmentWriter{tx: w.tx, page: appendSegmentTexts(nil, texts)}
	if s.id, err = result.LastInsertId(); err != nil {
		return nil, err
	}
	return s, s.flush(ctx)
}

func (s *segmentWriter) add(ctx context.Context, t termPostings) error {
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
	_, err := s.tx.ExecContext(ctx, `INSERT INTO text_posting (segment, term, page) VALUES (?, ?, ?)`, s.id, s.last, seal(nil, s.page))
	s.page = s.page[:0]
	return err
}

// renewSegments writes anew the segments of a part of whose documents many are gone.
func (w textWrite) renewSegments(ctx context.Context, part int64) error {
	stale, err := readRows(ctx, w.tx, `SELECT id, documents FROM text_segment AS s WHERE part = ? AND documents <= ? *
		(SELECT count(*) FROM text_gone WHERE part = s.part AND document BETWEEN s.first AND s.last)`, scanSegment, part, goneShare)
	if err != nil {
		return err
	}
	for _, s := range stale {
		if err := w.merge(ctx, part, []segment{s}); err != nil {
			return err
		}
	}
	return nil
}

// merge makes one segment of several, without the documents that are gone.
func (w textWrite) merge(ctx context.Context, part int64, segments []segment) error {
	gone, err := readGone(ctx, w.tx, part)
	if err != nil {
		return err
	}
	var texts []segmentText
	sources := make([]*mergeSource, len(segments))
	for i, s := range segments {
		source := &mergeSource{tx: w.tx, segment: s.id}
		old, err := readTextsOf(ctx, w.tx, s.id)
		if err != nil {
			return err
		}
		source.places = make([]int, len(old))
		for place, text := range old {
			source.places[place] = -1
			if !gone.has(text.id) {
				source.places[place] = len(texts)
				texts = append(texts, text)
			} else if _, err := w.tx.ExecContext(ctx, `DELETE FROM text_gone WHERE part = ? AND document = ?`, part, text.id); err != nil {
				return err
			}
		}
		if err := source.advance(ctx); err != nil {
			return err
		}
		sources[i] = source
	}
	if len(texts) > 0 {
		made, err := w.newSegment(ctx, part, texts)
		if err != nil {
			return err
		}
		if err := made.merge(ctx, sources); err != nil {
			return err
		}
	}
	for _, s := range segments {
		for _, statement := range []string{`DELETE FROM text_posting WHERE segment = ?`, `DELETE FROM text_segment WHERE id = ?`} {
			if _, err := w.tx.ExecContext(ctx, statement, s.id); err != nil {
				return err
			}
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
				return fault.Damaged("store.index_documents", "the text index is damaged", errPostings)
			}
			if source.terms = source.terms[1:]; len(source.terms) == 0 {
				if err := source.advance(ctx); err != nil {
					return err
				}
			}
		}
		if documents > 0 {
			if err := s.add(ctx, termPostings{least, documents, list}); err != nil {
				return err
			}
		}
	}
}

// A mergeSource is a segment that is read from its first term to its last.
type mergeSource struct {
	tx      *sql.Tx
	segment int64
	places  []int          // old place → new one, -1 for a document that is gone
	last    string         // of the page that was read
	terms   []termPostings // the rest of that page
}

// advance reads the next page, if there is one.
func (s *mergeSource) advance(ctx context.Context) error {
	var sealed []byte
	there, err := anyRow(s.tx.QueryRowContext(ctx, `SELECT term, page FROM text_posting WHERE segment = ? AND term > ? ORDER BY term LIMIT 1`,
		s.segment, s.last).Scan(&s.last, &sealed))
	if !there {
		return err
	}
	page, err := unseal("store.index_documents", sealed)
	if err != nil {
		return err
	}
	err = eachTerm(page, "", func(t termPostings) bool {
		s.terms = append(s.terms, t)
		return true
	})
	if err != nil {
		return fault.Damaged("store.index_documents", "the text index is damaged", err)
	}
	return nil
}

// readTextsOf returns the documents of a segment.
func readTextsOf(ctx context.Context, tx *sql.Tx, segment int64) ([]segmentText, error) {
	const op = "store.search_text"
	var sealed []byte
	err := tx.QueryRowContext(ctx, `SELECT page FROM text_posting WHERE segment = ? AND term = ''`, segment).Scan(&sealed)
	if err := orMissing(err, fault.Damaged(op, "the text index is damaged", err)); err != nil {
		return nil, err
	}
	page, err := unseal(op, sealed)
	if err != nil {
		return nil, err
	}
	texts, err := readSegmentTexts(page)
	if err != nil {
		return nil, fault.Damaged(op, "the text index is damaged", err)
	}
	return texts, nil
}

// readGone returns the documents of a part that segments still have and that are gone.
func readGone(ctx context.Context, tx *sql.Tx, part int64) (gone idSet, err error) {
	return readIDSet(ctx, tx, `SELECT document FROM text_gone WHERE part = ?`, part)
}
