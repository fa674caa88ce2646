package postgres

import (
	"context"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

const leaseColumns = `SELECT n, seq, token, id, state, owner, ttl, expires_at, micros() FROM run `

// scanLease reads a row of leaseColumns. The server's clock says whether a run may be taken up; if that was set back, a
// lease is kept for no longer than it was taken for.
func scanLease(scan func(...any) error) (r sqlstore.LeaseRow, err error) {
	var expires, now int64
	err = scan(&r.Run, &r.Seq, &r.Token, &r.ID, &r.State, &r.Owner, &r.TTL, &expires, &now)
	r.Free, r.Ahead = r.Owner == "" || now >= expires, r.Owner != "" && expires > now+r.TTL
	return r, err
}

// LockRun implements sqlstore.Leases.
func (e engine) LockRun(ctx context.Context, tx sqlstore.Tx, tenant, id string) (sqlstore.LeaseRow, error) {
	return scanLease(tx.QueryRow(ctx, leaseColumns+`WHERE tenant = $1 AND id = $2 FOR UPDATE`, tenant, id).Scan)
}

// Which runs may be taken up, by what their rows say of their lease.
const (
	takenFrom = `wanted AND owner <> '' AND (expires_at <= micros() OR expires_at > micros() + ttl)`
	takenUp   = `wanted AND owner = ''`
	beside    = ` AND id <> ALL ($2)`
)

// AnyNext implements sqlstore.Leases.
func (e engine) AnyNext(ctx context.Context, from sqlstore.Conn, tenant string, not []string) (any bool, err error) {
	err = from.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM run WHERE tenant = $1 AND `+takenFrom+beside+`)
		OR EXISTS (SELECT 1 FROM run WHERE tenant = $1 AND `+takenUp+beside+`)`, tenant, some(not)).Scan(&any)
	return any, err
}

// some is a list that is there, be it empty.
func some(list []string) []string { return append([]string{}, list...) }

// NextRun implements sqlstore.Leases. A run whose executor is gone comes first: somebody has waited for it for longer.
func (e engine) NextRun(ctx context.Context, tx sqlstore.Tx, tenant string,
	not []string) (sqlstore.LeaseRow, bool, error) {
	for _, which := range []string{takenFrom + beside + ` ORDER BY n`,
		takenUp + beside + ` ORDER BY created_at + behind, n`} {
		row, err := scanLease(tx.QueryRow(ctx, leaseColumns+`WHERE tenant = $1 AND `+which+
			` LIMIT 1 FOR UPDATE SKIP LOCKED`, tenant, some(not)).Scan)
		there, err := sqlstore.AnyRow(err)
		if there && row.Ahead {
			err = e.Mend(ctx, tx, row)
		}
		if there || err != nil {
			return row, row.Free, err
		}
	}
	return sqlstore.LeaseRow{}, false, nil
}

// Take implements sqlstore.Leases.
func (e engine) Take(ctx context.Context, tx sqlstore.Tx, row sqlstore.LeaseRow, owner string,
	ttl time.Duration) (token, expires, now int64, err error) {
	err = tx.QueryRow(ctx,
		`UPDATE run SET token = token + 1, owner = $1, ttl = $2, expires_at = now + $2, seq = seq + 1,
		updated_at = now
		FROM micros() AS now WHERE n = $3 RETURNING token, expires_at, updated_at`,
		owner, ttl.Microseconds(), row.Run).Scan(&token, &expires, &now)
	return token, expires, now, err
}

// Mend implements sqlstore.Leases.
func (e engine) Mend(ctx context.Context, tx sqlstore.Tx, row sqlstore.LeaseRow) error {
	_, err := tx.Exec(ctx, `UPDATE run SET expires_at = micros() + ttl WHERE n = $1`, row.Run)
	return err
}

// Renew implements sqlstore.Leases.
func (e engine) Renew(ctx context.Context, from sqlstore.Conn, tenant string,
	lease runstore.Lease) (expires int64, err error) {
	err = from.QueryRow(ctx, `UPDATE run SET ttl = $1, expires_at = micros() + $1
		WHERE tenant = $2 AND id = $3 AND token = $4 AND owner = $5 AND ended_at = 0 RETURNING expires_at`,
		lease.TTL.Microseconds(), tenant, lease.Run, lease.Token, lease.Owner).Scan(&expires)
	return expires, err
}
