package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Marks of writes are there for far longer than anybody tries to find out whether the write was
// committed.
const (
	markKept  = time.Hour
	markSweep = 10 * time.Minute // as often as old ones are removed by each process
)

// again does a write that may be done twice without harm, in one transaction: after an error
// that leaves open whether it was committed, it is done again. So do may be called several
// times, and what it sets counts when again returns nil.
func (db *DB) again(ctx context.Context, op string, do func(ctx context.Context, tx pgx.Tx) error) error {
	return storeError(op, db.trying(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error { return do(ctx, tx) })
	}))
}

// once does a write that must not be done twice, in one transaction that leaves a mark. After
// an error that leaves open whether it was committed the mark is set again, which waits for
// the transaction before if that is still there: when the mark is there, all is done, and do
// is not called again. What do has set then is of the transaction that was committed.
func (db *DB) once(ctx context.Context, op string, do func(ctx context.Context, tx pgx.Tx) error) error {
	mark := newMark(time.Now())
	tried := false
	return storeError(op, db.trying(ctx, func(ctx context.Context) error {
		if tried {
			return db.onceMore(ctx, mark, do)
		}
		tried = true
		return pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{BeginQuery: fmt.Sprintf(`BEGIN; INSERT INTO write_mark VALUES ('\x%x')`, mark)},
			func(tx pgx.Tx) error { return do(ctx, tx) })
	}))
}

func (db *DB) onceMore(ctx context.Context, mark [16]byte, do func(ctx context.Context, tx pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
		made, err := affected(tx.Exec(ctx, `INSERT INTO write_mark VALUES ($1) ON CONFLICT DO NOTHING`, mark[:]))
		if err != nil || made == 0 {
			return err
		}
		return do(ctx, tx)
	})
}

// newMark is a number that nothing else has, which rises with the time: marks that are set
// together stand together in their index.
func newMark(now time.Time) (mark [16]byte) {
	rand.Read(mark[:]) // never fails: crypto/rand ends the program first
	binary.BigEndian.PutUint64(mark[:8], uint64(now.UnixMicro())<<8|uint64(mark[7]))
	return mark
}

// sweepMarks forgets the marks of writes that nobody asks for any more.
func sweepMarks(ctx context.Context, from querier) error {
	oldest := newMark(time.Now().Add(-markKept))
	_, err := from.Exec(ctx, `DELETE FROM write_mark WHERE id < $1`, oldest[:])
	return err
}

// trying calls do until it fails for good, or for as long as the store is to wait for a server
// that went away. What collided with another is done again at once.
func (db *DB) trying(ctx context.Context, do func(ctx context.Context) error) error {
	const most = time.Second
	pause := 10 * time.Millisecond
	for began := time.Now(); ; pause = min(2*pause, most) {
		err := do(ctx)
		if err == nil || ctx.Err() != nil || isOurs(err) || !transient(err) || time.Since(began) > db.retry {
			return err
		}
		if collided(err) {
			pause = time.Millisecond
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// reading calls do, which only reads or does one statement that may be done twice, again after
// the server or the connection went away.
func (db *DB) reading(ctx context.Context, op string, do func(ctx context.Context) error) error {
	return storeError(op, db.trying(ctx, do))
}
