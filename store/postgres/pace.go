package postgres

import (
	"context"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/pacing"
	"github.com/jackc/pgx/v5"
)

var _ store.Pace = (*Store)(nil)

// TakeTurn implements store.Pace. Whoever takes a turn holds the row of its service.
func (s *Store) TakeTurn(ctx context.Context, service string, at time.Time, rule store.PaceRule) (turn store.Turn, err error) {
	const op = "store.take_turn"
	if err := pacing.CheckService(op, service); err != nil {
		return turn, err
	}
	if rule.AtOnce > 0 { // who waits for a place asks again and again, and writes nothing
		if turn, err = s.heldUp(ctx, op, service, at, rule); err != nil || turn.ID == "" {
			return turn, err
		}
	}
	err = s.db.once(ctx, op, func(ctx context.Context, tx pgx.Tx) (err error) {
		turn, err = s.takeTurn(ctx, tx, service, at, rule)
		return err
	})
	if err != nil {
		return store.Turn{}, err
	}
	return turn, nil
}

func (s *Store) takeTurn(ctx context.Context, tx pgx.Tx, service string, at time.Time, rule store.PaceRule) (store.Turn, error) {
	var kept pacing.State
	if err := tx.QueryRow(ctx, `INSERT INTO pace AS p (tenant, service) VALUES ($1, $2) ON CONFLICT (tenant, service) DO UPDATE SET day = p.day
		RETURNING day, calls, next, rest`, s.tenant, escape(service)).Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest); err != nil {
		return store.Turn{}, err
	}
	turn, after, err := pacing.Take(kept, rule, at, func() (int64, error) { return s.placeFree(ctx, tx, service, at.UnixMicro(), rule.AtOnce) })
	if err != nil || turn.ID == "" {
		return turn, err
	}
	if _, err := tx.Exec(ctx, `UPDATE pace SET day = $3, calls = $4, next = $5 WHERE tenant = $1 AND service = $2`,
		s.tenant, escape(service), after.Day, after.Calls, after.Next); err != nil || rule.AtOnce == 0 {
		return turn, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO pace_call VALUES ($1, $2, $3, $4)`, s.tenant, escape(service), turn.ID, pacing.Until(rule, at))
	return turn, err
}

// placeFree is when there will be a place, if no call ends before: 0 where there is one now.
func (s *Store) placeFree(ctx context.Context, tx pgx.Tx, service string, now int64, most int) (at int64, err error) {
	if _, err := tx.Exec(ctx, `DELETE FROM pace_call WHERE tenant = $1 AND service = $2 AND until <= $3`, s.tenant, escape(service), now); err != nil {
		return 0, err
	}
	_, err = anyRow(tx.QueryRow(ctx, `SELECT until FROM pace_call WHERE tenant = $1 AND service = $2 ORDER BY until DESC LIMIT 1 OFFSET $3`,
		s.tenant, escape(service), most-1).Scan(&at))
	return at, err
}

// EndTurn implements store.Pace.
func (s *Store) EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error {
	return s.db.again(ctx, "store.end_turn", func(ctx context.Context, tx pgx.Tx) error {
		if rest > 0 {
			if _, err := tx.Exec(ctx, `UPDATE pace SET rest = greatest(rest, $3) WHERE tenant = $1 AND service = $2`,
				s.tenant, escape(service), at.Add(rest).UnixMicro()); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `DELETE FROM pace_call WHERE tenant = $1 AND service = $2 AND id = $3`, s.tenant, escape(service), escape(id))
		return err
	})
}

// heldUp looks whether a call may begin: where not, the turn has no ID.
func (s *Store) heldUp(ctx context.Context, op, service string, at time.Time, rule store.PaceRule) (turn store.Turn, err error) {
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		var kept pacing.State
		var free int64
		_, err := anyRow(s.db.pool.QueryRow(ctx, `SELECT day, calls, next, rest, coalesce((SELECT until FROM pace_call AS c
			WHERE c.tenant = p.tenant AND c.service = p.service AND until > $3 ORDER BY until DESC LIMIT 1 OFFSET $4), 0)
			FROM pace AS p WHERE tenant = $1 AND service = $2`, s.tenant, escape(service), at.UnixMicro(), rule.AtOnce-1).
			Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest, &free))
		if err == nil {
			turn, _, err = pacing.Take(kept, rule, at, func() (int64, error) { return free, nil })
		}
		return err
	})
	return turn, err
}

// KeepTurns implements store.Pace.
func (s *Store) KeepTurns(ctx context.Context, service string, ids []string, at time.Time, hold time.Duration) error {
	return s.db.reading(ctx, "store.keep_turns", func(ctx context.Context) error {
		_, err := s.db.pool.Exec(ctx, `UPDATE pace_call SET until = $4 WHERE tenant = $1 AND service = $2 AND id = ANY ($3)`,
			s.tenant, escape(service), escaped(ids), pacing.Until(store.PaceRule{Hold: hold}, at))
		return err
	})
}

// TurnsOn implements store.Pace.
func (s *Store) TurnsOn(ctx context.Context, service string, at time.Time) (calls int, err error) {
	err = s.db.reading(ctx, "store.turns_on", func(ctx context.Context) error {
		calls = 0
		_, err := anyRow(s.db.pool.QueryRow(ctx, `SELECT calls FROM pace WHERE tenant = $1 AND service = $2 AND day = $3`,
			s.tenant, escape(service), pacing.Day(at)).Scan(&calls))
		return err
	})
	return calls, err
}

// sweepPaces forgets services that hold nobody up and of which no call counts: hosts.
func sweepPaces(ctx context.Context, from querier) error {
	_, err := from.Exec(ctx, `DELETE FROM pace AS p WHERE calls = 0 AND greatest(next, rest) < micros() - $1
		AND NOT EXISTS (SELECT 1 FROM pace_call AS c WHERE c.tenant = p.tenant AND c.service = p.service)`, pacing.Rested.Microseconds())
	return err
}
