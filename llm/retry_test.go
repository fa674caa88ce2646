package llm

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/turns"
)

const chatAnswer = `{"choices":[{"finish_reason":"stop","message":{"content":"yes"}}]}`

func scriptedChat(t *testing.T, s *script, o Options) *Client {
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.BaseURL, o.Model, o.Guard = "http://127.0.0.1:1/v1", "m", guard
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.t = t
	c.http = &http.Client{Transport: &wire{next: s}}
	return c
}

// What is refused for the moment is asked again, after as long as the endpoint asks or
// with pauses that grow; what is refused for good, or takes too long, is not.
func TestChatsAreTriedAgain(t *testing.T) {
	no := func(status int, after string) answer { return answer{status, after, `{"error":{"message":"no"}}`} }
	tests := map[string]struct {
		answers     []answer
		requests    int
		least, most time.Duration
		code        citewell.Code
	}{
		"at once": {[]answer{{200, "", chatAnswer}}, 1, 0, 0, ""},
		"as asked": {[]answer{no(429, "3"), {200, "", chatAnswer}}, 2, 3 * time.Second,
			3200 * time.Millisecond, ""},
		"with pauses": {[]answer{no(503, ""), no(502, ""), {200, "", chatAnswer}}, 3, 750 * time.Millisecond,
			1500 * time.Millisecond, ""},
		"three times": {[]answer{no(429, "")}, 3, 750 * time.Millisecond, 1500 * time.Millisecond,
			citewell.CodeRateLimited},
		"too long": {[]answer{no(429, "3600")}, 1, 0, 0, citewell.CodeRateLimited},
		"nonsense": {[]answer{no(503, "soon"), {200, "", chatAnswer}}, 2, 250 * time.Millisecond,
			500 * time.Millisecond, ""},
		"an error of its own": {[]answer{no(500, "")}, 1, 0, 0, citewell.CodeModelFailed},
		"a wrong key":         {[]answer{no(401, "1")}, 1, 0, 0, citewell.CodeAuth},
		"no credits": {[]answer{{429, "1", `{"error":{"message":"x","code":"insufficient_quota"}}`}}, 1, 0, 0,
			citewell.CodeQuotaExhausted},
		"half an answer": {[]answer{{200, "", chatAnswer[:20]}}, 1, 0, 0, citewell.CodeHTTPFailed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: test.answers}
				began, paused := time.Now(), time.Duration(0)
				waits := func(pause time.Duration, why error) {
					if paused += pause; why == nil {
						t.Error("a pause without a reason")
					}
				}
				_, err := scriptedChat(t, s, Options{}).Chat(t.Context(),
					Request{Messages: []Message{{Role: RoleUser, Content: "?"}}, Waits: waits})
				if Momentary(err) != (test.code == citewell.CodeRateLimited) {
					t.Errorf("%v is momentary: %v", err, Momentary(err))
				}
				if took := time.Since(began); citewell.CodeOf(err) != test.code || len(s.at) != test.requests ||
					took < test.least || took > test.most || took != paused {
					t.Errorf("%v after %d requests and %v, of which %v were told", err, len(s.at), took, paused)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{no(429, "5")}}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := scriptedChat(t, s, Options{}).Chat(ctx, Request{})
		if citewell.CodeOf(err) != citewell.CodeRateLimited || len(s.at) != 1 {
			t.Errorf("with two seconds left: %v after %d requests", err, len(s.at))
		}
	})
}

// What is known is forgotten after a day: another model may have the name.
func TestWhatIsKnownIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, _ := NewEndpoints(EndpointsOptions{}).knownOf("http://h/v1", "m")
		k.learn(t.Context(), func(known *traits) { known.Format, known.Window = formatTool, Window{4096, FromShow} })
		time.Sleep(knownTTL - time.Minute)
		if got := k.traitsNow(t.Context()); got.Format != formatTool || got.Window.Tokens != 4096 {
			t.Errorf("within the day: %+v", got)
		}
		time.Sleep(2 * time.Minute)
		if got := k.traitsNow(t.Context()); got.Format != formatSchema || got.Window.Tokens != 0 {
			t.Errorf("after it: %+v", got)
		}
	})
}

