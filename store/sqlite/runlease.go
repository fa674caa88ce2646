package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

// A leaseRow is what taking up a run needs of its row.
type leaseRow struct {
	id, seq int64
	name    string
	state   store.RunState
	holder
}

const leaseColumns = `SELECT id, seq, name, state, token, owner, boot, process, ttl, expires_at, expires_up FROM run `

func (r *leaseRow) scan(scan func(...any) error) error {
	return scan(&r.id, &r.seq, &r.name, &r.state, &r.token, &r.owner, &r.boot, &r.process, &r.ttl, &r.expiresAt, &r.expiresUp)
}

func (s *Store) leaseRow(ctx context.Context, from querier, op, id string) (leaseRow, error) {
	var row leaseRow
	err := row.scan(from.QueryRowContext(ctx, leaseColumns+`WHERE tenant = ? AND name = ?`, s.tenant, id).Scan)
	return row, orMissing(err, unknownRun(op))
}

// AcquireRun implements store.Runs.
func (s *Store) AcquireRun(ctx context.Context, id, owner string, ttl time.Duration) (store.Lease, error) {
	const op = "store.acquire_run"
	if err := store.CheckLease(op, owner, ttl); err != nil {
		return store.Lease{}, err
	}
	var lease store.Lease
	holder := ""
	err := s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		row, err := s.leaseRow(ctx, tx, op, id)
		if err != nil {
			return err
		}
		if row.state.Ended() {
			return store.RunFinished(op, row.state)
		}
		if holder = ""; !s.db.here.free(row.holder) {
			holder = row.owner
			return s.mendLease(ctx, tx, row)
		}
		lease, err = s.acquire(ctx, tx, row, owner, ttl)
		return err
	})
	if err == nil && holder != "" {
		err = store.RunLeased(op, holder)
	}
	return lease, err
}

// AcquireNext implements store.Runs. It looks without the write lock first, so that
// many who wait for work do not keep those from writing who have some.
func (s *Store) AcquireNext(ctx context.Context, owner string, ttl time.Duration, not ...string) (lease store.Lease, ok bool, err error) {
	const op = "store.acquire_next"
	if err := store.CheckLease(op, owner, ttl); err != nil {
		return store.Lease{}, false, err
	}
	if _, found, ahead, err := s.wanted(ctx, s.db.reads, not); err != nil || !found && len(ahead) == 0 {
		return store.Lease{}, false, storeError(op, err)
	}
	err = s.changeRuns(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		row, found, ahead, err := s.wanted(ctx, tx, not)
		if err != nil {
			return err
		}
		for _, row := range ahead {
			if err := s.mendLease(ctx, tx, row); err != nil {
				return err
			}
		}
		if ok = found; found {
			lease, err = s.acquire(ctx, tx, row, owner, ttl)
		}
		return err
	})
	return lease, ok && err == nil, err
}

// wanted returns the run whose turn it is, that has work for an executor and none, but those that
// are named by not, and those before it whose lease is ahead of the clock.
func (s *Store) wanted(ctx context.Context, from querier, not []string) (row leaseRow, found bool, ahead []leaseRow, err error) {
	rows, err := from.QueryContext(ctx, leaseColumns+`WHERE tenant = ? AND wanted = 1 ORDER BY created_at + behind, id`, s.tenant)
	if err != nil {
		return row, false, nil, err
	}
	defer rows.Close()
	here := s.db.here.remembering()
	for rows.Next() {
		if err := row.scan(rows.Scan); err != nil {
			return row, false, nil, err
		}
		if here.free(row.holder) {
			if slices.Contains(not, row.name) {
				continue
			}
			return row, true, ahead, nil
		}
		if here.ahead(row.holder) {
			ahead = append(ahead, row)
		}
	}
	return leaseRow{}, false, ahead, rows.Err()
}

// acquire makes owner the holder of a row that is free.
func (s *Store) acquire(ctx context.Context, tx *sql.Tx, row leaseRow, owner string, ttl time.Duration) (store.Lease, error) {
	h := s.db.here.hold(row.token+1, owner, ttl)
	lease := store.Lease{Run: row.name, Token: h.token, Owner: owner, TTL: ttl, Expires: codec.MicroTime(h.expiresAt), TakenOver: row.owner != ""}
	event, err := codec.NewEvent(store.EventAcquired, store.RunAcquired{Token: h.token, Owner: owner, TakenOver: lease.TakenOver})
	if err != nil {
		return store.Lease{}, err
	}
	now := time.Now().UnixMicro()
	if _, err := tx.ExecContext(ctx, `UPDATE run SET token = ?, owner = ?, boot = ?, process = ?, ttl = ?, expires_at = ?, expires_up = ?,
		seq = seq + 1, updated_at = ? WHERE id = ?`,
		h.token, h.owner, h.boot, h.process, h.ttl, h.expiresAt, h.expiresUp, now, row.id); err != nil {
		return store.Lease{}, err
	}
	return lease, s.addEvents(ctx, tx, row.id, row.seq, now, event)
}

// mendLease gives a lease that is ahead of the time of day no more than its ttl from
// now. Its holder, if alive, writes the right time at its next renewal.
func (s *Store) mendLease(ctx context.Context, tx *sql.Tx, row leaseRow) error {
	if !s.db.here.ahead(row.holder) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE run SET expires_at = ? WHERE id = ? AND token = ?`,
		s.db.here.now().UnixMicro()+row.ttl, row.id, row.token)
	return err
}

// RenewLease implements store.Runs.
func (s *Store) RenewLease(ctx context.Context, lease store.Lease) (store.Lease, error) {
	const op = "store.renew_lease"
	if err := store.CheckLease(op, lease.Owner, lease.TTL); err != nil {
		return store.Lease{}, err
	}
	err := storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		h := s.db.here.hold(lease.Token, lease.Owner, lease.TTL)
		n, err := affected(tx.StmtContext(ctx, s.db.runs.renew).ExecContext(ctx, h.boot, h.process, h.expiresAt, h.expiresUp, s.tenant, lease.Run, lease.Token))
		if err != nil {
			return err
		}
		if n == 0 {
			return s.refused(ctx, tx, op, lease)
		}
		lease.Expires = codec.MicroTime(h.expiresAt)
		return nil
	}))
	return lease, err
}

// ReleaseLease implements store.Runs.
func (s *Store) ReleaseLease(ctx context.Context, lease store.Lease) error {
	const op = "store.release_lease"
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE run SET owner = '', boot = '', process = '' WHERE tenant = ? AND name = ? AND token = ?`,
			s.tenant, lease.Run, lease.Token)
		return err
	}))
}

// CancelRequested implements store.Runs.
func (s *Store) CancelRequested(ctx context.Context, lease store.Lease) (bool, error) {
	cancel, err := s.ofLeased(ctx, "store.cancel_requested", "cancel_at", lease)
	return cancel != 0, err
}

// ofLeased reads a column of the run whose lease is good.
func (s *Store) ofLeased(ctx context.Context, op, column string, lease store.Lease) (value int64, err error) {
	err = s.db.reads.QueryRowContext(ctx, `SELECT `+column+` FROM run WHERE tenant = ? AND name = ? AND token = ? AND owner <> '' AND ended_at = 0`,
		s.tenant, lease.Run, lease.Token).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.refused(ctx, s.db.reads, op, lease)
	}
	return value, storeError(op, err)
}
