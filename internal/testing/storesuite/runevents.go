package storesuite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
)

func eventsAppendAndRead(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	first := getRun(t, s, lease.Run).Seq + 1
	var want []runstore.RunEvent
	for i := range 30 {
		batch := make([]runstore.RunEvent, i%4)
		for k := range batch {
			batch[k] = runstore.RunEvent{Type: fmt.Sprintf("step.type_%d", k),
				Data: json.RawMessage(fmt.Sprintf(`{"i": %d, "text": "潮 <&> \u0000"}`, i))}
		}
		seqs, err := s.AppendEvents(ctx, lease, batch)
		must(t, err)
		if len(seqs) != len(batch) {
			t.Fatalf("%d events have %d numbers", len(batch), len(seqs))
		}
		for k, e := range batch {
			if seqs[k] != first+int64(len(want)) {
				t.Fatalf("event has number %d, want %d", seqs[k], first+int64(len(want)))
			}
			want = append(want, runstore.RunEvent{V: 1, Run: lease.Run, Seq: seqs[k], Type: e.Type, Data: e.Data})
		}
	}
	must(t, second(s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "empty"}})))
	want = append(want, runstore.RunEvent{V: 1, Run: lease.Run, Seq: first + int64(len(want)), Type: "empty",
		Data: json.RawMessage("null")})
	for _, limit := range []int{0, 1, 7, runstore.MaxEventPage} {
		var got []runstore.RunEvent
		for after := first - 1; ; {
			events, err := s.Events(ctx, lease.Run, after, limit)
			must(t, err)
			if len(events) == 0 {
				break
			}
			if limit > 0 && len(events) > limit {
				t.Fatalf("a page of %d has %d events", limit, len(events))
			}
			after = events[len(events)-1].Seq
			got = append(got, events...)
		}
		for i := range got {
			if age := time.Since(got[i].Time); age < 0 || age > time.Hour {
				t.Errorf("event %d is of %v", got[i].Seq, got[i].Time)
			}
			got[i].Time = time.Time{}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events in pages of %d differ (-appended +read):\n%s", limit, diff)
		}
	}
}

// eventsAreTheTruth makes of the log what the run says.
func eventsAreTheTruth(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	fillRun(t, s, lease, `1`)
	b.Pass(ttl)
	lease, err := s.AcquireRun(ctx, lease.Run, "other", ttl)
	must(t, err)
	must(t, second(s.TakeMessages(ctx, lease)))
	must(t, second(s.CancelRun(ctx, lease.Run)))
	must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunCancelled, Outcome: runstore.RunPartial,
		Detail: "as asked"}, nil))
	run := getRun(t, s, lease.Run)

	replayed := runstore.Run{ID: run.ID, CreatedAt: run.CreatedAt, UpdatedAt: run.UpdatedAt, State: runstore.RunInited}
	events, err := s.Events(ctx, run.ID, 0, 0)
	must(t, err)
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		replayed.Seq = e.Seq
		var created runstore.RunCreated
		var acquired runstore.RunAcquired
		var change runstore.RunChange
		var message runstore.RunMessage
		var delivered runstore.RunDelivered
		target, ok := map[string]any{runstore.EventCreated: &created, runstore.EventAcquired: &acquired,
			runstore.EventState:   &change,
			runstore.EventMessage: &message, runstore.EventDelivered: &delivered,
			runstore.EventCancelRequested: new(any)}[e.Type]
		if !ok {
			t.Fatalf("event %d is a %s", e.Seq, e.Type)
		}
		must(t, json.Unmarshal(e.Data, target))
		switch e.Type {
		case runstore.EventCreated:
			replayed.Agent, replayed.Request, replayed.Budget = created.Agent, created.Request, created.Budget
		case runstore.EventAcquired:
			replayed.Token, replayed.Executor = acquired.Token, acquired.Owner
			if acquired.TakenOver != (acquired.Token == 2) {
				t.Errorf("lease %d was taken over: %v", acquired.Token, acquired.TakenOver)
			}
		case runstore.EventState:
			if change.From != replayed.State {
				t.Errorf("event %d changes from %s, want %s", e.Seq, change.From, replayed.State)
			}
			if replayed.State, replayed.Outcome, replayed.Detail = change.State, change.Outcome,
				change.Detail; change.State.Ended() {
				replayed.Executor, replayed.EndedAt = "", e.Time
			}
		case runstore.EventCancelRequested:
			replayed.CancelRequested = true
		case runstore.EventMessage:
			replayed.Unread++
		case runstore.EventDelivered:
			replayed.Unread -= len(delivered.Messages)
		}
	}
	if diff := cmp.Diff(replayed, run); diff != "" {
		t.Errorf("the log and the run differ (-log +run):\n%s", diff)
	}
}

