package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
)

// Texts are what of the text index each database does in its own way.
type Texts interface {
	// LockIndex keeps others from writing an index until the transaction ends.
	LockIndex(ctx context.Context, w *TextWrite) error
	// PutTexts writes documents in the place of what is there under their ids; of two with one id the later stays.
	PutTexts(ctx context.Context, w *TextWrite, batch []*fulltext.Prepared) error
	// ForgetTexts removes the documents under keys, those that there are, from all tables.
	ForgetTexts(ctx context.Context, w *TextWrite, keys []string) (removed int, err error)
	// TextKey is the value of column {key} by which a document is found.
	TextKey(key string) any
	// ListTexts returns documents that meet a condition, with their snapshots, at most query.Limit after query.After.
	ListTexts(ctx context.Context, from Conn, op, tenant string, query store.DocumentQuery, where string,
		args Arguments) ([]store.ListedDocument, error)
	// ReadIDs returns the ids that a query of one column gives, in no order.
	ReadIDs(ctx context.Context, from Conn, query string, args ...any) ([]int64, error)
	// ReadPages does what fulltext.PartReader.Pages does.
	ReadPages(ctx context.Context, from Conn, segments []int64, terms []string,
		do func(segment, term int, page fulltext.Page) error) error
	// WritePages returns what writes pages of segments.
	WritePages(tx Tx) PageWriter
	// Indexed is called after documents were indexed.
	Indexed(ctx context.Context)
}

// A PageWriter writes pages of segments; what was put is there when it was flushed.
type PageWriter interface {
	Put(ctx context.Context, segment int64, page fulltext.Page) error
	Flush(ctx context.Context) error
}

// IndexDocument implements store.Text.
func (s *Store) IndexDocument(ctx context.Context, doc citewell.Document, sourceStamp string) error {
	const op = "store.index_document"
	if doc.URL == "" {
		return fault.Invalid(op, "document.url is required")
	}
	return s.indexDocuments(ctx, op, store.Library,
		[]store.TextDocument{{ID: doc.URL, URL: doc.URL, Title: doc.Title, Text: doc.Text,
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
		return s.writingTexts(ctx, op, index, func(ctx context.Context, w *TextWrite) error {
			return s.b.PutTexts(ctx, w, batch)
		})
	})
	if err == nil {
		s.b.Indexed(ctx)
	}
	return s.b.Fail(op, err)
}

// A partKey names a part.
type partKey struct{ tenant, index, language string }

// partOf returns a function that finds or makes the part of an index in a language. Parts never change and are cached.
func (s *Store) partOf(index string) func(ctx context.Context, language string) (int64, error) {
	const op, find = "store.index_documents", `SELECT id FROM text_part WHERE tenant = $1 AND index_name = $2
		AND language = $3`
	return func(ctx context.Context, language string) (id int64, err error) {
		key := partKey{s.tenant, index, language}
		if id, ok := s.db.parts.Load(key); ok {
			return id.(int64), nil
		}
		var there bool
		err = s.b.Read(ctx, op, func(from Conn) (err error) {
			there, err = AnyRow(from.QueryRow(ctx, find, s.tenant, index, language).Scan(&id))
			return err
		})
		if err == nil && !there {
			err = s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
				if _, err := tx.Exec(ctx, `INSERT INTO text_part (tenant, index_name, language, documents, terms)
					VALUES ($1, $2, $3, 0, 0)
					ON CONFLICT DO NOTHING`, s.tenant, index, language); err != nil {
					return err
				}
				return tx.QueryRow(ctx, find, s.tenant, index, language).Scan(&id)
			})
		}
		if err == nil {
			s.db.parts.Store(key, id)
		}
		return id, err
	}
}

// A TextWrite is one transaction's work on an index of one tenant, which nobody else writes meanwhile.
type TextWrite struct {
	Tx
	Tenant, Index string
	Last          int64 // the number of the newest document, where the backend numbers them by the index
	counts        map[int64]partCount
}

type partCount struct{ documents, terms, removed int }

// Count notes that a part has more documents, or fewer, with so many terms.
func (w *TextWrite) Count(part int64, documents, terms int) {
	c := w.counts[part]
	w.counts[part] = partCount{c.documents + documents, c.terms + terms, c.removed + max(0, -documents)}
}

const countTexts = `UPDATE text_part SET documents = documents + $1, terms = terms + $2 WHERE id = $3`

