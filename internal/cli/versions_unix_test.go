//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// laterVersion compiles the program as a later version may be: it has one migration more, which adds
// to the table of runs, and its runs are not for executors of this version.
func laterVersion(t *testing.T) (program string) {
	t.Helper()
	root, dir := filepath.Join(testdata, "..", "..", ".."), t.TempDir()
	files := map[string]string{}
	replace := func(name, content string) {
		here := filepath.Join(dir, filepath.Base(name))
		write(t, here, content)
		files[filepath.Join(root, name)] = here
	}
	migrations, err := filepath.Glob(filepath.Join(root, "store", "postgres", "migrations", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	replace(fmt.Sprintf("store/postgres/migrations/%04d_later.sql", len(migrations)+1),
		"ALTER TABLE run ADD COLUMN of_later bigint NOT NULL DEFAULT 7;\nCREATE TABLE of_later (tenant text "+
			"PRIMARY KEY);\n")
	source, err := os.ReadFile(filepath.Join(root, "internal", "job", "job.go"))
	if err != nil {
		t.Fatal(err)
	}
	const version = "const requestVersion = "
	now := strings.Count(string(source), version+"1\n")
	if now != 1 {
		t.Fatalf("the version of requests is set %d times", now)
	}
	replace("internal/job/job.go", strings.Replace(string(source), version+"1\n", version+"2\n", 1))
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program = filepath.Join(dir, "citewell")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o",
		program, "./cmd/citewell")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return program
}

// TestClusterTwoVersions has a worker of this version and one of a later one work on one database at
// once, which the later one has migrated meanwhile: runs of this version are either's, those of the
// later one are its own, and a worker of this version that is started again works on.
func TestClusterTwoVersions(t *testing.T) {
	t.Parallel()
	c := newCluster(t, pgtest.URL(t), nil)
	later := laterVersion(t)
	old := c.worker(t, "citewell.yaml")
	c.begin(t, 2)
	serves := startProgram(t, c.home, later, "serve", "--listen", "127.0.0.1:0", "--no-execute")
	line := waitFor(t, serves.stderr, "listening on ")
	drain(serves)
	_, rest, _ := strings.Cut(line, "listening on ")
	client := newRunsClient(t, strings.Fields(rest)[0], "")
	c.begin(t, 2) // by this version, on the schema of the later one
	for range 2 {
		c.ids = append(c.ids, client.begin(`{"task": "`+larchTask+`", "priority": "high"}`))
	}
	ofLater := c.ids[len(c.ids)-2:]
	for _, id := range c.ids[:4] {
		lookAt(t, c.nodes, id)
	}
	if err := old.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	old.Wait()
	c.workers = nil
	c.worker(t, "citewell.yaml")
	c.begin(t, 1)
	lookAt(t, c.nodes, c.ids[len(c.ids)-1])
	for _, id := range ofLater {
		if status, err := c.nodes[0].Status(t.Context(), id); err != nil || status.State.Ended() ||
			status.Task != larchTask {
			t.Errorf("a run of the later version is %s (%v)", status.State, err)
		}
	}
	w := startProgram(t, c.home, later, "worker", "--parallel", "4")
	waitFor(t, w.stderr, "executing the runs of")
	drain(w)
	c.workers = append(c.workers, w, serves)
	for _, id := range ofLater {
		lookAt(t, c.nodes, id)
		events, err := job.AllEvents(t.Context(), c.nodes[0], id)
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for _, e := range events {
			if e.Type == runstore.EventAcquired {
				last = string(e.Data)
			}
		}
		if !strings.Contains(last, fmt.Sprintf("/%d/", w.Process.Pid)) {
			t.Errorf("a run of the later version was executed by %s", last)
		}
	}
	c.harmed(t, nil, nil)
	for _, p := range c.workers {
		p.Process.Signal(syscall.SIGTERM)
		if err := p.Wait(); err != nil {
			t.Errorf("a process ended with %v", err)
		}
	}
	for _, id := range c.ids {
		if run, err := c.app.Store.Run(t.Context(), id); err != nil || run.State != runstore.RunCompleted ||
			run.Outcome != runstore.RunAnswered {
			t.Errorf("run %s is %s %s (%v)", id, run.State, run.Detail, err)
		}
	}
}
