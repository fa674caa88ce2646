package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
)

// ChangeState implements store.Runs.
func (s *Store) ChangeState(ctx context.Context, lease store.Lease, change store.RunChange, events []store.RunEvent) error {
	const op = "store.change_state"
	if err := change.Check(op); err != nil {
		return err
	}
	if err := store.CheckEvents(op, events); err != nil {
		return err
	}
	made := codec.PackEvents(events)
	return s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		f, err := s.fence(ctx, tx, op, lease, len(made)+1)
		if err != nil {
			return err
		}
		if !f.state.CanBecome(change.State) {
			return fault.Invalid(op, "a run that is %s cannot become %s", f.state, change.State)
		}
		return s.setState(ctx, tx, f, change, made...)
	})
}

// setState writes events and a change of state, whose numbers were taken.
func (s *Store) setState(ctx context.Context, tx *sql.Tx, f fenced, change store.RunChange, events ...codec.Event) error {
	event, err := codec.StateEvent(f.state, &change)
	if err != nil {
		return err
	}
	if err := s.addEvents(ctx, tx, f.run, f.seq, f.now, append(events[:len(events):len(events)], event)...); err != nil {
		return err
	}
	if !change.State.Ended() {
		_, err = tx.ExecContext(ctx, `UPDATE run SET state = ?, detail = ? WHERE id = ?`, change.State, change.Detail, f.run)
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE run SET state = ?, outcome = ?, detail = ?, ended_at = ?, owner = '', boot = '', process = '' WHERE id = ?`,
		change.State, change.Outcome, change.Detail, f.now, f.run)
	return err
}

// takeNumbers takes the numbers of as many events for a run that needs no lease, or
// whose lease was found good before.
func (s *Store) takeNumbers(ctx context.Context, tx *sql.Tx, run int64, events int) (f fenced, err error) {
	f = fenced{run: run, now: time.Now().UnixMicro()}
	err = tx.QueryRowContext(ctx, `UPDATE run SET seq = seq + ?, updated_at = ? WHERE id = ? RETURNING seq, state`, events, f.now, run).Scan(&f.seq, &f.state)
	f.seq -= int64(events)
	return f, err
}

// CancelRun implements store.Runs.
func (s *Store) CancelRun(ctx context.Context, id string) (store.Run, error) {
	const op = "store.cancel_run"
	requested, err := codec.NewEvent(store.EventCancelRequested, nil)
	if err != nil {
		return store.Run{}, storeError(op, err)
	}
	var run store.Run
	err = s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		row, err := s.leaseRow(ctx, tx, op, id)
		if err != nil {
			return err
		}
		if !row.state.Ended() {
			if err := s.cancel(ctx, tx, row, requested); err != nil {
				return err
			}
		}
		run, err = s.readRun(ctx, tx, op, id)
		return err
	})
	return run, err
}

func (s *Store) cancel(ctx context.Context, tx *sql.Tx, row leaseRow, requested codec.Event) error {
	var events []codec.Event
	asked, err := affected(tx.ExecContext(ctx, `UPDATE run SET cancel_at = ? WHERE id = ? AND cancel_at = 0`, time.Now().UnixMicro(), row.id))
	if err != nil {
		return err
	}
	if asked > 0 {
		events = append(events, requested)
	}
	if !s.db.here.free(row.holder) {
		f, err := s.takeNumbers(ctx, tx, row.id, len(events))
		if err != nil {
			return err
		}
		return s.addEvents(ctx, tx, f.run, f.seq, f.now, events...)
	}
	f, err := s.takeNumbers(ctx, tx, row.id, len(events)+1)
	if err != nil {
		return err
	}
	return s.setState(ctx, tx, f, codec.CancelledIdle, events...)
}

// SendMessage implements store.Runs.
func (s *Store) SendMessage(ctx context.Context, id string, message store.RunMessage) error {
	const op = "store.send_message"
	if err := message.Check(op); err != nil {
		return err
	}
	return s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		row, err := s.leaseRow(ctx, tx, op, id)
		if err != nil {
			return err
		}
		var there, unread int
		if err := tx.QueryRowContext(ctx, `SELECT count(*), (SELECT unread FROM run WHERE id = ?1) FROM run_message WHERE run = ?1 AND name = ?2`,
			row.id, message.ID).Scan(&there, &unread); err != nil {
			return err
		}
		switch {
		case there > 0:
			return nil
		case row.state.Ended():
			return store.RunFinished(op, row.state)
		case unread >= store.MaxUnread:
			return &citewell.Error{Code: citewell.CodeRateLimited, Op: op, Message: fmt.Sprintf("%d messages wait in the run's inbox", unread),
				Hint: "wait until the run has read them"}
		}
		f, err := s.takeNumbers(ctx, tx, row.id, 1)
		if err != nil {
			return err
		}
		message.At = codec.MicroTime(f.now)
		event, err := codec.NewEvent(store.EventMessage, message)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO run_message (tenant, run, n, name, record)
			SELECT ?, ?2, coalesce(max(n), 0) + 1, ?, ? FROM run_message WHERE run = ?2`, s.tenant, row.id, message.ID, event.Record); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE run SET unread = unread + 1 WHERE id = ?`, row.id); err != nil {
			return err
		}
		return s.addEvents(ctx, tx, f.run, f.seq, f.now, event)
	})
}

// TakeMessages implements store.Runs. It takes no write lock where there is none.
func (s *Store) TakeMessages(ctx context.Context, lease store.Lease) ([]store.RunMessage, error) {
	const op = "store.take_messages"
	unread, err := s.ofLeased(ctx, op, "unread", lease)
	messages := []store.RunMessage{}
	if err != nil || unread == 0 {
		return messages, err
	}
	err = s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		f, err := s.fence(ctx, tx, op, lease, 1)
		if err != nil {
			return err
		}
		if messages, err = unreadMessages(ctx, tx, op, f.run); err != nil {
			return err
		}
		event, err := codec.NewEvent(store.EventDelivered, store.RunDelivered{Messages: messages})
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE run_message SET delivered = ? WHERE run = ? AND delivered = 0`, f.seq+1, f.run); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE run SET unread = 0 WHERE id = ?`, f.run); err != nil {
			return err
		}
		return s.addEvents(ctx, tx, f.run, f.seq, f.now, event)
	})
	if err != nil {
		return nil, err
	}
	return messages, nil
}

func unreadMessages(ctx context.Context, tx *sql.Tx, op string, run int64) ([]store.RunMessage, error) {
	records, err := readColumn[[]byte](ctx, tx, `SELECT record FROM run_message WHERE run = ? AND delivered = 0 ORDER BY n`, run)
	messages := make([]store.RunMessage, len(records))
	for i, record := range records {
		if err := codec.UnpackJSON(op, record, &messages[i]); err != nil {
			return nil, err
		}
	}
	return messages, err
}
