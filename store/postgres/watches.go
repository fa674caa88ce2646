package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fault"
	"github.com/jackc/pgx/v5"
)

var _ store.Watches = (*Store)(nil)

func unknownWatch(op string) error { return fault.NotFound(op, "no watch with that id is kept") }

const watchColumns = `id, caller, request, every, rounds, created_at, next_at`

func scanWatch(scan func(...any) error) (w store.Watch, err error) {
	var every, created, next int64
	err = scan(plain{&w.ID}, plain{&w.Caller}, (*[]byte)(&w.Request), &every, &w.Rounds, &created, &next)
	w.Every, w.CreatedAt, w.NextAt = time.Duration(every)*time.Millisecond, time.UnixMicro(created).UTC(), time.UnixMicro(next).UTC()
	return w, err
}

// PutWatch implements store.Watches. Two that come at once may make one more than fits.
func (s *Store) PutWatch(ctx context.Context, w store.Watch) (store.Watch, error) {
	const op = "store.put_watch"
	if err := w.Check(op); err != nil {
		return w, err
	}
	kept := w
	err := s.db.once(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		var all, own int
		if err := tx.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE caller = $2) FROM watch WHERE tenant = $1`, s.tenant, escape(w.Caller)).Scan(&all, &own); err != nil {
			return err
		}
		err := store.WatchFits(op, w.Caller, own, all)
		if err != nil {
			return err
		}
		kept, err = scanWatch(tx.QueryRow(ctx, `INSERT INTO watch (tenant, id, caller, request, every, created_at, next_at) SELECT $1, $2, $3, $4, $5, now, now FROM micros() AS now
			ON CONFLICT DO NOTHING RETURNING `+watchColumns, s.tenant, escape(w.ID), escape(w.Caller), []byte(w.Request), w.Every.Milliseconds()).Scan)
		if errors.Is(err, pgx.ErrNoRows) {
			return store.WatchExists(op)
		}
		return err
	})
	return kept, err
}

// Watch implements store.Watches.
func (s *Store) Watch(ctx context.Context, id string) (store.Watch, error) {
	const op = "store.watch"
	return read(ctx, s.db, op, func(ctx context.Context) (store.Watch, error) {
		w, err := scanWatch(s.db.pool.QueryRow(ctx, `SELECT `+watchColumns+` FROM watch WHERE tenant = $1 AND id = $2`, s.tenant, escape(id)).Scan)
		return w, orMissing(err, unknownWatch(op))
	})
}

// ListWatches implements store.Watches.
func (s *Store) ListWatches(ctx context.Context, caller string) ([]store.Watch, error) {
	return s.watches(ctx, "store.list_watches", `AND ($2 = '' OR caller = $2) ORDER BY created_at, id`, escape(caller))
}

// DueWatches implements store.Watches.
func (s *Store) DueWatches(ctx context.Context) ([]store.Watch, error) {
	return s.watches(ctx, "store.due_watches", `AND next_at <= micros() ORDER BY next_at, id`)
}

func (s *Store) watches(ctx context.Context, op, which string, args ...any) ([]store.Watch, error) {
	return read(ctx, s.db, op, func(ctx context.Context) ([]store.Watch, error) {
		return readRows(ctx, s.db.pool, `SELECT `+watchColumns+` FROM watch WHERE tenant = $1 `+which, scanWatch, append([]any{s.tenant}, args...)...)
	})
}

// RoundBegun implements store.Watches.
func (s *Store) RoundBegun(ctx context.Context, id string, rounds int64) (store.Watch, error) {
	return s.changeWatch(ctx, "store.round_begun", id, `UPDATE watch SET rounds = rounds + 1, next_at = micros() + every * 1000 WHERE tenant = $1 AND id = $2 AND rounds = $3`, rounds)
}

// HurryWatch implements store.Watches.
func (s *Store) HurryWatch(ctx context.Context, id string, rounds int64) (store.Watch, error) {
	return s.changeWatch(ctx, "store.hurry_watch", id, `UPDATE watch SET next_at = least(next_at, micros()) WHERE tenant = $1 AND id = $2 AND rounds = $3`, rounds)
}

func (s *Store) changeWatch(ctx context.Context, op, id, change string, args ...any) (w store.Watch, err error) {
	err = s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) (err error) {
		if _, err = tx.Exec(ctx, change, append([]any{s.tenant, escape(id)}, args...)...); err != nil {
			return err
		}
		w, err = scanWatch(tx.QueryRow(ctx, `SELECT `+watchColumns+` FROM watch WHERE tenant = $1 AND id = $2`, s.tenant, escape(id)).Scan)
		return orMissing(err, unknownWatch(op))
	})
	return w, err
}

// DeleteWatch implements store.Watches.
func (s *Store) DeleteWatch(ctx context.Context, id string) error {
	const op = "store.delete_watch"
	return s.db.once(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `DELETE FROM watch WHERE tenant = $1 AND id = $2`, s.tenant, escape(id))
		if err == nil && done.RowsAffected() == 0 {
			return unknownWatch(op)
		}
		return err
	})
}
