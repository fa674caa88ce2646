package sqlite

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/textsql"
)

// Stamp implements store.Text.
func (s *Store) Stamp(ctx context.Context, url string) (string, error) {
	var stamp string
	err := s.db.reads.QueryRowContext(ctx, `SELECT stamp FROM text_document WHERE tenant = ? AND index_name = ? AND key = ?`,
		s.tenant, store.Library, url).Scan(&stamp)
	return stamp, storeError("store.stamp", orMissing(err, nil))
}

// TextDocument implements store.Text.
func (s *Store) TextDocument(ctx context.Context, index, id string) (store.TextDocument, error) {
	const op = "store.text_document"
	doc := store.TextDocument{ID: id}
	var metadata string
	var record []byte
	err := s.db.reads.QueryRowContext(ctx, `SELECT d.url, d.title, d.published, d.stamp, d.metadata, d.text_record, p.language
		FROM text_document AS d JOIN text_part AS p ON p.id = d.part WHERE d.tenant = ? AND d.index_name = ? AND d.key = ?`,
		s.tenant, index, id).Scan(&doc.URL, &doc.Title, &doc.Published, &doc.Stamp, &metadata, &record, &doc.Language)
	if err = orMissing(err, fault.NotFound(op, "the index has no document with that id")); err == nil {
		doc.Metadata, err = fulltext.ReadMetadata(op, metadata)
	}
	var original []byte
	if err == nil {
		original, err = fulltext.Unseal(op, record)
	}
	if err != nil {
		return store.TextDocument{}, storeError(op, err)
	}
	doc.Text = string(original)
	return doc, nil
}

// RemoveDocument implements store.Text.
func (s *Store) RemoveDocument(ctx context.Context, url string) (bool, error) {
	n, err := s.removeKeys(ctx, store.Library, []string{url})
	return n == 1, storeError("store.remove_document", err)
}

// RemoveDocuments implements store.Text.
func (s *Store) RemoveDocuments(ctx context.Context, index string, which store.TextSelection) (int, error) {
	const op = "store.remove_documents"
	n, err := fulltext.Remove(ctx, op, index, which, func(ctx context.Context, keys []string) (int, error) { return s.removeKeys(ctx, index, keys) },
		func(ctx context.Context) (int, error) { return s.removeSelected(ctx, index, which) })
	return n, storeError(op, err)
}

func (s *Store) removeKeys(ctx context.Context, index string, keys []string) (removed int, err error) {
	err = s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		removed = 0 // it may be done again
		w := textWrite{s, tx, index, map[int64]partCount{}}
		for _, key := range keys {
			there, err := w.forget(ctx, key)
			if err != nil {
				return err
			}
			if there {
				removed++
			}
		}
		return w.finish(ctx)
	})
	if err != nil {
		removed = 0
	}
	return removed, err
}

// removeSelected forgets the next of the selected documents.
func (s *Store) removeSelected(ctx context.Context, index string, which store.TextSelection) (int, error) {
	where, args := textsql.Select(textsql.Bytes, s.tenant, index, which.IDPrefix, which.Filters)
	keys, err := readColumn[string](ctx, s.db.reads, `SELECT key FROM text_document WHERE `+where+` LIMIT ?`, append(args, fulltext.RemovedAtOnce)...)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return s.removeKeys(ctx, index, keys)
}

// CountDocuments implements store.Text.
func (s *Store) CountDocuments(ctx context.Context, urlPrefix string) (int, error) {
	var n int
	where, args := textsql.Select(textsql.Bytes, s.tenant, store.Library, urlPrefix, nil)
	err := s.db.reads.QueryRowContext(ctx, `SELECT count(*) FROM text_document WHERE `+where, args...).Scan(&n)
	return n, storeError("store.count_documents", err)
}

// ListDocuments implements store.Text.
func (s *Store) ListDocuments(ctx context.Context, urlPrefix string) ([]string, error) {
	where, args := textsql.Select(textsql.Bytes, s.tenant, store.Library, urlPrefix, nil)
	urls, err := readColumn[string](ctx, s.db.reads, `SELECT key FROM text_document WHERE `+where+` ORDER BY key`, args...)
	return urls, storeError("store.list_documents", err)
}

// ListIndexes implements store.Text.
func (s *Store) ListIndexes(ctx context.Context) ([]store.TextIndex, error) {
	var list []store.TextIndex
	err := each(ctx, s.db.reads, `SELECT index_name, language, documents FROM text_part
		WHERE tenant = ? AND documents > 0 ORDER BY index_name, language`, func(scan func(...any) error) error {
		var name, language string
		var documents int
		if err := scan(&name, &language, &documents); err != nil {
			return err
		}
		list = fulltext.AddIndex(list, name, language, documents)
		return nil
	}, s.tenant)
	if err != nil {
		return nil, storeError("store.list_indexes", err)
	}
	return list, nil
}
