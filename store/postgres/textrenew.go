package postgres

import (
	"context"

	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/text"
)

// A staleAt is a place in the order of documents by the version of their terms.
type staleAt struct {
	version       int
	tenant, index string // as their columns have them
	id            int64
}

// renewTexts indexes anew the documents whose terms an earlier version of package text made;
// several processes may do it at once.
func (db *DB) renewTexts(ctx context.Context) error {
	return fulltext.Renew(ctx, db.stalePlaces, db.staleText, func(ctx context.Context, stale []fulltext.Stale) error {
		return (&Store{db: db, tenant: stale[0].Tenant}).renewTexts(ctx, stale)
	})
}

func (db *DB) stalePlaces(ctx context.Context, after staleAt) ([]staleAt, error) {
	return read(ctx, db, "store.open", func(ctx context.Context) ([]staleAt, error) {
		return readRows(ctx, db.pool, `SELECT terms_version, tenant, index_name, id FROM text_document
			WHERE terms_version < $1 AND (terms_version, tenant, index_name, id) > ($2, $3, $4, $5)
			ORDER BY terms_version, tenant, index_name, id LIMIT $6`, func(scan func(...any) error) (at staleAt, err error) {
			err = scan(&at.version, &at.tenant, &at.index, &at.id)
			return at, err
		}, text.TermsVersion, after.version, after.tenant, after.index, after.id, fulltext.RenewedAtOnce)
	})
}

func (db *DB) staleText(ctx context.Context, at staleAt) (s fulltext.Stale, there bool, err error) {
	err = db.reading(ctx, "store.open", func(ctx context.Context) (err error) {
		s = fulltext.Stale{Tenant: at.tenant, Index: at.index, ID: at.id}
		there, err = anyRow(db.pool.QueryRow(ctx, `SELECT d.indexed_at, d.key, d.url, d.title, d.published, d.stamp, d.metadata, d.text_record, p.language
			FROM text_document AS d JOIN text_part AS p ON p.id = d.part WHERE d.tenant = $1 AND d.index_name = $2 AND d.id = $3`, at.tenant, at.index, at.id).Scan(
			&s.IndexedAt, plain{&s.Doc.ID}, plain{&s.Doc.URL}, plain{&s.Doc.Title}, plain{&s.Doc.Published}, plain{&s.Doc.Stamp}, &s.Fields, &s.Record, plain{&s.Doc.Language}))
		return err
	})
	return s, there, err
}

func (s *Store) renewTexts(ctx context.Context, stale []fulltext.Stale) error {
	const op = "store.open"
	index := unescape(stale[0].Index)
	prepared, err := fulltext.Prepare(ctx, fulltext.Docs(stale), s.partOf(index))
	if err != nil {
		return err
	}
	return s.writingTexts(ctx, op, index, func(ctx context.Context, w *textWrite) error {
		ids := make([]int64, len(stale))
		for i := range stale {
			ids[i] = stale[i].ID
		}
		// Some may have been indexed anew by another process, or since.
		old := map[int64]int64{}
		if err := each(ctx, w.tx, `SELECT id, indexed_at FROM text_document WHERE tenant = $1 AND index_name = $2 AND id = ANY ($3) AND terms_version < $4`,
			func(scan func(...any) error) error {
				var id, at int64
				err := scan(&id, &at)
				old[id] = at
				return err
			}, w.tenant, w.index, ids, text.TermsVersion); err != nil {
			return err
		}
		var batch []*fulltext.Prepared
		for i := range stale {
			if at, there := old[stale[i].ID]; there && at == stale[i].IndexedAt {
				batch = append(batch, prepared[i])
			}
		}
		return w.put(ctx, batch)
	})
}
