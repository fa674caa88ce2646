package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
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
	body := callBody{sha256: citewell.SHA256(data), record: pack(data)}
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

func (s *Store) readBody(ctx context.Context, op, sha256 string, record []byte) ([]byte, error) {
	switch {
	case sha256 == "":
		return nil, nil
	case record != nil:
		return unpack(op, record)
	}
	return s.Blob(ctx, sha256)
}

// BeginCall implements store.Runs. A call that has its result is read without the
// write lock: a run that is taken up again reads many.
func (s *Store) BeginCall(ctx context.Context, lease store.Lease, call store.Call) (store.CallRecord, error) {
	const op = "store.begin_call"
	if err := call.Check(op); err != nil {
		return store.CallRecord{}, err
	}
	key := call.Key()
	run, err := s.runID(ctx, s.db.reads, op, lease.Run)
	if err != nil {
		return store.CallRecord{}, err
	}
	if kept, err := s.readCall(ctx, s.db.reads, op, run, key); err != nil || kept.State == store.CallDone || kept.State == store.CallFailed {
		return kept, storeError(op, err)
	}
	input, err := s.packBody(ctx, call.Input)
	if err != nil {
		return store.CallRecord{}, storeError(op, err)
	}
	var kept store.CallRecord
	err = storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		f, err := s.fence(ctx, tx, op, lease, 0)
		if err != nil {
			return err
		}
		result, err := tx.StmtContext(ctx, s.db.runs.begin).ExecContext(ctx, s.tenant, f.run, key, call.Step, call.Try, call.Kind, call.Name,
			store.CallInFlight, lease.Token, f.now, input.sha256, input.record)
		if err != nil {
			return err
		}
		added, err := result.RowsAffected()
		if err != nil {
			return err
		}
		if added > 0 {
			kept = store.CallRecord{Key: key, Step: call.Step, Try: call.Try, Kind: call.Kind, Name: call.Name, State: store.CallInFlight,
				Token: lease.Token, Attempts: 1, BegunAt: microTime(f.now), Input: call.Input}
			return s.nameBody(ctx, tx, f.run, input)
		}
		if kept, _, err = s.callHead(ctx, tx, op, f.run, key); err != nil || kept.State != store.CallInFlight {
			return err
		}
		if kept.Token == lease.Token {
			return invalid(op, "this executor has begun that call and not finished it; a call that is meant again needs another try")
		}
		kept.Token, kept.Attempts, kept.BegunAt, kept.Input = lease.Token, kept.Attempts+1, microTime(f.now), call.Input
		_, err = tx.ExecContext(ctx, `UPDATE run_call SET token = ?, attempts = ?, begun_at = ? WHERE run = ? AND key = ?`,
			kept.Token, kept.Attempts, f.now, f.run, key)
		return err
	}))
	if err == nil && kept.State != store.CallInFlight { // finished between the two looks
		kept, err = s.readCall(ctx, s.db.reads, op, run, key)
	}
	if err != nil {
		return store.CallRecord{}, storeError(op, err)
	}
	return kept, nil
}

// FinishCall implements store.Runs.
func (s *Store) FinishCall(ctx context.Context, lease store.Lease, key string, result store.CallResult) error {
	const op = "store.finish_call"
	if err := result.Check(op); err != nil {
		return err
	}
	body, err := s.packBody(ctx, result.Data)
	if err != nil {
		return storeError(op, err)
	}
	state, cost := store.CallDone, pack(result.Cost)
	var failure []byte
	if result.Err != nil {
		state = store.CallFailed
		if failure, err = packJSON(result.Err); err != nil {
			return storeError(op, err)
		}
	}
	return storeError(op, s.db.writer.Do(ctx, func(ctx context.Context, tx *sql.Tx) error {
		f, err := s.fence(ctx, tx, op, lease, 0)
		if err != nil {
			return err
		}
		done, err := tx.StmtContext(ctx, s.db.runs.finish).ExecContext(ctx, state, f.now, body.sha256, body.record, cost, failure, f.run, key, lease.Token)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil {
			return err
		} else if n > 0 {
			return s.nameBody(ctx, tx, f.run, body)
		}
		kept, resultHash, err := s.callHead(ctx, tx, op, f.run, key)
		switch {
		case err != nil:
			return err
		case kept.State == store.CallUnknown || kept.State == store.CallInFlight:
			return invalid(op, "this executor has not begun that call")
		case kept.State != state || resultHash != body.sha256 || !sameView(kept.Err, result.Err):
			return invalid(op, "that call has its result already, and it differs")
		}
		return nil
	}))
}

