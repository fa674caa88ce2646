package storesuite

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
)

// bigJSON is a JSON string that no backend keeps in a row: it does not compress.
func bigJSON(seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for b.Len() < 300<<10 {
		fmt.Fprintf(&b, "%016x", random.Uint64())
	}
	return `"` + b.String() + `"`
}

func begin(t *testing.T, s runstore.Runs, lease runstore.Lease, call runstore.Call) runstore.CallRecord {
	t.Helper()
	record, err := BeginCall(t.Context(), s, lease, call)
	must(t, err)
	return record
}

func callIsBoughtOnce(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	call := runstore.Call{Step: 2, Kind: runstore.CallModel, Name: "big/model:1",
		Input: json.RawMessage(`{"messages":[]}`)}
	if got, err := s.LookupCall(ctx, lease.Run, call.Key()); got.State != runstore.CallUnknown || err != nil {
		t.Errorf("a call that was never made is %+v, %v", got, err)
	}
	first := begin(t, s, lease, call)
	want := runstore.CallRecord{Key: call.Key(), Step: 2, Kind: runstore.CallModel, Name: "big/model:1",
		State: runstore.CallInFlight, Token: lease.Token, Attempts: 1, BegunAt: first.BegunAt, Input: call.Input}
	if diff := cmp.Diff(want, first); diff != "" || time.Since(first.BegunAt) > time.Hour {
		t.Errorf("a call begun differs (-want +got):\n%s", diff)
	}
	_, err := BeginCall(ctx, s, lease, call) // by the same executor, at once
	wantCode(t, err, citewell.CodeInvalidArgument)

	result := runstore.CallResult{Data: json.RawMessage(`{"text":"At noon."}`), Cost: json.RawMessage(`{"tokens":12}`)}
	for range 2 {
		must(t, FinishCall(ctx, s, lease, call, result))
	}
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Data: json.RawMessage(`1`)}),
		citewell.CodeInvalidArgument)
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{
		Data: result.Data, Err: &citewell.ErrorView{Code: citewell.CodeTimeout}}), citewell.CodeInvalidArgument)
	done, err := s.LookupCall(ctx, lease.Run, call.Key())
	must(t, err)
	want.State, want.Result, want.Cost, want.EndedAt = runstore.CallDone, result.Data, result.Cost, done.EndedAt
	if diff := cmp.Diff(want, done); diff != "" || done.EndedAt.Before(done.BegunAt) {
		t.Errorf("a call done differs (-want +got):\n%s", diff)
	}

	// The same call is not the same with another step, try, name, kind or input.
	failure := &citewell.ErrorView{Code: citewell.CodeRateLimited, Category: citewell.CategoryRateLimited,
		Message: "slow down", Hint: "wait", Retryable: true}
	for i, change := range []func(*runstore.Call){func(c *runstore.Call) { c.Step++ }, func(c *runstore.Call) {
		c.Try++
	}, func(c *runstore.Call) { c.Name = "m2" },
		func(c *runstore.Call) { c.Kind = runstore.CallTool }, func(c *runstore.Call) {
			c.Input = json.RawMessage(`{}`)
		}} {
		other := call
		change(&other)
		if got := begin(t, s, lease, other); got.State != runstore.CallInFlight || got.Attempts != 1 {
			t.Errorf("call %d is %+v", i, got)
		}
		must(t, FinishCall(ctx, s, lease, other, runstore.CallResult{Err: failure}))
	}

	// Another executor is given what is there, error or not.
	b.Pass(ttl)
	next := acquire(t, s, lease.Run)
	if diff := cmp.Diff(done, begin(t, s, next, call)); diff != "" {
		t.Errorf("a call replayed differs (-done +got):\n%s", diff)
	}
	call.Try++
	if got := begin(t, s, next, call); got.State != runstore.CallFailed || cmp.Diff(failure, got.Err) != "" ||
		string(got.Result) != "null" {
		t.Errorf("a call that failed is %+v", got)
	}
	calls, err := s.Calls(ctx, lease.Run)
	must(t, err)
	want.Input, want.Result = nil, nil
	if len(calls) != 6 || cmp.Diff(want, calls[0]) != "" || calls[1].Step != 3 || calls[2].Try != 1 ||
		calls[1].State != runstore.CallFailed {
		t.Errorf("the journal is %+v", calls)
	}
}

