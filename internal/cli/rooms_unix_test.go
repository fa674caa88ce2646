//go:build unix

package cli

import (
	"net/http"
	"os"
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

// The operator's own documents are found by tokens of the tenant default, and by nobody else.
func TestLibraryIsItsTenants(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	config := filepath.Join(l.home, "citewell.yaml")
	settings, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, config, strings.Replace(string(settings), "providers:\n", "providers:\n    local: {enabled: true}\n", 1))
	operator, _ := l.api(t)
	note := filepath.Join(l.home, "notes", "gate.md")
	write(t, note, "# The gate\n\nThe tide gate of Hallvik closes at high water and opens for the barge Marigold.\n")
	if _, stderr, code := here(t, l.home, "--config", config, "index", filepath.Dir(note)); code != 0 {
		t.Fatal(stderr)
	}
	dan := newStander(t, l, operator.base, "dan")
	bob := newStander(t, l, operator.base, "bob", "--tenant", "beta")
	bob.known()
	for _, tool := range []string{"agent/web_search_tool", "default/web_search", "default/web_research"} {
		toolset, name, _ := strings.Cut(tool, "/")
		const asked = "When does the tide gate of Hallvik close and open?"
		arguments := map[string]string{"web_search_tool": `{"reasoning": "to find it", "query": "` + asked + `"}`,
			"web_search": `{"query": "` + asked + `"}`, "web_research": `{"topic": "` + asked + `", "depth": 1}`}[name]
		if got := dan.calls(toolset, name, arguments); !strings.Contains(got, "barge Marigold") {
			t.Errorf("%s of the tenant default: %.600s", tool, got)
		}
		if got := bob.calls(toolset, name, arguments); strings.Contains(got, "Marigold") ||
			strings.Contains(got, "gate.md") {
			t.Errorf("%s of another tenant: %.600s", tool, got)
		}
	}
}
