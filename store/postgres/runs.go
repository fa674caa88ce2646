package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/jackc/pgx/v5"
)

var _ store.Runs = (*Store)(nil)

// runColumns are what scanRun reads, of table run as r and run_request as q.
const runColumns = `r.id, r.agent, r.caller, r.state, r.outcome, r.detail, r.created_at, r.updated_at, r.ended_at, r.seq, r.cancel_at,
	r.unread, r.owner, r.expires_at, r.token, r.behind, q.request_record, q.budget_record `

// scanRun reads a row of runColumns; more targets take columns before those.
func scanRun(op string, scan func(...any) error, before ...any) (store.Run, error) {
	var r store.Run
	var row codec.RunRow
	if err := scan(append(before, &r.ID, &r.Agent, plain{&r.Caller}, &r.State, &r.Outcome, plain{&r.Detail}, &row.Created, &row.Updated, &row.Ended, &r.Seq, &row.Cancel,
		&r.Unread, plain{&r.Executor}, &row.Expires, &r.Token, &row.Behind, &row.Request, &row.Budget)...); err != nil {
		return store.Run{}, err
	}
	return r, row.Read(op, &r)
}

// CreateRun implements store.Runs.
func (s *Store) CreateRun(ctx context.Context, run store.NewRun) (store.Run, error) {
	const op = "store.create_run"
	made, err := codec.PackRun(op, run)
	if err != nil {
		return store.Run{}, storeError(op, err)
	}
	var kept store.Run
	var n int64
	err = s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		var now, last int64
		if !made.Overtakes() {
			if err := tx.QueryRow(ctx, `SELECT now, greatest(0, (SELECT created_at + behind FROM run WHERE tenant = $1 AND wanted AND owner = '' AND caller <> $2 AND created_at + behind <= now
				ORDER BY created_at + behind DESC LIMIT 1),
				(SELECT max(created_at + behind) FROM run WHERE tenant = $1 AND wanted AND owner <> '' AND caller <> $2 AND created_at + behind <= now),
				(SELECT max(created_at + behind) FROM run WHERE tenant = $1 AND state = $3 AND caller <> $2 AND created_at + behind <= now))
				FROM micros() AS now`, s.tenant, escape(made.Caller), store.RunWaiting).Scan(&now, &last); err != nil {
				return err
			}
		}
		err := tx.QueryRow(ctx, `INSERT INTO run (tenant, id, agent, caller, state, behind, created_at, updated_at, seq) SELECT $1, $2, $3, $4, $5, $6, now, now, 1 FROM coalesce(nullif($7::bigint, 0), micros()) AS now
			ON CONFLICT DO NOTHING RETURNING n, created_at`, s.tenant, made.ID, made.Agent, escape(made.Caller), store.RunInited, made.Behind(now, last), now).Scan(&n, &now)
		if errors.Is(err, pgx.ErrNoRows) {
			if kept, err = s.readRun(ctx, tx, op, made.ID); err != nil {
				return err
			}
			return made.Same(op, kept)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO run_request (tenant, run, request_record, budget_record) VALUES ($1, $2, $3, $4)`,
			s.tenant, n, made.Requested, made.Spend); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO run_task (tenant, run, sha256, folded) VALUES ($1, $2, $3, $4)`, s.tenant, n, made.Hash, escape(made.Folded)); err != nil {
			return err
		}
		if err := s.addEvents(ctx, tx, n, 0, now, made.Created); err != nil {
			return err
		}
		kept, err = s.readRun(ctx, tx, op, made.ID)
		return err
	})
	if err == nil {
		s.db.news.wanted(n)
	}
	return kept, err
}

func (s *Store) readRun(ctx context.Context, from querier, op, id string) (store.Run, error) {
	r, err := scanRun(op, from.QueryRow(ctx, `SELECT `+runColumns+`FROM run AS r JOIN run_request AS q ON q.tenant = r.tenant AND q.run = r.n
		WHERE r.tenant = $1 AND r.id = $2`, s.tenant, escape(id)).Scan)
	return r, orMissing(err, unknownRun(op))
}

