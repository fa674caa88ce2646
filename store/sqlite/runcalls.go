package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

func (s *Store) readBody(ctx context.Context, op, sha256 string, record []byte) ([]byte, error) {
	switch {
	case sha256 == "":
		return nil, nil
	case record != nil:
		return codec.Unpack(op, record)
	}
	return s.Blob(ctx, sha256)
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
	return c, codec.ReadCall(op, &c, begun, ended, cost, failure)
}

// callHead returns a call without its bodies, and the hash of its result.
func (s *Store) callHead(ctx context.Context, from querier, op string, run int64, key string) (c store.CallRecord, resultHash string, err error) {
	c, err = scanCall(op, from.QueryRowContext(ctx, `SELECT `+callColumns+`, result_sha256 FROM run_call WHERE run = ? AND key = ?`, run, key).Scan, &resultHash)
	return c, resultHash, orMissing(err, nil)
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
	calls := []store.CallRecord{}
	err = each(ctx, s.db.reads, `SELECT `+callColumns+` FROM run_call WHERE run = ? ORDER BY id`, func(scan func(...any) error) error {
		c, err := scanCall(op, scan)
		calls = append(calls, c)
		return err
	}, run)
	if err != nil {
		return nil, storeError(op, err)
	}
	return calls, nil
}
