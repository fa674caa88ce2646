package doctor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/google/go-cmp/cmp"
)

// All probes run at once, each with its deadline, and are reported in their order.
func TestExamine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		after := func(d time.Duration, detail string, err error) func(context.Context) (Answer, error) {
			return func(ctx context.Context) (Answer, error) {
				select {
				case <-time.After(d):
					return Answer{Detail: detail}, err
				case <-ctx.Done():
					return Answer{}, ctx.Err()
				}
			}
		}
		began := time.Now()
		got := Examine(t.Context(), []Probe{
			{Part: "store", Name: "slow", Try: after(3*time.Second, "written", nil)},
			{Part: "provider", Name: "off", Off: "no key"},
			{Part: "provider", Name: "hangs", Try: after(time.Hour, "", nil)},
			{Part: "provider", Name: "blocked", Try: after(time.Second, "half a thing", &citewell.Error{
				Code: citewell.CodeBlockedByProvider, Message: "it took us for a bot", Hint: "wait a day",
				Err: errors.New("secret cause")})},
			{Part: "model", Name: "quick", Try: after(0, "answers", nil)},
			{Part: "provider", Name: "doubtful", Try: func(context.Context) (Answer, error) {
				return Answer{Detail: "0 results", Doubt: "that is odd", Hint: "look"}, nil
			}},
		})
		want := []Finding{
			{Part: "store", Name: "slow", State: OK, Detail: "written", ElapsedMS: 3000},
			{Part: "provider", Name: "off", State: Off, Detail: "no key"},
			{Part: "provider", Name: "hangs", State: Failed, Code: citewell.CodeTimeout,
				Detail: citewell.CodeTimeout.Row().Meaning, ElapsedMS: Timeout.Milliseconds()},
			{Part: "provider", Name: "blocked", State: Failed, Code: citewell.CodeBlockedByProvider,
				Detail: "it took us for a bot", Hint: "wait a day", ElapsedMS: 1000},
			{Part: "model", Name: "quick", State: OK, Detail: "answers"},
			{Part: "provider", Name: "doubtful", State: Warning, Detail: "0 results; that is odd", Hint: "look"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if took := time.Since(began); took != Timeout {
			t.Errorf("it took %v, want the longest probe's %v", took, Timeout)
		}
		if Healthy(got) {
			t.Error("healthy though two probes failed")
		}
		if !Healthy(got[:2]) {
			t.Error("what is off is not ill")
		}
		if !Healthy(got[5:]) {
			t.Error("what works with a doubt is not ill")
		}
	})
}

// A caller who gives up gets an answer for every probe at once.
func TestExamineCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := Examine(ctx, []Probe{{Name: "waits", Try: func(ctx context.Context) (Answer, error) {
		<-ctx.Done()
		return Answer{}, ctx.Err()
	}}})
	if len(got) != 1 || got[0].State != Failed || got[0].Code != citewell.CodeCanceled {
		t.Errorf("%+v", got)
	}
}