func sameView(a, b *citewell.ErrorView) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

const callColumns = `key, step, try, kind, name, state, token, attempts, begun_at, ended_at, cost_record, error_record`

// scanCall reads callColumns, and what more targets take.
func scanCall(op string, scan func(...any) error, more ...any) (store.CallRecord, error) {
	var c store.CallRecord
	var begun, ended int64
	var cost, failure []byte
	err := scan(append([]any{&c.Key, &c.Step, &c.Try, &c.Kind, &c.Name, &c.State, &c.Token, &c.Attempts, &begun, &ended, &cost, &failure}, more...)...)
	if err != nil {
		return store.CallRecord{}, err
	}
	if c.BegunAt = microTime(begun); ended != 0 {
		c.EndedAt = microTime(ended)
	}
	if cost != nil {
		if c.Cost, err = unpack(op, cost); err != nil {
			return store.CallRecord{}, err
		}
	}
	if failure != nil {
		c.Err = new(citewell.ErrorView)
		err = unpackJSON(op, failure, c.Err)
	}
	return c, err
}

// callHead returns a call without its bodies, and the hash of its result.
func (s *Store) callHead(ctx context.Context, from querier, op string, run int64, key string) (c store.CallRecord, resultHash string, err error) {
	c, err = scanCall(op, from.QueryRowContext(ctx, `SELECT `+callColumns+`, result_sha256 FROM run_call WHERE run = ? AND key = ?`, run, key).Scan, &resultHash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return c, resultHash, err
}

// readCall returns a call with its bodies, and an empty record where there is none.
func (s *Store) readCall(ctx context.Context, from querier, op string, run int64, key string) (store.CallRecord, error) {
	var inputHash, resultHash string
	var input, result []byte
	c, err := scanCall(op, from.QueryRowContext(ctx, `SELECT `+callColumns+`, input_sha256, input_record, result_sha256, result_record
		FROM run_call WHERE run = ? AND key = ?`, run, key).Scan, &inputHash, &input, &resultHash, &result)
	if errors.Is(err, sql.ErrNoRows) {
		return store.CallRecord{}, nil
	}
	for _, body := range []struct {
		target *json.RawMessage
		sha256 string
		record []byte
	}{{&c.Input, inputHash, input}, {&c.Result, resultHash, result}} {
		if err == nil {
			*body.target, err = s.readBody(ctx, op, body.sha256, body.record)
		}
	}
	if err != nil {
		return store.CallRecord{}, err
	}
	return c, nil
}

// LookupCall implements store.Runs.
func (s *Store) LookupCall(ctx context.Context, id, key string) (store.CallRecord, error) {
	const op = "store.lookup_call"
	run, err := s.runID(ctx, s.db.reads, op, id)
	if err != nil {
		return store.CallRecord{}, err
	}
	c, err := s.readCall(ctx, s.db.reads, op, run, key)
	return c, storeError(op, err)
}

// Calls implements store.Runs.
func (s *Store) Calls(ctx context.Context, id string) ([]store.CallRecord, error) {
	const op = "store.calls"
	run, err := s.runID(ctx, s.db.reads, op, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.reads.QueryContext(ctx, `SELECT `+callColumns+` FROM run_call WHERE run = ? ORDER BY id`, run)
	if err != nil {
		return nil, storeError(op, err)
	}
	defer rows.Close()
	calls := []store.CallRecord{}
	for rows.Next() {
		c, err := scanCall(op, rows.Scan)
		if err != nil {
			return nil, storeError(op, err)
		}
		calls = append(calls, c)
	}
	return calls, storeError(op, rows.Err())
}
