package postgres

import (
	"context"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/textsql"
	"github.com/jackc/pgx/v5"
)

// segmentRows implements fulltext.PartReader.
type segmentRows struct{ tx pgx.Tx }

func (s segmentRows) Segments(ctx context.Context, part int64) ([]fulltext.Segment, error) {
	return readRows(ctx, s.tx, `SELECT id, documents FROM text_segment WHERE part = $1 ORDER BY first`, scanSegment, part)
}

func scanSegment(scan func(...any) error) (s fulltext.Segment, err error) {
	err = scan(&s.ID, &s.Documents)
	return s, err
}

func (s segmentRows) Gone(ctx context.Context, part int64) (fulltext.IDs, error) {
	return s.ids(ctx, `SELECT document FROM text_gone WHERE part = $1`, part)
}

func (s segmentRows) ids(ctx context.Context, query string, args ...any) (fulltext.IDs, error) {
	ids, err := readColumn[int64](ctx, s.tx, query, args...)
	return fulltext.NewIDs(ids), err
}

// Pages asks for all at once: each look at the index is short, each way to the server is not.
func (s segmentRows) Pages(ctx context.Context, segments []int64, terms []string, do func(segment, term int, page fulltext.Page) error) error {
	wanted := make([][]byte, len(terms))
	for i, term := range terms {
		wanted[i] = []byte(term)
	}
	return each(ctx, s.tx, `SELECT s.n, t.n, p.term, p.page FROM unnest($1::bigint[]) WITH ORDINALITY AS s (id, n)
		CROSS JOIN unnest($2::bytea[]) WITH ORDINALITY AS t (term, n)
		CROSS JOIN LATERAL (SELECT term, page FROM text_posting WHERE segment = s.id AND term >= t.term ORDER BY term LIMIT 1) AS p`, func(scan func(...any) error) error {
		var segment, term int
		var last []byte
		var page fulltext.Page
		if err := scan(&segment, &term, &last, &page.Sealed); err != nil {
			return err
		}
		page.Last = string(last)
		return do(segment-1, term-1, page)
	}, segments, wanted)
}

// partRows implements fulltext.PartWriter. Pages are gathered and written many at once.
type partRows struct {
	segmentRows
	part  int64
	pages [][]any
	bytes int
}

// gatheredBytes is how much of pages is gathered at most.
const gatheredBytes = 4 << 20

func (w *partRows) CountLoose(ctx context.Context) (documents, terms int, err error) {
	err = w.tx.QueryRow(ctx, `SELECT count(*), coalesce(sum(terms), 0) FROM text_loose WHERE part = $1`, w.part).Scan(&documents, &terms)
	return documents, terms, err
}

func (w *partRows) TakeLoose(ctx context.Context, do func(text fulltext.Text, terms []byte) error) error {
	if err := eachLoose(ctx, w.tx, w.part, do); err != nil {
		return err
	}
	return w.exec(ctx, `DELETE FROM text_loose WHERE part = $1`, w.part)
}

// looseTexts are the documents of a part that no segment has yet. Each is looked up, be the server's
// idea of how many they are ever so wrong: joined by its choice it read all documents of the index.
const looseTexts = `SELECT l.document, l.terms, d.terms_record FROM text_part AS p JOIN text_loose AS l ON l.part = p.id CROSS JOIN LATERAL
	(SELECT terms_record FROM text_document WHERE tenant = p.tenant AND index_name = p.index_name AND id = l.document LIMIT 1) AS d
	WHERE p.id = $1 ORDER BY l.document`

// eachLoose calls do with the documents of a part that no segment has yet.
func eachLoose(ctx context.Context, tx pgx.Tx, part int64, do func(text fulltext.Text, terms []byte) error) error {
	return each(ctx, tx, looseTexts, func(scan func(...any) error) error {
		var text fulltext.Text
		var terms []byte
		if err := scan(&text.ID, &text.Length, &terms); err != nil {
			return err
		}
		return do(text, terms)
	}, part)
}

func (w *partRows) PutLoose(ctx context.Context, text fulltext.Text) error {
	return w.exec(ctx, `INSERT INTO text_loose VALUES ($1, $2, $3)`, w.part, text.ID, text.Length)
}

func (w *partRows) Stale(ctx context.Context, share int) ([]fulltext.Segment, error) {
	if err := w.flush(ctx); err != nil {
		return nil, err
	}
	return readRows(ctx, w.tx, `SELECT id, documents FROM text_segment AS s WHERE part = $1 AND documents <= $2 *
		(SELECT count(*) FROM text_gone WHERE part = s.part AND document BETWEEN s.first AND s.last)`, scanSegment, w.part, share)
}

