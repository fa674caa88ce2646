package sqlite

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"
)

const (
	batchWrites = 128
	batchTime   = 50 * time.Millisecond // after which no further write joins a transaction
)

// A writer does all writes of one DB, those that wait together in one transaction,
// so that many callers share the cost of one fsync.
type writer struct {
	db      *sql.DB
	queue   chan *write // unbuffered: what was taken is always answered
	closing chan struct{}
	done    chan struct{}
}

// A write is one caller's part of a transaction: all of it happens, or none.
type write struct {
	do    func(context.Context, *sql.Tx) error
	done  chan error
	taken atomic.Bool // by the writer, or by the caller who gave up
}

func startWriter(db *sql.DB) *writer {
	w := &writer{db: db, queue: make(chan *write), closing: make(chan struct{}), done: make(chan struct{})}
	go w.run()
	return w
}

// Do returns after the commit that holds do is on disk. A caller whose context
// ends before the write began gets the context's error and nothing is written;
// once begun, the write is waited for, so that its outcome is never unknown.
func (w *writer) Do(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	job := &write{do: do, done: make(chan error, 1)}
	select {
	case w.queue <- job:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return errClosed
	}
	select {
	case err := <-job.done:
		return err
	case <-ctx.Done():
		if job.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return <-job.done
	}
}

// Close waits until every write that was taken has its answer.
func (w *writer) Close() {
	close(w.closing)
	<-w.done
}

func (w *writer) run() {
	defer close(w.done)
	for {
		select {
		case job := <-w.queue:
			w.commit(job)
		case <-w.closing:
			return
		}
	}
}

// commit does first and whatever else is waiting, then answers all of them.
func (w *writer) commit(first *write) {
	ctx := context.Background() // a batch belongs to many callers: none of them ends it
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		first.done <- err
		return
	}
	began := time.Now()
	var ready []*write
	for job, seen := first, 0; job != nil; seen++ {
		if job.taken.CompareAndSwap(false, true) {
			if err := savepoint(ctx, tx, job.do); err != nil {
				job.done <- err
			} else {
				ready = append(ready, job)
			}
		}
		job = nil
		if seen < batchWrites && time.Since(began) < batchTime {
			select {
			case job = <-w.queue:
			default:
			}
		}
	}
	if len(ready) == 0 {
		err = tx.Rollback()
	} else if err = tx.Commit(); err != nil {
		tx.Rollback()
	}
	for _, job := range ready {
		job.done <- err
	}
}

// savepoint undoes what do wrote when do fails, and nothing of the others.
func savepoint(ctx context.Context, tx *sql.Tx, do func(context.Context, *sql.Tx) error) error {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	err := do(ctx, tx)
	if err != nil {
		if _, undo := tx.ExecContext(ctx, "ROLLBACK TO one"); undo != nil {
			return err // SQLite has rolled the whole transaction back; commit reports it
		}
	}
	if _, release := tx.ExecContext(ctx, "RELEASE one"); err == nil {
		err = release
	}
	return err
}
