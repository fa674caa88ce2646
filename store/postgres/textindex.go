package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/text"
	"github.com/jackc/pgx/v5"
)

var _ store.Text = (*Store)(nil)

// IndexDocument implements store.Text.
func (s *Store) IndexDocument(ctx context.Context, doc citewell.Document, sourceStamp string) error {
	const op = "store.index_document"
	if doc.URL == "" {
		return fault.Invalid(op, "document.url is required")
	}
	return s.indexDocuments(ctx, op, store.Library, []store.TextDocument{{ID: doc.URL, URL: doc.URL, Title: doc.Title, Text: doc.Text,
		Language: doc.Language, Published: doc.Published, Stamp: sourceStamp}})
}

// IndexDocuments implements store.Text.
func (s *Store) IndexDocuments(ctx context.Context, index string, docs []store.TextDocument) error {
	return s.indexDocuments(ctx, "store.index_documents", index, docs)
}

func (s *Store) indexDocuments(ctx context.Context, op, index string, docs []store.TextDocument) error {
	if err := fulltext.CheckDocuments(op, index, docs); err != nil {
		return err
	}
	err := fulltext.Index(ctx, docs, s.partOf(index), func(batch []*fulltext.Prepared) error {
		return s.writingTexts(ctx, op, index, func(ctx context.Context, w *textWrite) error { return w.put(ctx, batch) })
	})
	if err == nil {
		s.db.planned(ctx)
	}
	return storeError(op, err)
}

// A partKey names a part.
type partKey struct{ tenant, index, language string }

// partOf returns a function for the part of an index in a language, made where it has none. It
// never changes, so each is read once.
func (s *Store) partOf(index string) func(ctx context.Context, language string) (int64, error) {
	return func(ctx context.Context, language string) (int64, error) {
		key := partKey{s.tenant, index, language}
		if id, ok := s.db.parts.Load(key); ok {
			return id.(int64), nil
		}
		var id int64
		err := s.db.again(ctx, "store.index_documents", func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `INSERT INTO text_part (tenant, index_name, language) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
				s.tenant, escape(index), escape(language)); err != nil {
				return err
			}
			return tx.QueryRow(ctx, `SELECT id FROM text_part WHERE tenant = $1 AND index_name = $2 AND language = $3`,
				s.tenant, escape(index), escape(language)).Scan(&id)
		})
		if err == nil {
			s.db.parts.Store(key, id)
		}
		return id, err
	}
}

// A textWrite is one transaction's work on an index of one tenant, which nobody else writes
// meanwhile.
type textWrite struct {
	tx            pgx.Tx
	tenant, index string // as their columns have them
	last          int64  // the number of the newest document
	counts        map[int64]partCount
}

type partCount struct{ documents, terms, removed int }

// writingTexts runs do while nobody else writes the index, and brings its totals and postings
// up to date. Other writers wait for as long as a statement may take.
func (s *Store) writingTexts(ctx context.Context, op, index string, do func(ctx context.Context, w *textWrite) error) error {
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		w := &textWrite{tx: tx, tenant: s.tenant, index: escape(index), counts: map[int64]partCount{}}
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = 0`); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `INSERT INTO text_index AS i (tenant, index_name) VALUES ($1, $2)
			ON CONFLICT (tenant, index_name) DO UPDATE SET last = i.last RETURNING last`, w.tenant, w.index).Scan(&w.last); err != nil {
			return err
		}
		if err := do(ctx, w); err != nil {
			return err
		}
		return w.finish(ctx)
	})
}

