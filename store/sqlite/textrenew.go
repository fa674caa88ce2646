package sqlite

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/text"
)

// A staleAt is a place in the order of documents by the version of their terms.
type staleAt struct{ version, id int64 }

// renewTexts indexes anew the documents whose terms an earlier version of package text made;
// several processes may do it at once.
func (db *DB) renewTexts(ctx context.Context) error {
	return fulltext.Renew(ctx, db.stalePlaces, db.staleText, func(ctx context.Context, stale []fulltext.Stale) error {
		return db.Tenant(stale[0].Tenant).renewTexts(ctx, stale)
	})
}

func (db *DB) stalePlaces(ctx context.Context, after staleAt) ([]staleAt, error) {
	return readRows(ctx, db.reads, `SELECT terms_version, id FROM text_document
		WHERE terms_version < ? AND (terms_version, id) > (?, ?) ORDER BY terms_version, id LIMIT ?`, func(scan func(...any) error) (at staleAt, err error) {
		err = scan(&at.version, &at.id)
		return at, err
	}, text.TermsVersion, after.version, after.id, fulltext.RenewedAtOnce)
}

func (db *DB) staleText(ctx context.Context, at staleAt) (s fulltext.Stale, there bool, err error) {
	s.ID = at.id
	there, err = anyRow(db.reads.QueryRowContext(ctx, `SELECT d.tenant, d.index_name, d.indexed_at, d.key, d.url, d.title, d.published, d.stamp, d.metadata,
		d.text_record, p.language FROM text_document AS d JOIN text_part AS p ON p.id = d.part WHERE d.id = ?`, at.id).Scan(
		&s.Tenant, &s.Index, &s.IndexedAt, &s.Doc.ID, &s.Doc.URL, &s.Doc.Title, &s.Doc.Published, &s.Doc.Stamp, &s.Fields, &s.Record, &s.Doc.Language))
	return s, there, err
}

func (s *Store) renewTexts(ctx context.Context, stale []fulltext.Stale) error {
	index := stale[0].Index
	prepared, err := fulltext.Prepare(ctx, fulltext.Docs(stale), s.partOf(index))
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

func (w textWrite) renew(ctx context.Context, stale *fulltext.Stale, p *fulltext.Prepared) error {
	var there bool
	err := w.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM text_document
		WHERE id = ? AND tenant = ? AND index_name = ? AND key = ? AND indexed_at = ? AND terms_version < ?)`,
		stale.ID, w.tenant, w.index, p.ID, stale.IndexedAt, text.TermsVersion).Scan(&there)
	if err != nil || !there { // indexed anew by another process, or since
		return err
	}
	return w.put(ctx, p)
}