func (w *partRows) NewSegment(ctx context.Context, documents int, first, last int64) (id int64, err error) {
	err = w.tx.QueryRow(ctx, `INSERT INTO text_segment (part, documents, first, last) VALUES ($1, $2, $3, $4) RETURNING id`, w.part, documents, first, last).Scan(&id)
	return id, err
}

func (w *partRows) PutPage(ctx context.Context, segment int64, page fulltext.Page) error {
	w.pages = append(w.pages, []any{segment, []byte(page.Last), page.Sealed})
	if w.bytes += len(page.Sealed); w.bytes < gatheredBytes {
		return nil
	}
	return w.flush(ctx)
}

// Pages implements fulltext.PartReader: what was gathered is there to be read.
func (w *partRows) Pages(ctx context.Context, segments []int64, terms []string, do func(segment, term int, page fulltext.Page) error) error {
	if err := w.flush(ctx); err != nil {
		return err
	}
	return w.segmentRows.Pages(ctx, segments, terms, do)
}

// flush writes the pages that were gathered.
func (w *partRows) flush(ctx context.Context) error {
	if len(w.pages) == 0 {
		return nil
	}
	_, err := w.tx.CopyFrom(ctx, pgx.Identifier{"text_posting"}, []string{"segment", "term", "page"}, pgx.CopyFromRows(w.pages))
	w.pages, w.bytes = nil, 0
	return err
}

func (w *partRows) DropSegment(ctx context.Context, segment int64) error {
	if err := w.exec(ctx, `DELETE FROM text_posting WHERE segment = $1`, segment); err != nil {
		return err
	}
	return w.exec(ctx, `DELETE FROM text_segment WHERE id = $1`, segment)
}

func (w *partRows) ForgetGone(ctx context.Context, ids []int64) error {
	return w.exec(ctx, `DELETE FROM text_gone WHERE part = $1 AND document = ANY ($2)`, w.part, ids)
}

func (w *partRows) exec(ctx context.Context, statement string, args ...any) error {
	_, err := w.tx.Exec(ctx, statement, args...)
	return err
}

// A textSearch is one search of one index of a tenant; it implements fulltext.Reader.
type textSearch struct {
	segmentRows
	*fulltext.TextCache
	tenant, index string // as their columns have them
}

func (s textSearch) Parts(ctx context.Context) ([]fulltext.Part, error) {
	return readRows(ctx, s.tx, `SELECT id, language, documents, terms FROM text_part
		WHERE tenant = $1 AND index_name = $2 AND documents > 0 ORDER BY language`, func(scan func(...any) error) (p fulltext.Part, err error) {
		err = scan(&p.ID, plain{&p.Language}, &p.Documents, &p.Lengths)
		return p, err
	}, s.tenant, s.index)
}

func (s textSearch) HasField(ctx context.Context, key string) (there bool, err error) {
	err = s.tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM text_metadata WHERE tenant = $1 AND index_name = $2 AND key = $3)`,
		s.tenant, s.index, escape(key)).Scan(&there)
	return there, err
}

func (s textSearch) Loose(ctx context.Context, part int64, do func(text fulltext.Text, terms []byte) error) error {
	return eachLoose(ctx, s.tx, part, do)
}

func (s textSearch) Terms(ctx context.Context, ids []int64, do func(id int64, key string, terms []byte) error) error {
	return each(ctx, s.tx, `SELECT id, key, terms_record FROM text_document WHERE tenant = $1 AND index_name = $2 AND id = ANY ($3)`, func(scan func(...any) error) error {
		var id int64
		var key string
		var terms []byte
		if err := scan(&id, plain{&key}, &terms); err != nil {
			return err
		}
		return do(id, key, terms)
	}, s.tenant, s.index, ids)
}

func (s textSearch) Originals(ctx context.Context, ids []int64, do func(fulltext.Original) error) error {
	return each(ctx, s.tx, `SELECT id, key, url, title, published, metadata, text_record FROM text_document
		WHERE tenant = $1 AND index_name = $2 AND id = ANY ($3)`, func(scan func(...any) error) error {
		var doc fulltext.Original
		if err := scan(&doc.ID, plain{&doc.Key}, plain{&doc.URL}, plain{&doc.Title}, plain{&doc.Published}, &doc.Metadata, &doc.Text); err != nil {
			return err
		}
		return do(doc)
	}, s.tenant, s.index, ids)
}

// Selection implements fulltext.Reader.
func (s textSearch) Selection(ctx context.Context, query store.TextQuery) (keep func(id int64) bool, err error) {
	return textsql.Selection(heads, asIs(s.tenant), asIs(s.index), query, func(query string, args []any) (fulltext.IDs, error) {
		return s.ids(ctx, numbered(query), ours(args)...)
	})
}
