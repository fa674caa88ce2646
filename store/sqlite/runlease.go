package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// A leaseRow is a row with who executes the run.
type leaseRow struct {
	sqlstore.LeaseRow
	holder
}

const leaseColumns = `SELECT id, seq, name, state, token, owner, boot, process, ttl, expires_at, expires_up FROM run `

func (r *leaseRow) scan(scan func(...any) error) error {
	return scan(&r.Run, &r.Seq, &r.ID, &r.State, &r.token, &r.owner, &r.boot, &r.process, &r.ttl, &r.expiresAt,
		&r.expiresUp)
}

// seenFrom is the row as it is seen from a machine.
func (r *leaseRow) seenFrom(m machine) sqlstore.LeaseRow {
	r.Token, r.Owner, r.TTL, r.Free, r.Ahead = r.token, r.owner, r.ttl, m.free(r.holder), m.ahead(r.holder)
	return r.LeaseRow
}

// LockRun implements sqlstore.Leases: who writes has the store to itself.
func (e engine) LockRun(ctx context.Context, tx sqlstore.Tx, tenant, id string) (sqlstore.LeaseRow, error) {
	var row leaseRow
	err := row.scan(tx.QueryRow(ctx, leaseColumns+`WHERE tenant = $1 AND name = $2`, tenant, id).Scan)
	return row.seenFrom(e.here), err
}

// AnyNext implements sqlstore.Leases.
func (e engine) AnyNext(ctx context.Context, from sqlstore.Conn, tenant string, not []string) (bool, error) {
	_, found, ahead, err := e.wanted(ctx, from, tenant, not)
	return found || len(ahead) > 0, err
}

// NextRun implements sqlstore.Leases.
func (e engine) NextRun(ctx context.Context, tx sqlstore.Tx, tenant string,
	not []string) (sqlstore.LeaseRow, bool, error) {
	row, found, ahead, err := e.wanted(ctx, tx, tenant, not)
	for _, row := range ahead {
		if err == nil {
			err = e.Mend(ctx, tx, row)
		}
	}
	return row, found, err
}

// wanted returns the run whose turn it is, that has work and no executor and is not named by not, and the runs before
// it whose lease is ahead of the clock.
func (e engine) wanted(ctx context.Context, from sqlstore.Conn, tenant string,
	not []string) (row sqlstore.LeaseRow, found bool, ahead []sqlstore.LeaseRow, err error) {
	rows, err := from.Query(ctx, leaseColumns+`WHERE tenant = $1 AND wanted = 1 ORDER BY created_at + behind, id`,
		tenant)
	if err != nil {
		return row, false, nil, err
	}
	defer rows.Close()
	here := e.here.remembering()
	for rows.Next() {
		var next leaseRow
		if err := next.scan(rows.Scan); err != nil {
			return row, false, nil, err
		}
		switch seen := next.seenFrom(here); {
		case seen.Free && !slices.Contains(not, seen.ID):
			return seen, true, ahead, nil
		case seen.Ahead:
			ahead = append(ahead, seen)
		}
	}
	return row, false, ahead, rows.Err()
}

// Take implements sqlstore.Leases.
func (e engine) Take(ctx context.Context, tx sqlstore.Tx, row sqlstore.LeaseRow, owner string,
	ttl time.Duration) (token, expires, now int64, err error) {
	h := e.here.hold(row.Token+1, owner, ttl)
	now = time.Now().UnixMicro()
	_, err = tx.Exec(ctx, `UPDATE run SET token = $1, owner = $2, boot = $3, process = $4, ttl = $5, expires_at = $6,
		expires_up = $7,
		seq = seq + 1, updated_at = $8 WHERE id = $9`,
		h.token, h.owner, h.boot, h.process, h.ttl, h.expiresAt, h.expiresUp, now, row.Run)
	return h.token, h.expiresAt, now, err
}

// Mend implements sqlstore.Leases. The holder, if alive, writes the right time at its next renewal.
func (e engine) Mend(ctx context.Context, tx sqlstore.Tx, row sqlstore.LeaseRow) error {
	_, err := tx.Exec(ctx, `UPDATE run SET expires_at = $1 WHERE id = $2 AND token = $3`,
		e.here.now().UnixMicro()+row.TTL, row.Run, row.Token)
	return err
}

const renewLease = `UPDATE run SET boot = ?, process = ?, expires_at = ?, expires_up = ?
	WHERE tenant = ? AND name = ? AND token = ? AND owner <> '' AND ended_at = 0`

// Renew implements sqlstore.Leases.
func (e engine) Renew(ctx context.Context, from sqlstore.Conn, tenant string, lease runstore.Lease) (int64, error) {
	h := e.here.hold(lease.Token, lease.Owner, lease.TTL)
	n, err := from.Exec(ctx, renewLease, h.boot, h.process, h.expiresAt, h.expiresUp, tenant, lease.Run, lease.Token)
	if err == nil && n == 0 {
		err = sql.ErrNoRows
	}
	return h.expiresAt, err
}
