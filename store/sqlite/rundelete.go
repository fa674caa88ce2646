package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// goneFor is how long the file of a content stays after the last row that named it
// went: a backup that began before may still copy it.
const goneFor = time.Hour

// DeleteRun implements store.Runs.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	const op = "store.delete_run"
	err := storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		row, err := s.leaseRow(ctx, tx, op, id)
		if err != nil {
			return err
		}
		if !s.db.here.free(row.holder) {
			return store.RunLeased(op, row.owner)
		}
		return s.deleteRun(ctx, tx, row)
	}))
	if err != nil {
		return err
	}
	s.db.followers.WakeAll() // who followed it finds that it is gone
	return storeError(op, s.db.sweepContents(ctx))
}

// deleteRun removes every row of a run.
func (s *Store) deleteRun(ctx context.Context, tx *sql.Tx, row leaseRow) error {
	contents, err := readColumn[string](ctx, tx, `DELETE FROM run_blob WHERE run = ? RETURNING sha256`, row.id)
	if err != nil {
		return err
	}
	for _, sha256 := range contents {
		if err := s.letGo(ctx, tx, sha256); err != nil {
			return err
		}
	}
	for _, table := range []string{"run_event", "run_call", "run_message", "run_answer", "run_request"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE run = ?`, row.id); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM run_task WHERE tenant = ? AND run = ?`, s.tenant, row.id); err != nil {
		return err
	}
	if err := s.deleteBrief(ctx, tx, row.name); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM run WHERE id = ?`, row.id)
	return err
}

// deleteBrief removes a brief with its ledger.
func (s *Store) deleteBrief(ctx context.Context, tx *sql.Tx, id string) error {
	for _, table := range []string{"source WHERE tenant = ? AND brief", "passage WHERE tenant = ? AND brief", "brief WHERE tenant = ? AND id"} {
		if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` = ?`, s.tenant, id); err != nil {
			return err
		}
	}
	return nil
}

// letGo takes a content from the tenant unless something else of it has it too.
func (s *Store) letGo(ctx context.Context, tx *sql.Tx, sha256 string) error {
	var size int64
	there, err := anyRow(tx.QueryRowContext(ctx, `DELETE FROM blob WHERE tenant = ?1 AND sha256 = ?2
		AND NOT EXISTS (SELECT 1 FROM run_blob WHERE tenant = ?1 AND sha256 = ?2)
		AND NOT EXISTS (SELECT 1 FROM snapshot WHERE tenant = ?1 AND page_sha256 = ?2)
		AND NOT EXISTS (SELECT 1 FROM snapshot WHERE tenant = ?1 AND text_sha256 = ?2) RETURNING size`, s.tenant, sha256).Scan(&size))
	if !there {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO blob_gone (tenant, sha256, size, gone_at) VALUES (?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET gone_at = excluded.gone_at`, s.tenant, sha256, size, time.Now().UnixMicro())
	return err
}

// sweepContents removes the files of contents that nothing has named for goneFor. It
// does so within a transaction that writes: whoever names a content has to wait, and
// then looks whether its file is there. A program killed in between leaves a file
// without a row or a row of blob_gone without a file, and both are found again.
func (db *DB) sweepContents(ctx context.Context) error {
	before := time.Now().Add(-goneFor).UnixMicro()
	var due bool
	if err := db.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM blob_gone WHERE gone_at < ?)`, before).Scan(&due); err != nil || !due {
		return err
	}
	return db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		gone, err := readColumn[string](ctx, tx, `SELECT sha256 FROM blob_gone AS gone GROUP BY sha256 HAVING max(gone_at) < ?
			AND NOT EXISTS (SELECT 1 FROM blob WHERE blob.sha256 = gone.sha256)`, before)
		if err != nil {
			return err
		}
		for _, sha256 := range gone {
			if codec.ValidHash(sha256) {
				if err := db.blobs.Remove(sha256); err != nil {
					return err
				}
			}
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM blob_gone WHERE gone_at < ?`, before)
		return err
	})
}
