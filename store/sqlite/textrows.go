package sqlite

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/textsql"
)

// segmentRows implements fulltext.PartReader.
type segmentRows struct{ tx *sql.Tx }

func (s segmentRows) Segments(ctx context.Context, part int64) ([]fulltext.Segment, error) {
	return readRows(ctx, s.tx, `SELECT id, documents FROM text_segment WHERE part = ? ORDER BY first`, scanSegment, part)
}

func scanSegment(scan func(...any) error) (s fulltext.Segment, err error) {
	err = scan(&s.ID, &s.Documents)
	return s, err
}

func (s segmentRows) Gone(ctx context.Context, part int64) (fulltext.IDs, error) {
	return readIDSet(ctx, s.tx, `SELECT document FROM text_gone WHERE part = ?`, part)
}

func (s segmentRows) Pages(ctx context.Context, segments []int64, terms []string, do func(segment, term int, page fulltext.Page) error) error {
	find, err := s.tx.PrepareContext(ctx, `SELECT term, page FROM text_posting WHERE segment = ? AND term >= ? ORDER BY term LIMIT 1`)
	if err != nil {
		return err
	}
	defer find.Close()
	for i, segment := range segments {
		for j, term := range terms {
			var page fulltext.Page
			there, err := anyRow(find.QueryRowContext(ctx, segment, term).Scan(&page.Last, &page.Sealed))
			if err == nil && there {
				err = do(i, j, page)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// partRows implements fulltext.PartWriter.
type partRows struct {
	segmentRows
	part int64
}

func (w partRows) CountLoose(ctx context.Context) (documents, terms int, err error) {
	err = w.tx.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(terms), 0) FROM text_loose WHERE part = ?`, w.part).Scan(&documents, &terms)
	return documents, terms, err
}

func (w partRows) TakeLoose(ctx context.Context, do func(text fulltext.Text, terms []byte) error) error {
	if err := eachLoose(ctx, w.tx, w.part, do); err != nil {
		return err
	}
	return w.exec(ctx, `DELETE FROM text_loose WHERE part = ?`, w.part)
}

// eachLoose calls do with the documents of a part that no segment has yet.
func eachLoose(ctx context.Context, tx *sql.Tx, part int64, do func(text fulltext.Text, terms []byte) error) error {
	return each(ctx, tx, `SELECT l.document, l.terms, d.terms_record FROM text_loose AS l JOIN text_document AS d ON d.id = l.document
		WHERE l.part = ? ORDER BY l.document`, func(scan func(...any) error) error {
		var text fulltext.Text
		var terms sql.RawBytes
		if err := scan(&text.ID, &text.Length, &terms); err != nil {
			return err
		}
		return do(text, terms)
	}, part)
}

func (w partRows) PutLoose(ctx context.Context, text fulltext.Text) error {
	return w.exec(ctx, `INSERT INTO text_loose VALUES (?, ?, ?)`, w.part, text.ID, text.Length)
}

func (w partRows) Stale(ctx context.Context, share int) ([]fulltext.Segment, error) {
	return readRows(ctx, w.tx, `SELECT id, documents FROM text_segment AS s WHERE part = ? AND documents <= ? *
		(SELECT count(*) FROM text_gone WHERE part = s.part AND document BETWEEN s.first AND s.last)`, scanSegment, w.part, share)
}

func (w partRows) NewSegment(ctx context.Context, documents int, first, last int64) (int64, error) {
	result, err := w.tx.ExecContext(ctx, `INSERT INTO text_segment (part, documents, first, last) VALUES (?, ?, ?, ?)`, w.part, documents, first, last)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func (w partRows) PutPage(ctx context.Context, segment int64, page fulltext.Page) error {
	return w.exec(ctx, `INSERT INTO text_posting (segment, term, page) VALUES (?, ?, ?)`, segment, page.Last, page.Sealed)
}

func (w partRows) DropSegment(ctx context.Context, segment int64) error {
	if err := w.exec(ctx, `DELETE FROM text_posting WHERE segment = ?`, segment); err != nil {
		return err
	}
	return w.exec(ctx, `DELETE FROM text_segment WHERE id = ?`, segment)
}

func (w partRows) ForgetGone(ctx context.Context, ids []int64) error {
	for _, id := range ids {
		if err := w.exec(ctx, `DELETE FROM text_gone WHERE part = ? AND document = ?`, w.part, id); err != nil {
			return err
		}
	}
	return nil
}

func (w partRows) exec(ctx context.Context, statement string, args ...any) error {
	_, err := w.tx.ExecContext(ctx, statement, args...)
	return err
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

// A textSearch is one search of one index of a tenant; it implements fulltext.Reader.
type textSearch struct {
	segmentRows
	*fulltext.TextCache
	tenant, index string
}

func (s textSearch) Parts(ctx context.Context) ([]fulltext.Part, error) {
	return readRows(ctx, s.tx, `SELECT id, language, documents, terms FROM text_part
		WHERE tenant = ? AND index_name = ? AND documents > 0 ORDER BY language`, func(scan func(...any) error) (p fulltext.Part, err error) {
		err = scan(&p.ID, &p.Language, &p.Documents, &p.Lengths)
		return p, err
	}, s.tenant, s.index)
}

func (s textSearch) HasField(ctx context.Context, key string) (there bool, err error) {
	err = s.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM text_metadata WHERE tenant = ? AND index_name = ? AND key = ?)`,
		s.tenant, s.index, key).Scan(&there)
	return there, err
}

func (s textSearch) Loose(ctx context.Context, part int64, do func(text fulltext.Text, terms []byte) error) error {
	return eachLoose(ctx, s.tx, part, do)
}

func (s textSearch) Terms(ctx context.Context, ids []int64, do func(id int64, key string, terms []byte) error) error {
	among, args := s.among(ids)
	return each(ctx, s.tx, `SELECT id, key, terms_record FROM text_document WHERE `+among, func(scan func(...any) error) error {
		var id int64
		var key string
		var terms sql.RawBytes
		if err := scan(&id, &key, &terms); err != nil {
			return err
		}
		return do(id, key, terms)
	}, args...)
}

func (s textSearch) Originals(ctx context.Context, ids []int64, do func(fulltext.Original) error) error {
	among, args := s.among(ids)
	return each(ctx, s.tx, `SELECT id, key, url, title, published, metadata, text_record FROM text_document WHERE `+among, func(scan func(...any) error) error {
		var doc fulltext.Original
		var text sql.RawBytes
		if err := scan(&doc.ID, &doc.Key, &doc.URL, &doc.Title, &doc.Published, &doc.Metadata, &text); err != nil {
			return err
		}
		doc.Text = text
		return do(doc)
	}, args...)
}

// among is the condition for documents of the index by their ids. Without the pluses, SQLite
// may go through all ids of the index to find these.
func (s textSearch) among(ids []int64) (condition string, args []any) {
	if len(ids) == 0 {
		return "0", nil
	}
	condition, args = oneOf("id", ids)
	return "1" + condition + " AND +tenant = ? AND +index_name = ?", append(args, s.tenant, s.index)
}

// Selection implements fulltext.Reader.
func (s textSearch) Selection(ctx context.Context, query store.TextQuery) (keep func(id int64) bool, err error) {
	return textsql.Selection(textsql.Bytes, s.tenant, s.index, query, func(query string, args []any) (fulltext.IDs, error) {
		return readIDSet(ctx, s.tx, query, args...)
	})
}

// SearchText implements store.Text.
func (s *Store) SearchText(ctx context.Context, query store.TextQuery) (hits []store.TextHit, err error) {
	if err := fulltext.CheckSearch(&query); err != nil {
		return nil, err
	}
	err = s.searching(ctx, "store.search_text", query.Index, func(search textSearch) (err error) {
		hits, err = fulltext.Search(ctx, search, query)
		return err
	})
	return hits, err
}

// CountText implements store.Text.
func (s *Store) CountText(ctx context.Context, query store.TextQuery) (n int, err error) {
	const op = "store.count_text"
	if err := fulltext.CheckCount(op, &query); err != nil {
		return 0, err
	}
	err = s.searching(ctx, op, query.Index, func(search textSearch) (err error) {
		n, err = fulltext.Count(ctx, search, query)
		return err
	})
	return n, err
}

// searching runs do in one view of an index, whatever is written meanwhile.
func (s *Store) searching(ctx context.Context, op, index string, do func(textSearch) error) error {
	tx, err := s.db.reads.BeginTx(ctx, nil)
	if err != nil {
		return storeError(op, err)
	}
	defer tx.Rollback()
	return storeError(op, do(textSearch{segmentRows{tx}, &s.db.segments, s.tenant, index}))
}
