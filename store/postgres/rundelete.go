package postgres

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/jackc/pgx/v5"
)

// DeleteRun implements store.Runs.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	const op = "store.delete_run"
	deleted := false // by a transaction of which nobody knows whether it was committed
	err := s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		row, err := s.lockRun(ctx, tx, op, id)
		if err != nil {
			if deleted && citewell.CodeOf(err) == citewell.CodeNotFound {
				err = nil
			}
			return err
		}
		if !row.free() {
			return store.RunLeased(op, row.owner)
		}
		_, err = s.deleteRun(ctx, tx, row)
		deleted = err == nil
		return err
	})
	if err == nil {
		s.db.news.WakeAll() // who followed it finds that it is gone
	}
	return err
}

// deleteRun removes every row of a run, and returns the contents that went with it.
func (s *Store) deleteRun(ctx context.Context, tx pgx.Tx, row leaseRow) ([]goneContent, error) {
	contents, err := readColumn[string](ctx, tx, `DELETE FROM run_blob WHERE tenant = $1 AND run = $2 RETURNING sha256`, s.tenant, row.run)
	if err != nil {
		return nil, err
	}
	gone, err := s.letGo(ctx, tx, contents)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{"run_event", "run_call", "run_message", "run_answer", "run_request", "run_task"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE tenant = $1 AND run = $2`, s.tenant, row.run); err != nil {
			return nil, err
		}
	}
	if err := s.deleteBrief(ctx, tx, row.id); err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM run WHERE n = $1`, row.run)
	return gone, err
}

// deleteBrief removes a brief with its ledger; id is as its column has it.
func (s *Store) deleteBrief(ctx context.Context, tx pgx.Tx, id string) error {
	for _, table := range []string{"source WHERE tenant = $1 AND brief", "passage WHERE tenant = $1 AND brief", "brief WHERE tenant = $1 AND id"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` = $2`, s.tenant, id); err != nil {
			return err
		}
	}
	return nil
}
