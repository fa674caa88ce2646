//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// A token whose runs fill the queue is refused further ones, by a figure and a time; nobody
// else is, and the next place is for the tenant that has none.
func TestOneTokenDoesNotFillTheQueue(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	file := filepath.Join(l.home, "citewell.yaml")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(config)+"server: {limits: {runs: 1, queued_runs: 3}}\n")
	thinks := make(chan struct{})
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		<-thinks
		return researcher{}.reply(n, a)
	})
	release := sync.OnceFunc(func() { close(thinks) })
	t.Cleanup(release)
	operator, _ := l.api(t)
	ann := newStander(t, l, operator.base, "ann", "--tenant", "acme")
	cat := newStander(t, l, operator.base, "cat", "--tenant", "acme")
	bob := newStander(t, l, operator.base, "bob", "--tenant", "zeta")
	for _, s := range []*stander{ann, cat, bob} {
		s.known()
	}
	run := func(s *stander, id string) (run runstore.Run) {
		t.Helper()
		if a := s.do("GET", "/v1/runs/"+id, ""); json.Unmarshal(a.body, &run) != nil {
			t.Fatalf("%s", a.body)
		}
		return run
	}
	const body = `{"task": "` + larchTask + `"}`
	anns := []string{ann.begin(body)}
	for run(ann, anns[0]).State != runstore.RunResearching {
		time.Sleep(10 * time.Millisecond)
	}
	for range 3 {
		anns = append(anns, ann.begin(body))
	}
	if a := ann.refused(429, citewell.CodeRateLimited, "3 runs of this caller wait to be executed", "POST", "/v1/runs",
		body); a.Header.Get("Retry-After") != "30" {
		t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
	}
	cat.begin(body)
	bobs := bob.begin(body)
	release()
	bob.whole("/v1/runs/" + bobs + "/events")
	ended := run(bob, bobs).EndedAt
	for _, id := range anns[1:] {
		ann.whole("/v1/runs/" + id + "/events")
		if at := run(ann, id).EndedAt; ended.IsZero() || !at.After(ended) {
			t.Errorf("a run of who has all the queue ended at %v, and the one of another tenant at %v", at, ended)
		}
	}
	ann.begin(body)
}
