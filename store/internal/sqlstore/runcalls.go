package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
)

const callColumns = `key, step, try, kind, name, state, token, attempts, begun_at, ended_at, cost_record, error_record`

// scanCall reads callColumns, and what more targets take.
func scanCall(op string, scan func(...any) error, more ...any) (runstore.CallRecord, error) {
	var c runstore.CallRecord
	var begun, ended int64
	var cost, failure []byte
	if err := scan(append([]any{&c.Key, &c.Step, &c.Try, &c.Kind, &c.Name, &c.State, &c.Token, &c.Attempts,
		&begun, &ended, &cost, &failure},
		more...)...); err != nil {
		return runstore.CallRecord{}, err
	}
	return c, codec.ReadCall(op, &c, begun, ended, cost, failure)
}

// readCall returns a call with its bodies, and an empty record where there is none.
func (s *Store) readCall(ctx context.Context, from Conn, op string, run int64,
	key string) (runstore.CallRecord, error) {
	var inputHash, resultHash string
	var input, result []byte
	c, err := scanCall(op, from.QueryRow(ctx,
		`SELECT `+callColumns+`, input_sha256, input_record, result_sha256, result_record
		FROM run_call WHERE tenant = $1 AND run = $2 AND key = $3`,
		s.tenant, run, key).Scan, &inputHash, &input, &resultHash, &result)
	if errors.Is(err, sql.ErrNoRows) {
		return runstore.CallRecord{}, nil
	}
	for _, body := range []struct {
		target *json.RawMessage
		sha256 string
		record []byte
	}{{&c.Input, inputHash, input}, {&c.Result, resultHash, result}} {
		if err == nil {
			*body.target, err = s.readBody(ctx, from, op, body.sha256, body.record)
		}
	}
	if err != nil {
		return runstore.CallRecord{}, err
	}
	return c, nil
}

func (s *Store) readBody(ctx context.Context, from Conn, op, sha256 string, record []byte) ([]byte, error) {
	switch {
	case sha256 == "":
		return nil, nil
	case record != nil:
		return codec.Unpack(op, record)
	}
	return s.content(ctx, from, op, sha256)
}

// LookupCall implements runstore.Runs.
func (s *Store) LookupCall(ctx context.Context, id, key string) (runstore.CallRecord, error) {
	const op = "store.lookup_call"
	return readValue(ctx, s.b, op, func(from Conn) (runstore.CallRecord, error) {
		run, err := s.number(ctx, from, op, id, ``)
		if err != nil {
			return runstore.CallRecord{}, err
		}
		return s.readCall(ctx, from, op, run, key)
	})
}

// Calls implements runstore.Runs.
func (s *Store) Calls(ctx context.Context, id string) ([]runstore.CallRecord, error) {
	const op = "store.calls"
	return readValue(ctx, s.b, op, func(from Conn) ([]runstore.CallRecord, error) {
		run, err := s.number(ctx, from, op, id, ``)
		if err != nil {
			return nil, err
		}
		calls := []runstore.CallRecord{}
		err = Each(ctx, from, `SELECT `+callColumns+` FROM run_call WHERE tenant = $1 AND run = $2 ORDER BY {n}`,
			func(scan func(...any) error) error {
				c, err := scanCall(op, scan)
				calls = append(calls, c)
				return err
			}, s.tenant, run)
		return calls, err
	})
}

// WriteCalls implements runstore.Runs. It tells nobody: a journal is not followed.
func (s *Store) WriteCalls(ctx context.Context, lease runstore.Lease,
	entries []runstore.CallEntry) ([]runstore.CallRecord, error) {
	const op = "store.write_calls"
	writes, err := codec.CallWrites(op, entries)
	if err != nil {
		return nil, s.b.Fail(op, err)
	}
	for _, w := range writes {
		if err := s.b.StageContents(ctx, w.Body.Large); err != nil {
			return nil, s.b.Fail(op, err)
		}
	}
	var records []runstore.CallRecord
	err = s.b.Once(ctx, op, func(ctx context.Context, tx Tx) error {
		f, err := s.fence(ctx, tx, op, lease, 0)
		if err != nil {
			return err
		}
		records = make([]runstore.CallRecord, len(writes))
		for i, w := range writes {
			if w.Result != nil {
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
	if err != nil {
		return nil, err
	}
	return records, nil
}

const beginCall = `INSERT INTO run_call (tenant, run, key, step, try, kind, name, state, token, attempts, begun_at,
	input_sha256, input_record)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11, $12) ON CONFLICT DO NOTHING`

func (s *Store) beginCall(ctx context.Context, tx Tx, op string, lease runstore.Lease, f fenced,
	w codec.CallWrite) (runstore.CallRecord, error) {
	c := w.Call
	added, err := tx.Exec(ctx, beginCall, s.tenant, f.run, w.Key, c.Step, c.Try, c.Kind, c.Name, runstore.CallInFlight,
		lease.Token, f.now,
		w.Body.SHA256, w.Body.Record)
	if err != nil {
		return runstore.CallRecord{}, err
	}
	if added > 0 {
		return w.Begun(lease.Token, f.now), s.nameBody(ctx, tx, f.run, w.Body)
	}
	kept, err := s.readCall(ctx, tx, op, f.run, w.Key)
	if err != nil || kept.State != runstore.CallInFlight {
		return kept, err
	}
	if kept.Token == lease.Token {
		return runstore.CallRecord{}, codec.BegunAlready(op)
	}
	kept.Token, kept.Attempts, kept.BegunAt, kept.Input = lease.Token, kept.Attempts+1, codec.MicroTime(f.now), c.Input
	_, err = tx.Exec(ctx, `UPDATE run_call SET token = $1, attempts = $2, begun_at = $3 WHERE tenant = $4 AND run = $5
		AND key = $6`,
		kept.Token, kept.Attempts, f.now, s.tenant, f.run, w.Key)
	return kept, err
}

const finishCall = `UPDATE run_call SET state = $1, ended_at = $2, result_sha256 = $3, result_record = $4,
	cost_record = $5, error_record = $6
	WHERE tenant = $7 AND run = $8 AND key = $9 AND token = $10 AND state = 'in_flight'`

func (s *Store) finishCall(ctx context.Context, tx Tx, op string, lease runstore.Lease, f fenced,
	w codec.CallWrite) error {
	n, err := tx.Exec(ctx, finishCall, w.State, f.now, w.Body.SHA256, w.Body.Record, w.Cost, w.Failure, s.tenant, f.run,
		w.Key, lease.Token)
	if err != nil {
		return err
	}
	if n > 0 {
		return s.nameBody(ctx, tx, f.run, w.Body)
	}
	var hash string
	kept, err := scanCall(op, tx.QueryRow(ctx, `SELECT `+callColumns+`, result_sha256 FROM run_call WHERE tenant = $1
		AND run = $2 AND key = $3`,
		s.tenant, f.run, w.Key).Scan, &hash)
	if err = OrMissing(err, nil); err != nil {
		return err
	}
	return w.FinishedAlready(op, kept, hash)
}

// nameBody keeps a body that is a content, and that the run has it.
func (s *Store) nameBody(ctx context.Context, tx Tx, run int64, body codec.Body) error {
	if len(body.Large) == 0 {
		return nil
	}
	if err := s.b.KeepContents(ctx, tx, s.tenant, body.Large); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO run_blob (tenant, sha256, run) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		s.tenant, body.SHA256, run)
	return err
}
