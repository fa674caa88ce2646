package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/store/internal/fulltext"
)

// removedAtOnce is how many documents one transaction forgets.
const removedAtOnce = 500

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
	if err := fulltext.CheckIndexName(op, index); err != nil {
		return 0, err
	}
	if err := store.CheckFilters(op, which.Filters); err != nil {
		return 0, err
	}
	chosen := which.IDPrefix != "" || len(which.Filters) > 0
	if !chosen && len(which.IDs) == 0 && !which.All {
		return 0, fault.Invalid(op, "nothing is selected: give ids, an id prefix, filters, or say all")
	}
	removed := 0
	for ids := range slices.Chunk(which.IDs, removedAtOnce) {
		n, err := s.removeKeys(ctx, index, ids)
		if removed += n; err != nil {
			return removed, storeError(op, err)
		}
	}
	if !chosen && len(which.IDs) > 0 {
		return removed, nil
	}
	for {
		n, err := s.removeSelected(ctx, index, which)
		if removed += n; err != nil || n == 0 {
			return removed, storeError(op, err)
		}
	}
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
	where, args := selectTexts(s.tenant, index, which.IDPrefix, which.Filters)
	keys, err := readColumn[string](ctx, s.db.reads, `SELECT key FROM text_document WHERE `+where+` LIMIT ?`, append(args, removedAtOnce)...)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	return s.removeKeys(ctx, index, keys)
}

// CountDocuments implements store.Text.
func (s *Store) CountDocuments(ctx context.Context, urlPrefix string) (int, error) {
	var n int
	where, args := selectTexts(s.tenant, store.Library, urlPrefix, nil)
	err := s.db.reads.QueryRowContext(ctx, `SELECT count(*) FROM text_document WHERE `+where, args...).Scan(&n)
	return n, storeError("store.count_documents", err)
}

// ListDocuments implements store.Text.
func (s *Store) ListDocuments(ctx context.Context, urlPrefix string) ([]string, error) {
	where, args := selectTexts(s.tenant, store.Library, urlPrefix, nil)
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
		if len(list) == 0 || list[len(list)-1].Name != name {
			list = append(list, store.TextIndex{Name: name})
		}
		last := &list[len(list)-1]
		last.Documents += documents
		last.Languages = append(last.Languages, language)
		return nil
	}, s.tenant)
	if err != nil {
		return nil, storeError("store.list_indexes", err)
	}
	return list, nil
}

// selectTexts is the condition, with its arguments, for the documents of an index
// that have a prefix and meet the filters.
func selectTexts(tenant, index, prefix string, filters []store.Filter) (condition string, args []any) {
	c := conditions{tenant: tenant, index: index}
	c.add("tenant = ? AND index_name = ?", tenant, index)
	c.prefix(prefix)
	for _, f := range filters {
		c.filter(f)
	}
	return strings.Join(c.all, " AND "), c.args
}

type conditions struct {
	tenant, index string
	all           []string
	args          []any
}

func (c *conditions) add(condition string, args ...any) {
	c.all = append(c.all, condition)
	c.args = append(c.args, args...)
}

// prefix is for keys that begin so, in a form that the index serves.
func (c *conditions) prefix(prefix string) {
	if prefix == "" {
		return
	}
	c.add("key >= ?", prefix)
	if end := prefixEnd(prefix); end != "" {
		c.add("key < ?", end)
	}
}

// prefixEnd is the first text after all that begin with prefix; empty where there is none.
func prefixEnd(prefix string) string {
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) > 0 {
		end[len(end)-1]++
	}
	return string(end)
}

// filter adds one filter.
func (c *conditions) filter(f store.Filter) {
	match, own := c.divide(f)
	condition := "id IN (SELECT document FROM text_metadata WHERE " + strings.Join(match.all, " AND ") + ")"
	args := match.args
	if len(own.all) > 0 {
		condition = "(" + condition + " OR " + strings.Join(own.all, " AND ") + ")"
		args = append(args, own.args...)
	}
	if f.Not {
		condition = "NOT " + condition
	}
	c.add(condition, args...)
}

// divide makes of a filter, whether or not it leaves out, conditions for metadata and for
// documents: a document's own language and date count as metadata.
func (c *conditions) divide(f store.Filter) (match, own conditions) {
	match.add("tenant = ? AND index_name = ? AND key = ?", c.tenant, c.index, f.Key)
	if len(f.In) > 0 {
		values := make([]any, len(f.In))
		for i, value := range f.In {
			values[i] = value
		}
		marks := "(?" + strings.Repeat(", ?", len(values)-1) + ")"
		match.add("value IN "+marks, values...)
		switch f.Key {
		case "language":
			own.add("part IN (SELECT id FROM text_part WHERE tenant = ? AND index_name = ? AND language IN "+marks+")",
				slices.Concat([]any{c.tenant, c.index}, values)...)
		case "published":
			own.add("published IN "+marks, values...)
		}
	} else {
		r, err := f.Range()
		if err != nil { // CheckFilters has seen it
			r = store.Range{Min: 1, Max: 0}
		}
		if r.Dates {
			match.add("moment >= ? AND moment <= ?", clampMicros(r.Min), clampMicros(r.Max))
		} else {
			match.add("number >= ? AND number <= ?", r.Min, r.Max)
		}
		if f.Key == "published" && r.Dates {
			own.add("length(published) = 10 AND published >= ? AND published <= ?", dayFrom(r.Min), dayOf(r.Max))
		}
	}
	return match, own
}

// metadataIDs is a query for the documents that meet a filter, whether or not it leaves
// out, where metadata alone decides.
func metadataIDs(tenant, index string, f store.Filter) (query string, args []any, ok bool) {
	c := conditions{tenant: tenant, index: index}
	match, own := c.divide(f)
	return `SELECT document FROM text_metadata WHERE ` + strings.Join(match.all, " AND "), match.args, len(own.all) == 0
}

// lastMicros is the end of the year 9999.
const lastMicros = 253402300799999999

func clampMicros(m float64) int64 { return int64(min(max(m, -lastMicros), lastMicros)) }

// dayOf returns the day of a moment as YYYY-MM-DD.
func dayOf(m float64) string {
	return time.UnixMicro(max(clampMicros(m), -62135596800000000)).UTC().Format(time.DateOnly)
}

// dayFrom returns the first day that begins at a moment or after it.
func dayFrom(m float64) string {
	return dayOf(m + float64((24*time.Hour - time.Microsecond).Microseconds()))
}
