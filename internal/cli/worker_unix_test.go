//go:build unix

package cli

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// A lab is a home with a demo web and a model that does research on it.
type lab struct {
	home  string
	model *modeltest.Server
	heard atomic.Pointer[func(*http.Request)] // by the demo web
	log   io.Writer                           // of all that happens in this process; nil shows errors
}

// hears has what the demo web is asked heard from now on.
func (l *lab) hears(heard func(*http.Request)) { l.heard.Store(&heard) }

func newLab(t *testing.T, m researcher) *lab {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes and servers")
	}
	l := &lab{home: t.TempDir(), model: modeltest.Serve(t)}
	web, err := demo.Start(t.Context(), demo.Options{Heard: func(r *http.Request) {
		if heard := l.heard.Load(); heard != nil {
			(*heard)(r)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	l.model.Follow(m.reply)
	write(t, filepath.Join(l.home, "citewell.yaml"), fmt.Sprintf(
		"search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q, rate: 100}\nfetch: "+
			"{allow_networks: [127.0.0.0/8], cache_ttl: 1ms}\nllm: {base_url: %q, model: scripted}\n",
		web.SearchURL(), web.DuckDuckGoURL(), l.model.Base()))
	return l
}

// runs opens the lab's store in this process.
func (l *lab) runs(t *testing.T) (*app.App, *app.Runs) {
	t.Helper()
	e := &env{environ: homeEnviron(l.home), stdout: &output{w: os.Stdout}, stderr: &console{w: os.Stderr},
		configFile: filepath.Join(l.home, "citewell.yaml")}
	if l.log != nil {
		e.stderr.w, e.logLevel = l.log, slog.LevelDebug
	}
	a, err := e.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	runs, err := a.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a, runs
}

// Whoever began a run, a server and a worker execute it; a signal lets runs go.
func TestWhoExecutesRuns(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	_, runs := l.runs(t)
	for _, command := range [][]string{{"worker", "--parallel", "2"}, {"serve", "--listen", "127.0.0.1:0"}} {
		run, err := runs.Start(t.Context(), job.Start{Task: larchTask})
		if err != nil {
			t.Fatal(err)
		}
		c := startChild(t, l.home, command...)
		if command[0] == "worker" {
			if line := waitFor(t, c.stderr, "executing the runs of"); !strings.Contains(line,
				"with scripted, 2 at once") {
				t.Errorf("it says %q", line)
			}
			waitFor(t, c.stderr, "run "+run.ID+": completed, answered")
		}
		ctx, cancel := lifeOf(t)
		defer cancel()
		for _, err := range runs.Follow(ctx, run.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if result, err := runs.Result(t.Context(), run.ID); err != nil || result.Outcome != runstore.RunAnswered ||
			result.Report == nil {
			t.Errorf("%s: %+v, %v", command[0], result, err)
		}
		c.Process.Signal(syscall.SIGTERM)
		if _, stderr, code := c.end(t); code != 0 || command[0] == "worker" &&
			!strings.Contains(stderr, "1 run ended, 0 left with a question, 0 let go") {
			t.Errorf("%s: exit code %d, stderr %q", command[0], code, stderr)
		}
	}
}

// A worker whose configuration lacks what a run was begun with puts the run off, and one
// that has it goes on with it.
func TestAWorkerPutsOff(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	whole := filepath.Join(l.home, "citewell.yaml")
	has, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	// nobody is there, which an agent does without
	const server = "mcp: {mcpServers: {wiki: {url: 'http://127.0.0.1:1/mcp'}}}\n"
	write(t, whole, string(has)+server)
	a, _ := l.runs(t)
	for lacks, lacking := range map[string]string{
		"searxng":               fmt.Sprintf("llm: {base_url: %q, model: scripted}\n", l.model.Base()) + server,
		`the MCP server "wiki"`: string(has),
	} {
		runs, err := a.NewRuns(t.Context(), app.RunsOptions{Sources: agentplan.Sources{Providers: []string{"searxng"}}})
		if err != nil {
			t.Fatal(err)
		}
		run, err := runs.Start(t.Context(), job.Start{Task: larchTask})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(l.home, "lacking.yaml")
		write(t, file, lacking)
		worker := startChild(t, l.home, "worker", "--config", file)
		line := waitFor(t, worker.stderr, "run "+run.ID+": let go")
		if !strings.Contains(line, "waits for an executor that can make its agent; one could not: ") ||
			!strings.Contains(line, lacks) {
			t.Errorf("it says %q", line)
		}
		status, err := runs.Status(t.Context(), run.ID)
		if err != nil || status.State != runstore.RunResearching || !strings.Contains(status.Detail, lacks) ||
			status.Executor != "" {
			t.Errorf("%+v, %v", status, err)
		}
		able := startChild(t, l.home, "worker")
		waitFor(t, able.stderr, "run "+run.ID+": completed, answered")
		for _, c := range []*child{worker, able} {
			c.Process.Signal(syscall.SIGTERM)
			if _, stderr, code := c.end(t); code != 0 {
				t.Errorf("exit code %d, stderr %q", code, stderr)
			}
		}
	}
}

// A worker that ends in the middle of a run lets it go at once.
func TestAWorkerLetsGo(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	reached := l.stopsAt(3)
	_, runs := l.runs(t)
	run, err := runs.Start(t.Context(), job.Start{Task: larchTask})
	if err != nil {
		t.Fatal(err)
	}
	c := startChild(t, l.home, "worker")
	await(t, "the third call", reached)
	c.Process.Signal(syscall.SIGTERM)
	if _, stderr, code := c.end(t); code != 0 || !strings.Contains(stderr, "0 left with a question, 1 let go") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	status, err := runs.Status(t.Context(), run.ID)
	if err != nil || status.State != runstore.RunResearching || status.Executor != "" {
		t.Errorf("%+v, %v", status, err)
	}
	if run, err := runs.Executor.Execute(t.Context(), run.ID); err != nil || run.Outcome != runstore.RunAnswered {
		t.Errorf("%+v, %v", run, err)
	}
}

// Of the runs that wait, a worker takes up first what somebody waits for, and last what may wait, and
// the API says which they are.
func TestRunsByPriority(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	serves, address := serve(t, l.home, "--no-execute")
	c := newRunsClient(t, address, "")
	var ids []string
	for _, priority := range []string{"low", "normal", "high"} {
		id := c.begin(fmt.Sprintf(`{"task": %q, "priority": %q}`, larchTask, priority))
		body := string(c.do("GET", "/v1/runs/"+id, "").body)
		if said := strings.Contains(body, fmt.Sprintf(`"priority":%q`, priority)); said == (priority == "normal") {
			t.Errorf("of a run of priority %s is said %s", priority, body)
		}
		ids = append(ids, id)
	}
	if a := c.do("POST", "/v1/runs", `{"task": "x", "priority": "urgent"}`); a.StatusCode != 400 {
		t.Errorf("another priority: %d %s", a.StatusCode, a.body)
	}
	w := startChild(t, l.home, "worker", "--parallel", "1")
	for _, i := range []int{2, 1, 0} {
		waitFor(t, w.stderr, "run "+ids[i]+": completed, answered")
	}
	for _, c := range []*child{w, serves} {
		c.Process.Signal(syscall.SIGTERM)
		c.Wait()
	}
}
