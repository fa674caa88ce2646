package storesuite

import (
	"encoding/json"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// fillRun gives a run something of everything.
func fillRun(t *testing.T, s RunStore, lease runstore.Lease, body string) {
	t.Helper()
	ctx := t.Context()
	call := runstore.Call{Kind: runstore.CallModel, Name: "m", Input: json.RawMessage(`{"q":1}`)}
	_, err := BeginCall(ctx, s, lease, call)
	must(t, err)
	must(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Data: json.RawMessage(body)}))
	must(t, s.SendMessage(ctx, lease.Run, runstore.RunMessage{Kind: "answer", Data: json.RawMessage(`"yes"`)}))
	source, passages := newSource(1, 2)
	must(t, s.AddSource(ctx, lease.Run, source, passages))
}

func runDelete(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease, other := startRun(t, s), startRun(t, s)
	large := bigJSON(1)
	fillRun(t, s, lease, large)
	fillRun(t, s, other, bigJSON(2))
	wantCode(t, s.DeleteRun(ctx, lease.Run), citewell.CodeRunLeased)
	must(t, s.ReleaseLease(ctx, lease))
	must(t, s.DeleteRun(ctx, lease.Run))
	wantCode(t, s.DeleteRun(ctx, lease.Run), citewell.CodeNotFound)

	_, err := s.Run(ctx, lease.Run)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.Events(ctx, lease.Run, 0, 0)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.Calls(ctx, lease.Run)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.AcquireRun(ctx, lease.Run, "w", ttl)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "late"}})
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.Blob(ctx, citewell.SHA256([]byte(large)))
	wantCode(t, err, citewell.CodeNotFound)
	for _, err := range s.FollowEvents(ctx, lease.Run, 0) {
		wantCode(t, err, citewell.CodeNotFound)
	}

	calls, err := s.Calls(ctx, other.Run)
	must(t, err)
	kept, err := s.LookupCall(ctx, other.Run, calls[0].Key)
	must(t, err)
	if string(kept.Result) != bigJSON(2) {
		t.Errorf("another run lost its result: %.40s", kept.Result)
	}
}

// runDeleteKeepsWhatIsShared deletes runs whose contents another run, a snapshot or
// another tenant have too, and puts a content again that was deleted.
func runDeleteKeepsWhatIsShared(t *testing.T, b RunBackend) {
	s, theirs, ctx := b.Tenant("a"), b.Tenant("b"), t.Context()
	shared, cited := bigJSON(1), bigJSON(2)
	page, doc := newPage("https://tides.example/a", cited, "text", noon)
	must(t, s.PutSnapshot(ctx, page, doc))
	first, second, citing, foreign := startRun(t, s), startRun(t, s), startRun(t, s), startRun(t, theirs)
	fillRun(t, s, first, shared)
	fillRun(t, s, second, shared)
	fillRun(t, s, citing, cited)
	fillRun(t, theirs, foreign, shared)
	remove := func(s runstore.Runs, lease runstore.Lease) {
		must(t, s.ReleaseLease(ctx, lease))
		must(t, s.DeleteRun(ctx, lease.Run))
	}
	remove(s, citing)
	if got, _, err := s.Snapshot(ctx, page.FinalURL); err != nil || string(got.Body) != cited {
		t.Errorf("the snapshot lost its body: %v", err)
	}
	remove(s, first)
	if got, err := s.Blob(ctx, citewell.SHA256([]byte(shared))); err != nil || string(got) != shared {
		t.Errorf("another run's content is gone: %v", err)
	}
	remove(s, second)
	_, err := s.Blob(ctx, citewell.SHA256([]byte(shared)))
	wantCode(t, err, citewell.CodeNotFound)
	if got, err := theirs.Blob(ctx, citewell.SHA256([]byte(shared))); err != nil || string(got) != shared {
		t.Errorf("another tenant's content is gone: %v", err)
	}
	third := startRun(t, s)
	fillRun(t, s, third, shared)
	if got, err := s.Blob(ctx, citewell.SHA256([]byte(shared))); err != nil || string(got) != shared {
		t.Errorf("a content that was deleted and put again is gone: %v", err)
	}
}