// put writes documents in place of what is there under their ids; of two with one id the later
// stays.
func (w *textWrite) put(ctx context.Context, batch []*fulltext.Prepared) error {
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
	if _, err := w.forget(ctx, slices.Collect(maps.Keys(places))); err != nil {
		return err
	}
	var now int64
	first := w.last + 1
	w.last += int64(len(keep))
	if err := w.tx.QueryRow(ctx, `UPDATE text_index SET last = $3 WHERE tenant = $1 AND index_name = $2 RETURNING micros()`, w.tenant, w.index, w.last).Scan(&now); err != nil {
		return err
	}
	var documents, loose, metadata [][]any
	for i, p := range keep {
		id := first + int64(i)
		at, version := p.At(now, text.TermsVersion)
		documents = append(documents, []any{w.tenant, w.index, id, escape(p.ID), keyHash(p.ID), p.Part, escape(p.URL), escape(p.Title), escape(p.Published), escape(p.Stamp),
			p.Terms, at, p.Fields, p.TermsRecord, p.TextRecord, version})
		loose = append(loose, []any{p.Part, id, p.Terms})
		for _, key := range slices.Sorted(maps.Keys(p.Metadata)) {
			metadata = append(metadata, w.metadata(id, key, p.Metadata[key]))
		}
		w.count(p.Part, 1, p.Terms)
	}
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{
		{"text_document", []string{"tenant", "index_name", "id", "key", "sha256", "part", "url", "title", "published", "stamp", "terms", "indexed_at", "metadata",
			"terms_record", "text_record", "terms_version"}, documents},
		{"text_metadata", []string{"tenant", "index_name", "document", "key", "value", "number", "moment"}, metadata},
		{"text_loose", []string{"part", "document", "terms"}, loose},
	} {
		if _, err := w.tx.CopyFrom(ctx, pgx.Identifier{table.name}, table.columns, pgx.CopyFromRows(table.rows)); err != nil {
			return err
		}
	}
	return nil
}

// metadata is the row of one key of a document.
func (w *textWrite) metadata(document int64, key, value string) []any {
	number, moment := numberOrMoment(value)
	return []any{w.tenant, w.index, document, escape(key), escape(value), number, moment}
}

// numberOrMoment is what a value of metadata says, as its columns have it.
func numberOrMoment(value string) (number, moment any) {
	if n, ok := store.ReadNumber(value); ok {
		return n, nil
	}
	if m, ok := store.ReadMoment(value); ok {
		return nil, m
	}
	return nil, nil
}

// keyHash is by what a document is found whose key may be longer than an index takes.
func keyHash(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// forget removes the documents under keys, those that there are, from all tables.
func (w *textWrite) forget(ctx context.Context, keys []string) (removed int, err error) {
	hashes := make([][]byte, len(keys))
	for i, key := range keys {
		hashes[i] = keyHash(key)
	}
	type row struct {
		id, part int64
		terms    int
	}
	gone, err := readRows(ctx, w.tx, `DELETE FROM text_document WHERE tenant = $1 AND index_name = $2 AND sha256 = ANY ($3) RETURNING id, part, terms`,
		func(scan func(...any) error) (r row, err error) {
			err = scan(&r.id, &r.part, &r.terms)
			return r, err
		}, w.tenant, w.index, hashes)
	if err != nil || len(gone) == 0 {
		return 0, err
	}
	var ids, parts []int64
	for _, r := range gone {
		ids, parts = append(ids, r.id), append(parts, r.part)
		w.count(r.part, -1, -r.terms)
	}
	if _, err := w.tx.Exec(ctx, `DELETE FROM text_metadata WHERE tenant = $1 AND index_name = $2 AND document = ANY ($3)`, w.tenant, w.index, ids); err != nil {
		return 0, err
	}
	// Those that no segment has yet go; of the others it is noted that they are gone.
	_, err = w.tx.Exec(ctx, `WITH removed AS (SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS r (part, document)),
		loose AS (DELETE FROM text_loose AS l USING removed AS r WHERE l.part = r.part AND l.document = r.document RETURNING l.part, l.document)
		INSERT INTO text_gone SELECT part, document FROM removed EXCEPT SELECT part, document FROM loose`, parts, ids)
	return len(gone), err
}

func (w *textWrite) count(part int64, documents, terms int) {
	c := w.counts[part]
	w.counts[part] = partCount{c.documents + documents, c.terms + terms, c.removed + max(0, -documents)}
}

// finish keeps the totals of the parts, and their postings, up to date.
func (w *textWrite) finish(ctx context.Context) error {
	for _, part := range slices.Sorted(maps.Keys(w.counts)) {
		c := w.counts[part]
		if _, err := w.tx.Exec(ctx, `UPDATE text_part SET documents = documents + $1, terms = terms + $2 WHERE id = $3`, c.documents, c.terms, part); err != nil {
			return err
		}
		rows := &partRows{segmentRows: segmentRows{w.tx}, part: part}
		if err := cmp.Or(fulltext.Pack(ctx, rows, part, c.removed), rows.flush(ctx)); err != nil {
			return err
		}
	}
	return nil
}
