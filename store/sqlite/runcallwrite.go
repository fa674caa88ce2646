package sqlite

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// nameBody has rows vouch for a body that is a file.
func (s *Store) nameBody(ctx context.Context, tx *sql.Tx, run int64, body codec.Body) error {
	if len(body.Large) == 0 {
		return nil
	}
	if err := s.nameContents(ctx, tx, body.Large); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO run_blob (tenant, sha256, run) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, s.tenant, body.SHA256, run)
	return err
}

// WriteCalls implements store.Runs.
func (s *Store) WriteCalls(ctx context.Context, lease store.Lease, entries []store.CallEntry) ([]store.CallRecord, error) {
	const op = "store.write_calls"
	writes, err := codec.CallWrites(op, entries)
	if err != nil {
		return nil, storeError(op, err)
	}
	for _, w := range writes {
		if err := s.putBlobs(ctx, w.Body.Large); err != nil {
			return nil, storeError(op, err)
		}
	}
	records := make([]store.CallRecord, len(writes))
	var run int64
	err = s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		f, err := s.fence(ctx, tx, op, lease, 0)
		if err != nil {
			return err
		}
		run = f.run
		for i, w := range writes {
			if w.Result != nil {
				err = s.finishCall(ctx, tx, op, lease, f, w)
			} else {
				records[i], err = s.beginCall(ctx, tx, op, lease, f, w)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for i, record := range records { // those that were finished before have their bodies too
		if err == nil && (record.State == store.CallDone || record.State == store.CallFailed) {
			records[i], err = s.readCall(ctx, s.db.reads, op, run, record.Key)
		}
	}
	if err != nil {
		return nil, storeError(op, err)
	}
	return records, nil
}

// beginCall returns a call that was there already without its bodies.
func (s *Store) beginCall(ctx context.Context, tx *sql.Tx, op string, lease store.Lease, f fenced, w codec.CallWrite) (store.CallRecord, error) {
	c := w.Call
	added, err := affected(tx.StmtContext(ctx, s.db.runs.begin).ExecContext(ctx, s.tenant, f.run, w.Key, c.Step, c.Try, c.Kind, c.Name,
		store.CallInFlight, lease.Token, f.now, w.Body.SHA256, w.Body.Record))
	if err != nil {
		return store.CallRecord{}, err
	}
	if added > 0 {
		return w.Begun(lease.Token, f.now), s.nameBody(ctx, tx, f.run, w.Body)
	}
	kept, _, err := s.callHead(ctx, tx, op, f.run, w.Key)
	if err != nil || kept.State != store.CallInFlight {
		return kept, err
	}
	if kept.Token == lease.Token {
		return store.CallRecord{}, codec.BegunAlready(op)
	}
	kept.Token, kept.Attempts, kept.BegunAt, kept.Input = lease.Token, kept.Attempts+1, codec.MicroTime(f.now), c.Input
	_, err = tx.ExecContext(ctx, `UPDATE run_call SET token = ?, attempts = ?, begun_at = ? WHERE run = ? AND key = ?`,
		kept.Token, kept.Attempts, f.now, f.run, w.Key)
	return kept, err
}

func (s *Store) finishCall(ctx context.Context, tx *sql.Tx, op string, lease store.Lease, f fenced, w codec.CallWrite) error {
	n, err := affected(tx.StmtContext(ctx, s.db.runs.finish).ExecContext(ctx, w.State, f.now, w.Body.SHA256, w.Body.Record, w.Cost, w.Failure, f.run, w.Key, lease.Token))
	if err != nil {
		return err
	}
	if n > 0 {
		return s.nameBody(ctx, tx, f.run, w.Body)
	}
	kept, resultHash, err := s.callHead(ctx, tx, op, f.run, w.Key)
	if err != nil {
		return err
	}
	return w.FinishedAlready(op, kept, resultHash)
}
