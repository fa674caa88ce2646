package browser

import (
	"context"
	"os"
	"sync"
	"testing"
)

// A house is a test that lasts as long as all of them: what several of them only look at is
// started in it. What fails in it fails the test that came first.
type house struct{ testing.TB }

func (house) Cleanup(end func())       { atEnd(end) }
func (house) Context() context.Context { return context.Background() }
func (house) Failed() bool             { return false } // so that only a test that failed says what its server said
func (h house) TempDir() string {
	folder, err := os.MkdirTemp(workFolder, "")
	if err != nil {
		h.Fatal(err)
	}
	return folder
}

// shared are servers by name, each with the runs that were told on it, by task.
var shared struct {
	mu      sync.Mutex
	servers map[string]*Server
	runs    map[string]string
}

// share gives a server that tests only look at: none of them ends it or counts its runs. The
// first that asks for it starts it.
func share(t *testing.T, name string, start func(testing.TB) *Server) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server")
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	s := shared.servers[name]
	if s == nil {
		if s = start(house{t}); shared.servers == nil {
			shared.servers, shared.runs = map[string]*Server{}, map[string]string{}
		}
		shared.servers[name] = s
	}
	own := *s
	own.t = t
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server that is shared said:\n%s", own.said)
		}
	})
	return &own
}

// shareStory gives the run of a story, told once, on a server that is shared.
func shareStory(t *testing.T, st story) (s *Server, run string) {
	t.Helper()
	s = share(t, "stories", func(t testing.TB) *Server { return serveStories(t, writings, doubts, longest, sixty()) })
	return s, s.once(st.task, func() string { return s.tells(st) })
}

// shareDemo gives the demo web's page, and a report of plantQuestion on it.
func shareDemo(t *testing.T) (s *Server, run string) {
	t.Helper()
	s = share(t, "demo", func(t testing.TB) *Server { return serveDemo(t) })
	return s, s.once(plantQuestion, func() string {
		run := s.begins(story{task: plantQuestion}, map[string]any{"agent": "brief"})
		s.fetch("/v1/runs/" + run + "/events") // which ends when the run does
		return run
	})
}

// once gives the run of a task, which begin begins where no test has yet.
func (s *Server) once(task string, begin func() string) string {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.runs[task] == "" {
		shared.runs[task] = begin()
	}
	return shared.runs[task]
}
