package sqlstore

import (
	"context"
	"strconv"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/textsql"
)

// SearchText implements store.Text.
func (s *Store) SearchText(ctx context.Context, query store.TextQuery) (hits []store.TextHit, err error) {
	if err := fulltext.CheckSearch(&query); err != nil {
		return nil, err
	}
	err = s.searching(ctx, "store.search_text", query.Index, func(ctx context.Context, search textSearch) (err error) {
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
	err = s.searching(ctx, op, query.Index, func(ctx context.Context, search textSearch) (err error) {
		n, err = fulltext.Count(ctx, search, query)
		return err
	})
	return n, err
}

// searching runs do in one view of an index, whatever is written meanwhile.
func (s *Store) searching(ctx context.Context, op, index string, do func(context.Context, textSearch) error) error {
	return s.b.View(ctx, op, func(view Conn) error {
		return do(ctx, textSearch{segmentRows{s.db, view}, &s.db.segments, s.tenant, index})
	})
}

// selected is the condition for documents of an index.
func (s *Store) selected(index, prefix string, filters []store.Filter) (condition string, args Arguments) {
	where, values := textsql.Select(s.db.dialect.Texts, s.tenant, index, prefix, filters)
	return args.Fill(where, values...), args
}

// Stamp implements store.Text.
func (s *Store) Stamp(ctx context.Context, url string) (string, error) {
	return readValue(ctx, s.b, "store.stamp", func(from Conn) (stamp string, err error) {
		err = from.QueryRow(ctx, `SELECT stamp FROM text_document WHERE tenant = $1 AND index_name = $2 AND {key} = $3`,
			s.tenant, store.Library, s.b.TextKey(url)).Scan(&stamp)
		return stamp, OrMissing(err, nil)
	})
}

// TextDocument implements store.Text.
func (s *Store) TextDocument(ctx context.Context, index, id string) (store.TextDocument, error) {
	const op = "store.text_document"
	return readValue(ctx, s.b, op, func(from Conn) (store.TextDocument, error) {
		doc := store.TextDocument{ID: id}
		var metadata string
		var record []byte
		err := from.QueryRow(ctx, `SELECT d.url, d.title, d.published, d.stamp, d.metadata, d.text_record, p.language
			FROM text_document AS d JOIN text_part AS p ON p.id = d.part WHERE d.tenant = $1 AND d.index_name = $2
				AND d.{key} = $3`,
			s.tenant, index, s.b.TextKey(id)).Scan(&doc.URL, &doc.Title, &doc.Published, &doc.Stamp, &metadata, &record,
			&doc.Language)
		if err = OrMissing(err, fault.NotFound(op, "the index has no document with that id")); err != nil {
			return doc, err
		}
		if doc.Metadata, err = fulltext.ReadMetadata(op, metadata); err != nil {
			return doc, err
		}
		original, err := fulltext.Unseal(op, record)
		doc.Text = string(original)
		return doc, err
	})
}

// RemoveDocument implements store.Text.
func (s *Store) RemoveDocument(ctx context.Context, url string) (bool, error) {
	n, err := s.removeKeys(ctx, "store.remove_document", store.Library, []string{url})
	return n == 1, err
}

// RemoveDocuments implements store.Text.
func (s *Store) RemoveDocuments(ctx context.Context, index string, which store.TextSelection) (int, error) {
	const op = "store.remove_documents"
	n, err := fulltext.Remove(ctx, op, index, which, func(ctx context.Context, keys []string) (int, error) {
		return s.removeKeys(ctx, op, index, keys)
	},
		func(ctx context.Context) (int, error) { return s.removeSelected(ctx, op, index, which) })
	return n, s.b.Fail(op, err)
}

func (s *Store) removeKeys(ctx context.Context, op, index string, keys []string) (removed int, err error) {
	err = s.writingTexts(ctx, op, index, func(ctx context.Context, w *TextWrite) (err error) {
		removed, err = s.b.ForgetTexts(ctx, w, keys)
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
	keys, err := readValue(ctx, s.b, op, func(from Conn) ([]string, error) {
		return ReadColumn[string](ctx, from, `SELECT key FROM text_document WHERE `+where+`
			LIMIT `+strconv.Itoa(fulltext.RemovedAtOnce), args...)
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return s.removeKeys(ctx, op, index, keys)
}

// CountDocuments implements store.Text.
func (s *Store) CountDocuments(ctx context.Context, urlPrefix string) (int, error) {
	where, args := s.selected(store.Library, urlPrefix, nil)
	return readValue(ctx, s.b, "store.count_documents", func(from Conn) (n int, err error) {
		err = from.QueryRow(ctx, `SELECT count(*) FROM text_document WHERE `+where, args...).Scan(&n)
		return n, err
	})
}

// ListDocuments implements store.Text.
func (s *Store) ListDocuments(ctx context.Context, urlPrefix string) ([]string, error) {
	where, args := s.selected(store.Library, urlPrefix, nil)
	return readValue(ctx, s.b, "store.list_documents", func(from Conn) ([]string, error) {
		return ReadColumn[string](ctx, from, `SELECT key FROM text_document WHERE `+where+` ORDER BY {head,} key`,
			args...)
	})
}

// ListIndexes implements store.Text.
func (s *Store) ListIndexes(ctx context.Context) ([]store.TextIndex, error) {
	return readValue(ctx, s.b, "store.list_indexes", func(from Conn) (list []store.TextIndex, err error) {
		err = Each(ctx, from, `SELECT index_name, language, documents FROM text_part
			WHERE tenant = $1 AND documents > 0 ORDER BY index_name, language`, func(scan func(...any) error) error {
			var name, language string
			var documents int
			if err := scan(&name, &language, &documents); err != nil {
				return err
			}
			list = fulltext.AddIndex(list, name, language, documents)
			return nil
		}, s.tenant)
		return list, err
	})
}

// Documents implements store.Text.
func (s *Store) Documents(ctx context.Context, query store.DocumentQuery) ([]store.ListedDocument, error) {
	const op = "store.documents"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	where, args := s.selected(store.Library, query.URLPrefix, nil)
	return readValue(ctx, s.b, op, func(from Conn) ([]store.ListedDocument, error) {
		return s.b.ListTexts(ctx, from, op, s.tenant, query, where, args)
	})
}
