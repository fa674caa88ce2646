package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
)

// AddSource implements store.Ledger. A passage whose Source is 0 gets the
// source's number.
func (s *Store) AddSource(ctx context.Context, brief string, source citewell.Source, passages []citewell.Passage) error {
	const op = "store.add_source"
	l, err := codec.PackSource(op, brief, source, passages)
	if err != nil {
		return storeError(op, err)
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var kept []byte
		there, err := anyRow(tx.QueryRowContext(ctx, `SELECT record FROM source WHERE tenant = ? AND brief = ? AND n = ?`,
			s.tenant, brief, source.N).Scan(&kept))
		switch {
		case err != nil:
			return err
		case there:
			return s.sameSource(ctx, tx, brief, source.N, kept, l)
		}
		return s.insertSource(ctx, tx, brief, source.N, l.Source, l.Passages)
	}))
}

func (s *Store) insertSource(ctx context.Context, tx *sql.Tx, brief string, n int, source []byte, passages map[string][]byte) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO source (tenant, brief, n, record, created_at) VALUES (?, ?, ?, ?, ?)`,
		s.tenant, brief, n, source, time.Now().UnixMicro()); err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO passage (tenant, id, brief, n, record) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`)
	if err != nil {
		return err
	}
	defer insert.Close()
	for id, record := range passages {
		if added, err := affected(insert.ExecContext(ctx, s.tenant, id, brief, n, record)); err != nil {
			return err
		} else if added == 0 {
			return codec.OtherSource("store.add_source", id)
		}
	}
	return nil
}

// sameSource returns nil when what is kept equals what is given, in every field.
func (s *Store) sameSource(ctx context.Context, tx *sql.Tx, brief string, n int, source []byte, given codec.Ledger) error {
	kept := codec.Ledger{Source: source, Passages: make(map[string][]byte)}
	err := each(ctx, tx, `SELECT id, record FROM passage WHERE tenant = ? AND brief = ? AND n = ?`, func(scan func(...any) error) error {
		var id string
		var record []byte
		err := scan(&id, &record)
		kept.Passages[id] = record
		return err
	}, s.tenant, brief, n)
	if err != nil {
		return err
	}
	return given.Same("store.add_source", n, kept)
}

// Passage implements store.Ledger.
func (s *Store) Passage(ctx context.Context, id string) (store.PassageRecord, error) {
	const op = "store.passage"
	var found store.PassageRecord
	var passage, source []byte
	err := s.db.reads.QueryRowContext(ctx, `SELECT p.brief, p.record, s.record FROM passage p
		JOIN source s ON s.tenant = p.tenant AND s.brief = p.brief AND s.n = p.n
		WHERE p.tenant = ? AND p.id = ?`, s.tenant, id).Scan(&found.Brief, &passage, &source)
	if err = orMissing(err, fault.NotFound(op, "no passage with that id is kept")); err == nil {
		err = codec.UnpackJSON(op, passage, &found.Passage)
	}
	if err == nil {
		err = codec.UnpackJSON(op, source, &found.Source)
	}
	if err != nil {
		return store.PassageRecord{}, storeError(op, err)
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
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var kept []byte
		there, err := anyRow(tx.QueryRowContext(ctx, `SELECT record FROM brief WHERE tenant = ? AND id = ?`, s.tenant, brief.ID).Scan(&kept))
		if there {
			return codec.SameBrief(op, kept, record)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO brief (tenant, id, created_at, record) VALUES (?, ?, ?, ?)`,
			s.tenant, brief.ID, brief.CreatedAt.UnixMicro(), record)
		return err
	}))
}

// Brief implements store.Ledger.
func (s *Store) Brief(ctx context.Context, id string) (citewell.Brief, error) {
	const op = "store.brief"
	var record []byte
	err := s.db.reads.QueryRowContext(ctx, `SELECT record FROM brief WHERE tenant = ? AND id = ?`, s.tenant, id).Scan(&record)
	var brief citewell.Brief
	if err = orMissing(err, fault.NotFound(op, "no brief with that id is kept")); err == nil {
		err = codec.UnpackJSON(op, record, &brief)
	}
	if err != nil {
		return citewell.Brief{}, storeError(op, err)
	}
	return brief, nil
}

// BriefIDs implements store.Ledger.
func (s *Store) BriefIDs(ctx context.Context, prefix string, limit int) ([]string, error) {
	ids, err := readColumn[string](ctx, s.db.reads, `SELECT id FROM brief
		WHERE tenant = ? AND id >= ? AND substr(id, 1, length(?)) = ? ORDER BY id LIMIT ?`, s.tenant, prefix, prefix, prefix, limit)
	return ids, storeError("store.brief_ids", err)
}