// writingTexts runs do while nobody else writes the index, and brings its totals and postings up to date.
func (s *Store) writingTexts(ctx context.Context, op, index string,
	do func(ctx context.Context, w *TextWrite) error) error {
	return s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		w := &TextWrite{Tx: tx, Tenant: s.tenant, Index: index, counts: map[int64]partCount{}}
		if err := s.b.LockIndex(ctx, w); err != nil {
			return err
		}
		if err := do(ctx, w); err != nil {
			return err
		}
		for _, part := range slices.Sorted(maps.Keys(w.counts)) {
			c := w.counts[part]
			if _, err := tx.Exec(ctx, countTexts, c.documents, c.terms, part); err != nil {
				return err
			}
			rows := partRows{segmentRows{s.db, tx}, tx, s.b.WritePages(tx), part}
			if err := cmp.Or(fulltext.Pack(ctx, rows, part, c.removed), rows.pages.Flush(ctx)); err != nil {
				return err
			}
		}
		return nil
	})
}

// A staleAt is a place in the order of documents by the version of their terms.
type staleAt struct {
	version       int
	tenant, index string
	id            int64
}

// RenewTexts indexes anew the documents of an earlier version of package text; several processes may do it at once.
func RenewTexts(ctx context.Context, db *DB) error {
	return EachStale(ctx, db, func(ctx context.Context, stale []fulltext.Stale) error {
		s := Bind(db, stale[0].Tenant)
		return s.renewTexts(ctx, "store.open", stale)
	})
}

// EachStale calls write with documents of one index whose terms an earlier version of package text made.
func EachStale(ctx context.Context, db *DB, write func(context.Context, []fulltext.Stale) error) error {
	const op = "store.open"
	places := func(ctx context.Context, after staleAt) ([]staleAt, error) {
		return readValue(ctx, db.b, op, func(from Conn) ([]staleAt, error) {
			return ReadRows(ctx, from,
				`SELECT terms_version, tenant, index_name, id FROM text_document WHERE terms_version < $1
				AND `+
					db.dialect.StaleAfter+` LIMIT $6`, func(scan func(...any) error) (at staleAt, err error) {
					err = scan(&at.version, &at.tenant, &at.index, &at.id)
					return at, err
				}, text.TermsVersion, after.version, after.tenant, after.index, after.id, fulltext.RenewedAtOnce)
		})
	}
	stale := func(ctx context.Context, at staleAt) (s fulltext.Stale, there bool, err error) {
		err = db.b.Read(ctx, op, func(from Conn) (err error) {
			s = fulltext.Stale{Tenant: at.tenant, Index: at.index, ID: at.id}
			there, err = AnyRow(from.QueryRow(ctx,
				`SELECT d.indexed_at, d.key, d.url, d.title, d.published, d.stamp, d.metadata, d.text_record, p.language
				FROM text_document AS d JOIN text_part AS p ON p.id = d.part WHERE {+}d.tenant = $1 AND {+}d.index_name = $2
					AND d.id = $3`, at.tenant, at.index, at.id).
				Scan(&s.IndexedAt, &s.Doc.ID, &s.Doc.URL, &s.Doc.Title, &s.Doc.Published, &s.Doc.Stamp,
					&s.Fields, &s.Record, &s.Doc.Language))
			return err
		})
		return s, there, err
	}
	return fulltext.Renew(ctx, places, stale, write)
}

func (s *Store) renewTexts(ctx context.Context, op string, stale []fulltext.Stale) error {
	index := stale[0].Index
	prepared, err := fulltext.Prepare(ctx, fulltext.Docs(stale), s.partOf(index))
	if err != nil {
		return err
	}
	return s.writingTexts(ctx, op, index, func(ctx context.Context, w *TextWrite) error {
		ids := make([]int64, len(stale))
		for i := range stale {
			ids[i] = stale[i].ID
		}
		// Some may have been indexed anew by another process, or since.
		old := map[int64]int64{}
		args := Arguments{s.tenant, index, text.TermsVersion}
		if err := Each(ctx, w.Tx, `SELECT id, indexed_at FROM text_document WHERE {+}tenant = $1 AND {+}index_name = $2
			AND terms_version < $3 AND `+
			oneOfIDs(s.db, &args, "id", ids), func(scan func(...any) error) error {
			var id, at int64
			err := scan(&id, &at)
			old[id] = at
			return err
		}, args...); err != nil {
			return err
		}
		var batch []*fulltext.Prepared
		for i := range stale {
			if at, there := old[stale[i].ID]; there && at == stale[i].IndexedAt {
				batch = append(batch, prepared[i])
			}
		}
		return s.b.PutTexts(ctx, w, batch)
	})
}
