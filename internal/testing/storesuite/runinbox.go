package storesuite

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
)

func runMessages(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunWaiting}, nil))
	must(t, s.ReleaseLease(ctx, lease))
	if _, ok, err := s.AcquireNext(ctx, "w", ttl); ok || err != nil {
		t.Errorf("a run that waits for an answer is taken up (%v)", err)
	}
	s = b.Reopen(t).Tenant("a") // it waits across restarts
	answer := runstore.RunMessage{ID: "m1", Kind: "answer", Data: json.RawMessage(`{"text":"the inner one"}`)}
	for range 2 { // the second is the same, sent again
		must(t, s.SendMessage(ctx, lease.Run, answer))
	}
	must(t, s.SendMessage(ctx, lease.Run, runstore.RunMessage{Kind: "answer", Data: json.RawMessage(`2`)}))
	if got := getRun(t, s, lease.Run); got.Unread != 2 {
		t.Errorf("%d messages wait, want 2", got.Unread)
	}
	_, err := s.TakeMessages(ctx, lease)
	wantCode(t, err, citewell.CodeLeaseLost)
	lease, ok, err := s.AcquireNext(ctx, "w", ttl)
	if must(t, err); !ok {
		t.Fatal("a run whose answer came is not taken up")
	}
	got, err := s.TakeMessages(ctx, lease)
	must(t, err)
	if len(got) != 2 || got[0].ID != "m1" || string(got[0].Data) != `{"text":"the inner one"}` || got[0].At.IsZero() ||
		string(got[1].Data) != `2` || got[1].ID == "" {
		t.Errorf("messages are %+v", got)
	}
	if again, err := s.TakeMessages(ctx, lease); len(again) != 0 || err != nil {
		t.Errorf("messages are delivered twice: %v, %v", again, err)
	}
	must(t, s.SendMessage(ctx, lease.Run, answer)) // long delivered
	if again, err := s.TakeMessages(ctx, lease); len(again) != 0 || err != nil {
		t.Errorf("a message sent again is delivered twice: %v, %v", again, err)
	}
	// An executor that died after taking them leaves them in the log.
	events, err := s.Events(ctx, lease.Run, 0, 0)
	must(t, err)
	var delivered runstore.RunDelivered
	must(t, json.Unmarshal(events[len(events)-1].Data, &delivered))
	if diff := cmp.Diff(got, delivered.Messages); diff != "" || events[len(events)-1].Type != runstore.EventDelivered {
		t.Errorf("the log says (-taken +log):\n%s", diff)
	}
	must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching}, nil))
	endRun(t, s, lease)
	wantCode(t, s.SendMessage(ctx, lease.Run, runstore.RunMessage{Kind: "answer"}), citewell.CodeRunFinished)
	wantCode(t, s.SendMessage(ctx, runstore.NewRunID("a"), runstore.RunMessage{Kind: "answer"}), citewell.CodeNotFound)
}

func runInboxIsBounded(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	large := json.RawMessage(`"` + strings.Repeat("x", runstore.MaxRunMessage-2) + `"`)
	for range runstore.MaxUnread {
		must(t, s.SendMessage(ctx, lease.Run, runstore.RunMessage{Kind: "note", Data: large}))
	}
	wantCode(t, s.SendMessage(ctx, lease.Run, runstore.RunMessage{Kind: "note"}), citewell.CodeRateLimited)
	got, err := s.TakeMessages(ctx, lease)
	must(t, err)
	if len(got) != runstore.MaxUnread {
		t.Errorf("%d messages were delivered", len(got))
	}
	events, err := s.Events(ctx, lease.Run, 0, 0) // the largest event there can be
	if err != nil || events[len(events)-1].Type != runstore.EventDelivered {
		t.Errorf("the delivery of a full inbox is not read: %v", err)
	}
	must(t, s.SendMessage(ctx, lease.Run, runstore.RunMessage{Kind: "note"}))
	for _, message := range []runstore.RunMessage{{}, {Kind: "No"}, {Kind: "note", Data: json.RawMessage(`{`)},
		{Kind: "note", Data: append(large, ' ')},
		{Kind: "note", ID: strings.Repeat("x", 129)}} {
		wantCode(t, s.SendMessage(ctx, lease.Run, message), citewell.CodeInvalidArgument)
	}
}
