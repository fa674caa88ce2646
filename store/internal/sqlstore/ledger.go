package sqlstore

import (
	"context"
	"maps"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// AddSource implements store.Ledger. A passage whose Source is 0 gets the source's number.
func (s *Store) AddSource(ctx context.Context, brief string, source citewell.Source,
	passages []citewell.Passage) error {
	const op = "store.add_source"
	l, err := codec.PackSource(op, brief, source, passages)
	if err != nil {
		return s.b.Fail(op, err)
	}
	return s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		added, err := tx.Exec(ctx, `INSERT INTO source (tenant, brief, n, record, created_at)
			VALUES ($1, $2, $3, $4, micros()) ON CONFLICT DO NOTHING`,
			s.tenant, brief, source.N, l.Source)
		switch {
		case err != nil:
			return err
		case added == 0:
			return s.sameSource(ctx, tx, op, brief, source.N, l)
		}
		return s.insertPassages(ctx, tx, op, brief, source.N, l.Passages)
	})
}

var insertPassages = Into("passage", "tenant, brief, n", "id text, record bytea", "ON CONFLICT DO NOTHING")

func (s *Store) insertPassages(ctx context.Context, tx Tx, op, brief string, n int, passages map[string][]byte) error {
	var rows [][]any
	// in order, so that two who add the same never wait for each other
	for _, id := range slices.Sorted(maps.Keys(passages)) {
		rows = append(rows, []any{id, passages[id]})
	}
	added, err := tx.Insert(ctx, insertPassages, []any{s.tenant, brief, n}, rows)
	if err != nil || added == int64(len(rows)) {
		return err
	}
	for _, row := range rows {
		var there bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM passage WHERE tenant = $1 AND id = $2 AND brief = $3
			AND n = $4)`,
			s.tenant, row[0], brief, n).Scan(&there); err != nil {
			return err
		}
		if !there {
			return codec.OtherSource(op, row[0].(string))
		}
	}
	return nil
}

// sameSource returns nil when what is kept equals what is given, in every field.
func (s *Store) sameSource(ctx context.Context, tx Tx, op, brief string, n int, given codec.Ledger) error {
	kept := codec.Ledger{Passages: make(map[string][]byte)}
	if err := tx.QueryRow(ctx, `SELECT record FROM source WHERE tenant = $1 AND brief = $2 AND n = $3`,
		s.tenant, brief, n).Scan(&kept.Source); err != nil {
		return err
	}
	err := Each(ctx, tx, `SELECT id, record FROM passage WHERE tenant = $1 AND brief = $2 AND n = $3`,
		func(scan func(...any) error) error {
			var id string
			var record []byte
			err := scan(&id, &record)
			kept.Passages[id] = record
			return err
		}, s.tenant, brief, n)
	if err != nil {
		return err
	}
	return given.Same(op, n, kept)
}

// Passage implements store.Ledger.
func (s *Store) Passage(ctx context.Context, id string) (store.PassageRecord, error) {
	const op = "store.passage"
	return readValue(ctx, s.b, op, func(from Conn) (found store.PassageRecord, err error) {
		var passage, source []byte
		if err := from.QueryRow(ctx, `SELECT p.brief, p.record, s.record FROM passage AS p
			JOIN source AS s ON s.tenant = p.tenant AND s.brief = p.brief AND s.n = p.n
			WHERE p.tenant = $1 AND p.id = $2`, s.tenant, id).Scan(&found.Brief, &passage, &source); err != nil {
			return found, OrMissing(err, fault.NotFound(op, "no passage with that id is kept"))
		}
		if err := codec.UnpackJSON(op, passage, &found.Passage); err != nil {
			return found, err
		}
		return found, codec.UnpackJSON(op, source, &found.Source)
	})
}

// PutBrief implements store.Ledger. The same brief again changes nothing, another one under its ID is refused.
func (s *Store) PutBrief(ctx context.Context, brief citewell.Brief) error {
	const op = "store.put_brief"
	if brief.ID == "" {
		return fault.Invalid(op, "brief.id is required")
	}
	record, err := codec.PackJSON(brief)
	if err != nil {
		return s.b.Fail(op, err)
	}
	return s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		added, err := tx.Exec(ctx, `INSERT INTO brief (tenant, id, created_at, record) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`,
			s.tenant, brief.ID, brief.CreatedAt.UnixMicro(), record)
		if err != nil || added > 0 {
			return err
		}
		kept, err := s.briefRecord(ctx, tx, op, brief.ID)
		if err != nil {
			return err
		}
		return codec.SameBrief(op, kept, record)
	})
}

func (s *Store) briefRecord(ctx context.Context, from Conn, op, id string) (record []byte, err error) {
	err = from.QueryRow(ctx, `SELECT record FROM brief WHERE tenant = $1 AND id = $2`, s.tenant, id).Scan(&record)
	return record, OrMissing(err, fault.NotFound(op, "no brief with that id is kept"))
}

// Brief implements store.Ledger.
func (s *Store) Brief(ctx context.Context, id string) (citewell.Brief, error) {
	const op = "store.brief"
	return readValue(ctx, s.b, op, func(from Conn) (brief citewell.Brief, err error) {
		record, err := s.briefRecord(ctx, from, op, id)
		if err != nil {
			return brief, err
		}
		return brief, codec.UnpackJSON(op, record, &brief)
	})
}

// BriefIDs implements store.Ledger.
func (s *Store) BriefIDs(ctx context.Context, prefix string, limit int) ([]string, error) {
	return readValue(ctx, s.b, "store.brief_ids", func(from Conn) ([]string, error) {
		return ReadColumn[string](ctx, from, `SELECT id FROM brief WHERE tenant = $1 AND id >= $2
			AND substr(id, 1, length($2)) = $2 ORDER BY id LIMIT $3`,
			s.tenant, prefix, limit)
	})
}
