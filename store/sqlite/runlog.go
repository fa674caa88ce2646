package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// addEvents writes events after the one with number seq. The row of the run, which
// has the number of the newest, is the caller's to write.
func (s *Store) addEvents(ctx context.Context, tx *sql.Tx, run, seq, now int64, events ...codec.Event) error {
	insert := tx.StmtContext(ctx, s.db.runs.insertEvent)
	for i, e := range events {
		if _, err := insert.ExecContext(ctx, s.tenant, run, seq+1+int64(i), s.db.events.Version, e.Kind, now, e.Record); err != nil {
			return err
		}
	}
	return nil
}

// refused says why a run's row did not answer to a lease.
func (s *Store) refused(ctx context.Context, tx querier, op string, lease store.Lease) error {
	var state store.RunState
	err := tx.QueryRowContext(ctx, `SELECT state FROM run WHERE tenant = ? AND name = ?`, s.tenant, lease.Run).Scan(&state)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return unknownRun(op)
	case err != nil:
		return err
	case state.Ended():
		return store.RunFinished(op, state)
	}
	return store.LeaseLost(op, lease)
}

// A fenced is a run whose lease was found good, inside a transaction.
type fenced struct {
	run   int64
	seq   int64 // of the newest event, before what the transaction adds
	state store.RunState
	now   int64
}

// fence checks the lease and takes the numbers of as many events. Everything that an
// executor writes goes through here, in the transaction that writes it.
func (s *Store) fence(ctx context.Context, tx *sql.Tx, op string, lease store.Lease, events int) (fenced, error) {
	f := fenced{now: time.Now().UnixMicro()}
	err := tx.StmtContext(ctx, s.db.runs.fence).QueryRowContext(ctx, events, f.now, s.tenant, lease.Run, lease.Token).Scan(&f.run, &f.seq, &f.state)
	if errors.Is(err, sql.ErrNoRows) {
		return fenced{}, s.refused(ctx, tx, op, lease)
	}
	f.seq -= int64(events)
	return f, err
}

// runStatements are what a run's executor writes again and again, parsed once.
type runStatements struct {
	preparing
	fence, insertEvent, renew, begin, finish *sql.Stmt
}

func (r *runStatements) prepare(ctx context.Context, db *sql.DB) error {
	return r.preparing.prepare(ctx, db, map[**sql.Stmt]string{
		&r.fence: `UPDATE run SET seq = seq + ?, updated_at = ? WHERE tenant = ? AND name = ? AND token = ? AND owner <> '' AND ended_at = 0
			RETURNING id, seq, state`,
		&r.insertEvent: `INSERT INTO run_event (tenant, run, seq, v, type, time, record) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		&r.renew: `UPDATE run SET boot = ?, process = ?, expires_at = ?, expires_up = ?
			WHERE tenant = ? AND name = ? AND token = ? AND owner <> '' AND ended_at = 0`,
		&r.begin: `INSERT INTO run_call (tenant, run, key, step, try, kind, name, state, token, attempts, begun_at, input_sha256, input_record)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO NOTHING`,
		&r.finish: `UPDATE run_call SET state = ?, ended_at = ?, result_sha256 = ?, result_record = ?, cost_record = ?, error_record = ?
			WHERE run = ? AND key = ? AND token = ? AND state = 'in_flight'`,
	})
}

// AppendEvents implements store.Runs.
func (s *Store) AppendEvents(ctx context.Context, lease store.Lease, events []store.RunEvent) ([]int64, error) {
	const op = "store.append_events"
	if err := store.CheckEvents(op, events); err != nil {
		return nil, err
	}
	made := codec.PackEvents(events)
	seqs := make([]int64, len(events))
	err := s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		f, err := s.fence(ctx, tx, op, lease, len(made))
		if err != nil {
			return err
		}
		for i := range seqs {
			seqs[i] = f.seq + 1 + int64(i)
		}
		return s.addEvents(ctx, tx, f.run, f.seq, f.now, made...)
	})
	if err != nil {
		return nil, err
	}
	return seqs, nil
}

// Events implements store.Runs.
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) ([]store.RunEvent, error) {
	const op = "store.events"
	limit, err := store.CheckEventPage(op, after, limit)
	if err != nil {
		return nil, err
	}
	run, err := s.runID(ctx, s.db.reads, op, id)
	if err != nil {
		return nil, err
	}
	return s.readEvents(ctx, op, run, id, after, limit)
}

func (s *Store) readEvents(ctx context.Context, op string, run int64, id string, after int64, limit int) ([]store.RunEvent, error) {
	events := []store.RunEvent{}
	err := each(ctx, s.db.reads, `SELECT seq, v, type, time, record FROM run_event WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?`, func(scan func(...any) error) error {
		e := store.RunEvent{Run: id}
		var at int64
		var record sql.RawBytes
		err := scan(&e.Seq, &e.V, &e.Type, &at, &record)
		if e.Time = codec.MicroTime(at); err == nil {
			e, err = codec.ReadEvent(op, e, record, s.db.events)
		}
		events = append(events, e)
		return err
	}, run, after, limit)
	if err != nil {
		return nil, storeError(op, err)
	}
	return events, nil
}
