package sqlstore

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// DeleteRun implements runstore.Runs.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	const op = "store.delete_run"
	if _, err := s.dropRun(ctx, op, id); err != nil {
		return err
	}
	return s.b.Fail(op, s.b.Deleted(ctx))
}

// dropRun removes a run that nobody executes, and returns the contents that went with it.
func (s *Store) dropRun(ctx context.Context, op, id string) (gone []Gone, err error) {
	deleted := false // by a transaction of which nobody knows whether it was committed
	err = s.b.Again(ctx, op, func(ctx context.Context, tx Tx) error {
		row, err := s.lockRun(ctx, tx, op, id)
		if err != nil {
			if deleted && citewell.CodeOf(err) == citewell.CodeNotFound {
				err = nil
			}
			return err
		}
		if !row.Free {
			return runstore.RunLeased(op, row.Owner)
		}
		gone, err = s.deleteRun(ctx, tx, row)
		deleted = err == nil
		return err
	})
	return gone, err
}

// deleteRun removes every row of a run, and returns the contents that went with it.
func (s *Store) deleteRun(ctx context.Context, tx Tx, row LeaseRow) ([]Gone, error) {
	contents, err := ReadColumn[string](ctx, tx,
		`DELETE FROM run_blob WHERE {+}tenant = $1 AND run = $2 RETURNING sha256`, s.tenant, row.Run)
	if err != nil {
		return nil, err
	}
	gone, err := s.b.LetGo(ctx, tx, s.tenant, contents)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"run_event", "run_call", "run_message", "run_answer", "run_request"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE {+}tenant = $1 AND run = $2`, s.tenant,
			row.Run); err != nil {
			return nil, err
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM run_task WHERE tenant = $1 AND run = $2`, s.tenant, row.Run); err != nil {
		return nil, err
	}
	if err := s.deleteBrief(ctx, tx, row.ID); err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM run WHERE {n} = $1`, row.Run)
	return gone, err
}

// deleteBrief removes a brief with its ledger.
func (s *Store) deleteBrief(ctx context.Context, tx Tx, id string) error {
	for _, table := range []string{"source WHERE tenant = $1 AND brief", "passage WHERE tenant = $1 AND brief",
		"brief WHERE tenant = $1 AND id"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` = $2`, s.tenant, id); err != nil {
			return err
		}
	}
	return nil
}
