package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/pacing"
)

var _ store.Pace = (*Store)(nil)

// TakeTurn implements store.Pace.
func (s *Store) TakeTurn(ctx context.Context, service string, at time.Time, rule store.PaceRule) (turn store.Turn, err error) {
	const op = "store.take_turn"
	if err := pacing.CheckService(op, service); err != nil {
		return turn, err
	}
	if rule.AtOnce > 0 { // who waits for a place asks again and again, and keeps nobody from writing
		turn, err = s.heldUp(ctx, service, at, rule)
		if err != nil || turn.ID == "" {
			return turn, storeError(op, err)
		}
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

// heldUp looks whether a call may begin: where not, the turn has no ID.
func (s *Store) heldUp(ctx context.Context, service string, at time.Time, rule store.PaceRule) (store.Turn, error) {
	var kept pacing.State
	var free int64
	if _, err := anyRow(s.db.reads.QueryRowContext(ctx, `SELECT day, calls, next, rest, ifnull((SELECT until FROM pace_call AS c
		WHERE c.tenant = p.tenant AND c.service = p.service AND until > ? ORDER BY until DESC LIMIT 1 OFFSET ?), 0)
		FROM pace AS p WHERE tenant = ? AND service = ?`, at.UnixMicro(), rule.AtOnce-1, s.tenant, service).
		Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest, &free)); err != nil {
		return store.Turn{}, err
	}
	turn, _, err := pacing.Take(kept, rule, at, func() (int64, error) { return free, nil })
	return turn, err
}

func (s *Store) takeTurn(ctx context.Context, tx *sql.Tx, service string, at time.Time, rule store.PaceRule) (store.Turn, error) {
	var kept pacing.State
	err := tx.QueryRowContext(ctx, `SELECT day, calls, next, rest FROM pace WHERE tenant = ? AND service = ?`, s.tenant, service).
		Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest)
	if _, err := anyRow(err); err != nil {
		return store.Turn{}, err
	}
	turn, after, err := pacing.Take(kept, rule, at, func() (int64, error) { return s.placeFree(ctx, tx, service, at.UnixMicro(), rule.AtOnce) })
	if err != nil || turn.ID == "" {
		return turn, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO pace (tenant, service, day, calls, next, rest) VALUES (?, ?, ?, ?, ?, 0)
		ON CONFLICT DO UPDATE SET day = excluded.day, calls = excluded.calls, next = excluded.next`,
		s.tenant, service, after.Day, after.Calls, after.Next); err != nil || rule.AtOnce == 0 {
		return turn, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO pace_call (tenant, service, id, until) VALUES (?, ?, ?, ?)`, s.tenant, service, turn.ID, pacing.Until(rule, at))
	return turn, err
}

// placeFree is when there will be a place, if no call ends before: 0 where there is one now.
func (s *Store) placeFree(ctx context.Context, tx *sql.Tx, service string, now int64, most int) (at int64, err error) {
	if _, err := tx.ExecContext(ctx, `DELETE FROM pace_call WHERE tenant = ? AND service = ? AND until <= ?`, s.tenant, service, now); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `SELECT until FROM pace_call WHERE tenant = ? AND service = ? ORDER BY until DESC LIMIT 1 OFFSET ?`,
		s.tenant, service, most-1).Scan(&at)
	_, err = anyRow(err)
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

// KeepTurns implements store.Pace.
func (s *Store) KeepTurns(ctx context.Context, service string, ids []string, at time.Time, hold time.Duration) error {
	return storeError("store.keep_turns", s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, id := range ids {
			if _, err := tx.ExecContext(ctx, `UPDATE pace_call SET until = ? WHERE tenant = ? AND service = ? AND id = ?`, pacing.Until(store.PaceRule{Hold: hold}, at), s.tenant, service, id); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TurnsOn implements store.Pace.
func (s *Store) TurnsOn(ctx context.Context, service string, at time.Time) (calls int, err error) {
	err = s.db.reads.QueryRowContext(ctx, `SELECT calls FROM pace WHERE tenant = ? AND service = ? AND day = ?`, s.tenant, service, pacing.Day(at)).Scan(&calls)
	_, err = anyRow(err)
	return calls, storeError("store.turns_on", err)
}

// sweepPaces forgets services that hold nobody up and of which no call counts: hosts.
func (db *DB) sweepPaces(ctx context.Context) error {
	const rested = ` FROM pace AS p WHERE calls = 0 AND max(next, rest) < ? AND NOT EXISTS (SELECT 1 FROM pace_call AS c WHERE c.tenant = p.tenant AND c.service = p.service)`
	before := time.Now().Add(-pacing.Rested).UnixMicro()
	var due int
	if err := db.reads.QueryRowContext(ctx, `SELECT count(*)`+rested, before).Scan(&due); err != nil || due < pacing.ManyRested {
		return err
	}
	return db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE`+rested, before)
		return err
	})
}
