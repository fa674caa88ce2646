package search_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

// lastWords is what one that does not heed its time is given beyond it.
const lastWords = 50 * time.Millisecond

// after answers with results when the time has passed, and when ctx ends if it
// listens to it.
type after struct {
	name   string
	delay  time.Duration
	err    error
	urls   []string
	listen bool
}

func (a *after) Name() string { return a.name }

func (a *after) Search(ctx context.Context, _ citewell.Query) ([]citewell.Result, error) {
	done := ctx.Done()
	if !a.listen {
		done = nil
	}
	select {
	case <-time.After(a.delay):
	case <-done:
		return nil, ctx.Err()
	}
	if a.err != nil {
		return nil, a.err
	}
	results, err := found(a.urls...)(ctx)
	return results, err
}

func TestAskDeliversEachAnswerAsItComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		answers := search.Ask(t.Context(), question, []search.Provider{
			&after{name: "slow", delay: time.Minute, listen: true},
			&after{name: "deaf", delay: 7 * time.Second},
			&after{name: "second", delay: 2 * time.Second, urls: []string{"https://b.example/"}},
			&after{name: "first", delay: time.Second, urls: []string{"https://a.example/"}},
			&after{name: "nothing", delay: 3 * time.Second},
			&after{name: "broken", delay: 4 * time.Second, err: &citewell.Error{
				Code: citewell.CodeBlockedByProvider, Message: "a bot page came", Hint: "use another network"}},
		}, 0)
		want := []struct {
			provider string
			outcome  citewell.ProviderOutcome
			elapsed  time.Duration
			detail   string
		}{
			{"first", citewell.ProviderOK, time.Second, ""},
			{"second", citewell.ProviderOK, 2 * time.Second, ""},
			{"nothing", citewell.ProviderEmpty, 3 * time.Second, ""},
			{"broken", citewell.ProviderBlocked, 4 * time.Second, "a bot page came; use another network"},
		}
		for _, w := range want {
			a := <-answers
			if a.Provider != w.provider || a.Outcome != w.outcome || a.Elapsed != w.elapsed || a.Detail != w.detail {
				t.Errorf("got %+v, want %+v", a, w)
			}
			if time.Since(started) != w.elapsed {
				t.Errorf("%s came after %v, want %v", w.provider, time.Since(started), w.elapsed)
			}
			if (a.Err == nil) != a.Outcome.Answered() {
				t.Errorf("%s: outcome %s with error %v", a.Provider, a.Outcome, a.Err)
			}
		}
		late := make(map[string]search.Answer)
		for a := range answers {
			late[a.Provider] = a
		}
		if len(late) != 2 {
			t.Fatalf("%d late answers, want 2: %+v", len(late), late)
		}
		for _, name := range []string{"slow", "deaf"} {
			a := late[name]
			if a.Outcome != citewell.ProviderTimeout || !strings.Contains(a.Detail, "did not answer in time") {
				t.Errorf("late %s: %+v", name, a)
			}
			if _, ok := errors.AsType[*citewell.Error](a.Err); !ok {
				t.Errorf("late %s: %T is no *citewell.Error", name, a.Err)
			}
		}
		if took := time.Since(started); took != search.DefaultTimeout+lastWords {
			t.Errorf("closed after %v, want the wall of %v and the deaf one's last words", took, search.DefaultTimeout)
		}
		time.Sleep(time.Minute) // the one that ignores its context ends too
	})
}

func TestAskEndsWithTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		answers := search.Ask(ctx, question, []search.Provider{&after{name: "slow", delay: time.Minute, listen: true}},
			time.Hour)
		time.Sleep(time.Second)
		cancel()
		a, ok := <-answers
		if !ok || citewell.CodeOf(a.Err) != citewell.CodeCanceled || a.Elapsed != time.Second {
			t.Errorf("got %+v, want canceled after 1s", a)
		}
		if _, open := <-answers; open {
			t.Error("the channel stays open")
		}
	})
}

// A caller that has enough may go away without reading on: nothing blocks.
func TestAskNeedsNoReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		search.Ask(ctx, question, []search.Provider{
			&after{name: "a", urls: []string{"https://a.example/"}},
			&after{name: "b", delay: time.Second},
		}, time.Second)
		cancel()
		time.Sleep(2 * time.Second) // the deaf one ends by itself
	})
}

func TestAskNobody(t *testing.T) {
	for a := range search.Ask(t.Context(), question, nil, time.Second) {
		t.Errorf("an answer from nobody: %+v", a)
	}
}

func TestAskSurvivesAPanic(t *testing.T) {
	p := script(func(context.Context) ([]citewell.Result, error) { panic("nil map") })
	for a := range search.Ask(t.Context(), question, []search.Provider{p}, time.Second) {
		if a.Outcome != citewell.ProviderFailed || strings.Contains(a.Detail, "nil map") {
			t.Errorf("got %+v", a)
		}
	}
}

// patient is a provider that is waited for three times as long as others.
type patient struct{ after }

func (*patient) Patience(timeout time.Duration) (time.Duration, string) {
	return 3 * timeout, "ask again"
}

// TestAskWaitsForThePatient has what only one provider knows outlast the wall of the
// others, whose answers do not wait for it; and says what helps where it took too long.
func TestAskWaitsForThePatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := search.Ask(t.Context(), question, []search.Provider{
			search.Guarded(&patient{after{name: "documents", delay: 12 * time.Second,
				urls: []string{"https://a.example/"}}}, search.Limits{}),
			&patient{after{name: "endless", delay: time.Minute}},
			&after{name: "web", delay: 12 * time.Second, listen: true},
		}, 5*time.Second)
		for _, want := range []struct {
			provider string
			outcome  citewell.ProviderOutcome
			elapsed  time.Duration
			detail   string
		}{
			{"web", citewell.ProviderTimeout, 5 * time.Second, "web did not answer in time"},
			{"documents", citewell.ProviderOK, 12 * time.Second, ""},
			{"endless", citewell.ProviderTimeout, 15*time.Second + lastWords,
				"endless did not answer in time; ask again"},
		} {
			a := <-answers
			if a.Provider != want.provider || a.Outcome != want.outcome || a.Elapsed != want.elapsed ||
				a.Detail != want.detail {
				t.Errorf("got %s %s after %v (%q), want %+v", a.Provider, a.Outcome, a.Elapsed, a.Detail, want)
			}
		}
		if _, open := <-answers; open {
			t.Error("the channel stays open")
		}
		time.Sleep(time.Minute) // the deaf one ends by itself
	})
}
