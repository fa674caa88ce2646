package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
)

var _ store.Watches = (*Store)(nil)

func unknownWatch(op string) error { return fault.NotFound(op, "no watch with that id is kept") }

const watchColumns = `id, caller, request, every, rounds, created_at, next_at`

func scanWatch(scan func(...any) error) (w store.Watch, err error) {
	var every, created, next int64
	err = scan(&w.ID, &w.Caller, (*[]byte)(&w.Request), &every, &w.Rounds, &created, &next)
	w.Every, w.CreatedAt, w.NextAt = time.Duration(every)*time.Millisecond, time.UnixMicro(created).UTC(), time.UnixMicro(next).UTC()
	return w, err
}

// PutWatch implements store.Watches.
func (s *Store) PutWatch(ctx context.Context, w store.Watch) (store.Watch, error) {
	const op = "store.put_watch"
	if err := w.Check(op); err != nil {
		return w, err
	}
	err := s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var all, own int
		if err := tx.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (WHERE caller = ?) FROM watch WHERE tenant = ?`, w.Caller, s.tenant).Scan(&all, &own); err != nil {
			return err
		}
		if err := store.WatchFits(op, w.Caller, own, all); err != nil {
			return err
		}
		now := time.Now().UnixMicro()
		kept, err := scanWatch(tx.QueryRowContext(ctx, `INSERT INTO watch (tenant, id, caller, request, every, created_at, next_at) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO NOTHING RETURNING `+watchColumns, s.tenant, w.ID, w.Caller, []byte(w.Request), w.Every.Milliseconds(), now, now).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return store.WatchExists(op)
		}
		w = kept
		return err
	})
	return w, storeError(op, err)
}

// Watch implements store.Watches.
func (s *Store) Watch(ctx context.Context, id string) (store.Watch, error) {
	const op = "store.watch"
	w, err := scanWatch(s.db.reads.QueryRowContext(ctx, `SELECT `+watchColumns+` FROM watch WHERE tenant = ? AND id = ?`, s.tenant, id).Scan)
	return w, storeError(op, orMissing(err, unknownWatch(op)))
}

// ListWatches implements store.Watches.
func (s *Store) ListWatches(ctx context.Context, caller string) ([]store.Watch, error) {
	return s.watches(ctx, "store.list_watches", `AND (? = '' OR caller = ?) ORDER BY created_at, id`, caller, caller)
}

// DueWatches implements store.Watches.
func (s *Store) DueWatches(ctx context.Context) ([]store.Watch, error) {
	return s.watches(ctx, "store.due_watches", `AND next_at <= ? ORDER BY next_at, id`, time.Now().UnixMicro())
}

func (s *Store) watches(ctx context.Context, op, which string, args ...any) ([]store.Watch, error) {
	all, err := readRows(ctx, s.db.reads, `SELECT `+watchColumns+` FROM watch WHERE tenant = ? `+which, scanWatch, append([]any{s.tenant}, args...)...)
	return all, storeError(op, err)
}

// RoundBegun implements store.Watches.
func (s *Store) RoundBegun(ctx context.Context, id string, rounds int64) (store.Watch, error) {
	return s.changeWatch(ctx, "store.round_begun", id, `UPDATE watch SET rounds = rounds + 1, next_at = ? + every * 1000 WHERE tenant = ? AND id = ? AND rounds = ?`,
		time.Now().UnixMicro(), s.tenant, id, rounds)
}

// HurryWatch implements store.Watches.
func (s *Store) HurryWatch(ctx context.Context, id string, rounds int64) (store.Watch, error) {
	return s.changeWatch(ctx, "store.hurry_watch", id, `UPDATE watch SET next_at = min(next_at, ?) WHERE tenant = ? AND id = ? AND rounds = ?`, time.Now().UnixMicro(), s.tenant, id, rounds)
}

func (s *Store) changeWatch(ctx context.Context, op, id, change string, args ...any) (w store.Watch, err error) {
	err = s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if _, err = tx.ExecContext(ctx, change, args...); err != nil {
			return err
		}
		w, err = scanWatch(tx.QueryRowContext(ctx, `SELECT `+watchColumns+` FROM watch WHERE tenant = ? AND id = ?`, s.tenant, id).Scan)
		return orMissing(err, unknownWatch(op))
	})
	return w, storeError(op, err)
}

// DeleteWatch implements store.Watches.
func (s *Store) DeleteWatch(ctx context.Context, id string) error {
	const op = "store.delete_watch"
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM watch WHERE tenant = ? AND id = ?`, s.tenant, id)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return cmp.Or(err, unknownWatch(op))
		}
		return nil
	}))
}