// A call of one tenant is not behind all those of another.
func TestTenantsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{200, "", chatAnswer}}}
		c := scriptedChat(t, s, Options{Endpoints: NewEndpoints(EndpointsOptions{Parallel: 1})})
		under := c.slots.own.Ask(t.Context())
		var mu sync.Mutex
		var ended []string
		var all sync.WaitGroup
		for _, tenant := range append(slices.Repeat([]string{"crowd"}, 20), "one") {
			all.Go(func() {
				if _, err := c.Chat(turns.As(t.Context(), tenant, ""), Request{
					Messages: []Message{{Role: RoleUser, Content: "?"}}}); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, tenant)
			})
			synctest.Wait()
		}
		under.End()
		all.Wait()
		if at := slices.Index(ended, "one"); at > 1 {
			t.Errorf("it came after %d of the crowd's calls", at)
		}
	})
}

// Who finds no place at the endpoint waits, is told of it after a second, and leaves the
// endpoint a quarter of its time: then it is our own queue that was too long. The endpoint
// hears of none of it.
func TestOurOwnQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{200, "", chatAnswer}}}
		c := scriptedChat(t, s, Options{Endpoints: NewEndpoints(EndpointsOptions{Parallel: 1})})
		under := c.slots.own.Ask(t.Context()) // a call that is under way
		var told []time.Duration
		began := time.Now()
		ask := func(within time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			_, err := c.Chat(ctx, Request{Messages: []Message{{Role: RoleUser, Content: "?"}},
				Waits: func(_ time.Duration, why error) {
					if !errors.Is(why, ErrQueued) {
						t.Errorf("waits for %v", why)
					}
					told = append(told, time.Since(began))
				}})
			return err
		}
		err := ask(8 * time.Second)
		if citewell.CodeOf(err) != citewell.CodeRateLimited || !errors.Is(err, ErrQueued) ||
			time.Since(began) != 6*time.Second || len(s.at) != 0 {
			t.Errorf("%v after %v and %d requests", err, time.Since(began), len(s.at))
		}
		go func() { time.Sleep(2 * time.Second); under.End() }()
		if err := ask(8 * time.Second); err != nil || time.Since(began) != 8*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if want := []time.Duration{time.Second, 7 * time.Second}; !slices.Equal(told, want) {
			t.Errorf("told after %v, want %v", told, want)
		}
	})
}

// Every form of Retry-After gives a wait that is neither below nothing nor beyond a day.
func TestRetryAfterOfAnEndpoint(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                                0,
		"0":                               0,
		"120":                             2 * time.Minute,
		"0.5":                             500 * time.Millisecond,
		"-5":                              0,
		"99999999999999999999":            24 * time.Hour,
		"1e308":                           24 * time.Hour,
		"Inf":                             24 * time.Hour,
		"-Inf":                            0,
		"NaN":                             0,
		"soon":                            0,
		"Sun, 01 Mar 2026 12:00:30 GMT":   30 * time.Second,
		"Sunday, 01-Mar-26 12:00:30 GMT":  30 * time.Second,
		"Sun Mar  1 12:00:30 2026":        30 * time.Second,
		"Sun, 01 Mar 2026 11:00:00 GMT":   0,
		"Fri, 31 Dec 9999 23:59:59 GMT":   24 * time.Hour,
		"Mon, 01 Jan 0001 00:00:00 GMT":   0,
		"Sun, 01 Mar 2026 14:00:30 +0200": 0, // no form of HTTP's
	} {
		if wait := retryAfter(http.Header{"Retry-After": {value}}, now); wait != want {
			t.Errorf("%q: a wait of %v, want %v", value, wait, want)
		}
	}
}
