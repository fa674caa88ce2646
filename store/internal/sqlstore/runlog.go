package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/follow"
)

var insertEvents = Into("run_event", "tenant, run, v, time", "seq bigint, type text, record bytea", "")

// addEvents writes events after number seq. The caller writes the row of the run, which has the newest number.
func (s *Store) addEvents(ctx context.Context, tx Tx, run, seq, now int64, events ...codec.Event) error {
	rows := make([][]any, len(events))
	for i, e := range events {
		rows[i] = []any{seq + 1 + int64(i), e.Kind, e.Record}
	}
	_, err := tx.Insert(ctx, insertEvents, []any{s.tenant, run, s.db.events.Version, now}, rows)
	return err
}

// refused says why a run's row did not answer to a lease.
func (s *Store) refused(ctx context.Context, from Conn, op string, lease runstore.Lease) error {
	var state runstore.RunState
	err := from.QueryRow(ctx, `SELECT state FROM run WHERE tenant = $1 AND {id} = $2`, s.tenant, lease.Run).Scan(&state)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return unknownRun(op)
	case err != nil:
		return err
	case state.Ended():
		return runstore.RunFinished(op, state)
	}
	return runstore.LeaseLost(op, lease)
}

// A fenced is a run whose row this transaction has locked.
type fenced struct {
	run   int64
	seq   int64 // of the newest event, before what the transaction adds
	state runstore.RunState
	now   int64
}

const fenceRun = `UPDATE run SET seq = seq + $1, updated_at = micros()
	WHERE tenant = $2 AND {id} = $3 AND token = $4 AND owner = $5 AND owner <> '' AND ended_at = 0
		RETURNING {n}, seq, state, updated_at`

// fence checks the lease and takes the numbers of as many events. It comes first in every transaction of an executor.
// It compares the owner too: a standby that took over late, or a restored backup, gives tokens again.
func (s *Store) fence(ctx context.Context, tx Tx, op string, lease runstore.Lease, events int) (f fenced, err error) {
	err = tx.QueryRow(ctx, fenceRun, events, s.tenant, lease.Run, lease.Token, lease.Owner).
		Scan(&f.run, &f.seq, &f.state,
			&f.now)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.refused(ctx, tx, op, lease)
	}
	f.seq -= int64(events)
	return f, err
}

// AppendEvents implements runstore.Runs.
func (s *Store) AppendEvents(ctx context.Context, lease runstore.Lease, events []runstore.RunEvent) ([]int64, error) {
	const op = "store.append_events"
	if err := runstore.CheckEvents(op, events); err != nil {
		return nil, err
	}
	made := codec.PackEvents(events)
	seqs := make([]int64, len(events))
	err := s.writeRun(ctx, op, func(ctx context.Context, tx Tx) (int64, error) {
		f, err := s.fence(ctx, tx, op, lease, len(made))
		if err != nil {
			return 0, err
		}
		for i := range seqs {
			seqs[i] = f.seq + 1 + int64(i)
		}
		return f.run, s.addEvents(ctx, tx, f.run, f.seq, f.now, made...)
	})
	if err != nil {
		return nil, err
	}
	return seqs, nil
}

// writeRun does a write of a run that must not be done twice, and wakes those who follow the run that do returns.
func (s *Store) writeRun(ctx context.Context, op string, do func(context.Context, Tx) (run int64, err error)) error {
	var run int64
	err := s.b.Once(ctx, op, func(ctx context.Context, tx Tx) (err error) {
		run, err = do(ctx, tx)
		return err
	})
	if err == nil {
		s.b.Wrote(run)
	}
	return err
}

// Events implements runstore.Runs.
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) (events []runstore.RunEvent, err error) {
	const op = "store.events"
	if limit, err = runstore.CheckEventPage(op, after, limit); err != nil {
		return nil, err
	}
	return readValue(ctx, s.b, op, func(from Conn) ([]runstore.RunEvent, error) {
		run, err := s.number(ctx, from, op, id, ``)
		if err != nil {
			return nil, err
		}
		return s.readEvents(ctx, from, op, run, id, after, limit)
	})
}

func (s *Store) readEvents(ctx context.Context, from Conn, op string, run int64, id string, after int64,
	limit int) ([]runstore.RunEvent, error) {
	events := []runstore.RunEvent{}
	err := Each(ctx, from, `SELECT seq, v, type, time, record FROM run_event WHERE tenant = $1 AND run = $2 AND seq > $3
		ORDER BY seq LIMIT $4`,
		func(scan func(...any) error) error {
			e := runstore.RunEvent{Run: id}
			var at int64
			var record sql.RawBytes
			err := scan(&e.Seq, &e.V, &e.Type, &at, &record)
			if e.Time = codec.MicroTime(at); err == nil {
				e, err = codec.ReadEvent(op, e, record, s.db.events)
			}
			events = append(events, e)
			return err
		}, s.tenant, run, after, limit)
	return events, err
}

// FollowEvents implements runstore.Runs.
func (s *Store) FollowEvents(ctx context.Context, id string, after int64) iter.Seq2[runstore.RunEvent, error] {
	const op = "store.follow_events"
	return s.b.Hub().Log(ctx, after, follow.Source{
		Find: func(ctx context.Context) (int64, error) {
			if _, err := runstore.CheckEventPage(op, after, 0); err != nil {
				return 0, err
			}
			return readValue(ctx, s.b, op, func(from Conn) (int64, error) { return s.number(ctx, from, op, id, ``) })
		},
		Head: func(ctx context.Context, run int64) (ended bool, seq int64, err error) {
			err = s.b.Read(ctx, op, func(from Conn) error {
				err := from.QueryRow(ctx, `SELECT ended_at <> 0, seq FROM run WHERE {n} = $1`, run).Scan(&ended, &seq)
				return OrMissing(err, unknownRun(op))
			})
			return ended, seq, err
		},
		Page: func(ctx context.Context, run, after int64, limit int) ([]runstore.RunEvent, error) {
			return readValue(ctx, s.b, op, func(from Conn) ([]runstore.RunEvent, error) {
				return s.readEvents(ctx, from, op, run, id, after, limit)
			})
		},
		Fail:   func(err error) error { return s.b.Fail(op, err) },
		Closed: ErrClosed,
	})
}
