package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/jackc/pgx/v5"
)

// A leaseRow is what taking up a run needs of its row, which is locked.
type leaseRow struct {
	run, seq  int64
	id        string
	state     store.RunState
	owner     string
	ttl       int64 // microseconds, as are all times here
	expiresAt int64
	now       int64
}

const leaseColumns = `SELECT n, seq, id, state, owner, ttl, expires_at, micros() FROM run `

func (r *leaseRow) scan(scan func(...any) error) error {
	return scan(&r.run, &r.seq, &r.id, &r.state, plain{&r.owner}, &r.ttl, &r.expiresAt, &r.now)
}

// free says whether the run may be taken up by another. The server's clock says so, and where
// that was set back, nothing is kept for longer than it was taken for.
func (r leaseRow) free() bool { return r.owner == "" || r.now >= r.expiresAt }

// ahead says whether the lease has more time left than it was given: the clock was set back
// since.
func (r leaseRow) ahead() bool { return r.owner != "" && r.expiresAt > r.now+r.ttl }

// lockRun locks the row of a run.
func (s *Store) lockRun(ctx context.Context, tx pgx.Tx, op, id string) (row leaseRow, err error) {
	err = row.scan(tx.QueryRow(ctx, leaseColumns+`WHERE tenant = $1 AND id = $2 FOR UPDATE`, s.tenant, escape(id)).Scan)
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
	err := s.writeRun(ctx, op, func(ctx context.Context, tx pgx.Tx) (int64, error) {
		row, err := s.lockRun(ctx, tx, op, id)
		if err != nil {
			return 0, err
		}
		if row.state.Ended() {
			return 0, store.RunFinished(op, row.state)
		}
		if holder = ""; !row.free() {
			holder = row.owner
			return row.run, mendLease(ctx, tx, row)
		}
		lease, err = s.acquire(ctx, tx, row, owner, ttl)
		return row.run, err
	})
	if err == nil && holder != "" {
		err = store.RunLeased(op, holder)
	}
	return lease, err
}

// Which runs may be taken up, by what their rows say of their lease.
const (
	takenFrom = `wanted AND owner <> '' AND (expires_at <= micros() OR expires_at > micros() + ttl)`
	takenUp   = `wanted AND owner = ''`
	beside    = ` AND id <> ALL ($2)`
)

