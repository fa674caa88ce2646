package postgres

import (
	"context"
	"time"

	"github.com/citewell/citewell/internal/pacing"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

// TakeTurn implements sqlstore.Paces in two statements: to read what is kept, and to write what is to be.
func (e engine) TakeTurn(ctx context.Context, in sqlstore.Tx, tenant, service string, at time.Time,
	rule runstore.PaceRule) (runstore.Turn, error) {
	var kept pacing.State
	var free int64 // when there will be a place, if no call ends before: 0 where there is one now
	tx, asked := in.(writing).tx, &pgx.Batch{}
	tenant, service = escape(tenant), escape(service)
	asked.Queue(`INSERT INTO pace AS p (tenant, service) VALUES ($1, $2) ON CONFLICT (tenant, service) DO UPDATE SET day = p.day
		RETURNING day, calls, next, rest`, tenant,
		service).QueryRow(func(row pgx.Row) error { return row.Scan(&kept.Day, &kept.Calls, &kept.Next, &kept.Rest) })
	if rule.AtOnce > 0 {
		asked.Queue(`DELETE FROM pace_call WHERE tenant = $1 AND service = $2 AND until <= $3`,
			tenant, service, at.UnixMicro())
		asked.Queue(`SELECT until FROM pace_call WHERE tenant = $1 AND service = $2 ORDER BY until DESC LIMIT 1 OFFSET $3`,
			tenant, service, rule.AtOnce-1).QueryRow(func(row pgx.Row) error {
			_, err := sqlstore.AnyRow(row.Scan(&free))
			return err
		})
	}
	if err := tx.SendBatch(ctx, asked).Close(); err != nil {
		return runstore.Turn{}, err
	}
	turn, after, err := pacing.Take(kept, rule, at, func() (int64, error) { return free, nil })
	if err != nil || turn.ID == "" {
		return turn, err
	}
	told := &pgx.Batch{}
	told.Queue(`UPDATE pace SET day = $3, calls = $4, next = $5 WHERE tenant = $1 AND service = $2`,
		tenant, service, after.Day, after.Calls, after.Next)
	if rule.AtOnce > 0 {
		told.Queue(`INSERT INTO pace_call VALUES ($1, $2, $3, $4)`, tenant, service, turn.ID, pacing.Until(rule, at))
	}
	return turn, tx.SendBatch(ctx, told).Close()
}

// EndTurn implements sqlstore.Paces in one statement, which takes the row of the service first, as TakeTurn does. It
// does not wait for the disk unless a service is to rest for long: a lost end only counts until it is no longer
// believed.
func (e engine) EndTurn(ctx context.Context, from sqlstore.Conn, tenant, service, id string, rest int64,
	short bool) error {
	_, err := from.Exec(ctx, `WITH rested AS (UPDATE pace SET rest = $4 WHERE tenant = $1 AND service = $2 AND rest < $4
		RETURNING rest)
		DELETE FROM pace_call WHERE tenant = $1 AND service = $2 AND id = $3 AND (SELECT count(*) FROM rested) >= 0
		AND (SELECT set_config('synchronous_commit', CASE WHEN $5 THEN 'off' ELSE current_setting('synchronous_commit') END,
			true)) IS NOT NULL`,
		tenant, service, id, rest, short)
	return err
}

// KeepTurns implements sqlstore.Paces. It does not wait for the disk: a lost renewal ends turns no later than before.
func (e engine) KeepTurns(ctx context.Context, from sqlstore.Conn, tenant, service string, ids []string,
	until int64) error {
	_, err := from.Exec(ctx, `UPDATE pace_call SET until = $4 WHERE tenant = $1 AND service = $2 AND id = ANY ($3)
		AND (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL`, tenant, service, ids, until)
	return err
}

// sweepPaces forgets services that hold nobody up and of which no call counts: hosts.
func sweepPaces(ctx context.Context, from querier) error {
	_, err := from.Exec(ctx, `DELETE FROM pace AS p WHERE calls = 0 AND greatest(next, rest) < micros() - $1
		AND NOT EXISTS (SELECT 1 FROM pace_call AS c WHERE c.tenant = p.tenant AND c.service = p.service)`, pacing.Rested.Microseconds())
	return err
}
