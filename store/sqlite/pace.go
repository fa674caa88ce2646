package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

var _ store.Pace = (*Store)(nil)

const (
	maxPaceService = 100 // bytes of a name
	paceHold       = time.Minute
)

// TakeTurn implements store.Pace.
func (s *Store) TakeTurn(ctx context.Context, service string, at time.Time, rule store.PaceRule) (turn store.Turn, err error) {
	const op = "store.take_turn"
	if service == "" || len(service) > maxPaceService {
		return turn, invalid(op, "service must be 1 to 100 bytes")
	}
	err = s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		turn, err = s.takeTurn(ctx, tx, service, at, rule)
		return err
	})
	if err != nil {
		return store.Turn{}, storeError(op, err)
	}
	return turn, nil
}

func (s *Store) takeTurn(ctx context.Context, tx *sql.Tx, service string, at time.Time, rule store.PaceRule) (turn store.Turn, err error) {
	var day, next, rest int64
	err = tx.QueryRowContext(ctx, `SELECT day, calls, next, rest FROM pace WHERE tenant = ? AND service = ?`, s.tenant, service).
		Scan(&day, &turn.Today, &next, &rest)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return turn, err
	}
	now, today, every := at.UnixMicro(), spendingDay(at), rule.Every.Microseconds()
	if day != today {
		turn.Today = 0
	}
	if rule.PerDay > 0 && !rule.Free && turn.Today >= rule.PerDay {
		turn.UsedUp, turn.Wait = true, time.Unix((today+1)*int64(24*time.Hour/time.Second), 0).Sub(at)
		return turn, nil
	}
	burst := every * int64(max(rule.Burst, 1))
	next = min(next, now+burst) // it was further off by another rule, or by a clock that was set back
	wait := max(rest-now, next+every-burst-now)
	if rule.AtOnce > 0 {
		place, err := s.placeFree(ctx, tx, service, now, rule.AtOnce)
		if err != nil {
			return turn, err
		}
		turn.Held = place-now > max(wait, 0)
		wait = max(wait, place-now)
	}
	if wait > 0 {
		turn.Wait = time.Duration(wait) * time.Microsecond
		return turn, nil
	}
	turn.ID = citewell.NewID()
	if !rule.Free {
		turn.Today++
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO pace (tenant, service, day, calls, next, rest) VALUES (?, ?, ?, ?, ?, 0)
		ON CONFLICT DO UPDATE SET day = excluded.day, calls = excluded.calls, next = excluded.next`,
		s.tenant, service, today, turn.Today, max(next, now)+every); err != nil || rule.AtOnce == 0 {
		return turn, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO pace_call (tenant, service, id, until) VALUES (?, ?, ?, ?)`,
		s.tenant, service, turn.ID, at.Add(cmp.Or(rule.Hold, paceHold)).UnixMicro())
	return turn, err
}

// placeFree is when there will be a place, if no call ends before: 0 where there is one now.
func (s *Store) placeFree(ctx context.Context, tx *sql.Tx, service string, now int64, most int) (at int64, err error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM pace_call WHERE tenant = ? AND service = ? AND until <= ?`, s.tenant, service, now); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `SELECT until FROM pace_call WHERE tenant = ? AND service = ? ORDER BY until DESC LIMIT 1 OFFSET ?`,
		s.tenant, service, most-1).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return at, err
}

// EndTurn implements store.Pace.
func (s *Store) EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error {
	return storeError("store.end_turn", s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM pace_call WHERE tenant = ? AND service = ? AND id = ?`, s.tenant, service, id)
		if err == nil && rest > 0 {
			_, err = tx.ExecContext(ctx, `UPDATE pace SET rest = max(rest, ?) WHERE tenant = ? AND service = ?`, at.Add(rest).UnixMicro(), s.tenant, service)
		}
		return err
	}))
}

// TurnsOn implements store.Pace.
func (s *Store) TurnsOn(ctx context.Context, service string, at time.Time) (calls int, err error) {
	err = s.db.reads.QueryRowContext(ctx, `SELECT calls FROM pace WHERE tenant = ? AND service = ? AND day = ?`, s.tenant, service, spendingDay(at)).Scan(&calls)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return calls, storeError("store.turns_on", err)
}
