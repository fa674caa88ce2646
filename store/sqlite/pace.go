package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell/internal/pacing"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// TakeTurn implements sqlstore.Paces.
func (e engine) TakeTurn(ctx context.Context, tx sqlstore.Tx, tenant, service string, at time.Time,
	rule runstore.PaceRule) (runstore.Turn, error) {
	var kept pacing.State
	err := tx.QueryRow(ctx, `SELECT day, calls, next, rest FROM pace WHERE tenant = ? AND service = ?`,
		tenant, service).
		Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest)
	if _, err := sqlstore.AnyRow(err); err != nil {
		return runstore.Turn{}, err
	}
	turn, after, err := pacing.Take(kept, rule, at, func() (int64, error) {
		return placeFree(ctx, tx, tenant, service, at.UnixMicro(), rule.AtOnce)
	})
	if err != nil || turn.ID == "" {
		return turn, err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO pace (tenant, service, day, calls, next, rest) VALUES (?, ?, ?, ?, ?, 0)
		ON CONFLICT DO UPDATE SET day = excluded.day, calls = excluded.calls, next = excluded.next`,
		tenant, service, after.Day, after.Calls, after.Next); err != nil || rule.AtOnce == 0 {
		return turn, err
	}
	_, err = tx.Exec(ctx, `INSERT INTO pace_call (tenant, service, id, until) VALUES (?, ?, ?, ?)`,
		tenant, service, turn.ID, pacing.Until(rule, at))
	return turn, err
}

// placeFree is when there will be a place, if no call ends before: 0 where there is one now.
func placeFree(ctx context.Context, tx sqlstore.Tx, tenant, service string, now int64, most int) (at int64, err error) {
	if _, err := tx.Exec(ctx, `DELETE FROM pace_call WHERE tenant = ? AND service = ? AND until <= ?`,
		tenant, service, now); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `SELECT until FROM pace_call WHERE tenant = ? AND service = ? ORDER BY until DESC
		LIMIT 1 OFFSET ?`,
		tenant, service, most-1).Scan(&at)
	_, err = sqlstore.AnyRow(err)
	return at, err
}

// EndTurn implements sqlstore.Paces.
func (e engine) EndTurn(ctx context.Context, tx sqlstore.Conn, tenant, service, id string, rest int64, _ bool) error {
	_, err := tx.Exec(ctx, `DELETE FROM pace_call WHERE tenant = ? AND service = ? AND id = ?`, tenant, service, id)
	if err == nil && rest > 0 {
		_, err = tx.Exec(ctx, `UPDATE pace SET rest = max(rest, ?) WHERE tenant = ? AND service = ?`, rest,
			tenant, service)
	}
	return err
}

// KeepTurns implements sqlstore.Paces.
func (e engine) KeepTurns(ctx context.Context, tx sqlstore.Conn, tenant, service string, ids []string,
	until int64) error {
	for _, id := range ids {
		if _, err := tx.Exec(ctx, `UPDATE pace_call SET until = ? WHERE tenant = ? AND service = ? AND id = ?`,
			until, tenant, service, id); err != nil {
			return err
		}
	}
	return nil
}

// sweepPaces forgets services that hold nobody up and of which no call counts: hosts.
func (db *DB) sweepPaces(ctx context.Context) error {
	const rested = ` FROM pace AS p WHERE calls = 0 AND max(next, rest) < ? AND NOT EXISTS (SELECT 1 FROM pace_call AS c WHERE c.tenant = p.tenant AND c.service = p.service)`
	before := time.Now().Add(-pacing.Rested).UnixMicro()
	var due int
	if err := db.reads.QueryRowContext(ctx, `SELECT count(*)`+rested, before).Scan(&due); err != nil ||
		due < pacing.ManyRested {
		return err
	}
	return db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE`+rested, before)
		return err
	})
}
