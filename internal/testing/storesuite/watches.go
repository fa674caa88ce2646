package storesuite

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

// watches are kept for their tenant, also after the store was opened again.
func watches(t *testing.T, b RunBackend) {
	ctx := t.Context()
	s := b.Tenant("a")
	for name, bad := range map[string]runstore.Watch{
		"no id": {Every: time.Hour, Request: json.RawMessage(`{}`)},
		"a long id": {ID: strings.Repeat("i", runstore.MaxCallName+1), Every: time.Hour,
			Request: json.RawMessage(`{}`)},
		"a long caller": {ID: "w", Caller: strings.Repeat("c", runstore.MaxRunCaller+1), Every: time.Hour,
			Request: json.RawMessage(`{}`)},
		"too often":  {ID: "w", Every: time.Second, Request: json.RawMessage(`{}`)},
		"too seldom": {ID: "w", Every: 367 * 24 * time.Hour, Request: json.RawMessage(`{}`)},
		"no JSON":    {ID: "w", Every: time.Hour, Request: json.RawMessage(`{`)},
	} {
		_, err := s.PutWatch(ctx, bad)
		if citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	first, err := s.PutWatch(ctx, runstore.Watch{ID: "w1\x00", Caller: "ann",
		Request: json.RawMessage(`{"task":"tides\u0000?"}`), Every: 36 * time.Hour})
	must(t, err)
	if first.Rounds != 0 || first.CreatedAt.IsZero() || !first.NextAt.Equal(first.CreatedAt) ||
		first.Every != 36*time.Hour || string(first.Request) != `{"task":"tides\u0000?"}` {
		t.Errorf("%+v", first)
	}
	_, err = s.PutWatch(ctx, runstore.Watch{ID: "w1\x00", Request: json.RawMessage(`{}`), Every: time.Hour})
	wantCode(t, err, citewell.CodeRunExists)
	other, err := s.PutWatch(ctx, runstore.Watch{ID: "w2", Request: json.RawMessage(`{}`), Every: time.Hour})
	must(t, err)
	_, err = b.Tenant("b").PutWatch(ctx, runstore.Watch{ID: "w2", Request: json.RawMessage(`{}`), Every: time.Hour})
	must(t, err)

	b = b.Reopen(t)
	s = b.Tenant("a")
	for caller, want := range map[string][]runstore.Watch{"": {first, other}, "ann": {first}, "bob": nil} {
		got, err := s.ListWatches(ctx, caller)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("of %q, want - got +\n%s", caller, diff)
		}
	}
	got, err := s.Watch(ctx, "w1\x00")
	must(t, err)
	if diff := cmp.Diff(first, got); diff != "" {
		t.Error("want - got +\n" + diff)
	}
	_, err = b.Tenant("b").Watch(ctx, first.ID)
	wantCode(t, err, citewell.CodeNotFound)
	wantCode(t, b.Tenant("b").DeleteWatch(ctx, first.ID), citewell.CodeNotFound)
	must(t, s.DeleteWatch(ctx, "w2"))
	wantCode(t, s.DeleteWatch(ctx, "w2"), citewell.CodeNotFound)
	if left, err := b.Tenant("b").ListWatches(ctx, ""); err != nil || len(left) != 1 {
		t.Errorf("another tenant has %v, %v", left, err)
	}
}

// No caller keeps more watches than are left free for others of its tenant; the operator may have all.
func watchShares(t *testing.T, b RunBackend) {
	s := b.Tenant("a")
	var n atomic.Int64
	put := func(caller string) error {
		_, err := s.PutWatch(t.Context(), runstore.Watch{ID: fmt.Sprint("w", n.Add(1)), Caller: caller,
			Request: json.RawMessage(`{}`), Every: time.Hour})
		return err
	}
	fill := func(caller string, count int) {
		t.Helper()
		var all errgroup.Group
		all.SetLimit(16)
		for range count {
			all.Go(func() error { return put(caller) })
		}
		must(t, all.Wait())
	}
	half := runstore.MaxWatches / 2
	fill("ann", half)
	wantCode(t, put("ann"), citewell.CodeQuotaExceeded)
	fill("bob", half/2)
	wantCode(t, put("bob"), citewell.CodeQuotaExceeded)
	fill("", runstore.MaxWatches-half-half/2-1)
	must(t, put("cem"))
	wantCode(t, put(""), citewell.CodeQuotaExceeded)
	wantCode(t, put("dan"), citewell.CodeQuotaExceeded)
	_, err := b.Tenant("b").PutWatch(t.Context(), runstore.Watch{ID: "w", Caller: "ann", Request: json.RawMessage(`{}`),
		Every: time.Hour})
	must(t, err)
}

// A round is due until it was begun, and begun once, whoever says so how often.
func watchRounds(t *testing.T, b RunBackend) {
	ctx := t.Context()
	s := b.Tenant("a")
	made, err := s.PutWatch(ctx, runstore.Watch{ID: "w", Request: json.RawMessage(`{}`), Every: time.Hour})
	must(t, err)
	due := func(want bool) {
		t.Helper()
		all, err := s.DueWatches(ctx)
		must(t, err)
		if (len(all) == 1) != want {
			t.Errorf("due are %+v", all)
		}
		if other, err := b.Tenant("b").DueWatches(ctx); err != nil || len(other) > 0 {
			t.Errorf("of another tenant are due %+v, %v", other, err)
		}
	}
	due(true)
	begun, err := s.RoundBegun(ctx, "w", 0)
	must(t, err)
	if begun.Rounds != 1 || begun.NextAt.Sub(made.NextAt) < time.Hour {
		t.Errorf("after a round: %+v", begun)
	}
	due(false)
	again, err := s.RoundBegun(ctx, "w", 0)
	must(t, err)
	if diff := cmp.Diff(begun, again); diff != "" {
		t.Error("said twice, want - got +\n" + diff)
	}
	late, err := s.HurryWatch(ctx, "w", 0) // which was begun
	must(t, err)
	if diff := cmp.Diff(begun, late); diff != "" {
		t.Error("hurried too late, want - got +\n" + diff)
	}
	due(false)
	hurried, err := s.HurryWatch(ctx, "w", 1)
	must(t, err)
	if hurried.Rounds != 1 || !hurried.NextAt.Before(begun.NextAt) {
		t.Errorf("hurried: %+v", hurried)
	}
	due(true)
	for _, err := range []error{second(s.RoundBegun(ctx, "x", 0)), second(s.HurryWatch(ctx, "x", 0)),
		second(b.Tenant("b").HurryWatch(ctx, "w", 1))} {
		wantCode(t, err, citewell.CodeNotFound)
	}
}
