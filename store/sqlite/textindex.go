package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// IndexDocument implements store.Text.
func (s *Store) IndexDocument(ctx context.Context, doc citewell.Document, sourceStamp string) error {
	const op = "store.index_document"
	if doc.URL == "" {
		return invalid(op, "document.url is required")
	}
	language := baseLanguage(doc.Language)
	if language == "" {
		language = text.Language(doc.Text)
	}
	title, body := text.TermTokens(doc.Title, language), text.TermTokens(doc.Text, language)
	mark := termMark(s.tenant)
	titleTerms, bodyTerms := joinTerms(mark, title), joinTerms(mark, body)
	terms := len(title) + len(body)
	textRecord, termsRecord := pack([]byte(doc.Text)), pack(encodeForward(occurrences(title, body)))

	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := s.forget(ctx, tx, doc.URL); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `INSERT INTO document (tenant, url, title, published, language, stamp, terms,
			indexed_at, text_record, terms_record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			s.tenant, doc.URL, doc.Title, doc.Published, language, sourceStamp, terms,
			time.Now().UnixMicro(), textRecord, termsRecord)
		if err != nil {
			return err
		}
		id, err := result.LastInsertId()
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO document_terms (rowid, title, body) VALUES (?, ?, ?)`,
			id, titleTerms, bodyTerms); err != nil {
			return err
		}
		return s.count(ctx, tx, language, 1, terms)
	}))
}

// baseLanguage makes "de" of "de-AT" and of "DE_at".
func baseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.ToLower(base)
}

// termMark goes before each term of a tenant, so that a query reads that tenant's
// postings alone. It is short and two tenants may share one: that costs accuracy
// of a count and shows nobody anything, as rows are chosen by the tenant itself.
func termMark(tenant string) string {
	sum := sha256.Sum256([]byte(tenant))
	return hex.EncodeToString(sum[:3]) + ":"
}

func joinTerms(mark string, tokens []text.Token) string {
	var b strings.Builder
	b.Grow(len(tokens) * 14)
	for _, token := range tokens {
		b.WriteString(mark)
		b.WriteString(cleanTerm(token.Text))
		b.WriteByte(' ')
	}
	return b.String()
}

// forget removes the document under url, if there is one, from all its tables.
func (s *Store) forget(ctx context.Context, tx *sql.Tx, url string) (bool, error) {
	var id int64
	var language string
	var terms int
	err := tx.QueryRowContext(ctx, `DELETE FROM document WHERE tenant = ? AND url = ? RETURNING id, language, terms`,
		s.tenant, url).Scan(&id, &language, &terms)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM document_terms WHERE rowid = ?`, id); err != nil {
		return false, err
	}
	return true, s.count(ctx, tx, language, -1, -terms)
}

// count keeps the totals of one language up to date.
func (s *Store) count(ctx context.Context, tx *sql.Tx, language string, documents, terms int) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO collection (tenant, language, documents, terms) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET documents = documents + excluded.documents, terms = terms + excluded.terms`,
		s.tenant, language, documents, terms); err != nil || documents > 0 {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM collection WHERE tenant = ? AND language = ? AND documents <= 0`, s.tenant, language)
	return err
}

// Stamp implements store.Text.
func (s *Store) Stamp(ctx context.Context, url string) (string, error) {
	var stamp string
	err := s.db.reads.QueryRowContext(ctx, `SELECT stamp FROM document WHERE tenant = ? AND url = ?`, s.tenant, url).Scan(&stamp)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return stamp, storeError("store.stamp", err)
}

// RemoveDocument implements store.Text.
func (s *Store) RemoveDocument(ctx context.Context, url string) (bool, error) {
	var removed bool
	err := s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		removed, err = s.forget(ctx, tx, url)
		return err
	})
	if err != nil {
		return false, storeError("store.remove_document", err)
	}
	return removed, nil
}

// CountDocuments implements store.Text.
func (s *Store) CountDocuments(ctx context.Context, urlPrefix string) (int, error) {
	var n int
	where, args := prefixRange(urlPrefix)
	err := s.db.reads.QueryRowContext(ctx, `SELECT count(*) FROM document WHERE tenant = ?`+where,
		append([]any{s.tenant}, args...)...).Scan(&n)
	return n, storeError("store.count_documents", err)
}

// ListDocuments implements store.Text.
func (s *Store) ListDocuments(ctx context.Context, urlPrefix string) ([]string, error) {
	where, args := prefixRange(urlPrefix)
	rows, err := s.db.reads.QueryContext(ctx, `SELECT url FROM document WHERE tenant = ?`+where+` ORDER BY url`,
		append([]any{s.tenant}, args...)...)
	if err != nil {
		return nil, storeError("store.list_documents", err)
	}
	defer rows.Close()
	var urls []string
	for rows.Next() {
		var url string
		if err := rows.Scan(&url); err != nil {
			return nil, storeError("store.list_documents", err)
		}
		urls = append(urls, url)
	}
	return urls, storeError("store.list_documents", rows.Err())
}

// prefixRange is the condition, with its arguments, for URLs that begin with
// prefix, in a form that the index serves.
func prefixRange(prefix string) (condition string, args []any) {
	if prefix == "" {
		return "", nil
	}
	end := []byte(prefix)
	for len(end) > 0 && end[len(end)-1] == 0xff {
		end = end[:len(end)-1]
	}
	if len(end) == 0 {
		return " AND url >= ?", []any{prefix}
	}
	end[len(end)-1]++
	return " AND url >= ? AND url < ?", []any{prefix, string(end)}
}
