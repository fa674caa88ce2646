package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
)

// Leases are those of runs, by the clock of the backend.
type Leases interface {
	// LockRun returns the row of a run, locked until the transaction ends.
	LockRun(ctx context.Context, tx Tx, tenant, id string) (LeaseRow, error)
	// AnyNext reports, without locks, whether NextRun has something to do.
	AnyNext(ctx context.Context, from Conn, tenant string, not []string) (bool, error)
	// NextRun returns the locked row of the run whose turn it is, unless named by not, and mends what is ahead.
	NextRun(ctx context.Context, tx Tx, tenant string, not []string) (row LeaseRow, found bool, err error)
	// Take makes owner the holder of a row that is free, with one event more and a higher token.
	Take(
		ctx context.Context,
		tx Tx,
		row LeaseRow,
		owner string,
		ttl time.Duration,
	) (token, expires, now int64, err error)
	// Mend gives a lease that is ahead of the clock no more than its ttl from now.
	Mend(ctx context.Context, tx Tx, row LeaseRow) error
	// Renew prolongs a lease that is good, and returns sql.ErrNoRows for any other.
	Renew(ctx context.Context, from Conn, tenant string, lease runstore.Lease) (expires int64, err error)
}

// A LeaseRow is what taking up a run needs of its row.
type LeaseRow struct {
	Run, Seq, Token int64
	ID              string
	State           runstore.RunState
	Owner           string
	TTL             int64
	Free            bool // it may be taken up by another
	Ahead           bool // the lease has more time left than it was given: the clock was set back since
}

func (s *Store) lockRun(ctx context.Context, tx Tx, op, id string) (LeaseRow, error) {
	row, err := s.b.LockRun(ctx, tx, s.tenant, id)
	return row, OrMissing(err, unknownRun(op))
}

// AcquireRun implements runstore.Runs.
func (s *Store) AcquireRun(ctx context.Context, id, owner string, ttl time.Duration) (runstore.Lease, error) {
	const op = "store.acquire_run"
	if err := runstore.CheckLease(op, owner, ttl); err != nil {
		return runstore.Lease{}, err
	}
	var lease runstore.Lease
	holder := ""
	err := s.writeRun(ctx, op, func(ctx context.Context, tx Tx) (int64, error) {
		row, err := s.lockRun(ctx, tx, op, id)
		if err != nil {
			return 0, err
		}
		if row.State.Ended() {
			return 0, runstore.RunFinished(op, row.State)
		}
		if holder = ""; !row.Free {
			if holder = row.Owner; row.Ahead {
				err = s.b.Mend(ctx, tx, row)
			}
			return row.Run, err
		}
		lease, err = s.acquire(ctx, tx, row, owner, ttl)
		return row.Run, err
	})
	if err == nil && holder != "" {
		err = runstore.RunLeased(op, holder)
	}
	return lease, err
}

// AcquireNext implements runstore.Runs. It looks without locks first, so that many who wait keep nobody from writing.
func (s *Store) AcquireNext(ctx context.Context, owner string, ttl time.Duration,
	not ...string) (lease runstore.Lease, ok bool, err error) {
	const op = "store.acquire_next"
	if err := runstore.CheckLease(op, owner, ttl); err != nil {
		return runstore.Lease{}, false, err
	}
	if any, err := readValue(ctx, s.b, op, func(from Conn) (bool, error) {
		return s.b.AnyNext(ctx, from, s.tenant, not)
	}); err != nil || !any {
		return runstore.Lease{}, false, err
	}
	err = s.writeRun(ctx, op, func(ctx context.Context, tx Tx) (int64, error) {
		row, found, err := s.b.NextRun(ctx, tx, s.tenant, not)
		if ok = found; found && err == nil {
			lease, err = s.acquire(ctx, tx, row, owner, ttl)
		}
		return row.Run, err
	})
	return lease, ok && err == nil, err
}

// acquire makes owner the holder of a row that is free.
func (s *Store) acquire(ctx context.Context, tx Tx, row LeaseRow, owner string,
	ttl time.Duration) (runstore.Lease, error) {
	token, expires, now, err := s.b.Take(ctx, tx, row, owner, ttl)
	if err != nil {
		return runstore.Lease{}, err
	}
	lease := runstore.Lease{Run: row.ID, Token: token, Owner: owner, TTL: ttl, Expires: codec.MicroTime(expires),
		TakenOver: row.Owner != ""}
	event, err := codec.NewEvent(runstore.EventAcquired,
		runstore.RunAcquired{Token: token, Owner: owner, TakenOver: lease.TakenOver})
	if err != nil {
		return runstore.Lease{}, err
	}
	return lease, s.addEvents(ctx, tx, row.Run, row.Seq, now, event)
}

// RenewLease implements runstore.Runs.
func (s *Store) RenewLease(ctx context.Context, lease runstore.Lease) (runstore.Lease, error) {
	const op = "store.renew_lease"
	if err := runstore.CheckLease(op, lease.Owner, lease.TTL); err != nil {
		return runstore.Lease{}, err
	}
	err := s.b.Alone(ctx, op, func(ctx context.Context, from Conn) error {
		expires, err := s.b.Renew(ctx, from, s.tenant, lease)
		if errors.Is(err, sql.ErrNoRows) {
			return s.refused(ctx, from, op, lease)
		}
		lease.Expires = codec.MicroTime(expires)
		return err
	})
	return lease, err
}

// ReleaseLease implements runstore.Runs.
func (s *Store) ReleaseLease(ctx context.Context, lease runstore.Lease) error {
	err := s.b.Alone(ctx, "store.release_lease", func(ctx context.Context, from Conn) error {
		_, err := from.Exec(ctx,
			`UPDATE run SET {no owner} WHERE tenant = $1 AND {id} = $2 AND token = $3 AND owner = $4`, s.tenant,
			lease.Run, lease.Token, lease.Owner)
		return err
	})
	if err == nil {
		s.b.Wanted(0)
	}
	return err
}

// CancelRequested implements runstore.Runs.
func (s *Store) CancelRequested(ctx context.Context, lease runstore.Lease) (bool, error) {
	cancel, err := s.ofLeased(ctx, "store.cancel_requested", "cancel_at", lease)
	return cancel != 0, err
}

// ofLeased reads a column of the run whose lease is good.
func (s *Store) ofLeased(ctx context.Context, op, column string, lease runstore.Lease) (int64, error) {
	return readValue(ctx, s.b, op, func(from Conn) (value int64, err error) {
		err = from.QueryRow(ctx, `SELECT `+column+` FROM run
			WHERE tenant = $1 AND {id} = $2 AND token = $3 AND owner = $4 AND owner <> '' AND ended_at = 0`,
			s.tenant, lease.Run, lease.Token, lease.Owner).Scan(&value)
		if errors.Is(err, sql.ErrNoRows) {
			err = s.refused(ctx, from, op, lease)
		}
		return value, err
	})
}
