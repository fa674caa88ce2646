package sqlite

import (
	"context"
	"database/sql"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
)

// inlineBody is how large an input or result may be, packed, to stand in its row: one
// sync then makes it durable together with what else is written. A larger one is a
// file of its own, kept once however many calls have it.
const inlineBody = 64 << 10

// A callBody is an input or a result as it will be kept.
type callBody struct {
	sha256 string
	record []byte            // nil when it is a file
	files  map[string][]byte // empty when it is not
}

func (s *Store) packBody(ctx context.Context, data []byte) (callBody, error) {
	body := callBody{sha256: citewell.SHA256(data), record: codec.Pack(data)}
	if len(body.record) <= inlineBody {
		return body, nil
	}
	body.record, body.files = nil, map[string][]byte{body.sha256: data}
	return body, s.putBlobs(ctx, body.files)
}

// nameBody has rows vouch for a body that is a file.
func (s *Store) nameBody(ctx context.Context, tx *sql.Tx, run int64, body callBody) error {
	if len(body.files) == 0 {
		return nil
	}
	if err := s.nameContents(ctx, tx, body.files); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO run_blob (tenant, sha256, run) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, s.tenant, body.sha256, run)
	return err
}

// A callWrite is an entry of the journal as its row will have it: the call is begun
// where result is nil, and else finished.
type callWrite struct {
	key    string
	call   store.Call
	result *store.CallResult

	body          callBody // of the input or the result
	state         store.CallState
	cost, failure []byte
}

func (s *Store) packCall(ctx context.Context, w *callWrite) (err error) {
	if w.result == nil {
		w.body, err = s.packBody(ctx, w.call.Input)
		return err
	}
	w.state, w.cost = store.CallDone, codec.Pack(w.result.Cost)
	if w.result.Err != nil {
		w.state = store.CallFailed
		if w.failure, err = codec.PackJSON(w.result.Err); err != nil {
			return err
		}
	}
	w.body, err = s.packBody(ctx, w.result.Data)
	return err
}

// writeCalls does all of writes in one transaction, in which the lease is good.
func (s *Store) writeCalls(ctx context.Context, op string, lease store.Lease, writes []callWrite) ([]store.CallRecord, error) {
	for i := range writes {
		if err := s.packCall(ctx, &writes[i]); err != nil {
			return nil, storeError(op, err)
		}
	}
	records := make([]store.CallRecord, len(writes))
	var run int64
	err := s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		f, err := s.fence(ctx, tx, op, lease, 0)
		if err != nil {
			return err
		}
		run = f.run
		for i, w := range writes {
			if w.result != nil {
				err = s.finishCall(ctx, tx, op, lease, f, w)
			} else {
				records[i], err = s.beginCall(ctx, tx, op, lease, f, w)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for i, record := range records { // those that were finished before have their bodies too
		if err == nil && (record.State == store.CallDone || record.State == store.CallFailed) {
			records[i], err = s.readCall(ctx, s.db.reads, op, run, record.Key)
		}
	}
	if err != nil {
		return nil, storeError(op, err)
	}
	return records, nil
}

// beginCall returns a call that was there already without its bodies.
func (s *Store) beginCall(ctx context.Context, tx *sql.Tx, op string, lease store.Lease, f fenced, w callWrite) (store.CallRecord, error) {
	c := w.call
	added, err := affected(tx.StmtContext(ctx, s.db.runs.begin).ExecContext(ctx, s.tenant, f.run, w.key, c.Step, c.Try, c.Kind, c.Name,
		store.CallInFlight, lease.Token, f.now, w.body.sha256, w.body.record))
	if err != nil {
		return store.CallRecord{}, err
	}
	if added > 0 {
		return store.CallRecord{Key: w.key, Step: c.Step, Try: c.Try, Kind: c.Kind, Name: c.Name, State: store.CallInFlight,
			Token: lease.Token, Attempts: 1, BegunAt: microTime(f.now), Input: c.Input}, s.nameBody(ctx, tx, f.run, w.body)
	}
	kept, _, err := s.callHead(ctx, tx, op, f.run, w.key)
	if err != nil || kept.State != store.CallInFlight {
		return kept, err
	}
	if kept.Token == lease.Token {
		return store.CallRecord{}, fault.Invalid(op, "this executor has begun that call and not finished it; a call that is meant again needs another try")
	}
	kept.Token, kept.Attempts, kept.BegunAt, kept.Input = lease.Token, kept.Attempts+1, microTime(f.now), c.Input
	_, err = tx.ExecContext(ctx, `UPDATE run_call SET token = ?, attempts = ?, begun_at = ? WHERE run = ? AND key = ?`,
		kept.Token, kept.Attempts, f.now, f.run, w.key)
	return kept, err
}

func (s *Store) finishCall(ctx context.Context, tx *sql.Tx, op string, lease store.Lease, f fenced, w callWrite) error {
	n, err := affected(tx.StmtContext(ctx, s.db.runs.finish).ExecContext(ctx, w.state, f.now, w.body.sha256, w.body.record, w.cost, w.failure, f.run, w.key, lease.Token))
	if err != nil {
		return err
	}
	if n > 0 {
		return s.nameBody(ctx, tx, f.run, w.body)
	}
	kept, resultHash, err := s.callHead(ctx, tx, op, f.run, w.key)
	switch {
	case err != nil:
		return err
	case kept.State == store.CallUnknown || kept.State == store.CallInFlight:
		return fault.Invalid(op, "this executor has not begun that call")
	case kept.State != w.state || resultHash != w.body.sha256 || !sameView(kept.Err, w.result.Err):
		return fault.Invalid(op, "that call has its result already, and it differs")
	}
	return nil
}