func callOfAKilledExecutor(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	old := startRun(t, s)
	call := runstore.Call{Kind: runstore.CallPage, Name: "a.example", Input: json.RawMessage(`"https://a.example/"`)}
	begin(t, s, old, call)
	b = b.Reopen(t)
	s = b.Tenant("a")
	b.Pass(ttl)
	lease := acquire(t, s, old.Run)
	if got, err := s.LookupCall(ctx, old.Run, call.Key()); got.State != runstore.CallInFlight ||
		got.Token != old.Token || err != nil {
		t.Errorf("a call in flight is %+v, %v", got, err)
	}
	// not this executor's
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{}), citewell.CodeInvalidArgument)
	got := begin(t, s, lease, call)
	if got.State != runstore.CallInFlight || got.Attempts != 2 || got.Token != lease.Token ||
		string(got.Input) != string(call.Input) {
		t.Errorf("a call of a killed executor is %+v", got)
	}
	wantCode(t, FinishCall(ctx, s, old, call, runstore.CallResult{Data: json.RawMessage(`"late"`)}),
		citewell.CodeLeaseLost)
	must(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Data: json.RawMessage(`"page"`)}))
	if done := begin(t, s, lease, call); string(done.Result) != `"page"` || done.Attempts != 2 {
		t.Errorf("the result is %+v", done)
	}
}

func callBodies(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	bodies := []string{``, `null`, `""`, `"` + strings.Repeat("a", 1<<20) + `"`, bigJSON(1), bigJSON(2),
		`{"text":"` + strings.Repeat("潮汐", 100) + `"}`}
	key := func(i int) runstore.Call {
		return runstore.Call{Step: i, Kind: runstore.CallTool, Name: "t", Input: json.RawMessage(bodies[i])}
	}
	for i := range bodies {
		call := key(i)
		if call.Input == nil {
			call.Input = json.RawMessage("null")
		}
		begin(t, s, lease, call)
		must(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Data: json.RawMessage(bodies[len(bodies)-1-i])}))
	}
	s = b.Reopen(t).Tenant("a")
	calls, err := s.Calls(ctx, lease.Run)
	must(t, err)
	for i, call := range calls {
		got, err := s.LookupCall(ctx, lease.Run, call.Key)
		must(t, err)
		input, result := bodies[i], bodies[len(bodies)-1-i]
		if input == "" {
			input = "null"
		}
		if result == "" {
			result = "null"
		}
		if string(got.Input) != input || string(got.Result) != result {
			t.Errorf("call %d has input %.20s (%d bytes) and result %.20s (%d bytes)", i, got.Input, len(got.Input),
				got.Result, len(got.Result))
		}
	}
	if len(calls) != len(bodies) {
		t.Errorf("%d calls are in the journal, want %d", len(calls), len(bodies))
	}
}

func callBadArguments(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	for name, call := range map[string]runstore.Call{
		"no_kind":      {},
		"unknown_kind": {Kind: "wish"},
		"step":         {Kind: runstore.CallTool, Step: -1},
		"try":          {Kind: runstore.CallTool, Try: -1},
		"name":         {Kind: runstore.CallTool, Name: "\xff"},
		"long_name":    {Kind: runstore.CallTool, Name: strings.Repeat("n", runstore.MaxCallName+1)},
		"not_json":     {Kind: runstore.CallTool, Input: json.RawMessage(`<p>`)},
	} {
		if _, err := BeginCall(ctx, s, lease, call); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v, want invalid_argument", name, err)
		}
	}
	call := runstore.Call{Kind: runstore.CallTool}
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{}), citewell.CodeInvalidArgument) // never begun
	begin(t, s, lease, call)
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Data: json.RawMessage(`<p>`)}),
		citewell.CodeInvalidArgument)
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Cost: json.RawMessage(`<p>`)}),
		citewell.CodeInvalidArgument)
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Err: &citewell.ErrorView{}}),
		citewell.CodeInvalidArgument)
	large := append(append([]byte(`"`), make([]byte, runstore.MaxCallBody)...), '"')
	wantCode(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Data: large}), citewell.CodeInvalidArgument)
	must(t, FinishCall(ctx, s, lease, call, runstore.CallResult{}))
}
