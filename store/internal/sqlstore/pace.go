package sqlstore

import (
	"context"
	"time"

	"github.com/citewell/citewell/internal/pacing"
	"github.com/citewell/citewell/internal/runstore"
)

// Paces are what of runstore.Pace each database does in its own way.
type Paces interface {
	// TakeTurn has a call begin where it may; whoever takes a turn holds the row of its service.
	TakeTurn(ctx context.Context, tx Tx, tenant, service string, at time.Time,
		rule runstore.PaceRule) (runstore.Turn, error)
	// EndTurn ends a call; rest is until when, in microseconds, its service is to be let alone.
	EndTurn(ctx context.Context, from Conn, tenant, service, id string, rest int64, short bool) error
	// KeepTurns has calls be believed until later.
	KeepTurns(ctx context.Context, from Conn, tenant, service string, ids []string, until int64) error
}

// TakeTurn implements runstore.Pace.
func (s *Store) TakeTurn(ctx context.Context, service string, at time.Time,
	rule runstore.PaceRule) (turn runstore.Turn, err error) {
	const op = "store.take_turn"
	if err := pacing.CheckService(op, service); err != nil {
		return turn, err
	}
	if rule.AtOnce > 0 { // who waits for a place asks again and again, and keeps nobody from writing
		if turn, err = s.heldUp(ctx, op, service, at, rule); err != nil || turn.ID == "" {
			return turn, err
		}
	}
	err = s.b.Once(ctx, op, func(ctx context.Context, tx Tx) (err error) {
		turn, err = s.b.TakeTurn(ctx, tx, s.tenant, service, at, rule)
		return err
	})
	if err != nil {
		return runstore.Turn{}, err
	}
	return turn, nil
}

// heldUp looks whether a call may begin: where not, the turn has no ID.
func (s *Store) heldUp(ctx context.Context, op, service string, at time.Time,
	rule runstore.PaceRule) (runstore.Turn, error) {
	return readValue(ctx, s.b, op, func(from Conn) (runstore.Turn, error) {
		var kept pacing.State
		var free int64
		if _, err := AnyRow(from.QueryRow(ctx,
			`SELECT day, calls, next, rest, coalesce((SELECT until FROM pace_call AS c
			WHERE c.tenant = p.tenant AND c.service = p.service AND until > $3 ORDER BY until DESC LIMIT 1 OFFSET $4), 0)
			FROM pace AS p WHERE tenant = $1 AND service = $2`, s.tenant, service, at.UnixMicro(), rule.AtOnce-1).
			Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest, &free)); err != nil {
			return runstore.Turn{}, err
		}
		turn, _, err := pacing.Take(kept, rule, at, func() (int64, error) { return free, nil })
		return turn, err
	})
}

// shortRest is a rest that may be lost with a server that dies.
const shortRest = time.Minute

// EndTurn implements runstore.Pace.
func (s *Store) EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error {
	until := int64(0)
	if rest > 0 {
		until = at.Add(rest).UnixMicro()
	}
	return s.b.Alone(ctx, "store.end_turn", func(ctx context.Context, from Conn) error {
		return s.b.EndTurn(ctx, from, s.tenant, service, id, until, rest <= shortRest)
	})
}

// KeepTurns implements runstore.Pace.
func (s *Store) KeepTurns(ctx context.Context, service string, ids []string, at time.Time, hold time.Duration) error {
	return s.b.Alone(ctx, "store.keep_turns", func(ctx context.Context, from Conn) error {
		return s.b.KeepTurns(ctx, from, s.tenant, service, ids, pacing.Until(runstore.PaceRule{Hold: hold}, at))
	})
}

// TurnsOn implements runstore.Pace.
func (s *Store) TurnsOn(ctx context.Context, service string, at time.Time) (int, error) {
	return readValue(ctx, s.b, "store.turns_on", func(from Conn) (calls int, err error) {
		_, err = AnyRow(from.QueryRow(ctx, `SELECT calls FROM pace WHERE tenant = $1 AND service = $2 AND day = $3`,
			s.tenant, service, pacing.Day(at)).Scan(&calls))
		return calls, err
	})
}
