package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell/store/internal/sqlstore"
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

// A write is one caller's part of a transaction: all of it happens, or none. What
// it does may be undone and done again before it is answered.
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
		return sqlstore.ErrClosed
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

// commit does first and whatever else is waiting in one transaction, then answers
// all of them. Savepoints would keep a failing write apart from the others, but
// make FTS5 flush its index at each; writes seldom fail, so when one does, the
// batch is undone and done again without it, and it is done by itself.
func (w *writer) commit(first *write) {
	ctx := context.Background() // a batch belongs to many callers: none of them ends it
	began := time.Now()
	waiting := first
	batch, failed, err := w.together(ctx, nil, func(n int) *write {
		for {
			job := waiting
			if waiting = nil; job == nil {
				job = w.next(n, began)
			}
			if job == nil || job.taken.CompareAndSwap(false, true) {
				return job
			}
		}
	})
	if len(batch) == 0 {
		first.done <- err // nobody reads it if the caller gave up
		return
	}
	var apart []*write
	for failed >= 0 && len(batch) > 1 {
		apart = append(apart, batch[failed])
		batch, failed, err = w.together(ctx, slices.Delete(batch, failed, failed+1), noMore)
	}
	if err != nil && len(batch) > 1 { // too much for one transaction, perhaps
		apart = append(batch, apart...)
		batch = nil
	}
	for _, job := range batch {
		job.done <- err
	}
	for _, job := range apart {
		_, _, err := w.together(ctx, []*write{job}, noMore)
		job.done <- err
	}
}

// next returns a write that waits and may join n others, and nil where none does.
func (w *writer) next(n int, began time.Time) *write {
	if n < batchWrites && time.Since(began) < batchTime {
		select {
		case job := <-w.queue:
			return job
		default:
		}
	}
	return nil
}

func noMore(int) *write { return nil }

// together does the writes of batch, and those that more gives while it gives any,
// in one transaction. It returns all it was given and the index of the one that
// failed; -1 with an error means that the transaction itself did.
func (w *writer) together(ctx context.Context, batch []*write,
	more func(n int) *write) (all []*write, failed int, err error) {
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return batch, -1, err
	}
	defer tx.Rollback() // of what is not committed
	for i := 0; ; i++ {
		if i == len(batch) {
			job := more(i)
			if job == nil {
				return batch, -1, tx.Commit()
			}
			batch = append(batch, job)
		}
		if err := batch[i].do(ctx, tx); err != nil {
			return batch, i, err
		}
	}
}
