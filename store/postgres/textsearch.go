package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/textsql"
	"github.com/jackc/pgx/v5"
)

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
	return s.db.reading(ctx, op, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, s.db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			return do(textSearch{segmentRows{tx}, &s.db.segments, s.tenant, escape(index)})
		})
	})
}

// numbered gives the arguments of a query, which has no question marks else, their numbers.
func numbered(query string) string {
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(query, "?")
		if b.WriteString(before); !found {
			return b.String()
		}
		fmt.Fprintf(&b, "$%d", n)
		query = after
	}
}

// heads is the dialect of indexes that hold the beginnings of keys and values alone, which may
// be longer than an index takes.
var heads = textsql.Dialect{
	KeyBegins: func(prefix string) (condition string, args []any) { return begins("key", prefix) },
	ValueIn: func(values []string) (condition string, args []any) {
		in, args := textsql.OneOf("value", values)
		return "head = ANY (?) AND " + in, append([]any{headsOf(values)}, args...)
	},
}

// begins is the condition that a column begins with a prefix. Nothing that stands after the
// prefix is above four of the last character.
func begins(column, prefix string) (condition string, args []any) {
	head := headOf(prefix)
	return "head >= ? AND head <= ? AND starts_with(" + column + ", ?)", []any{asIs(head), asIs(head + strings.Repeat("\U0010ffff", 4)), prefix}
}

// headOf is how the column head begins for what begins with a text: as the column has it, or less.
func headOf(text string) string {
	head := []rune(escape(text))
	return string(head[:min(len(head), headRunes)])
}

// headsOf are the heads of whole values.
func headsOf(values []string) []asIs {
	list := make([]asIs, len(values))
	for i, value := range values {
		list[i] = asIs(headOf(value))
	}
	return list
}

// headRunes is how long the beginning is that the columns head have.
const headRunes = 600

// selected is the condition for documents of an index, with arguments as columns have them.
func (s *Store) selected(index, prefix string, filters []store.Filter) (condition string, args []any) {
	where, args := textsql.Select(heads, asIs(s.tenant), index, prefix, filters)
	return numbered(where), ours(args)
}

// Stamp implements store.Text.
func (s *Store) Stamp(ctx context.Context, url string) (string, error) {
	return read(ctx, s.db, "store.stamp", func(ctx context.Context) (stamp string, err error) {
		err = s.db.pool.QueryRow(ctx, `SELECT stamp FROM text_document WHERE tenant = $1 AND index_name = $2 AND sha256 = $3`,
			s.tenant, store.Library, keyHash(url)).Scan(plain{&stamp})
		return stamp, orMissing(err, nil)
	})
}

// TextDocument implements store.Text.
func (s *Store) TextDocument(ctx context.Context, index, id string) (doc store.TextDocument, err error) {
	const op = "store.text_document"
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		doc = store.TextDocument{ID: id}
		var metadata string
		var record []byte
		err := s.db.pool.QueryRow(ctx, `SELECT d.url, d.title, d.published, d.stamp, d.metadata, d.text_record, p.language
			FROM text_document AS d JOIN text_part AS p ON p.id = d.part WHERE d.tenant = $1 AND d.index_name = $2 AND d.sha256 = $3`,
			s.tenant, escape(index), keyHash(id)).Scan(plain{&doc.URL}, plain{&doc.Title}, plain{&doc.Published}, plain{&doc.Stamp}, &metadata, &record, plain{&doc.Language})
		if err = orMissing(err, fault.NotFound(op, "the index has no document with that id")); err != nil {
			return err
		}
		if doc.Metadata, err = fulltext.ReadMetadata(op, metadata); err != nil {
			return err
		}
		original, err := fulltext.Unseal(op, record)
		doc.Text = string(original)
		return err
	})
	if err != nil {
		return store.TextDocument{}, err
	}
	return doc, nil
}

// RemoveDocument implements store.Text.
func (s *Store) RemoveDocument(ctx context.Context, url string) (bool, error) {
	n, err := s.removeKeys(ctx, "store.remove_document", store.Library, []string{url})
	return n == 1, err
}

// RemoveDocuments implements store.Text.
func (s *Store) RemoveDocuments(ctx context.Context, index string, which store.TextSelection) (int, error) {
	const op = "store.remove_documents"
	n, err := fulltext.Remove(ctx, op, index, which, func(ctx context.Context, keys []string) (int, error) { return s.removeKeys(ctx, op, index, keys) },
		func(ctx context.Context) (int, error) { return s.removeSelected(ctx, op, index, which) })
	return n, storeError(op, err)
}

