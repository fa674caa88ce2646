package postgres

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Marks of writes are there for far longer than anybody tries to find out whether the write was committed.
const (
	markKept  = time.Hour
	markSweep = 10 * time.Minute // as often as old ones are removed by each process
)

// again does a write that may be done twice, in one transaction: after an error that leaves open whether it was
// committed, it is done again. What do sets counts when again returns nil.
func (db *DB) again(ctx context.Context, op string, do func(ctx context.Context, tx pgx.Tx) error) error {
	return storeError(op, db.trying(ctx, func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error { return do(ctx, tx) })
	}))
}

// once does a write that must not be done twice, in one transaction that leaves a mark. After an error that leaves open
// whether it was committed it sets the mark again, which waits for the earlier transaction: if the mark is there, all
// is done, and do is not called again. What do has set is of the committed transaction.
func (db *DB) once(ctx context.Context, op string, do func(ctx context.Context, tx pgx.Tx) error) error {
	mark := newMark(db.clock.now())
	tried := false
	return storeError(op, db.trying(ctx, func(ctx context.Context) error {
		if tried {
			return db.onceMore(ctx, mark, do)
		}
		tried = true
		return pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{BeginQuery: fmt.Sprintf(
			`BEGIN; INSERT INTO write_mark VALUES ('\x%x')`, mark)},
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

// newMark is a unique number that rises with time, so that marks set together stand together in their index.
func newMark(now time.Time) (mark [16]byte) {
	rand.Read(mark[:]) // never fails: crypto/rand ends the program first
	binary.BigEndian.PutUint64(mark[:8], uint64(now.UnixMicro())<<8|uint64(mark[7]))
	return mark
}

// sweepMarks forgets the marks of writes that nobody asks for any more.
func (db *DB) sweepMarks(ctx context.Context) error {
	if err := db.clock.set(ctx, db.pool); err != nil {
		return err
	}
	oldest := newMark(db.clock.now().Add(-markKept))
	_, err := db.pool.Exec(ctx, `DELETE FROM write_mark WHERE id < $1`, oldest[:])
	return err
}

// sweep forgets them now and then, and hosts that may be asked at any time.
func (db *DB) sweep() {
	for {
		select {
		case <-time.After(markSweep):
		case <-db.working.Done():
			return
		}
		// What fails is done the next time, or by another process.
		_ = db.sweepMarks(db.working)
		_ = sweepPaces(db.working, db.pool)
	}
}

// A serverClock goes as the server's does, since machines whose clocks differ would sweep each other's marks. This
// machine's monotonic clock has it go on, so that setting the clock changes nothing.
type serverClock struct {
	mu       sync.Mutex
	at, here time.Time // the server's time, when it was here
}

func (c *serverClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at.Add(time.Since(c.here))
}

// set asks the server for its time.
func (c *serverClock) set(ctx context.Context, from querier) error {
	var micros int64
	if err := from.QueryRow(ctx, `SELECT micros()`).Scan(&micros); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at, c.here = time.UnixMicro(micros), time.Now()
	return nil
}

// trying calls do until it fails for good, or until the wait for a lost server is over; collisions are retried at once.
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

// reading calls do, which may be done twice, again after the server or the connection went away.
func (db *DB) reading(ctx context.Context, op string, do func(ctx context.Context) error) error {
	return storeError(op, db.trying(ctx, do))
}
