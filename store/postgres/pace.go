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

// takeTurn goes to the server twice within its transaction: for what is kept, and with what is to be.
func (s *Store) takeTurn(ctx context.Context, tx pgx.Tx, service string, at time.Time, rule store.PaceRule) (store.Turn, error) {
	var kept pacing.State
	var free int64 // when there will be a place, if no call ends before: 0 where there is one now
	name, asked := escape(service), &pgx.Batch{}
	asked.Queue(`INSERT INTO pace AS p (tenant, service) VALUES ($1, $2) ON CONFLICT (tenant, service) DO UPDATE SET day = p.day
		RETURNING day, calls, next, rest`, s.tenant, name).QueryRow(func(row pgx.Row) error { return row.Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest) })
	if rule.AtOnce > 0 {
		asked.Queue(`DELETE FROM pace_call WHERE tenant = $1 AND service = $2 AND until <= $3`, s.tenant, name, at.UnixMicro())
		asked.Queue(`SELECT until FROM pace_call WHERE tenant = $1 AND service = $2 ORDER BY until DESC LIMIT 1 OFFSET $3`,
			s.tenant, name, rule.AtOnce-1).QueryRow(func(row pgx.Row) error {
			_, err := anyRow(row.Scan(&free))
			return err
		})
	}
	if err := tx.SendBatch(ctx, asked).Close(); err != nil {
		return store.Turn{}, err
	}
	turn, after, err := pacing.Take(kept, rule, at, func() (int64, error) { return free, nil })
	if err != nil || turn.ID == "" {
		return turn, err
	}
	told := &pgx.Batch{}
	told.Queue(`UPDATE pace SET day = $3, calls = $4, next = $5 WHERE tenant = $1 AND service = $2`, s.tenant, name, after.Day, after.Calls, after.Next)
	if rule.AtOnce > 0 {
		told.Queue(`INSERT INTO pace_call VALUES ($1, $2, $3, $4)`, s.tenant, name, turn.ID, pacing.Until(rule, at))
	}
	return turn, tx.SendBatch(ctx, told).Close()
}

// shortRest is a rest that may be lost with a server that dies.
const shortRest = time.Minute

// EndTurn implements store.Pace: in one statement, which takes the row of the service first, as
// TakeTurn does. It does not wait for the disk unless a service is to be let alone for long: a call
// whose end is lost counts until it is believed no longer.
func (s *Store) EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error {
	until := int64(0)
	if rest > 0 {
		until = at.Add(rest).UnixMicro()
	}
	return s.db.reading(ctx, "store.end_turn", func(ctx context.Context) error {
		_, err := s.db.pool.Exec(ctx, `WITH rested AS (UPDATE pace SET rest = $4 WHERE tenant = $1 AND service = $2 AND rest < $4 RETURNING rest)
			DELETE FROM pace_call WHERE tenant = $1 AND service = $2 AND id = $3 AND (SELECT count(*) FROM rested) >= 0
			AND (SELECT set_config('synchronous_commit', CASE WHEN $5 THEN 'off' ELSE current_setting('synchronous_commit') END, true)) IS NOT NULL`,
			s.tenant, escape(service), escape(id), until, rest <= shortRest)
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

// KeepTurns implements store.Pace. It does not wait for the disk: a server that dies ends the calls' turns
// no later than it would have.
func (s *Store) KeepTurns(ctx context.Context, service string, ids []string, at time.Time, hold time.Duration) error {
	return s.db.reading(ctx, "store.keep_turns", func(ctx context.Context) error {
		_, err := s.db.pool.Exec(ctx, `UPDATE pace_call SET until = $4 WHERE tenant = $1 AND service = $2 AND id = ANY ($3)
			AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL`,
			s.tenant, escape(service), escaped(ids), pacing.Until(store.PaceRule{Hold: hold}, at))
		return err
	})
}

// TurnsOn implements store.Pace.
func (s *Store) TurnsOn(ctx context.Context, service string, at time.Time) (int, error) {
	return read(ctx, s.db, "store.turns_on", func(ctx context.Context) (calls int, err error) {
		_, err = anyRow(s.db.pool.QueryRow(ctx, `SELECT calls FROM pace WHERE tenant = $1 AND service = $2 AND day = $3`,
			s.tenant, escape(service), pacing.Day(at)).Scan(&calls))
		return calls, err
	})
}

// sweepPaces forgets services that hold nobody up and of which no call counts: hosts.
func sweepPaces(ctx context.Context, from querier) error {
	_, err := from.Exec(ctx, `DELETE FROM pace AS p WHERE calls = 0 AND greatest(next, rest) < micros() - $1
		AND NOT EXISTS (SELECT 1 FROM pace_call AS c WHERE c.tenant = p.tenant AND c.service = p.service)`, pacing.Rested.Microseconds())
	return err
}
