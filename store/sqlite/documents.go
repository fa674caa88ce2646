package sqlite

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/textsql"
)

// Documents implements store.Text.
func (s *Store) Documents(ctx context.Context, query store.DocumentQuery) ([]store.ListedDocument, error) {
	const op = "store.documents"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	where, args := textsql.Select(textsql.Bytes, s.tenant, store.Library, query.URLPrefix, nil)
	if query.After != "" {
		where, args = where+" AND key > ?", append(args, query.After)
	}
	list, err := readRows(ctx, s.db.reads, `SELECT d.key, d.title, d.published, p.language, d.indexed_at,
			s.page_sha256, s.text_sha256, s.fetched_at, s.document_record, page.size, read.size
		FROM (SELECT tenant, key, title, published, part, indexed_at FROM text_document WHERE `+where+` ORDER BY key LIMIT ?) AS d
		JOIN text_part AS p ON p.id = d.part
		LEFT JOIN snapshot AS s ON s.id = (SELECT id FROM snapshot WHERE tenant = d.tenant AND final_url = d.key ORDER BY fetched_at DESC, id DESC LIMIT 1)
		LEFT JOIN blob AS page ON page.tenant = d.tenant AND page.sha256 = s.page_sha256
		LEFT JOIN blob AS read ON read.tenant = d.tenant AND read.sha256 = s.text_sha256
		ORDER BY d.key`, func(scan func(...any) error) (store.ListedDocument, error) { return scanListed(op, scan) }, append(args, query.Limit)...)
	return list, storeError(op, err)
}

func scanListed(op string, scan func(...any) error) (d store.ListedDocument, err error) {
	var indexed int64
	var page, read sql.NullString
	var fetched, size, length sql.NullInt64
	var record []byte
	if err := scan(&d.URL, &d.Title, &d.Published, &d.Language, &indexed, &page, &read, &fetched, &record, &size, &length); err != nil {
		return d, err
	}
	d.IndexedAt = codec.MicroTime(indexed)
	if !page.Valid {
		return d, nil
	}
	d.Bytes, d.TextBytes, d.PageSHA256, d.TextSHA256, d.FetchedAt = size.Int64, length.Int64, page.String, read.String, codec.MicroTime(fetched.Int64)
	return d, codec.DescribeDocument(op, record, &d)
}
