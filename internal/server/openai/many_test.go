package openai_test

import (
	"context"
	"iter"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/openai"
)

// A silent desk has one run, of which nothing is heard for a while.
type silent struct{ job.Service }

func (silent) Agents() []job.Definition { return []job.Definition{{Name: "desk"}} }
func (silent) Start(context.Context, job.Start) (runstore.Run, error) {
	return runstore.Run{ID: "desk_1", Agent: "desk", Seq: 1}, nil
}
func (silent) NoteAnswer(context.Context, string, string) error { return nil }
func (silent) Follow(ctx context.Context, _ string, _ int64) iter.Seq2[runstore.RunEvent, error] {
	return func(yield func(runstore.RunEvent, error) bool) {
		for _, pause := range []time.Duration{10 * time.Second, 10 * time.Second, 10 * time.Second, 40 * time.Second} {
			time.Sleep(pause)
			if !yield(runstore.RunEvent{Type: "read"}, ctx.Err()) {
				return
			}
		}
	}
}
func (silent) Result(context.Context, string) (agent.Result, error) {
	return agent.Result{State: runstore.RunCompleted, Outcome: runstore.RunAnswered, Answer: "Done."}, nil
}

// A timed answer notes the longest time in which nothing was written to it.
type timed struct {
	*httptest.ResponseRecorder
	last    time.Time
	longest time.Duration
}

func (w *timed) Write(p []byte) (int, error) {
	if now := time.Now(); w.last.IsZero() {
		w.last = now
	} else {
		w.longest, w.last = max(w.longest, now.Sub(w.last)), now
	}
	return w.ResponseRecorder.Write(p)
}

// A client hears something every 15 seconds, by comments where nothing else is told: also
// while a run goes on with what no client is told of.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &timed{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest("POST", "/v1/chat/completions",
			strings.NewReader(`{"messages":[{"role":"user","content":"x"}],"stream":true}`))
		r.Header.Set("Content-Type", "application/json")
		openai.New(openai.Options{Desk: silent{}}).ServeHTTP(w, r)
		// of 70 s
		if n := strings.Count(w.Body.String(), ": the run goes on\n\n"); n != 4 || w.longest > 15*time.Second {
			t.Errorf("%d comments, silent for %v: %s", n, w.longest, w.Body)
		}
		// in the first ten seconds
		if n := strings.Count(w.Body.String(), ": queued: the run waits to be taken up\n\n"); n != 1 {
			t.Errorf("%d times it was said to wait", n)
		}
		if content, _ := joined(t, events(t, w.Body)); content != "Done." {
			t.Errorf("it says %q", content)
		}
	})
}

// Many at once, whole and in pieces: each has its own run, and its own answer.
func TestMany(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const many = 48
	o := newOffice(t, nil)
	var mu sync.Mutex
	runs := map[string]bool{}
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			var id, content string
			if i%2 == 0 {
				header, chunks := o.stream(t, "/v1/chat/completions", says("thinker", question, "stream", true))
				content, _ = joined(t, chunks)
				id = header.Get("X-Agent-ID")
			} else {
				_, _, body := o.ask(t, "POST", "/v1/chat/completions", says("thinker", question))
				r := decode(t, body)
				id, content = r.Model, r.Choices[0].Message.Content
			}
			mu.Lock()
			defer mu.Unlock()
			if runs[id] || !strings.Contains(content, "640 GWh") || !strings.Contains(content, "## Sources") {
				t.Errorf("%s: %s", id, content)
			}
			runs[id] = true
		})
	}
	all.Wait()
	if len(runs) != many {
		t.Errorf("%d runs", len(runs))
	}
}
