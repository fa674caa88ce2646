package postgres

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

// LockIndex implements sqlstore.Texts. Other writers wait for as long as a statement may take.
func (e engine) LockIndex(ctx context.Context, w *sqlstore.TextWrite) error {
	if _, err := w.Exec(ctx, `SET LOCAL lock_timeout = 0`); err != nil {
		return err
	}
	return w.QueryRow(ctx, `INSERT INTO text_index AS i (tenant, index_name) VALUES ($1, $2)
		ON CONFLICT (tenant, index_name) DO UPDATE SET last = i.last RETURNING last`, w.Tenant, w.Index).Scan(&w.Last)
}

// Indexed implements sqlstore.Texts.
func (e engine) Indexed(ctx context.Context) { e.planned(ctx) }

// TextKey implements sqlstore.Texts: a key may be longer than an index takes.
func (e engine) TextKey(key string) any {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// PutTexts implements sqlstore.Texts.
func (e engine) PutTexts(ctx context.Context, w *sqlstore.TextWrite, batch []*fulltext.Prepared) error {
	places := map[string]int{}
	for i, p := range batch {
		places[p.ID] = i
	}
	keep := batch[:0:0]
	for i, p := range batch {
		if places[p.ID] == i {
			keep = append(keep, p)
		}
	}
	if _, err := e.ForgetTexts(ctx, w, slices.Collect(maps.Keys(places))); err != nil {
		return err
	}
	var now int64
	first := w.Last + 1
	w.Last += int64(len(keep))
	if err := w.QueryRow(ctx,
		`UPDATE text_index SET last = $3 WHERE tenant = $1 AND index_name = $2 RETURNING micros()`,
		w.Tenant, w.Index, w.Last).Scan(&now); err != nil {
		return err
	}
	tenant, index := escape(w.Tenant), escape(w.Index)
	var documents, loose, metadata [][]any
	for i, p := range keep {
		id := first + int64(i)
		at, version := p.At(now, text.TermsVersion)
		documents = append(documents, []any{tenant, index, id, escape(p.ID), e.TextKey(p.ID), p.Part, escape(p.URL),
			escape(p.Title), escape(p.Published), escape(p.Stamp),
			p.Terms, at, p.Fields, p.TermsRecord, p.TextRecord, version})
		loose = append(loose, []any{p.Part, id, p.Terms})
		for _, key := range slices.Sorted(maps.Keys(p.Metadata)) {
			number, moment := sqlstore.NumberOrMoment(p.Metadata[key])
			metadata = append(metadata, []any{tenant, index, id, escape(key), escape(p.Metadata[key]), number, moment})
		}
		w.Count(p.Part, 1, p.Terms)
	}
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{
		{"text_document", []string{"tenant", "index_name", "id", "key", "sha256", "part", "url", "title", "published",
			"stamp", "terms", "indexed_at", "metadata",
			"terms_record", "text_record", "terms_version"}, documents},
		{"text_metadata", []string{"tenant", "index_name", "document", "key", "value", "number", "moment"}, metadata},
		{"text_loose", []string{"part", "document", "terms"}, loose},
	} {
		if _, err := w.Tx.(writing).tx.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns,
			pgx.CopyFromRows(table.rows)); err != nil {
			return err
		}
	}
	return nil
}

// ForgetTexts implements sqlstore.Texts.
func (e engine) ForgetTexts(ctx context.Context, w *sqlstore.TextWrite, keys []string) (removed int, err error) {
	hashes := make([][]byte, len(keys))
	for i, key := range keys {
		hashes[i] = e.TextKey(key).([]byte)
	}
	var ids, parts []int64
	if err := sqlstore.Each(ctx, w.Tx, `DELETE FROM text_document WHERE tenant = $1 AND index_name = $2
		AND sha256 = ANY ($3) RETURNING id, part, terms`,
		func(scan func(...any) error) error {
			var id, part int64
			var terms int
			if err := scan(&id, &part, &terms); err != nil {
				return err
			}
			ids, parts = append(ids, id), append(parts, part)
			w.Count(part, -1, -terms)
			return nil
		}, w.Tenant, w.Index, hashes); err != nil || len(ids) == 0 {
		return 0, err
	}
	if _, err := w.Exec(ctx, `DELETE FROM text_metadata WHERE tenant = $1 AND index_name = $2 AND document = ANY ($3)`,
		w.Tenant, w.Index, ids); err != nil {
		return 0, err
	}
	// Those that no segment has yet go; of the others it is noted that they are gone.
	_, err = w.Exec(ctx, `WITH removed AS (SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS r (part, document)),
		loose AS (DELETE FROM text_loose AS l USING removed AS r WHERE l.part = r.part AND l.document = r.document
			RETURNING l.part, l.document)
		INSERT INTO text_gone SELECT part, document FROM removed EXCEPT SELECT part, document FROM loose`, parts, ids)
	return len(ids), err
}

// ReadIDs implements sqlstore.Texts.
func (e engine) ReadIDs(ctx context.Context, from sqlstore.Conn, query string, args ...any) ([]int64, error) {
	return sqlstore.ReadColumn[int64](ctx, from, query, args...)
}

