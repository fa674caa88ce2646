package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/citewell/citewell/store"
)

// movedAtOnce is how many documents of schema 1 are moved in one transaction.
const movedAtOnce = 200

// An oldText is a document as schema 1 kept it.
type oldText struct {
	id     int64
	tenant string
	doc    store.TextDocument
}

// moveTexts brings the documents of schema 1, the library, into the text index as it
// is now. It may be ended at any time and goes on at the next opening; what a program
// that is still running writes in the old form meanwhile is moved then, too. A
// document whose record is damaged stays: it is indexed anew from its original.
func (db *DB) moveTexts(ctx context.Context) error {
	for last := int64(0); ; {
		batch, err := db.oldTexts(ctx, last)
		if err != nil || len(batch) == 0 {
			return err
		}
		last = batch[len(batch)-1].id
		batch = slices.DeleteFunc(batch, func(old oldText) bool { return old.doc.ID == "" })
		byTenant := map[string][]oldText{}
		for _, old := range batch {
			byTenant[old.tenant] = append(byTenant[old.tenant], old)
		}
		for tenant, olds := range byTenant {
			if err := db.Tenant(tenant).moveTexts(ctx, olds); err != nil {
				return err
			}
		}
	}
}

// oldTexts returns the next documents after an id; one that cannot be read has no ID.
func (db *DB) oldTexts(ctx context.Context, after int64) ([]oldText, error) {
	rows, err := db.reads.QueryContext(ctx, `SELECT id, tenant, url, title, published, language, stamp, text_record
		FROM document WHERE id > ? ORDER BY id LIMIT ?`, after, movedAtOnce)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var batch []oldText
	for rows.Next() {
		var old oldText
		var record []byte
		if err := rows.Scan(&old.id, &old.tenant, &old.doc.URL, &old.doc.Title, &old.doc.Published, &old.doc.Language, &old.doc.Stamp, &record); err != nil {
			return nil, err
		}
		if text, err := unpack("store.open", record); err == nil {
			old.doc.ID, old.doc.Text = old.doc.URL, string(text)
		}
		batch = append(batch, old)
	}
	return batch, rows.Err()
}

func (s *Store) moveTexts(ctx context.Context, olds []oldText) error {
	docs := make([]store.TextDocument, len(olds))
	for i, old := range olds {
		docs[i] = old.doc
	}
	prepared, err := s.prepareTexts(ctx, store.Library, docs)
	if err != nil {
		return err
	}
	return s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		w := textWrite{s, tx, store.Library, map[int64]partCount{}}
		for i, old := range olds {
			var id int64
			err := tx.QueryRowContext(ctx, `DELETE FROM document WHERE id = ? AND tenant = ? AND url = ? AND stamp = ? RETURNING id`,
				old.id, old.tenant, old.doc.URL, old.doc.Stamp).Scan(&id)
			if errors.Is(err, sql.ErrNoRows) {
				continue // another process has moved it
			}
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM document_terms WHERE rowid = ?`, id); err != nil {
				return err
			}
			id, added, err := w.insert(ctx, prepared[i])
			if err != nil {
				return err
			}
			if !added {
				continue // indexed anew since
			}
			if err := w.putTerms(ctx, id, prepared[i]); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM collection WHERE NOT EXISTS (SELECT 1 FROM document)`); err != nil {
			return err
		}
		return w.finish(ctx)
	})
}