// runNumber returns the number of a run's row.
func (s *Store) runNumber(ctx context.Context, from querier, op, id string) (n int64, err error) {
	err = from.QueryRow(ctx, `SELECT n FROM run WHERE tenant = $1 AND id = $2`, s.tenant, escape(id)).Scan(&n)
	return n, orMissing(err, unknownRun(op))
}

// Run implements store.Runs.
func (s *Store) Run(ctx context.Context, id string) (store.Run, error) {
	const op = "store.run"
	return read(ctx, s.db, op, func(ctx context.Context) (store.Run, error) {
		return s.readRun(ctx, s.db.pool, op, id)
	})
}

// NoteAnswer implements store.Runs.
func (s *Store) NoteAnswer(ctx context.Context, id, sha256 string) error {
	const op = "store.note_answer"
	if !codec.ValidHash(sha256) {
		return fault.Invalid(op, "sha256 is no hash")
	}
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		var n int64
		err := tx.QueryRow(ctx, `SELECT n FROM run WHERE tenant = $1 AND id = $2 FOR KEY SHARE`, s.tenant, escape(id)).Scan(&n)
		if err != nil {
			return orMissing(err, unknownRun(op))
		}
		_, err = tx.Exec(ctx, `INSERT INTO run_answer (tenant, sha256, run) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, s.tenant, sha256, n)
		return err
	})
}

// CountRuns implements store.Runs.
func (s *Store) CountRuns(ctx context.Context, caller string) (map[store.RunState]int, error) {
	if caller != "" {
		return s.db.countRuns(ctx, `WHERE tenant = $1 AND caller = $2`, s.tenant, escape(caller))
	}
	return s.db.countRuns(ctx, `WHERE tenant = $1`, s.tenant)
}

// CountRuns counts the runs of all tenants, as store.Runs does those of one.
func (db *DB) CountRuns(ctx context.Context) (map[store.RunState]int, error) {
	return db.countRuns(ctx, ``)
}

func (db *DB) countRuns(ctx context.Context, where string, args ...any) (map[store.RunState]int, error) {
	return read(ctx, db, "store.count_runs", func(ctx context.Context) (map[store.RunState]int, error) {
		counts := make(map[store.RunState]int)
		return counts, each(ctx, db.pool, `SELECT state, count(*) FROM run `+where+` GROUP BY state`, func(scan func(...any) error) error {
			var state store.RunState
			var n int
			err := scan(&state, &n)
			counts[state] = n
			return err
		}, args...)
	})
}

// TenantsWanting returns the tenants that have runs in which an executor has something to do,
// whether it has one or not, or watches that are due. It goes from one tenant to the next, however many runs each has.
func (db *DB) TenantsWanting(ctx context.Context) ([]string, error) {
	return read(ctx, db, "store.tenants_wanting", func(ctx context.Context) ([]string, error) {
		return readStrings(ctx, db.pool, `WITH RECURSIVE has AS (
			(SELECT least((SELECT min(tenant) FROM run WHERE wanted AND owner = ''), (SELECT min(tenant) FROM run WHERE wanted AND owner <> '')) AS tenant)
			UNION ALL SELECT least((SELECT min(tenant) FROM run WHERE wanted AND owner = '' AND tenant > has.tenant),
				(SELECT min(tenant) FROM run WHERE wanted AND owner <> '' AND tenant > has.tenant)) FROM has WHERE has.tenant IS NOT NULL)
			SELECT tenant FROM has WHERE tenant IS NOT NULL UNION SELECT tenant FROM watch WHERE next_at <= micros()`)
	})
}

// LongestWait is for how long the run has waited for an executor that has waited longest, since it
// was begun, answered or let go, or since its executor's lease ended; 0 where none waits.
func (db *DB) LongestWait(ctx context.Context) (time.Duration, error) {
	return read(ctx, db, "store.longest_wait", func(ctx context.Context) (time.Duration, error) {
		var micros int64
		err := db.pool.QueryRow(ctx, `SELECT greatest(0, (SELECT max(micros() - updated_at) FROM run WHERE wanted AND owner = ''),
			(SELECT max(micros() - expires_at) FROM run WHERE wanted AND owner <> ''))`).Scan(&micros)
		return time.Duration(micros) * time.Microsecond, err
	})
}
