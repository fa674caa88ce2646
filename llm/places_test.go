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
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/internal/turns"
)

// A thinker answers each request after a while, and counts those at once.
type thinker struct {
	script
	takes     func(n int) time.Duration
	mu        sync.Mutex
	n         int
	now, most int
}

func (s *thinker) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.n++
	n := s.n
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	time.Sleep(s.takes(n))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
	return s.script.RoundTrip(r)
}

// process is the client of one more process.
func (s *thinker) process(t *testing.T, o EndpointsOptions) *Client {
	c := scriptedChat(t, &s.script, Options{Endpoints: NewEndpoints(o)})
	c.http = &http.Client{Transport: &wire{next: s}}
	return c
}

func chatOnce(ctx context.Context, c *Client) error {
	_, err := c.Chat(ctx, Request{Messages: []Message{{Role: RoleUser, Content: "?"}}})
	return err
}

// Four processes together have no more calls under way than one may, however long each takes, and
// have them all.
func TestProcessesShareAnEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &storesuite.Pace{}
		s := &thinker{script: script{answers: []answer{{200, "", chatAnswer}}}, takes: func(n int) time.Duration {
			if n%4 == 0 {
				return time.Minute // longer than a place is held that nobody keeps
			}
			return 2 * time.Second
		}}
		var all sync.WaitGroup
		for range 4 {
			c := s.process(t, EndpointsOptions{Parallel: 3, Pace: shared})
			for range 10 {
				all.Go(func() {
					if err := chatOnce(t.Context(), c); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		if s.most != 3 || s.n != 40 {
			t.Errorf("%d calls at once and %d in all, want 3 and 40", s.most, s.n)
		}
		if shared.Held() != 0 {
			t.Errorf("%d places are held after all", shared.Held())
		}
	})
}

// The place of a process that was killed is free ten seconds after it was last heard of.
func TestPlaceOfADeadProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &storesuite.Pace{}
		killed := &storesuite.Process{Pace: shared}
		s := &thinker{script: script{answers: []answer{{200, "", chatAnswer}}}, takes: func(n int) time.Duration {
			return time.Minute * time.Duration(n%2)
		}}
		var all sync.WaitGroup
		all.Go(func() { _ = chatOnce(t.Context(), s.process(t, EndpointsOptions{Parallel: 1, Pace: killed})) })
		synctest.Wait()
		killed.Kill()
		c := s.process(t, EndpointsOptions{Parallel: 1, Pace: shared})
		began := time.Now()
		if err := chatOnce(t.Context(), c); err != nil || time.Since(began) < placeHold ||
			time.Since(began) > placeHold+lastPoll {
			t.Errorf("%v after %v, want %v", err, time.Since(began), placeHold)
		}
		if most := int(placeHold/(lastPoll/2)) + 5; shared.Looks() > most {
			t.Errorf("it was asked %d times for a place, want at most %d", shared.Looks(), most)
		}
		all.Wait()
	})
}

// Who waits in vain for a place that other processes hold is told that it is our own queue, and leaves
// nothing behind; the crowd of one tenant does not keep another waiting.
func TestWaitsForOtherProcesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &storesuite.Pace{}
		s := &thinker{script: script{answers: []answer{{200, "", chatAnswer}}}, takes: func(int) time.Duration {
			return time.Second
		}}
		c := s.process(t, EndpointsOptions{Parallel: 1, Pace: shared})
		service := newPlaces("http://127.0.0.1:1/v1", &EndpointsOptions{}, nil).keeper.Service
		other, err := shared.TakeTurn(t.Context(), service, time.Now(), runstore.PaceRule{AtOnce: 1, Hold: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		if err := chatOnce(ctx, c); !errors.Is(err, ErrQueued) || citewell.CodeOf(err) != citewell.CodeRateLimited ||
			time.Since(began) != 6*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ended, end := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, end)
		if err := chatOnce(ended, c); citewell.CodeOf(err) != citewell.CodeCanceled {
			t.Errorf("of a caller who went away: %v", err)
		}
		var mu sync.Mutex
		var order []string
		var all sync.WaitGroup
		for _, tenant := range append(slices.Repeat([]string{"crowd"}, 12), "one") {
			all.Go(func() {
				if err := chatOnce(turns.As(t.Context(), tenant, ""), c); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, tenant)
			})
			synctest.Wait()
		}
		if err := shared.EndTurn(t.Context(), service, other.ID, time.Now(), 0); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		if at := slices.Index(order, "one"); at > 1 {
			t.Errorf("it came after %d of the crowd's calls", at)
		}
	})
}

// Where others cannot be told, the process keeps to the bound by itself and says so once.
func TestPlacesWithoutOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, told := &storesuite.Pace{}, 0
		shared.Break(errors.New("full"))
		s := &thinker{script: script{answers: []answer{{200, "", chatAnswer}}}, takes: func(int) time.Duration {
			return time.Second
		}}
		c := s.process(t, EndpointsOptions{Parallel: 2, Pace: shared, Alone: func(context.Context, error) { told++ }})
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				if err := chatOnce(t.Context(), c); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if s.most != 2 || told != 1 {
			t.Errorf("%d calls at once, told %d times", s.most, told)
		}
	})
}
