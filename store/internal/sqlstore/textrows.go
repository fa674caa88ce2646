package sqlstore

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/textsql"
)

// segmentRows implements fulltext.PartReader.
type segmentRows struct {
	db   *DB
	from Conn
}

func (s segmentRows) Segments(ctx context.Context, part int64) ([]fulltext.Segment, error) {
	return ReadRows(ctx, s.from, `SELECT id, documents FROM text_segment WHERE part = $1 ORDER BY first`,
		scanSegment, part)
}

func scanSegment(scan func(...any) error) (s fulltext.Segment, err error) {
	err = scan(&s.ID, &s.Documents)
	return s, err
}

func (s segmentRows) Gone(ctx context.Context, part int64) (fulltext.IDs, error) {
	return s.ids(ctx, `SELECT document FROM text_gone WHERE part = $1`, part)
}

func (s segmentRows) ids(ctx context.Context, query string, args ...any) (fulltext.IDs, error) {
	ids, err := s.db.b.ReadIDs(ctx, s.from, query, args...)
	return fulltext.NewIDs(ids), err
}

func (s segmentRows) Pages(ctx context.Context, segments []int64, terms []string,
	do func(segment, term int, page fulltext.Page) error) error {
	return s.db.b.ReadPages(ctx, s.from, segments, terms, do)
}

// eachLoose calls do with the documents of a part that no segment has yet.
func (s segmentRows) eachLoose(ctx context.Context, part int64, do func(text fulltext.Text, terms []byte) error) error {
	return Each(ctx, s.from, s.db.dialect.LooseTexts, func(scan func(...any) error) error {
		var text fulltext.Text
		var terms sql.RawBytes
		if err := scan(&text.ID, &text.Length, &terms); err != nil {
			return err
		}
		return do(text, terms)
	}, part)
}

// partRows implements fulltext.PartWriter.
type partRows struct {
	segmentRows
	tx    Tx
	pages PageWriter
	part  int64
}

func (w partRows) CountLoose(ctx context.Context) (documents, terms int, err error) {
	err = w.tx.QueryRow(ctx, `SELECT count(*), coalesce(sum(terms), 0) FROM text_loose WHERE part = $1`,
		w.part).Scan(&documents, &terms)
	return documents, terms, err
}

func (w partRows) TakeLoose(ctx context.Context, do func(text fulltext.Text, terms []byte) error) error {
	if err := w.eachLoose(ctx, w.part, do); err != nil {
		return err
	}
	return w.exec(ctx, `DELETE FROM text_loose WHERE part = $1`, w.part)
}

func (w partRows) PutLoose(ctx context.Context, text fulltext.Text) error {
	return w.exec(ctx, `INSERT INTO text_loose VALUES ($1, $2, $3)`, w.part, text.ID, text.Length)
}

func (w partRows) Stale(ctx context.Context, share int) ([]fulltext.Segment, error) {
	if err := w.pages.Flush(ctx); err != nil {
		return nil, err
	}
	return ReadRows(ctx, w.tx, `SELECT id, documents FROM text_segment AS s WHERE part = $1 AND documents <= $2 *
		(SELECT count(*) FROM text_gone WHERE part = s.part AND document BETWEEN s.first AND s.last)`,
		scanSegment, w.part, share)
}

func (w partRows) NewSegment(ctx context.Context, documents int, first, last int64) (id int64, err error) {
	err = w.tx.QueryRow(ctx, `INSERT INTO text_segment (part, documents, first, last) VALUES ($1, $2, $3, $4)
		RETURNING id`,
		w.part, documents, first, last).Scan(&id)
	return id, err
}

func (w partRows) PutPage(ctx context.Context, segment int64, page fulltext.Page) error {
	return w.pages.Put(ctx, segment, page)
}

// Pages implements fulltext.PartReader: what was put is there to be read.
func (w partRows) Pages(ctx context.Context, segments []int64, terms []string,
	do func(segment, term int, page fulltext.Page) error) error {
	if err := w.pages.Flush(ctx); err != nil {
		return err
	}
	return w.segmentRows.Pages(ctx, segments, terms, do)
}

func (w partRows) DropSegment(ctx context.Context, segment int64) error {
	if err := w.exec(ctx, `DELETE FROM text_posting WHERE segment = $1`, segment); err != nil {
		return err
	}
	return w.exec(ctx, `DELETE FROM text_segment WHERE id = $1`, segment)
}

func (w partRows) ForgetGone(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	args := Arguments{w.part}
	return w.exec(ctx, `DELETE FROM text_gone WHERE part = $1 AND `+oneOfIDs(w.db, &args, "document", ids), args...)
}

func (w partRows) exec(ctx context.Context, statement string, args ...any) error {
	_, err := w.tx.Exec(ctx, statement, args...)
	return err
}

// A textSearch is one search of one index of a tenant; it implements fulltext.Reader.
type textSearch struct {
	segmentRows
	*fulltext.TextCache
	tenant, index string
}

func (s textSearch) Parts(ctx context.Context) ([]fulltext.Part, error) {
	return ReadRows(ctx, s.from, `SELECT id, language, documents, terms FROM text_part
		WHERE tenant = $1 AND index_name = $2 AND documents > 0 ORDER BY language`,
		func(scan func(...any) error) (p fulltext.Part, err error) {
			err = scan(&p.ID, &p.Language, &p.Documents, &p.Lengths)
			return p, err
		}, s.tenant, s.index)
}

func (s textSearch) HasField(ctx context.Context, key string) (there bool, err error) {
	err = s.from.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM text_metadata WHERE tenant = $1 AND index_name = $2
		AND key = $3)`,
		s.tenant, s.index, key).Scan(&there)
	return there, err
}

func (s textSearch) Loose(ctx context.Context, part int64, do func(text fulltext.Text, terms []byte) error) error {
	return s.eachLoose(ctx, part, do)
}

func (s textSearch) Terms(ctx context.Context, ids []int64, do func(id int64, key string, terms []byte) error) error {
	return s.among(ctx, `id, key, terms_record`, ids, func(scan func(...any) error) error {
		var id int64
		var key string
		var terms sql.RawBytes
		if err := scan(&id, &key, &terms); err != nil {
			return err
		}
		return do(id, key, terms)
	})
}

func (s textSearch) Originals(ctx context.Context, ids []int64, do func(fulltext.Original) error) error {
	return s.among(ctx, `id, key, url, title, published, metadata, text_record`, ids,
		func(scan func(...any) error) error {
			var doc fulltext.Original
			var text sql.RawBytes
			if err := scan(&doc.ID, &doc.Key, &doc.URL, &doc.Title, &doc.Published, &doc.Metadata, &text); err != nil {
				return err
			}
			doc.Text = text
			return do(doc)
		})
}

// among calls do with columns of documents of the index.
func (s textSearch) among(ctx context.Context, columns string, ids []int64,
	do func(scan func(...any) error) error) error {
	args := Arguments{s.tenant, s.index}
	return Each(ctx, s.from, `SELECT `+columns+` FROM text_document WHERE {+}tenant = $1 AND {+}index_name = $2 AND `+
		oneOfIDs(s.db, &args, "id", ids), do, args...)
}

// Selection implements fulltext.Reader.
func (s textSearch) Selection(ctx context.Context, query store.TextQuery) (keep func(id int64) bool, err error) {
	return textsql.Selection(s.db.dialect.Texts, s.tenant, s.index, query,
		func(query string, values []any) (fulltext.IDs, error) {
			var args Arguments
			return s.ids(ctx, args.Fill(query, values...), values...)
		})
}
