//go:build unix

package cli

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/job"
)

// A run of whichever tenant goes on after kill -9, in the next server or worker, and stays
// its tenant's.
func TestRunsOfEveryTenantAreExecuted(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	a, own := l.runs(t)
	room, err := a.Room("acme").Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"worker", "--parallel", "1"}, {"serve", "--listen", "127.0.0.1:0"}} {
		run, err := room.Start(t.Context(), job.Start{Task: larchTask})
		if err != nil {
			t.Fatal(err)
		}
		asked := make(chan struct{}, 100)
		hold := make(chan struct{})
		l.hears(func(*http.Request) { asked <- struct{}{}; <-hold })
		c := startChild(t, l.home, command...)
		<-asked // in the middle of its first search
		if err := c.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		c.end(t)
		close(hold)
		c = startChild(t, l.home, command...)
		for e, err := range room.Follow(t.Context(), run.ID, 0) {
			if err != nil {
				t.Fatalf("%v: %v", e, err)
			}
		}
		if s, err := room.Status(t.Context(), run.ID); err != nil || s.State != "completed" {
			t.Errorf("%v: %+v, %v", command, s.State, err)
		}
		if _, err := own.Status(t.Context(), run.ID); err == nil {
			t.Errorf("%v: the tenant default has the run of another", command)
		}
		c.interrupt(t)
	}
}

// The operator's own documents are searched and read by tokens of the tenant default; to
// another tenant they are as files that are not there.
func TestLibraryIsItsTenants(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	operator, _ := l.api(t)
	note := filepath.Join(l.home, "notes", "gate.md")
	write(t, note, "# The gate\n\nThe tide gate of Hallvik closes at high water and opens at low water.\n")
	config := filepath.Join(l.home, "citewell.yaml")
	if _, stderr, code := here(t, l.home, "--config", config, "index", filepath.Dir(note)); code != 0 {
		t.Fatal(stderr)
	}
	dan := newStander(t, l, operator.base, "dan")
	bob := newStander(t, l, operator.base, "bob", "--tenant", "beta")
	bob.known()
	read := func(s *stander, file string) string {
		return s.calls("agent", "extract_page_content_tool", fmt.Sprintf(`{"reasoning": "to read it", "urls": ["file://%s"]}`, file))
	}
	if got := read(dan, note); !strings.Contains(got, "closes at high water") {
		t.Errorf("of the tenant default: %.600s", got)
	}
	missing := strings.Replace(note, "gate.md", "none.md", 1)
	if got, want := read(bob, note), strings.ReplaceAll(read(bob, missing), "none.md", "gate.md"); got != want {
		t.Errorf("of another tenant: %.600s\nwant\n%.600s", got, want)
	}
	const search = `{"query": "When does the tide gate of Hallvik close?", "providers": ["local"]}`
	if got := dan.calls("default", "web_search", search); !strings.Contains(got, "closes at high water") {
		t.Errorf("of the tenant default: %.600s", got)
	}
	if got := bob.calls("default", "web_search", search); strings.Contains(got, "high water") || strings.Contains(got, "gate.md") {
		t.Errorf("of another tenant: %.600s", got)
	}
}
