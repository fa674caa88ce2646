package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/citewell/citewell/text"
	"golang.org/x/sync/errgroup"
)

const (
	// A batch is what goes into one transaction: few at first, so that writing begins
	// while the next are prepared, then more, so that fewer commits are waited for.
	firstBatch    = 128
	largestBatch  = 2048
	maxBatchBytes = 8 << 20 // of text
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
	if err := checkIndexName(op, index); err != nil {
		return err
	}
	for i := range docs {
		if err := checkText(op, &docs[i]); err != nil {
			return err
		}
	}
	write := func(batch []*preparedText) error {
		return s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.writeTexts(ctx, tx, index, batch) })
	}
	writing := errgroup.Group{} // at most one batch, beside the one that is prepared
	size := firstBatch
	for len(docs) > 0 {
		n := batchLength(docs, size)
		batch, err := s.prepareTexts(ctx, index, docs[:n])
		if earlier := writing.Wait(); earlier != nil {
			return storeError(op, earlier)
		}
		if err != nil {
			return storeError(op, err)
		}
		if docs, size = docs[n:], min(2*size, largestBatch); len(docs) == 0 {
			return storeError(op, write(batch))
		}
		writing = errgroup.Group{}
		writing.Go(func() error { return write(batch) })
	}
	return nil
}

// batchLength returns how many of docs go into one batch of at most size.
func batchLength(docs []store.TextDocument, size int) int {
	total := 0
	for i := range docs[:min(size, len(docs))] {
		if total += len(docs[i].Text); total > maxBatchBytes {
			return max(1, i)
		}
	}
	return min(size, len(docs))
}

func checkIndexName(op, index string) error {
	if index == "" || len(index) > store.MaxIndexName || !utf8.ValidString(index) || strings.ContainsFunc(index, isControl) {
		return fault.Invalid(op, "the index's name must be 1 to %d bytes of text without control characters", store.MaxIndexName)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

func checkText(op string, doc *store.TextDocument) error {
	switch {
	case doc.ID == "" || len(doc.ID) > store.MaxDocumentID:
		return fault.Invalid(op, "a document's id must be 1 to %d bytes", store.MaxDocumentID)
	case len(doc.Title) > store.MaxTitle || len(doc.URL) > store.MaxTitle:
		return fault.Invalid(op, "a title or URL of more than %d bytes is not indexed", store.MaxTitle)
	case len(doc.Text) > store.MaxText:
		return fault.Invalid(op, "a text of more than %d bytes is not indexed; divide it", store.MaxText)
	}
	return store.CheckMetadata(op, doc.Metadata)
}

// prepareTexts prepares documents on all processors, one alone where it is called.
func (s *Store) prepareTexts(ctx context.Context, index string, docs []store.TextDocument) ([]*preparedText, error) {
	made := make([]*preparedText, len(docs))
	var next atomic.Int64
	prepare := func() (err error) {
		for i := next.Add(1) - 1; err == nil && i < int64(len(docs)); i = next.Add(1) - 1 {
			if err = ctx.Err(); err == nil {
				made[i], err = s.prepareText(ctx, index, docs[i])
			}
		}
		return err
	}
	var group errgroup.Group
	for range min(runtime.GOMAXPROCS(0), len(docs)) - 1 {
		group.Go(prepare)
	}
	err := prepare()
	return made, cmp.Or(err, group.Wait())
}

func (s *Store) prepareText(ctx context.Context, index string, doc store.TextDocument) (*preparedText, error) {
	if doc.Language = baseLanguage(doc.Language); doc.Language == "" {
		// By the text alone, not by what the index holds: the order in which documents
		// come, and indexing them anew, must not change how one is read.
		doc.Language = text.LikelyLanguage(doc.Text)
	}
	part, err := s.part(ctx, index, doc.Language)
	if err != nil {
		return nil, err
	}
	p := takePreparer() // not while a new part is waited for
	defer p.release()
	return p.prepare(doc, part)
}

// noLanguage is what a part of no language is read in: without stems and function words.
const noLanguage = "zxx"

// readIn is the language that the documents of a part, and queries of it, are read in:
// one for all, where package text would tell each text's own.
func readIn(language string) string { return cmp.Or(language, noLanguage) }

// baseLanguage makes "de" of "de-AT" and of "DE_at".
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(base)
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
	insert, terms, metadata, loose, remove, removeTerms, removeMetadata, removeLoose, gone, count *sql.Stmt
}

func (t *textStatements) prepare(ctx context.Context, db *sql.DB) error {
	return t.preparing.prepare(ctx, db, map[**sql.Stmt]string{
		&t.insert: `INSERT INTO text_document (id, tenant, index_name, key, part, url, title, published, stamp, terms, indexed_at, metadata,
			terms_record, text_record, terms_version) VALUES (1 + max(coalesce((SELECT max(id) FROM text_document), 0),
			coalesce((SELECT max(document) FROM text_gone), 0)), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&t.terms: `INSERT INTO text_terms (rowid, title, body, fields) VALUES (?, ?, ?, ?)`,
		&t.metadata: `INSERT INTO text_metadata (document, key, tenant, index_name, value, number, moment)
			VALUES (?, ?, ?, ?, ?, ?, ?)`,
		&t.remove:         `DELETE FROM text_document WHERE tenant = ? AND index_name = ? AND key = ? RETURNING id, part, terms`,
		&t.removeTerms:    `DELETE FROM text_terms WHERE rowid = ?`,
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

func (s *Store) writeTexts(ctx context.Context, tx *sql.Tx, index string, batch []*preparedText) error {
	w := textWrite{s, tx, index, map[int64]partCount{}}
	for _, p := range batch {
		if err := w.put(ctx, p); err != nil {
			return err
		}
	}
	return w.finish(ctx)
}

// put writes one document in place of what is there under its id.
func (w textWrite) put(ctx context.Context, p *preparedText) error {
	id, added, err := w.insert(ctx, p)
	if err == nil && !added {
		if _, err = w.forget(ctx, p.ID); err == nil {
			id, _, err = w.insert(ctx, p)
		}
	}
	if err != nil {
		return err
	}
	return w.putTerms(ctx, id, p)
}

// insert adds the row of a document, where its id is free.
func (w textWrite) insert(ctx context.Context, p *preparedText) (id int64, added bool, err error) {
	result, err := w.tx.StmtContext(ctx, w.db.texts.insert).ExecContext(ctx, w.tenant, w.index, p.ID, p.part, p.URL, p.Title, p.Published,
		p.Stamp, p.terms, time.Now().UnixMicro(), p.metadata, p.termsRecord, p.textRecord, text.TermsVersion)
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

func (w textWrite) putTerms(ctx context.Context, id int64, p *preparedText) error {
	if _, err := w.tx.StmtContext(ctx, w.db.texts.terms).ExecContext(ctx, id, p.title, p.body, p.fields); err != nil {
		return err
	}
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
	if _, err := w.tx.StmtContext(ctx, w.db.texts.loose).ExecContext(ctx, p.part, id, p.terms); err != nil {
		return err
	}
	w.count(p.part, 1, p.terms)
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
	for _, statement := range []*sql.Stmt{w.db.texts.removeTerms, w.db.texts.removeMetadata} {
		if _, err := w.tx.StmtContext(ctx, statement).ExecContext(ctx, id); err != nil {
			return false, err
		}
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
		if err := w.pack(ctx, part, c.removed); err != nil {
			return err
		}
	}
	return nil
}
