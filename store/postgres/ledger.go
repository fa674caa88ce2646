package postgres

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/jackc/pgx/v5"
)

var _ store.Ledger = (*Store)(nil)

// AddSource implements store.Ledger. A passage whose Source is 0 gets the
// source's number.
func (s *Store) AddSource(ctx context.Context, brief string, source citewell.Source, passages []citewell.Passage) error {
	const op = "store.add_source"
	l, err := codec.PackSource(op, brief, source, passages)
	if err != nil {
		return storeError(op, err)
	}
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		added, err := affected(tx.Exec(ctx, `INSERT INTO source (tenant, brief, n, record, created_at) VALUES ($1, $2, $3, $4, micros()) ON CONFLICT DO NOTHING`,
			s.tenant, escape(brief), source.N, l.Source))
		switch {
		case err != nil:
			return err
		case added == 0:
			return s.sameSource(ctx, tx, op, brief, source.N, l)
		}
		return s.insertPassages(ctx, tx, op, brief, source.N, l.Passages)
	})
}

func (s *Store) insertPassages(ctx context.Context, tx pgx.Tx, op, brief string, n int, passages map[string][]byte) error {
	ids := slices.Sorted(maps.Keys(passages)) // in order, so that two who add the same never wait for each other
	records := make([][]byte, len(ids))
	for i, id := range ids {
		records[i] = passages[id]
	}
	added, err := readColumn[string](ctx, tx, `INSERT INTO passage (tenant, id, brief, n, record) SELECT $1, p.id, $2, $3, p.record
		FROM unnest($4::text[], $5::bytea[]) AS p (id, record) ON CONFLICT DO NOTHING RETURNING id`, s.tenant, escape(brief), n, escaped(ids), records)
	if err != nil || len(added) == len(ids) {
		return err
	}
	for _, id := range ids {
		if !slices.Contains(added, escape(id)) {
			return codec.OtherSource(op, id)
		}
	}
	return nil
}

// sameSource returns nil when what is kept equals what is given, in every field.
func (s *Store) sameSource(ctx context.Context, tx pgx.Tx, op, brief string, n int, given codec.Ledger) error {
	kept := codec.Ledger{Passages: make(map[string][]byte)}
	if err := tx.QueryRow(ctx, `SELECT record FROM source WHERE tenant = $1 AND brief = $2 AND n = $3`, s.tenant, escape(brief), n).Scan(&kept.Source); err != nil {
		return err
	}
	err := each(ctx, tx, `SELECT id, record FROM passage WHERE tenant = $1 AND brief = $2 AND n = $3`, func(scan func(...any) error) error {
		var id string
		var record []byte
		err := scan(plain{&id}, &record)
		kept.Passages[id] = record
		return err
	}, s.tenant, escape(brief), n)
	if err != nil {
		return err
	}
	return given.Same(op, n, kept)
}

// Passage implements store.Ledger.
func (s *Store) Passage(ctx context.Context, id string) (found store.PassageRecord, err error) {
	const op = "store.passage"
	var passage, source []byte
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		err := s.db.pool.QueryRow(ctx, `SELECT p.brief, p.record, s.record FROM passage AS p
			JOIN source AS s ON s.tenant = p.tenant AND s.brief = p.brief AND s.n = p.n
			WHERE p.tenant = $1 AND p.id = $2`, s.tenant, escape(id)).Scan(plain{&found.Brief}, &passage, &source)
		return orMissing(err, fault.NotFound(op, "no passage with that id is kept"))
	})
	if err == nil {
		err = codec.UnpackJSON(op, passage, &found.Passage)
	}
	if err == nil {
		err = codec.UnpackJSON(op, source, &found.Source)
	}
	if err != nil {
		return store.PassageRecord{}, err
	}
	return found, nil
}

// PutBrief implements store.Ledger. A brief is finished once: the same again
// changes nothing, another one under its ID is refused.
func (s *Store) PutBrief(ctx context.Context, brief citewell.Brief) error {
	const op = "store.put_brief"
	if brief.ID == "" {
		return fault.Invalid(op, "brief.id is required")
	}
	record, err := codec.PackJSON(brief)
	if err != nil {
		return storeError(op, err)
	}
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		added, err := affected(tx.Exec(ctx, `INSERT INTO brief (tenant, id, created_at, record) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
			s.tenant, escape(brief.ID), brief.CreatedAt.UnixMicro(), record))
		if err != nil || added > 0 {
			return err
		}
		var kept []byte
		if err := tx.QueryRow(ctx, `SELECT record FROM brief WHERE tenant = $1 AND id = $2`, s.tenant, escape(brief.ID)).Scan(&kept); err != nil {
			return err
		}
		return codec.SameBrief(op, kept, record)
	})
}

// Brief implements store.Ledger.
func (s *Store) Brief(ctx context.Context, id string) (brief citewell.Brief, err error) {
	const op = "store.brief"
	var record []byte
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		err := s.db.pool.QueryRow(ctx, `SELECT record FROM brief WHERE tenant = $1 AND id = $2`, s.tenant, escape(id)).Scan(&record)
		return orMissing(err, fault.NotFound(op, "no brief with that id is kept"))
	})
	if err == nil {
		err = codec.UnpackJSON(op, record, &brief)
	}
	if err != nil {
		return citewell.Brief{}, err
	}
	return brief, nil
}

// BriefIDs implements store.Ledger.
func (s *Store) BriefIDs(ctx context.Context, prefix string, limit int) ([]string, error) {
	return read(ctx, s.db, "store.brief_ids", func(ctx context.Context) ([]string, error) {
		return readStrings(ctx, s.db.pool, `SELECT id FROM brief WHERE tenant = $1 AND id >= $2 AND starts_with(id, $2) ORDER BY id LIMIT $3`,
			s.tenant, escape(strings.ToValidUTF8(prefix, "\uFFFD")), limit)
	})
}
