package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
)

func unknownWatch(op string) error { return fault.NotFound(op, "no watch with that id is kept") }

const watchColumns = `id, caller, request, every, rounds, created_at, next_at`

func scanWatch(scan func(...any) error) (w runstore.Watch, err error) {
	var every, created, next int64
	err = scan(&w.ID, &w.Caller, (*[]byte)(&w.Request), &every, &w.Rounds, &created, &next)
	w.Every = time.Duration(every) * time.Millisecond
	w.CreatedAt, w.NextAt = codec.MicroTime(created), codec.MicroTime(next)
	return w, err
}

// PutWatch implements runstore.Watches. In PostgreSQL, two that come at once may make one more than fits.
func (s *Store) PutWatch(ctx context.Context, w runstore.Watch) (runstore.Watch, error) {
	const op = "store.put_watch"
	if err := w.Check(op); err != nil {
		return w, err
	}
	kept := w
	err := s.b.Once(ctx, op, func(ctx context.Context, tx Tx) error {
		var all, own int
		if err := tx.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE caller = $2) FROM watch WHERE tenant = $1`,
			s.tenant, w.Caller).Scan(&all, &own); err != nil {
			return err
		}
		err := runstore.WatchFits(op, w.Caller, own, all)
		if err != nil {
			return err
		}
		kept, err = scanWatch(tx.QueryRow(ctx, `WITH clock AS MATERIALIZED (SELECT micros() AS now)
			INSERT INTO watch (tenant, id, caller, request, every, created_at, next_at) SELECT $1, $2, $3, $4, $5, now, now
				FROM clock WHERE true
			ON CONFLICT DO NOTHING RETURNING `+watchColumns, s.tenant, w.ID, w.Caller, []byte(w.Request),
			w.Every.Milliseconds()).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return runstore.WatchExists(op)
		}
		return err
	})
	return kept, err
}

func (s *Store) watch(ctx context.Context, from Conn, op, id string) (runstore.Watch, error) {
	w, err := scanWatch(from.QueryRow(ctx, `SELECT `+watchColumns+` FROM watch WHERE tenant = $1 AND id = $2`,
		s.tenant, id).Scan)
	return w, OrMissing(err, unknownWatch(op))
}

// Watch implements runstore.Watches.
func (s *Store) Watch(ctx context.Context, id string) (runstore.Watch, error) {
	const op = "store.watch"
	return readValue(ctx, s.b, op, func(from Conn) (runstore.Watch, error) { return s.watch(ctx, from, op, id) })
}

// ListWatches implements runstore.Watches.
func (s *Store) ListWatches(ctx context.Context, caller string) ([]runstore.Watch, error) {
	return s.watches(ctx, "store.list_watches", `AND ($2 = '' OR caller = $2) ORDER BY created_at, id`, caller)
}

// DueWatches implements runstore.Watches.
func (s *Store) DueWatches(ctx context.Context) ([]runstore.Watch, error) {
	return s.watches(ctx, "store.due_watches", `AND next_at <= micros() ORDER BY next_at, id`)
}

func (s *Store) watches(ctx context.Context, op, which string, args ...any) ([]runstore.Watch, error) {
	return readValue(ctx, s.b, op, func(from Conn) ([]runstore.Watch, error) {
		return ReadRows(ctx, from, `SELECT `+watchColumns+` FROM watch
			WHERE tenant = $1 `+which, scanWatch, append([]any{s.tenant}, args...)...)
	})
}

// RoundBegun implements runstore.Watches.
func (s *Store) RoundBegun(ctx context.Context, id string, rounds int64) (runstore.Watch, error) {
	return s.changeWatch(ctx, "store.round_begun", id, `rounds = rounds + 1, next_at = micros() + every * 1000`, rounds)
}

// HurryWatch implements runstore.Watches.
func (s *Store) HurryWatch(ctx context.Context, id string, rounds int64) (runstore.Watch, error) {
	return s.changeWatch(ctx, "store.hurry_watch", id, `next_at = {least}(next_at, micros())`, rounds)
}

func (s *Store) changeWatch(ctx context.Context, op, id, change string, rounds int64) (w runstore.Watch, err error) {
	err = s.b.Again(ctx, op, func(ctx context.Context, tx Tx) (err error) {
		if _, err = tx.Exec(ctx, `UPDATE watch SET `+change+` WHERE tenant = $1 AND id = $2 AND rounds = $3`,
			s.tenant, id, rounds); err != nil {
			return err
		}
		w, err = s.watch(ctx, tx, op, id)
		return err
	})
	return w, err
}

// DeleteWatch implements runstore.Watches.
func (s *Store) DeleteWatch(ctx context.Context, id string) error {
	const op = "store.delete_watch"
	return s.b.Once(ctx, op, func(ctx context.Context, tx Tx) error {
		gone, err := tx.Exec(ctx, `DELETE FROM watch WHERE tenant = $1 AND id = $2`, s.tenant, id)
		if err == nil && gone == 0 {
			return unknownWatch(op)
		}
		return err
	})
}
