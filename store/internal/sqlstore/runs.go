package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
)

func unknownRun(op string) error { return fault.NotFound(op, "no run with that id is kept") }

// runColumns are what scanRun reads, of table run as r and run_request as q.
const runColumns = `r.{id}, r.agent, r.caller, r.state, r.outcome, r.detail, r.created_at, r.updated_at, r.ended_at,
	r.seq, r.cancel_at,
	r.unread, r.owner, r.expires_at, r.token, r.behind, q.request_record, q.budget_record `

// scanRun reads a row of runColumns; more targets take columns before those.
func scanRun(op string, scan func(...any) error, before ...any) (runstore.Run, error) {
	var r runstore.Run
	var row codec.RunRow
	if err := scan(append(before, &r.ID, &r.Agent, &r.Caller, &r.State, &r.Outcome, &r.Detail, &row.Created,
		&row.Updated, &row.Ended,
		&r.Seq, &row.Cancel, &r.Unread, &r.Executor, &row.Expires, &r.Token, &row.Behind, &row.Request,
		&row.Budget)...); err != nil {
		return runstore.Run{}, err
	}
	return r, row.Read(op, &r)
}

// CreateRun implements runstore.Runs.
func (s *Store) CreateRun(ctx context.Context, run runstore.NewRun) (runstore.Run, error) {
	const op = "store.create_run"
	made, err := codec.PackRun(op, run)
	if err != nil {
		return runstore.Run{}, s.b.Fail(op, err)
	}
	var kept runstore.Run
	var n int64
	err = s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		var now, last int64
		if !made.Overtakes() {
			if err := tx.QueryRow(ctx, s.db.dialect.LastTurn, s.tenant, made.Caller, runstore.RunWaiting).Scan(&now,
				&last); err != nil {
				return err
			}
		}
		err := tx.QueryRow(ctx,
			`WITH clock AS MATERIALIZED (SELECT coalesce(nullif(CAST($7 AS bigint), 0), micros()) AS now)
			INSERT INTO run (tenant, {id}, agent, caller, state, behind, created_at, updated_at, seq)
			SELECT $1, $2, $3, $4, $5, $6, now, now, 1 FROM clock WHERE true ON CONFLICT DO NOTHING RETURNING {n}, created_at`,
			s.tenant, made.ID, made.Agent, made.Caller, runstore.RunInited, made.Behind(now, last), now).
			Scan(&n, &now)
		if errors.Is(err, sql.ErrNoRows) {
			if kept, err = s.readRun(ctx, tx, op, made.ID); err != nil {
				return err
			}
			return made.Same(op, kept)
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO run_request (tenant, run, request_record, budget_record)
			VALUES ($1, $2, $3, $4)`,
			s.tenant, n, made.Requested, made.Spend); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO run_task (tenant, run, sha256, folded) VALUES ($1, $2, $3, $4)`,
			s.tenant, n, made.Hash, made.Folded); err != nil {
			return err
		}
		if err := s.addEvents(ctx, tx, n, 0, now, made.Created); err != nil {
			return err
		}
		kept, err = s.readRun(ctx, tx, op, made.ID)
		return err
	})
	if err == nil {
		s.b.Wanted(n)
	}
	return kept, err
}

func (s *Store) readRun(ctx context.Context, from Conn, op, id string) (runstore.Run, error) {
	r, err := scanRun(op, from.QueryRow(ctx, `SELECT `+runColumns+`FROM run AS r
		JOIN run_request AS q ON q.tenant = r.tenant AND q.run = r.{n}
		WHERE r.tenant = $1 AND r.{id} = $2`, s.tenant, id).Scan)
	return r, OrMissing(err, unknownRun(op))
}

// number returns the number of a run's row; lock is how the row is locked.
func (s *Store) number(ctx context.Context, from Conn, op, id, lock string) (n int64, err error) {
	err = from.QueryRow(ctx, `SELECT {n} FROM run WHERE tenant = $1 AND {id} = $2`+lock, s.tenant, id).Scan(&n)
	return n, OrMissing(err, unknownRun(op))
}

// Run implements runstore.Runs.
func (s *Store) Run(ctx context.Context, id string) (runstore.Run, error) {
	const op = "store.run"
	return readValue(ctx, s.b, op, func(from Conn) (runstore.Run, error) { return s.readRun(ctx, from, op, id) })
}

// NoteAnswer implements runstore.Runs.
func (s *Store) NoteAnswer(ctx context.Context, id, sha256 string) error {
	const op = "store.note_answer"
	if !codec.ValidHash(sha256) {
		return fault.Invalid(op, "sha256 is no hash")
	}
	return s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		n, err := s.number(ctx, tx, op, id, ` {for key share}`)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO run_answer (tenant, sha256, run) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			s.tenant, sha256, n)
		return err
	})
}

// CountRuns implements runstore.Runs.
func (s *Store) CountRuns(ctx context.Context, caller string) (map[runstore.RunState]int, error) {
	if caller != "" {
		return s.db.countRuns(ctx, `WHERE tenant = $1 AND caller = $2`, s.tenant, caller)
	}
	return s.db.countRuns(ctx, `WHERE tenant = $1`, s.tenant)
}

// CountRuns counts the runs of all tenants, as runstore.Runs does those of one.
func (db *DB) CountRuns(ctx context.Context) (map[runstore.RunState]int, error) {
	return db.countRuns(ctx, ``)
}

func (db *DB) countRuns(ctx context.Context, where string, args ...any) (map[runstore.RunState]int, error) {
	return readValue(ctx, db.b, "store.count_runs", func(from Conn) (map[runstore.RunState]int, error) {
		counts := make(map[runstore.RunState]int)
		return counts, Each(ctx, from, `SELECT state, count(*) FROM run `+where+` GROUP BY state`,
			func(scan func(...any) error) error {
				var state runstore.RunState
				var n int
				err := scan(&state, &n)
				counts[state] = n
				return err
			}, args...)
	})
}

// TenantsWanting returns the tenants that have runs with work for an executor, or watches that are due.
func (db *DB) TenantsWanting(ctx context.Context) ([]string, error) {
	return readValue(ctx, db.b, "store.tenants_wanting", func(from Conn) ([]string, error) {
		return ReadColumn[string](ctx, from, db.dialect.TenantsWanting)
	})
}

// LongestWait is how long a run has waited for an executor, since it was begun, answered or let go; 0 if none waits. In
// PostgreSQL a run waits since its executor's lease ended; in SQLite one whose process is gone is not counted.
func (db *DB) LongestWait(ctx context.Context) (time.Duration, error) {
	return readValue(ctx, db.b, "store.longest_wait", func(from Conn) (time.Duration, error) {
		var micros int64
		err := from.QueryRow(ctx, db.dialect.LongestWait).Scan(&micros)
		return time.Duration(micros) * time.Microsecond, err
	})
}