// ReadPages implements sqlstore.Texts with one query, since each way to the server takes long.
func (e engine) ReadPages(ctx context.Context, from sqlstore.Conn, segments []int64, terms []string,
	do func(segment, term int, page fulltext.Page) error) error {
	wanted := make([][]byte, len(terms))
	for i, term := range terms {
		wanted[i] = []byte(term)
	}
	return sqlstore.Each(ctx, from,
		`SELECT s.n, t.n, p.term, p.page FROM unnest($1::bigint[]) WITH ORDINALITY AS s (id, n)
		CROSS JOIN unnest($2::bytea[]) WITH ORDINALITY AS t (term, n)
		CROSS JOIN LATERAL (SELECT term, page FROM text_posting WHERE segment = s.id AND term >= t.term ORDER BY term
			LIMIT 1) AS p`, func(scan func(...any) error) error {
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

// WritePages implements sqlstore.Texts: pages are gathered and written many at once.
func (e engine) WritePages(tx sqlstore.Tx) sqlstore.PageWriter {
	return &pageWriter{tx: tx.(writing).tx}
}

type pageWriter struct {
	tx    pgx.Tx
	pages [][]any
	bytes int
}

// gatheredBytes is how much of pages is gathered at most.
const gatheredBytes = 4 << 20

func (w *pageWriter) Put(ctx context.Context, segment int64, page fulltext.Page) error {
	w.pages = append(w.pages, []any{segment, []byte(page.Last), page.Sealed})
	if w.bytes += len(page.Sealed); w.bytes < gatheredBytes {
		return nil
	}
	return w.Flush(ctx)
}

func (w *pageWriter) Flush(ctx context.Context) error {
	if len(w.pages) == 0 {
		return nil
	}
	_, err := w.tx.CopyFrom(ctx, pgx.Identifier{"text_posting"}, []string{"segment", "term", "page"},
		pgx.CopyFromRows(w.pages))
	w.pages, w.bytes = nil, 0
	return err
}

// looseTexts are the documents of a part without a segment. Each is looked up: a join may read all documents of the
// index.
const looseTexts = `SELECT l.document, l.terms, d.terms_record FROM text_part AS p JOIN text_loose AS l ON l.part = p.id
	CROSS JOIN LATERAL
	(SELECT terms_record FROM text_document WHERE tenant = p.tenant AND index_name = p.index_name AND id = l.document
		LIMIT 1) AS d
	WHERE p.id = $1 ORDER BY l.document`

// ListTexts implements sqlstore.Texts.
func (e engine) ListTexts(ctx context.Context, from sqlstore.Conn, op, tenant string, query store.DocumentQuery,
	where string, args sqlstore.Arguments) ([]store.ListedDocument, error) {
	if query.After != "" {
		where += ` AND head >= left(` + args.Place(query.After) + `, 600) AND key > ` + args.Place(query.After)
	}
	list, err := sqlstore.ReadRows(ctx, from,
		`SELECT d.key, d.title, d.published, p.language, d.indexed_at FROM (SELECT *
		FROM text_document
		WHERE `+where+` ORDER BY head, key LIMIT `+args.Place(query.Limit)+`) AS d JOIN text_part AS p ON p.id = d.part
			ORDER BY d.head, d.key`,
		func(scan func(...any) error) (d store.ListedDocument, err error) {
			var indexed int64
			err = scan(&d.URL, &d.Title, &d.Published, &d.Language, &indexed)
			d.IndexedAt = codec.MicroTime(indexed)
			return d, err
		}, args...)
	if err != nil {
		return nil, err
	}
	return list, describe(ctx, from, op, tenant, list)
}

// describe adds to documents what their newest snapshots say of them.
func describe(ctx context.Context, from sqlstore.Conn, op, tenant string, list []store.ListedDocument) error {
	urls, places := make([][]byte, len(list)), map[string]int{}
	for i, d := range list {
		urls[i] = hashOf(d.URL)
		places[string(urls[i])] = i
	}
	return sqlstore.Each(ctx, from, `SELECT DISTINCT ON (s.url) s.url, s.page_sha256, s.text_sha256, s.fetched_at,
		s.document_record, page.size, read.size
		FROM snapshot AS s LEFT JOIN blob AS page ON page.tenant = s.tenant AND page.sha256 = s.page_sha256
		LEFT JOIN blob AS read ON read.tenant = s.tenant AND read.sha256 = s.text_sha256
		WHERE s.tenant = $1 AND s.url = ANY ($2) ORDER BY s.url, s.fetched_at DESC, s.id DESC`,
		func(scan func(...any) error) error {
			var url, record []byte
			var page, read string
			var fetched int64
			var size, length *int64
			if err := scan(&url, &page, &read, &fetched, &record, &size, &length); err != nil {
				return err
			}
			d := &list[places[string(url)]]
			d.PageSHA256, d.TextSHA256, d.FetchedAt = page, read, codec.MicroTime(fetched)
			if size != nil && length != nil {
				d.Bytes, d.TextBytes = *size, *length
			}
			return codec.DescribeDocument(op, record, d)
		}, tenant, urls)
}