func eventsBadArguments(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	before := getRun(t, s, lease.Run)
	for name, events := range map[string][]runstore.RunEvent{
		"no_type":   {{}},
		"own_type":  {{Type: runstore.EventState}},
		"odd_type":  {{Type: "Step"}},
		"long_type": {{Type: strings.Repeat("x", 65)}},
		"not_json":  {{Type: "good"}, {Type: "bad", Data: json.RawMessage(`{"a":`)}},
		"large":     {{Type: "big", Data: json.RawMessage(`"` + strings.Repeat("x", runstore.MaxEventData) + `"`)}},
		"many":      make([]runstore.RunEvent, runstore.MaxEventBatch+1),
	} {
		if _, err := s.AppendEvents(ctx, lease, events); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v, want invalid_argument", name, err)
		}
	}
	if diff := cmp.Diff(before, getRun(t, s, lease.Run)); diff != "" {
		t.Errorf("what is refused changes the run:\n%s", diff)
	}
	for _, page := range []struct {
		after int64
		limit int
	}{{-1, 0}, {0, -1}, {0, runstore.MaxEventPage + 1}} {
		_, err := s.Events(ctx, lease.Run, page.after, page.limit)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	_, err := s.Events(ctx, runstore.NewRunID("a"), 0, 0)
	wantCode(t, err, citewell.CodeNotFound)
	for _, err := range s.FollowEvents(ctx, lease.Run, -1) {
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
}

// eventsFollow has followers at several places while events are appended: each sees
// every event once, in order, and the end.
func eventsFollow(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	other := startRun(t, s)
	const events = 600
	var group sync.WaitGroup
	started := make(chan bool)
	for i, after := range []int64{0, 0, 3, 100, 400} {
		group.Go(func() {
			want := after + 1
			for e, err := range s.FollowEvents(ctx, lease.Run, after) {
				if err != nil {
					t.Errorf("follower %d: %v", i, err)
					return
				}
				if e.Seq != want || e.Run != lease.Run {
					t.Errorf("follower %d sees event %d of %s, want %d", i, e.Seq, e.Run, want)
					return
				}
				if want++; i == 0 && e.Seq == 3 {
					close(started)
				}
			}
			if run := getRun(t, s, lease.Run); want != run.Seq+1 || !run.State.Ended() {
				t.Errorf("follower %d ends before event %d, the run has %d and is %s", i, want, run.Seq, run.State)
			}
		})
	}
	<-started
	for n := 0; n < events; n += 3 {
		must(t, second(s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "a"}, {Type: "b"}, {Type: "c"}})))
		must(t, second(s.AppendEvents(ctx, other, []runstore.RunEvent{{Type: "x"}})))
	}
	endRun(t, s, lease)
	group.Wait()
	for e, err := range s.FollowEvents(ctx, lease.Run, 2) { // a caller may leave
		if err != nil || e.Seq != 3 {
			t.Errorf("event %d, %v", e.Seq, err)
		}
		break
	}
}

func eventsFollowEnds(t *testing.T, b RunBackend) {
	s := b.Tenant("a")
	lease := startRun(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := 0
	for e, err := range s.FollowEvents(ctx, lease.Run, 0) {
		if err != nil {
			wantCode(t, err, citewell.CodeCanceled)
			continue
		}
		if seen++; e.Seq == getRun(t, s, lease.Run).Seq {
			cancel()
		}
	}
	if seen != 3 {
		t.Errorf("%d events were seen", seen)
	}
	must(t, s.ReleaseLease(t.Context(), lease))
	gone := false
	for e, err := range s.FollowEvents(t.Context(), lease.Run, 0) {
		if e.Seq == 3 {
			must(t, s.DeleteRun(t.Context(), lease.Run))
		}
		if err != nil {
			wantCode(t, err, citewell.CodeNotFound)
			gone = true
		}
	}
	if !gone {
		t.Error("the follower of a run that was deleted is not told")
	}
}

func eventsManyWriters(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	var group sync.WaitGroup
	var mu sync.Mutex
	given := make(map[int64]string)
	for w := range 8 {
		group.Go(func() {
			for i := range 25 {
				data := fmt.Sprintf("[%d,%d]", w, i)
				seqs, err := s.AppendEvents(ctx, lease, []runstore.RunEvent{
					{Type: "x", Data: json.RawMessage(data)}, {Type: "x", Data: json.RawMessage(data)}})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				given[seqs[0]], given[seqs[1]] = data, data
				mu.Unlock()
			}
		})
	}
	group.Wait()
	events, err := s.Events(ctx, lease.Run, 3, 0)
	must(t, err)
	if len(events) != 400 || len(given) != 400 {
		t.Errorf("%d events, %d numbers, want 400", len(events), len(given))
	}
	for i, e := range events {
		if e.Seq != int64(4+i) || given[e.Seq] != string(e.Data) {
			t.Fatalf("event %d has number %d and data %s, appended was %s", 4+i, e.Seq, e.Data, given[e.Seq])
		}
	}
}
