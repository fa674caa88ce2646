package storetest

import (
	"context"

	"github.com/citewell/citewell/store"
)

// BeginCall notes one call alone, as store.RunCalls says of an entry without a result.
func BeginCall(ctx context.Context, s store.RunCalls, lease store.Lease, call store.Call) (store.CallRecord, error) {
	records, err := s.WriteCalls(ctx, lease, []store.CallEntry{{Call: call}})
	if err != nil {
		return store.CallRecord{}, err
	}
	return records[0], nil
}

// FinishCall keeps alone what became of a call.
func FinishCall(ctx context.Context, s store.RunCalls, lease store.Lease, call store.Call, result store.CallResult) error {
	_, err := s.WriteCalls(ctx, lease, []store.CallEntry{{Call: call, Result: &result}})
	return err
}
