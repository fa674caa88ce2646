package storesuite

import (
	"context"

	"github.com/citewell/citewell/internal/runstore"
)

// BeginCall notes one call alone, as runstore.RunCalls says of an entry without a result.
func BeginCall(ctx context.Context, s runstore.RunCalls, lease runstore.Lease,
	call runstore.Call) (runstore.CallRecord, error) {
	records, err := s.WriteCalls(ctx, lease, []runstore.CallEntry{{Call: call}})
	if err != nil {
		return runstore.CallRecord{}, err
	}
	return records[0], nil
}

// FinishCall keeps alone what became of a call.
func FinishCall(ctx context.Context, s runstore.RunCalls, lease runstore.Lease, call runstore.Call,
	result runstore.CallResult) error {
	_, err := s.WriteCalls(ctx, lease, []runstore.CallEntry{{Call: call, Result: &result}})
	return err
}