func (s *Store) removeKeys(ctx context.Context, op, index string, keys []string) (removed int, err error) {
	err = s.writingTexts(ctx, op, index, func(ctx context.Context, w *textWrite) (err error) {
		removed, err = w.forget(ctx, keys)
		return err
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// removeSelected forgets the next of the selected documents.
func (s *Store) removeSelected(ctx context.Context, op, index string, which store.TextSelection) (int, error) {
	where, args := s.selected(index, which.IDPrefix, which.Filters)
	var keys []string
	err := s.db.reading(ctx, op, func(ctx context.Context) (err error) {
		keys, err = readRows(ctx, s.db.pool, fmt.Sprintf(`SELECT key FROM text_document WHERE %s LIMIT %d`, where, fulltext.RemovedAtOnce), scanKey, args...)
		return err
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return s.removeKeys(ctx, op, index, keys)
}

func scanKey(scan func(...any) error) (key string, err error) {
	err = scan(plain{&key})
	return key, err
}

// CountDocuments implements store.Text.
func (s *Store) CountDocuments(ctx context.Context, urlPrefix string) (n int, err error) {
	where, args := s.selected(store.Library, urlPrefix, nil)
	err = s.db.reading(ctx, "store.count_documents", func(ctx context.Context) error {
		return s.db.pool.QueryRow(ctx, `SELECT count(*) FROM text_document WHERE `+where, args...).Scan(&n)
	})
	return n, err
}

// ListDocuments implements store.Text.
func (s *Store) ListDocuments(ctx context.Context, urlPrefix string) ([]string, error) {
	where, args := s.selected(store.Library, urlPrefix, nil)
	return read(ctx, s.db, "store.list_documents", func(ctx context.Context) ([]string, error) {
		return readRows(ctx, s.db.pool, `SELECT key FROM text_document WHERE `+where+` ORDER BY head, key`, scanKey, args...)
	})
}

// ListIndexes implements store.Text.
func (s *Store) ListIndexes(ctx context.Context) ([]store.TextIndex, error) {
	return read(ctx, s.db, "store.list_indexes", func(ctx context.Context) (list []store.TextIndex, err error) {
		err = each(ctx, s.db.pool, `SELECT index_name, language, documents FROM text_part
			WHERE tenant = $1 AND documents > 0 ORDER BY index_name, language`, func(scan func(...any) error) error {
			var name, language string
			var documents int
			if err := scan(plain{&name}, plain{&language}, &documents); err != nil {
				return err
			}
			list = fulltext.AddIndex(list, name, language, documents)
			return nil
		}, s.tenant)
		return list, err
	})
}

// Documents implements store.Text.
func (s *Store) Documents(ctx context.Context, query store.DocumentQuery) (list []store.ListedDocument, err error) {
	const op = "store.documents"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	where, args := textsql.Select(heads, asIs(s.tenant), store.Library, query.URLPrefix, nil)
	if query.After != "" {
		where, args = where+" AND head >= left(?, 600) AND key > ?", append(args, query.After, query.After)
	}
	err = s.db.reading(ctx, op, func(ctx context.Context) (err error) {
		list, err = readRows(ctx, s.db.pool, numbered(`SELECT d.key, d.title, d.published, p.language, d.indexed_at FROM (SELECT * FROM text_document
			WHERE `+where+` ORDER BY head, key LIMIT ?) AS d JOIN text_part AS p ON p.id = d.part ORDER BY d.head, d.key`), scanListed, ours(append(args, query.Limit))...)
		if err != nil {
			return err
		}
		return s.describe(ctx, op, list)
	})
	return list, err
}

func scanListed(scan func(...any) error) (d store.ListedDocument, err error) {
	var indexed int64
	err = scan(plain{&d.URL}, plain{&d.Title}, plain{&d.Published}, plain{&d.Language}, &indexed)
	d.IndexedAt = microTime(indexed)
	return d, err
}

// describe adds to documents what their newest snapshots say of them.
func (s *Store) describe(ctx context.Context, op string, list []store.ListedDocument) error {
	urls, places := make([][]byte, len(list)), map[string]int{}
	for i, d := range list {
		urls[i] = hashOf(d.URL)
		places[string(urls[i])] = i
	}
	return each(ctx, s.db.pool, `SELECT DISTINCT ON (s.url) s.url, s.page_sha256, s.text_sha256, s.fetched_at, s.document_record, page.size, read.size
		FROM snapshot AS s LEFT JOIN blob AS page ON page.tenant = s.tenant AND page.sha256 = s.page_sha256
		LEFT JOIN blob AS read ON read.tenant = s.tenant AND read.sha256 = s.text_sha256
		WHERE s.tenant = $1 AND s.url = ANY ($2) ORDER BY s.url, s.fetched_at DESC, s.id DESC`, func(scan func(...any) error) error {
		var url, record []byte
		var page, read string
		var fetched int64
		var size, length *int64
		if err := scan(&url, &page, &read, &fetched, &record, &size, &length); err != nil {
			return err
		}
		d := &list[places[string(url)]]
		d.PageSHA256, d.TextSHA256, d.FetchedAt = page, read, microTime(fetched)
		if size != nil && length != nil {
			d.Bytes, d.TextBytes = *size, *length
		}
		return codec.DescribeDocument(op, record, d)
	}, s.tenant, urls)
}