// AcquireNext implements store.Runs. A run whose executor is gone comes before those that
// nobody has begun: somebody has waited for it for longer.
func (s *Store) AcquireNext(ctx context.Context, owner string, ttl time.Duration, not ...string) (lease store.Lease, ok bool, err error) {
	const op = "store.acquire_next"
	if err := store.CheckLease(op, owner, ttl); err != nil {
		return store.Lease{}, false, err
	}
	if not == nil {
		not = []string{}
	}
	var any bool
	if err := s.db.reading(ctx, op, func(ctx context.Context) error {
		return s.db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM run WHERE tenant = $1 AND `+takenFrom+beside+`)
			OR EXISTS (SELECT 1 FROM run WHERE tenant = $1 AND `+takenUp+beside+`)`, s.tenant, escaped(not)).Scan(&any)
	}); err != nil || !any {
		return store.Lease{}, false, err
	}
	err = s.writeRun(ctx, op, func(ctx context.Context, tx pgx.Tx) (run int64, err error) {
		ok = false
		for _, which := range []string{takenFrom + beside + ` ORDER BY n`, takenUp + beside + ` ORDER BY created_at + behind, n`} {
			var row leaseRow
			err := row.scan(tx.QueryRow(ctx, leaseColumns+`WHERE tenant = $1 AND `+which+` LIMIT 1 FOR UPDATE SKIP LOCKED`, s.tenant, escaped(not)).Scan)
			switch {
			case errors.Is(err, pgx.ErrNoRows):
			case err != nil:
				return 0, err
			case !row.free():
				return row.run, mendLease(ctx, tx, row)
			default:
				ok = true
				lease, err = s.acquire(ctx, tx, row, owner, ttl)
				return row.run, err
			}
		}
		return 0, nil
	})
	return lease, ok && err == nil, err
}

// acquire makes owner the holder of a row that is free.
func (s *Store) acquire(ctx context.Context, tx pgx.Tx, row leaseRow, owner string, ttl time.Duration) (store.Lease, error) {
	lease := store.Lease{Run: row.id, Owner: owner, TTL: ttl, TakenOver: row.owner != ""}
	var expires, now int64
	if err := tx.QueryRow(ctx, `UPDATE run SET token = token + 1, owner = $1, ttl = $2, expires_at = now + $2, seq = seq + 1, updated_at = now
		FROM micros() AS now WHERE n = $3 RETURNING token, expires_at, updated_at`, escape(owner), ttl.Microseconds(), row.run).Scan(&lease.Token, &expires, &now); err != nil {
		return store.Lease{}, err
	}
	lease.Expires = codec.MicroTime(expires)
	event, err := codec.NewEvent(store.EventAcquired, store.RunAcquired{Token: lease.Token, Owner: owner, TakenOver: lease.TakenOver})
	if err != nil {
		return store.Lease{}, err
	}
	return lease, s.addEvents(ctx, tx, row.run, row.seq, now, event)
}

// mendLease gives a lease that is ahead of the clock no more than its ttl from now.
func mendLease(ctx context.Context, tx pgx.Tx, row leaseRow) error {
	if !row.ahead() {
		return nil
	}
	_, err := tx.Exec(ctx, `UPDATE run SET expires_at = micros() + ttl WHERE n = $1`, row.run)
	return err
}

// RenewLease implements store.Runs.
func (s *Store) RenewLease(ctx context.Context, lease store.Lease) (store.Lease, error) {
	const op = "store.renew_lease"
	if err := store.CheckLease(op, lease.Owner, lease.TTL); err != nil {
		return store.Lease{}, err
	}
	err := s.db.reading(ctx, op, func(ctx context.Context) error {
		var expires int64
		err := s.db.pool.QueryRow(ctx, `UPDATE run SET ttl = $1, expires_at = micros() + $1 WHERE tenant = $2 AND id = $3 AND token = $4 AND owner = $5 AND ended_at = 0
			RETURNING expires_at`, lease.TTL.Microseconds(), s.tenant, escape(lease.Run), lease.Token, escape(lease.Owner)).Scan(&expires)
		if errors.Is(err, pgx.ErrNoRows) {
			err = s.refused(ctx, s.db.pool, op, lease)
		}
		lease.Expires = codec.MicroTime(expires)
		return err
	})
	return lease, err
}

// ReleaseLease implements store.Runs.
func (s *Store) ReleaseLease(ctx context.Context, lease store.Lease) error {
	err := s.db.reading(ctx, "store.release_lease", func(ctx context.Context) error {
		_, err := s.db.pool.Exec(ctx, `UPDATE run SET owner = '' WHERE tenant = $1 AND id = $2 AND token = $3 AND owner = $4`, s.tenant, escape(lease.Run), lease.Token, escape(lease.Owner))
		return err
	})
	if err == nil {
		s.db.news.wanted(0)
	}
	return err
}

// CancelRequested implements store.Runs.
func (s *Store) CancelRequested(ctx context.Context, lease store.Lease) (bool, error) {
	cancel, err := s.ofLeased(ctx, "store.cancel_requested", "cancel_at", lease)
	return cancel != 0, err
}

// ofLeased reads a column of the run whose lease is good.
func (s *Store) ofLeased(ctx context.Context, op, column string, lease store.Lease) (int64, error) {
	return read(ctx, s.db, op, func(ctx context.Context) (value int64, err error) {
		err = s.db.pool.QueryRow(ctx, `SELECT `+column+` FROM run WHERE tenant = $1 AND id = $2 AND token = $3 AND owner = $4 AND owner <> '' AND ended_at = 0`,
			s.tenant, escape(lease.Run), lease.Token, escape(lease.Owner)).Scan(&value)
		if errors.Is(err, pgx.ErrNoRows) {
			err = s.refused(ctx, s.db.pool, op, lease)
		}
		return value, err
	})
}
