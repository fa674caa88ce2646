package fetch

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/pace"
	"github.com/citewell/citewell/internal/testing/storesuite"
)

// A host is asked by no other process for as long as a request to it lasts, and soon after that. The turn
// of a request that is answered soon is never renewed.
func TestATurnLastsAsLongAsItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, m := &storesuite.Pace{}, newMeter(time.Minute)
		first := &storesuite.Process{Pace: shared}
		var all sync.WaitGroup
		begin := time.Now()
		for i, shares := range []pace.Turns{first, &storesuite.Process{Pace: shared}} {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				if _, err := newClient(Options{IgnoreRobots: true, Pace: shares}, m).Get(t.Context(),
					Request{URL: "https://s.example/", Timeout: MaxTimeout}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if m.most != 1 || shared.Held() != 0 {
			t.Errorf("%d requests at once, %d turns are held after all", m.most, shared.Held())
		}
		if took := time.Since(begin); took > 2*time.Minute+lastPoll {
			t.Errorf("both took %v", took)
		}
		kept := first.Kept()
		m.takes = 100 * time.Millisecond
		if _, err := newClient(Options{IgnoreRobots: true, Pace: first}, m).Get(t.Context(),
			Request{URL: "https://quick.example/"}); err != nil {
			t.Error(err)
		}
		if time.Sleep(time.Minute); first.Kept() != kept {
			t.Errorf("a turn of 100 ms was kept %d times", first.Kept()-kept)
		}
	})
}

// A process that is killed holds a host up for some seconds, however long its request might have lasted:
// the next one still gets the robots.txt and the page in the time that a request has by default.
func TestADeadProcessHoldsNoHost(t *testing.T) {
	for _, path := range []string{"/robots.txt", "/page"} {
		synctest.Test(t, func(t *testing.T) {
			shared, m := &storesuite.Pace{}, newMeter(0)
			process, asked := &storesuite.Process{Pace: shared}, make(chan struct{})
			hangs := newClient(Options{Pace: process}, roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path != path {
					return reply(404, ""), nil
				}
				close(asked)
				<-r.Context().Done()
				return nil, r.Context().Err()
			}))
			killed, kill := context.WithCancel(t.Context())
			var first sync.WaitGroup
			first.Go(func() {
				_, _ = hangs.Get(killed, Request{URL: "https://s.example/page", Timeout: MaxTimeout})
			})
			<-asked
			time.Sleep(time.Second)
			process.Kill()
			kill()
			first.Wait()
			began := time.Now()
			_, err := newClient(Options{Pace: &storesuite.Process{Pace: shared}}, m).Get(t.Context(),
				Request{URL: "https://s.example/page"})
			if took := time.Since(began); err != nil || took > robotsTimeout-time.Second {
				t.Errorf("%s: %v after %v", path, err, took)
			}
		})
	}
}

// Where a turn cannot be kept, it is told once and the request goes on.
func TestATurnThatCannotBeKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, told := &storesuite.Pace{}, 0
		c := newClient(Options{IgnoreRobots: true, Pace: shared, Alone: func(context.Context, error) { told++ }},
			newMeter(20*time.Second))
		time.AfterFunc(time.Second, func() { shared.Break(&citewell.Error{Code: citewell.CodeStoreFailed}) })
		if _, err := c.Get(t.Context(), Request{URL: "https://s.example/", Timeout: time.Minute}); err != nil ||
			told != 1 {
			t.Errorf("%v, told %d times", err, told)
		}
	})
}
