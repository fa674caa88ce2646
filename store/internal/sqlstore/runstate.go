package sqlstore

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
)

// ChangeState implements runstore.Runs.
func (s *Store) ChangeState(ctx context.Context, lease runstore.Lease, change runstore.RunChange,
	events []runstore.RunEvent) error {
	const op = "store.change_state"
	if err := change.Check(op); err != nil {
		return err
	}
	if err := runstore.CheckEvents(op, events); err != nil {
		return err
	}
	made := codec.PackEvents(events)
	return s.writeRun(ctx, op, func(ctx context.Context, tx Tx) (int64, error) {
		f, err := s.fence(ctx, tx, op, lease, len(made)+1)
		if err != nil {
			return 0, err
		}
		if !f.state.CanBecome(change.State) {
			return 0, fault.Invalid(op, "a run that is %s cannot become %s", f.state, change.State)
		}
		return f.run, s.setState(ctx, tx, f, change, made...)
	})
}

// setState writes events and a change of state, whose numbers were taken.
func (s *Store) setState(ctx context.Context, tx Tx, f fenced, change runstore.RunChange, events ...codec.Event) error {
	event, err := codec.StateEvent(f.state, &change)
	if err != nil {
		return err
	}
	if err := s.addEvents(ctx, tx, f.run, f.seq, f.now, append(events[:len(events):len(events)],
		event)...); err != nil {
		return err
	}
	if !change.State.Ended() {
		_, err = tx.Exec(ctx, `UPDATE run SET state = $1, detail = $2 WHERE {n} = $3`, change.State, change.Detail,
			f.run)
		return err
	}
	_, err = tx.Exec(ctx,
		`UPDATE run SET state = $1, outcome = $2, detail = $3, ended_at = $4, {no owner} WHERE {n} = $5`, change.State,
		change.Outcome, change.Detail, f.now, f.run)
	return err
}

// takeNumbers takes the numbers of as many events for a run that needs no lease, or whose lease was found good before.
func (s *Store) takeNumbers(ctx context.Context, tx Tx, run int64, events int) (f fenced, err error) {
	f.run = run
	err = tx.QueryRow(ctx, `UPDATE run SET seq = seq + $1, updated_at = micros() WHERE {n} = $2
		RETURNING seq, state, updated_at`,
		events, run).Scan(&f.seq, &f.state, &f.now)
	f.seq -= int64(events)
	return f, err
}

// CancelRun implements runstore.Runs.
func (s *Store) CancelRun(ctx context.Context, id string) (runstore.Run, error) {
	const op = "store.cancel_run"
	requested, err := codec.NewEvent(runstore.EventCancelRequested, nil)
	if err != nil {
		return runstore.Run{}, s.b.Fail(op, err)
	}
	var run runstore.Run
	var n int64
	err = s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		row, err := s.lockRun(ctx, tx, op, id)
		if err != nil {
			return err
		}
		if n = row.Run; !row.State.Ended() {
			if err := s.cancel(ctx, tx, row, requested); err != nil {
				return err
			}
		}
		run, err = s.readRun(ctx, tx, op, id)
		return err
	})
	if err == nil {
		s.b.Wanted(n)
	}
	return run, err
}

func (s *Store) cancel(ctx context.Context, tx Tx, row LeaseRow, requested codec.Event) error {
	var events []codec.Event
	asked, err := tx.Exec(ctx, `UPDATE run SET cancel_at = micros() WHERE {n} = $1 AND cancel_at = 0`, row.Run)
	if err != nil {
		return err
	}
	if asked > 0 {
		events = append(events, requested)
	}
	if !row.Free {
		f, err := s.takeNumbers(ctx, tx, row.Run, len(events))
		if err != nil {
			return err
		}
		return s.addEvents(ctx, tx, f.run, f.seq, f.now, events...)
	}
	f, err := s.takeNumbers(ctx, tx, row.Run, len(events)+1)
	if err != nil {
		return err
	}
	return s.setState(ctx, tx, f, codec.CancelledIdle, events...)
}

// SendMessage implements runstore.Runs.
func (s *Store) SendMessage(ctx context.Context, id string, message runstore.RunMessage) error {
	const op = "store.send_message"
	if err := message.Check(op); err != nil {
		return err
	}
	var n int64
	err := s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		row, err := s.lockRun(ctx, tx, op, id)
		if err != nil {
			return err
		}
		n = row.Run
		var there bool
		var unread int
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM run_message WHERE tenant = $1 AND run = $2
			AND name = $3), unread
			FROM run WHERE {n} = $2`, s.tenant, row.Run, message.ID).Scan(&there, &unread); err != nil {
			return err
		}
		switch {
		case there:
			return nil
		case row.State.Ended():
			return runstore.RunFinished(op, row.State)
		case unread >= runstore.MaxUnread:
			return &citewell.Error{Code: citewell.CodeRateLimited, Op: op,
				Message: fmt.Sprintf("%d messages wait in the run's inbox", unread),
				Hint:    "wait until the run has read them"}
		}
		f, err := s.takeNumbers(ctx, tx, row.Run, 1)
		if err != nil {
			return err
		}
		message.At = codec.MicroTime(f.now)
		event, err := codec.NewEvent(runstore.EventMessage, message)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, s.db.dialect.AddMessage, s.tenant, row.Run, message.ID, event.Record); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE run SET unread = unread + 1 WHERE {n} = $1`, row.Run); err != nil {
			return err
		}
		return s.addEvents(ctx, tx, f.run, f.seq, f.now, event)
	})
	if err == nil {
		s.b.Wanted(n)
	}
	return err
}

// TakeMessages implements runstore.Runs. It begins no transaction where there is none.
func (s *Store) TakeMessages(ctx context.Context, lease runstore.Lease) ([]runstore.RunMessage, error) {
	const op = "store.take_messages"
	unread, err := s.ofLeased(ctx, op, "unread", lease)
	messages := []runstore.RunMessage{}
	if err != nil || unread == 0 {
		return messages, err
	}
	err = s.writeRun(ctx, op, func(ctx context.Context, tx Tx) (int64, error) {
		f, err := s.fence(ctx, tx, op, lease, 1)
		if err != nil {
			return 0, err
		}
		if messages, err = s.unreadMessages(ctx, tx, op, f.run); err != nil {
			return 0, err
		}
		event, err := codec.NewEvent(runstore.EventDelivered, runstore.RunDelivered{Messages: messages})
		if err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx,
			`UPDATE run_message SET delivered = $1 WHERE tenant = $2 AND run = $3 AND delivered = 0`,
			f.seq+1, s.tenant, f.run); err != nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, `UPDATE run SET unread = 0 WHERE {n} = $1`, f.run); err != nil {
			return 0, err
		}
		return f.run, s.addEvents(ctx, tx, f.run, f.seq, f.now, event)
	})
	if err != nil {
		return nil, err
	}
	return messages, nil
}

func (s *Store) unreadMessages(ctx context.Context, tx Tx, op string, run int64) ([]runstore.RunMessage, error) {
	records, err := ReadColumn[[]byte](ctx, tx, `SELECT record FROM run_message WHERE tenant = $1 AND run = $2
		AND delivered = 0 ORDER BY n`,
		s.tenant, run)
	messages := make([]runstore.RunMessage, len(records))
	for i, record := range records {
		if err := codec.UnpackJSON(op, record, &messages[i]); err != nil {
			return nil, err
		}
	}
	return messages, err
}
