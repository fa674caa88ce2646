package sqlite

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/text"
)

const (
	// renewedAtOnce and renewedBytes bound how many documents, and how much packed text,
	// are read and written anew in one transaction.
	renewedAtOnce = 200
	renewedBytes  = 4 << 20
)

// A staleText is a document whose terms an earlier version made.
type staleText struct {
	tenant, index string
	id, indexedAt int64
	doc           store.TextDocument
}

// A staleAt is a place in the order of documents by the version of their terms.
type staleAt struct{ version, id int64 }

// renewTexts indexes anew, from their kept texts, the documents whose terms were made by
// an earlier version of package text: a query's terms would not meet them. It may be
// ended at any time and goes on at the next opening. Terms of a later version stay: a
// newer program made them. A document whose record is damaged stays, too; a check of the
// store names it.
func (db *DB) renewTexts(ctx context.Context) error {
	for last := (staleAt{}); ; {
		batch, next, err := db.staleTexts(ctx, last)
		if err != nil || next == last {
			return err
		}
		last = next
		for _, stale := range byIndex(batch) {
			if err := db.Tenant(stale[0].tenant).renewTexts(ctx, stale); err != nil {
				return err
			}
		}
	}
}

// byIndex groups documents by tenant and index, in their order.
func byIndex(batch []staleText) (groups [][]staleText) {
	type name struct{ tenant, index string }
	at := map[name]int{}
	for _, stale := range batch {
		n := name{stale.tenant, stale.index}
		i, ok := at[n]
		if !ok {
			i = len(groups)
			at[n], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], stale)
	}
	return groups
}

// staleTexts returns the next documents after a place that can be read, and the place
// that it came to; the same where there are no more.
func (db *DB) staleTexts(ctx context.Context, after staleAt) (batch []staleText, last staleAt, err error) {
	const op = "store.open"
	places, err := readRows(ctx, db.reads, `SELECT terms_version, id FROM text_document
		WHERE terms_version < ? AND (terms_version, id) > (?, ?) ORDER BY terms_version, id LIMIT ?`, func(scan func(...any) error) (at staleAt, err error) {
		err = scan(&at.version, &at.id)
		return at, err
	}, text.TermsVersion, after.version, after.id, renewedAtOnce)
	if err != nil {
		return nil, after, err
	}
	last = after
	for size := 0; len(places) > 0 && size < renewedBytes; places = places[1:] {
		last = places[0]
		stale := staleText{id: last.id}
		var metadata string
		var record []byte
		there, err := anyRow(db.reads.QueryRowContext(ctx, `SELECT d.tenant, d.index_name, d.indexed_at, d.key, d.url, d.title, d.published, d.stamp, d.metadata,
			d.text_record, p.language FROM text_document AS d JOIN text_part AS p ON p.id = d.part WHERE d.id = ?`, last.id).Scan(
			&stale.tenant, &stale.index, &stale.indexedAt, &stale.doc.ID, &stale.doc.URL, &stale.doc.Title, &stale.doc.Published, &stale.doc.Stamp,
			&metadata, &record, &stale.doc.Language))
		if err != nil {
			return nil, after, err
		}
		if !there {
			continue // removed meanwhile
		}
		original, err := fulltext.Unseal(op, record)
		if err != nil {
			continue
		}
		if stale.doc.Metadata, err = fulltext.ReadMetadata(op, metadata); err != nil {
			continue
		}
		stale.doc.Text = string(original)
		size += len(original)
		batch = append(batch, stale)
	}
	return batch, last, nil
}

// renewTexts writes the terms of documents of one index anew, those alone that are
// still what was read.
func (s *Store) renewTexts(ctx context.Context, stale []staleText) error {
	docs := make([]store.TextDocument, len(stale))
	for i := range stale {
		docs[i] = stale[i].doc
	}
	index := stale[0].index
	prepared, err := fulltext.Prepare(ctx, docs, s.partOf(index))
	if err != nil {
		return err
	}
	return s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		w := textWrite{s, tx, index, map[int64]partCount{}}
		for i := range stale {
			if err := w.renew(ctx, &stale[i], prepared[i]); err != nil {
				return err
			}
		}
		return w.finish(ctx)
	})
}

func (w textWrite) renew(ctx context.Context, stale *staleText, p *fulltext.Prepared) error {
	var there bool
	err := w.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM text_document
		WHERE id = ? AND tenant = ? AND index_name = ? AND key = ? AND indexed_at = ? AND terms_version < ?)`,
		stale.id, w.tenant, w.index, p.ID, stale.indexedAt, text.TermsVersion).Scan(&there)
	if err != nil || !there { // indexed anew by another process, or since
		return err
	}
	return w.put(ctx, p)
}
