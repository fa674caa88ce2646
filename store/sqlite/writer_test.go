package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/citewell/citewell"
)

// hold keeps the writer inside a transaction until release is called.
func hold(t *testing.T, db *DB) (release func()) {
	t.Helper()
	began, end, done := make(chan bool), make(chan bool), make(chan error)
	begin := sync.OnceFunc(func() { close(began) })
	go func() {
		done <- db.writer.Do(context.Background(), func(context.Context, *sql.Tx) error {
			begin()
			<-end
			return nil
		})
	}()
	<-began
	return func() {
		close(end)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func put(ctx context.Context, tx *sql.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO brief (tenant, id, created_at, record) VALUES ('t', ?, 0, x'00')`, id)
	return err
}

// TestGroupCommit has writes that wait at the same time share transactions, and one
// that fails among them undo nothing but itself.
func TestGroupCommit(t *testing.T) {
	db := openTest(t, t.TempDir())
	const writes = 64
	refused := errors.New("refused")
	release := hold(t, db)
	var group, begun sync.WaitGroup
	begun.Add(writes)
	var mu sync.Mutex
	transactions := make(map[*sql.Tx]bool)
	outcomes := make(map[int]error)
	for n := range writes {
		group.Go(func() {
			begun.Done()
			err := db.writer.Do(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				mu.Lock()
				transactions[tx] = true
				mu.Unlock()
				if err := put(ctx, tx, fmt.Sprint(n)); err != nil || n%16 > 0 {
					return err
				}
				return refused
			})
			mu.Lock()
			outcomes[n] = err
			mu.Unlock()
		})
	}
	begun.Wait() // on a fast disk the first would be written before the last waits
	release()
	group.Wait()
	if len(transactions) > writes/2+2 {
		t.Errorf("%d writes took %d transactions", writes, len(transactions))
	}
	for n := range writes {
		var there int
		if err := db.reads.QueryRow(`SELECT count(*) FROM brief WHERE id = ?`, fmt.Sprint(n)).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if fails := n%16 == 0; (outcomes[n] == refused) != fails || (there == 0) != fails {
			t.Errorf("write %d ended with %v and %d rows", n, outcomes[n], there)
		}
	}
}

// TestCanceledInQueue ends a write's context while it waits for its turn.
func TestCanceledInQueue(t *testing.T) {
	db := openTest(t, t.TempDir())
	release := hold(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- db.Tenant("t").PutBrief(ctx, citewell.Brief{ID: "late"}) }()
	cancel()
	if err := <-result; citewell.CodeOf(err) != citewell.CodeCanceled {
		t.Errorf("got %v, want canceled", err)
	}
	release()
	_, err := db.Tenant("t").Brief(t.Context(), "late")
	wantFailed(t, err, citewell.CodeNotFound, "")
}

// TestClose has writes under way during Close end either way, and those after it
// fail with a code.
func TestClose(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	var group sync.WaitGroup
	errs := make([]error, 32)
	for n := range errs {
		group.Go(func() { errs[n] = writeItem(db.Tenant("t"), ack{0, n, "brief"}) })
	}
	runtime.Gosched()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	group.Wait()
	if err := db.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	var acks []ack
	for n, err := range errs {
		if err == nil {
			acks = append(acks, ack{0, n, "brief"})
		} else if citewell.CodeOf(err) != citewell.CodeStoreFailed {
			t.Errorf("write %d: %v", n, err)
		}
	}
	wantFailed(t, db.Tenant("t").PutBrief(t.Context(), citewell.Brief{ID: "b"}), citewell.CodeStoreFailed, "closed")
	_, err := db.Tenant("t").Brief(t.Context(), "b")
	wantFailed(t, err, citewell.CodeStoreFailed, "")
	checkStore(t, dir, acks)
}
