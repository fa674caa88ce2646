package sqlite

import (
	"bytes"
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
	r.unread, r.owner, r.expires_at, r.token, q.request_record, q.budget_record `

// scanRun reads a row of runColumns; more targets take columns before those.
func scanRun(op string, scan func(...any) error, before ...any) (store.Run, error) {
	var r store.Run
	var created, updated, ended, cancel, expires int64
	var request, budget []byte
	if err := scan(append(before, &r.ID, &r.Agent, &r.Caller, &r.State, &r.Outcome, &r.Detail, &created, &updated, &ended, &r.Seq, &cancel,
		&r.Unread, &r.Executor, &expires, &r.Token, &request, &budget)...); err != nil {
		return store.Run{}, err
	}
	r.CreatedAt, r.UpdatedAt = microTime(created), microTime(updated)
	if ended != 0 {
		r.EndedAt = microTime(ended)
	}
	if r.CancelRequested = cancel != 0; r.Executor != "" {
		r.LeaseExpires = microTime(expires)
	}
	var err error
	if r.Request, err = codec.Unpack(op, request); err == nil {
		r.Budget, err = codec.Unpack(op, budget)
	}
	return r, err
}

func microTime(t int64) time.Time { return time.UnixMicro(t).UTC() }

// CreateRun implements store.Runs.
func (s *Store) CreateRun(ctx context.Context, run store.NewRun) (store.Run, error) {
	const op = "store.create_run"
	if err := run.Check(op); err != nil {
		return store.Run{}, err
	}
	created, err := codec.NewEvent(store.EventCreated, store.RunCreated{Agent: run.Agent, Caller: run.Caller, Request: run.Request, Budget: run.Budget})
	if err != nil {
		return store.Run{}, storeError(op, err)
	}
	request, budget := codec.Pack(run.Request), codec.Pack(run.Budget)
	hash, folded := store.TaskHash(run.Task), store.FoldTask(run.Task)
	var kept store.Run
	err = s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		now := time.Now().UnixMicro()
		var id int64
		err := tx.QueryRowContext(ctx, `INSERT INTO run (tenant, name, agent, caller, state, created_at, updated_at, seq) VALUES (?, ?, ?, ?, ?, ?, ?, 1)
			ON CONFLICT DO NOTHING RETURNING id`, s.tenant, run.ID, run.Agent, run.Caller, store.RunInited, now, now).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			if kept, err = s.readRun(ctx, tx, op, run.ID); err != nil {
				return err
			}
			if kept.Agent != run.Agent || kept.Caller != run.Caller || !bytes.Equal(kept.Request, run.Request) || !bytes.Equal(kept.Budget, run.Budget) {
				return store.RunExists(op)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO run_request (run, tenant, request_record, budget_record) VALUES (?, ?, ?, ?)`,
			id, s.tenant, request, budget); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO run_task (tenant, run, sha256, folded) VALUES (?, ?, ?, ?)`, s.tenant, id, hash, folded); err != nil {
			return err
		}
		if err := s.addEvents(ctx, tx, id, 0, now, created); err != nil {
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
// whether it has one or not.
func (db *DB) TenantsWanting(ctx context.Context) (tenants []string, err error) {
	err = each(ctx, db.reads, `SELECT DISTINCT tenant FROM run WHERE wanted = 1`, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		tenants = append(tenants, name)
		return err
	})
	return tenants, storeError("store.tenants_wanting", err)
}

// changeRuns does a write and wakes who follows runs.
func (s *Store) changeRuns(ctx context.Context, op string, do func(context.Context, *sql.Tx) error) error {
	err := s.db.writer.Do(ctx, do)
	if err == nil {
		s.db.followers.look()
	}
	return storeError(op, err)
}
