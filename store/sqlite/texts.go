package sqlite

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// What is written for every document.
const (
	insertText = `INSERT INTO text_document (id, tenant, index_name, key, part, url, title, published, stamp, terms,
		indexed_at, metadata,
		terms_record, text_record, terms_version) VALUES (1 + max(coalesce((SELECT max(id) FROM text_document), 0),
		coalesce((SELECT max(document) FROM text_gone), 0)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
	insertMetadata = `INSERT INTO text_metadata (document, key, tenant, index_name, value, number, moment)
		VALUES (?, ?, ?, ?, ?, ?, ?)`
	insertLoose    = `INSERT INTO text_loose (part, document, terms) VALUES (?, ?, ?)`
	removeText     = `DELETE FROM text_document WHERE tenant = ? AND index_name = ? AND key = ? RETURNING id, part, terms`
	removeMetadata = `DELETE FROM text_metadata WHERE document = ?`
	removeLoose    = `DELETE FROM text_loose WHERE part = ? AND document = ?`
	insertGone     = `INSERT INTO text_gone (part, document) VALUES (?, ?) ON CONFLICT DO NOTHING`
)

var writtenTexts = []string{insertText, insertMetadata, insertLoose, removeText, removeMetadata, removeLoose,
	insertGone}

// LockIndex implements sqlstore.Texts: who writes has the store to itself.
func (e engine) LockIndex(context.Context, *sqlstore.TextWrite) error { return nil }

// Indexed implements sqlstore.Texts.
func (e engine) Indexed(context.Context) {}

// TextKey implements sqlstore.Texts.
func (e engine) TextKey(key string) any { return key }

// PutTexts implements sqlstore.Texts.
func (e engine) PutTexts(ctx context.Context, w *sqlstore.TextWrite, batch []*fulltext.Prepared) error {
	for _, p := range batch {
		id, added, err := insertOne(ctx, w, p)
		if err == nil && !added {
			if _, err = forgetText(ctx, w, p.ID); err == nil {
				id, _, err = insertOne(ctx, w, p)
			}
		}
		if err == nil {
			err = insertRest(ctx, w, id, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// insertOne adds the row of a document, where its id is free.
func insertOne(ctx context.Context, w *sqlstore.TextWrite, p *fulltext.Prepared) (id int64, added bool, err error) {
	at, version := p.At(time.Now().UnixMicro(), text.TermsVersion)
	result, err := w.Tx.(writing).execute(ctx, insertText, w.Tenant, w.Index, p.ID, p.Part, p.URL, p.Title, p.Published,
		p.Stamp, p.Terms, at, p.Fields, p.TermsRecord, p.TextRecord, version)
	if rows, err := affected(result, err); err != nil || rows == 0 {
		return 0, false, err
	}
	id, err = result.LastInsertId()
	return id, true, err
}

func insertRest(ctx context.Context, w *sqlstore.TextWrite, id int64, p *fulltext.Prepared) error {
	for key, value := range p.Metadata {
		number, moment := sqlstore.NumberOrMoment(value)
		if _, err := w.Exec(ctx, insertMetadata, id, key, w.Tenant, w.Index, value, number, moment); err != nil {
			return err
		}
	}
	if _, err := w.Exec(ctx, insertLoose, p.Part, id, p.Terms); err != nil {
		return err
	}
	w.Count(p.Part, 1, p.Terms)
	return nil
}

// ForgetTexts implements sqlstore.Texts.
func (e engine) ForgetTexts(ctx context.Context, w *sqlstore.TextWrite, keys []string) (removed int, err error) {
	for _, key := range keys {
		there, err := forgetText(ctx, w, key)
		if err != nil {
			return 0, err
		}
		if there {
			removed++
		}
	}
	return removed, nil
}

// forgetText removes the document under key, if there is one, from all its tables.
func forgetText(ctx context.Context, w *sqlstore.TextWrite, key string) (bool, error) {
	var id, part int64
	var terms int
	if there, err := sqlstore.AnyRow(w.QueryRow(ctx, removeText, w.Tenant, w.Index, key).Scan(&id, &part,
		&terms)); !there {
		return false, err
	}
	if _, err := w.Exec(ctx, removeMetadata, id); err != nil {
		return false, err
	}
	w.Count(part, -1, -terms)
	return true, forgetPostings(ctx, w, part, id)
}

// forgetPostings notes that a document is gone, where a segment may have it.
func forgetPostings(ctx context.Context, w *sqlstore.TextWrite, part, id int64) error {
	if loose, err := w.Exec(ctx, removeLoose, part, id); err != nil || loose > 0 {
		return err
	}
	var packed bool
	if err := w.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM text_segment WHERE part = ? AND ? BETWEEN first AND last)`,
		part, id).Scan(&packed); err != nil || !packed {
		return err
	}
	_, err := w.Exec(ctx, insertGone, part, id)
	return err
}

