package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
)

var _ store.Runs = (*Store)(nil)

func unknownRun(op string) error { return fault.NotFound(op, "no run with that id is kept") }

// runColumns are what scanRun reads, of table run as r and run_request as q.
const runColumns = `r.name, r.agent, r.caller, r.state, r.outcome, r.detail, r.created_at, r.updated_at, r.ended_at, r.seq, r.cancel_at,
	r.unread, r.owner, r.expires_at, r.token, r.behind, q.request_record, q.budget_record `

// scanRun reads a row of runColumns; more targets take columns before those.
func scanRun(op string, scan func(...any) error, before ...any) (store.Run, error) {
	var r store.Run
	var row codec.RunRow
	if err := scan(append(before, &r.ID, &r.Agent, &r.Caller, &r.State, &r.Outcome, &r.Detail, &row.Created, &row.Updated, &row.Ended, &r.Seq, &row.Cancel,
		&r.Unread, &r.Executor, &row.Expires, &r.Token, &row.Behind, &row.Request, &row.Budget)...); err != nil {
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
	run = made.NewRun
	var kept store.Run
	err = s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		now := time.Now().UnixMicro()
		var id, last int64
		if !run.Overtakes() {
			if err := tx.QueryRowContext(ctx, `SELECT max(coalesce((SELECT created_at + behind FROM run WHERE tenant = ?1 AND wanted = 1 AND caller <> ?2 AND created_at + behind <= ?3
				ORDER BY created_at + behind DESC LIMIT 1), 0),
				coalesce((SELECT max(created_at + behind) FROM run WHERE tenant = ?1 AND state = ?4 AND caller <> ?2 AND created_at + behind <= ?3), 0))`,
				s.tenant, run.Caller, now, store.RunWaiting).Scan(&last); err != nil {
				return err
			}
		}
		err := tx.QueryRowContext(ctx, `INSERT INTO run (tenant, name, agent, caller, state, behind, created_at, updated_at, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)
			ON CONFLICT DO NOTHING RETURNING id`, s.tenant, run.ID, run.Agent, run.Caller, store.RunInited, run.Behind(now, last), now, now).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			if kept, err = s.readRun(ctx, tx, op, run.ID); err != nil {
				return err
			}
			return made.Same(op, kept)
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO run_request (run, tenant, request_record, budget_record) VALUES (?, ?, ?, ?)`,
			id, s.tenant, made.Requested, made.Spend); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO run_task (tenant, run, sha256, folded) VALUES (?, ?, ?, ?)`, s.tenant, id, made.Hash, made.Folded); err != nil {
			return err
		}
		if err := s.addEvents(ctx, tx, id, 0, now, made.Created); err != nil {
			return err
		}
		kept, err = s.readRun(ctx, tx, op, run.ID)
		return err
	})
	return kept, err
}

func (s *Store) readRun(ctx context.Context, from querier, op, id string) (store.Run, error) {
	r, err := scanRun(op, from.QueryRowContext(ctx, `SELECT `+runColumns+`FROM run AS r JOIN run_request AS q ON q.run = r.id WHERE r.tenant = ? AND r.name = ?`, s.tenant, id).Scan)
	return r, storeError(op, orMissing(err, unknownRun(op)))
}

// runID returns the row of a run.
func (s *Store) runID(ctx context.Context, from querier, op, id string) (run int64, err error) {
	err = from.QueryRowContext(ctx, `SELECT id FROM run WHERE tenant = ? AND name = ?`, s.tenant, id).Scan(&run)
	return run, storeError(op, orMissing(err, unknownRun(op)))
}

// Run implements store.Runs.
func (s *Store) Run(ctx context.Context, id string) (store.Run, error) {
	return s.readRun(ctx, s.db.reads, "store.run", id)
}

// NoteAnswer implements store.Runs.
func (s *Store) NoteAnswer(ctx context.Context, id, sha256 string) error {
	const op = "store.note_answer"
	if !codec.ValidHash(sha256) {
		return fault.Invalid(op, "sha256 is no hash")
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		run, err := s.runID(ctx, tx, op, id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO run_answer (tenant, sha256, run) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, s.tenant, sha256, run)
		return err
	}))
}

// CountRuns implements store.Runs.
func (s *Store) CountRuns(ctx context.Context, caller string) (map[store.RunState]int, error) {
	if caller != "" {
		return s.db.countRuns(ctx, `WHERE tenant = ? AND caller = ?`, s.tenant, caller)
	}
	return s.db.countRuns(ctx, `WHERE tenant = ?`, s.tenant)
}

// CountRuns counts the runs of all tenants, as store.Runs does those of one.
func (db *DB) CountRuns(ctx context.Context) (map[store.RunState]int, error) {
	return db.countRuns(ctx, ``)
}

func (db *DB) countRuns(ctx context.Context, where string, args ...any) (map[store.RunState]int, error) {
	counts := make(map[store.RunState]int)
	err := each(ctx, db.reads, `SELECT state, count(*) FROM run `+where+` GROUP BY state`, func(scan func(...any) error) error {
		var state store.RunState
		var n int
		err := scan(&state, &n)
		counts[state] = n
		return err
	}, args...)
	if err != nil {
		return nil, storeError("store.count_runs", err)
	}
	return counts, nil
}

// TenantsWanting returns the tenants that have runs in which an executor has something to do,
// whether it has one or not, or watches that are due.
func (db *DB) TenantsWanting(ctx context.Context) (tenants []string, err error) {
	tenants, err = readColumn[string](ctx, db.reads, `SELECT tenant FROM run WHERE wanted = 1 UNION SELECT tenant FROM watch WHERE next_at <= ?`, time.Now().UnixMicro())
	return tenants, storeError("store.tenants_wanting", err)
}

// LongestWait is for how long the run has waited for an executor that has waited longest, since it
// was begun, answered or let go; 0 where none waits. A run whose process is gone is none.
func (db *DB) LongestWait(ctx context.Context) (time.Duration, error) {
	var since sql.NullInt64
	if err := db.reads.QueryRowContext(ctx, `SELECT min(updated_at) FROM run WHERE wanted = 1 AND owner = ''`).Scan(&since); err != nil {
		return 0, storeError("store.longest_wait", err)
	}
	if !since.Valid {
		return 0, nil
	}
	return max(0, time.Since(time.UnixMicro(since.Int64))), nil
}

// changeRuns does a write and wakes who follows runs.
func (s *Store) changeRuns(ctx context.Context, op string, do func(context.Context, *sql.Tx) error) error {
	err := s.db.writer.Do(ctx, do)
	if err == nil {
		s.db.followers.look()
	}
	return storeError(op, err)
}
