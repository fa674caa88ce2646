package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/text"
)

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
	return storeError(op, fulltext.Index(ctx, docs, s.partOf(index), func(batch []*fulltext.Prepared) error {
		return s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.writeTexts(ctx, tx, index, batch) })
	}))
}

// partOf returns a function for the part of an index in a language, made where it has none.
func (s *Store) partOf(index string) func(ctx context.Context, language string) (int64, error) {
	return func(ctx context.Context, language string) (int64, error) { return s.part(ctx, index, language) }
}

// A partKey names a part.
type partKey struct{ tenant, index, language string }

// part returns the id of what an index holds in a language, made where it has none.
// It never changes, so each is read once.
func (s *Store) part(ctx context.Context, index, language string) (int64, error) {
	key := partKey{s.tenant, index, language}
	if id, ok := s.db.parts.Load(key); ok {
		return id.(int64), nil
	}
	const find = `SELECT id FROM text_part WHERE tenant = ? AND index_name = ? AND language = ?`
	var id int64
	err := s.db.reads.QueryRowContext(ctx, find, s.tenant, index, language).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, `INSERT INTO text_part (tenant, index_name, language, documents, terms)
				VALUES (?, ?, ?, 0, 0) ON CONFLICT DO NOTHING`, s.tenant, index, language); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, find, s.tenant, index, language).Scan(&id)
		})
	}
	if err != nil {
		return 0, err
	}
	s.db.parts.Store(key, id)
	return id, nil
}

// textStatements are what is written for every document, parsed once.
type textStatements struct {
	preparing
	insert, metadata, loose, remove, removeMetadata, removeLoose, gone, count *sql.Stmt
}

func (t *textStatements) prepare(ctx context.Context, db *sql.DB) error {
	return t.preparing.prepare(ctx, db, map[**sql.Stmt]string{
		&t.insert: `INSERT INTO text_document (id, tenant, index_name, key, part, url, title, published, stamp, terms, indexed_at, metadata,
			terms_record, text_record, terms_version) VALUES (1 + max(coalesce((SELECT max(id) FROM text_document), 0),
			coalesce((SELECT max(document) FROM text_gone), 0)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&t.metadata: `INSERT INTO text_metadata (document, key, tenant, index_name, value, number, moment)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
		&t.remove:         `DELETE FROM text_document WHERE tenant = ? AND index_name = ? AND key = ? RETURNING id, part, terms`,
		&t.removeMetadata: `DELETE FROM text_metadata WHERE document = ?`,
		&t.loose:          `INSERT INTO text_loose (part, document, terms) VALUES (?, ?, ?)`,
		&t.removeLoose:    `DELETE FROM text_loose WHERE part = ? AND document = ?`,
		&t.gone:           `INSERT INTO text_gone (part, document) VALUES (?, ?) ON CONFLICT DO NOTHING`,
		&t.count:          `UPDATE text_part SET documents = documents + ?, terms = terms + ? WHERE id = ?`,
	})
}

// A textWrite is one transaction's work on the text index of one tenant.
type textWrite struct {
	*Store
	tx     *sql.Tx
	index  string
	counts map[int64]partCount
}

type partCount struct{ documents, terms, removed int }

func (s *Store) writeTexts(ctx context.Context, tx *sql.Tx, index string, batch []*fulltext.Prepared) error {
	w := textWrite{s, tx, index, map[int64]partCount{}}
	for _, p := range batch {
		if err := w.put(ctx, p); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// put writes one document in place of what is there under its id.
func (w textWrite) put(ctx context.Context, p *fulltext.Prepared) error {
	id, added, err := w.insert(ctx, p)
	if err == nil && !added {
		if _, err = w.forget(ctx, p.ID); err == nil {
			id, _, err = w.insert(ctx, p)
		}
	}
	if err != nil {
		return err
	}
	return w.putRest(ctx, id, p)
}

// insert adds the row of a document, where its id is free.
func (w textWrite) insert(ctx context.Context, p *fulltext.Prepared) (id int64, added bool, err error) {
	at, version := p.At(time.Now().UnixMicro(), text.TermsVersion)
	result, err := w.tx.StmtContext(ctx, w.db.texts.insert).ExecContext(ctx, w.tenant, w.index, p.ID, p.Part, p.URL, p.Title, p.Published,
		p.Stamp, p.Terms, at, p.Fields, p.TermsRecord, p.TextRecord, version)
	if err != nil {
		return 0, false, err
	}
	rows, err := result.RowsAffected()
	if err != nil || rows == 0 {
		return 0, false, err
	}
	id, err = result.LastInsertId()
	return id, true, err
}

func (w textWrite) putRest(ctx context.Context, id int64, p *fulltext.Prepared) error {
	for key, value := range p.Metadata {
		var number, moment any
		if n, ok := store.ReadNumber(value); ok {
			number = n
		} else if m, ok := store.ReadMoment(value); ok {
			moment = m
		}
		if _, err := w.tx.StmtContext(ctx, w.db.texts.metadata).ExecContext(ctx, id, key, w.tenant, w.index, value, number, moment); err != nil {
			return err
		}
	}
	if _, err := w.tx.StmtContext(ctx, w.db.texts.loose).ExecContext(ctx, p.Part, id, p.Terms); err != nil {
		return err
	}
	w.count(p.Part, 1, p.Terms)
	return nil
}

// forget removes the document under key, if there is one, from all its tables.
func (w textWrite) forget(ctx context.Context, key string) (bool, error) {
	var id, part int64
	var terms int
	err := w.tx.StmtContext(ctx, w.db.texts.remove).QueryRowContext(ctx, w.tenant, w.index, key).Scan(&id, &part, &terms)
	if there, err := anyRow(err); !there {
		return false, err
	}
	if _, err := w.tx.StmtContext(ctx, w.db.texts.removeMetadata).ExecContext(ctx, id); err != nil {
		return false, err
	}
	if err := w.forgetPostings(ctx, part, id); err != nil {
		return false, err
	}
	w.count(part, -1, -terms)
	return true, nil
}

func (w textWrite) count(part int64, documents, terms int) {
	c := w.counts[part]
	w.counts[part] = partCount{c.documents + documents, c.terms + terms, c.removed + max(0, -documents)}
}

// finish keeps the totals of the parts, and their postings, up to date.
func (w textWrite) finish(ctx context.Context) error {
	for part, c := range w.counts {
		if _, err := w.tx.StmtContext(ctx, w.db.texts.count).ExecContext(ctx, c.documents, c.terms, part); err != nil {
			return err
		}
		if err := fulltext.Pack(ctx, partRows{segmentRows{w.tx}, part}, part, c.removed); err != nil {
			return err
		}
	}
	return nil
}
