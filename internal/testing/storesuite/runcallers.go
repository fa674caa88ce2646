package storesuite

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// listed are the ids of the runs that a query chooses, over all pages.
func listed(t *testing.T, s runstore.Runs, q runstore.RunQuery) (ids []string) {
	t.Helper()
	for q.Limit = 2; ; {
		runs, next, err := s.ListRuns(t.Context(), q)
		must(t, err)
		for _, run := range runs {
			ids = append(ids, run.ID)
		}
		if q.Cursor = next; next == "" {
			return ids
		}
	}
}

func runCallers(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	of := map[string][]string{}
	for i := range 9 {
		caller := []string{"", "ann", "bob"}[i%3]
		run, err := s.CreateRun(ctx, runstore.NewRun{Agent: "a", Caller: caller, Request: json.RawMessage(`1`)})
		must(t, err)
		if got := getRun(t, s, run.ID); run.Caller != caller || got.Caller != caller {
			t.Errorf("a run of %q is one of %q, read again of %q", caller, run.Caller, got.Caller)
		}
		of[caller] = append([]string{run.ID}, of[caller]...)
	}
	for _, caller := range []string{"ann", "bob", "eve"} {
		if got := listed(t, s, runstore.RunQuery{Caller: caller}); !slices.Equal(got, of[caller]) {
			t.Errorf("the runs of %s are %v, want %v", caller, got, of[caller])
		}
	}
	if got := listed(t, s, runstore.RunQuery{}); len(got) != 9 {
		t.Errorf("all runs are %d, want 9", len(got))
	}
	_, err := s.CreateRun(ctx, runstore.NewRun{ID: of["ann"][0], Agent: "a", Caller: "bob",
		Request: json.RawMessage(`1`)})
	wantCode(t, err, citewell.CodeRunExists)
}

func runAnswers(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	one, other := newRun(t, s), newRun(t, s)
	said, both := citewell.SHA256([]byte("said")), citewell.SHA256([]byte("both"))
	for range 2 {
		must(t, s.NoteAnswer(ctx, one.ID, said))
	}
	must(t, s.NoteAnswer(ctx, one.ID, both))
	must(t, s.NoteAnswer(ctx, other.ID, both))
	for hash, want := range map[string][]string{said: {one.ID}, both: {other.ID, one.ID}, citewell.SHA256(nil): nil} {
		if got := listed(t, s, runstore.RunQuery{Answer: hash}); !slices.Equal(got, want) {
			t.Errorf("runs that said %.8s: %v, want %v", hash, got, want)
		}
	}
	if got := listed(t, b.Tenant("b"), runstore.RunQuery{Answer: said}); len(got) > 0 {
		t.Errorf("another tenant finds %v", got)
	}
	wantCode(t, s.NoteAnswer(ctx, runstore.NewRunID("a"), said), citewell.CodeNotFound)
	wantCode(t, s.NoteAnswer(ctx, one.ID, "x"), citewell.CodeInvalidArgument)
	must(t, s.DeleteRun(ctx, one.ID))
	if got := listed(t, s, runstore.RunQuery{Answer: both}); !slices.Equal(got, []string{other.ID}) {
		t.Errorf("after a run was deleted: %v", got)
	}
}