// ReadIDs implements sqlstore.Texts.
func (e engine) ReadIDs(ctx context.Context, from sqlstore.Conn, query string, args ...any) ([]int64, error) {
	return readIDs(ctx, from, query, args...)
}

// readIDs reads ids as one row: of many, a row each takes most of the time.
func readIDs(ctx context.Context, from sqlstore.Conn, query string, args ...any) ([]int64, error) {
	var list string
	err := from.QueryRow(ctx, `SELECT coalesce(group_concat(id, ' '), '') FROM (SELECT 0 AS id WHERE 0
		UNION ALL `+query+`)`, args...).Scan(&list)
	if err != nil || list == "" {
		return nil, err
	}
	ids := make([]int64, 0, strings.Count(list, " ")+1)
	for field := range strings.SplitSeq(list, " ") {
		id, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// ReadPages implements sqlstore.Texts.
func (e engine) ReadPages(ctx context.Context, from sqlstore.Conn, segments []int64, terms []string,
	do func(segment, term int, page fulltext.Page) error) error {
	find, err := from.(preparer).PrepareContext(ctx,
		`SELECT term, page FROM text_posting WHERE segment = ? AND term >= ?
		ORDER BY term LIMIT 1`)
	if err != nil {
		return err
	}
	defer find.Close()
	for i, segment := range segments {
		for j, term := range terms {
			var page fulltext.Page
			there, err := sqlstore.AnyRow(find.QueryRowContext(ctx, segment, term).Scan(&page.Last, &page.Sealed))
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

// WritePages implements sqlstore.Texts.
func (e engine) WritePages(tx sqlstore.Tx) sqlstore.PageWriter { return pageWriter{tx} }

type pageWriter struct{ sqlstore.Tx }

func (w pageWriter) Put(ctx context.Context, segment int64, page fulltext.Page) error {
	_, err := w.Exec(ctx, `INSERT INTO text_posting (segment, term, page) VALUES (?, ?, ?)`,
		segment, page.Last, page.Sealed)
	return err
}

func (w pageWriter) Flush(context.Context) error { return nil }

// ListTexts implements sqlstore.Texts.
func (e engine) ListTexts(ctx context.Context, from sqlstore.Conn, op, _ string, query store.DocumentQuery,
	where string, args sqlstore.Arguments) ([]store.ListedDocument, error) {
	if query.After != "" {
		where += ` AND key > ` + args.Place(query.After)
	}
	return sqlstore.ReadRows(ctx, from, `SELECT d.key, d.title, d.published, p.language, d.indexed_at,
			s.page_sha256, s.text_sha256, s.fetched_at, s.document_record, page.size, read.size
		FROM (SELECT tenant, key, title, published, part, indexed_at FROM text_document WHERE `+where+` ORDER BY key
			LIMIT `+args.Place(query.Limit)+`) AS d
		JOIN text_part AS p ON p.id = d.part
		LEFT JOIN snapshot AS s ON s.id = (SELECT id FROM snapshot WHERE tenant = d.tenant AND final_url = d.key
			ORDER BY fetched_at DESC, id DESC LIMIT 1)
		LEFT JOIN blob AS page ON page.tenant = d.tenant AND page.sha256 = s.page_sha256
		LEFT JOIN blob AS read ON read.tenant = d.tenant AND read.sha256 = s.text_sha256
		ORDER BY d.key`, func(scan func(...any) error) (store.ListedDocument, error) { return scanListed(op, scan) }, args...)
}

func scanListed(op string, scan func(...any) error) (d store.ListedDocument, err error) {
	var indexed int64
	var page, read sql.NullString
	var fetched, size, length sql.NullInt64
	var record []byte
	if err := scan(&d.URL, &d.Title, &d.Published, &d.Language, &indexed, &page, &read, &fetched, &record, &size,
		&length); err != nil {
		return d, err
	}
	d.IndexedAt = codec.MicroTime(indexed)
	if !page.Valid {
		return d, nil
	}
	d.Bytes, d.TextBytes, d.PageSHA256, d.TextSHA256, d.FetchedAt = size.Int64, length.Int64, page.String, read.String,
		codec.MicroTime(fetched.Int64)
	return d, codec.DescribeDocument(op, record, &d)
}
