//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/server"
)

// A child is the command as a process of its own, which TestMain has put into the
// path.
type child struct {
	*exec.Cmd
	stdout, stderr *bufio.Reader
	stdin          io.WriteCloser
}

// patience is how long a test waits for what should take a moment, on a machine
// that has other things to do.
const patience = 30 * time.Second

// lifetime is how long a stream may be read, so that one that hangs says so.
const lifetime = 6 * patience

// lifeOf is the life of a process that a test starts and talks to for as many steps as it
// has: it ends with the test, and a while before go test ends all tests, so that a test whose
// process hangs says so. No clock of its own ends it, since a busy machine may let any step wait.
func lifeOf(t *testing.T) (context.Context, context.CancelFunc) {
	end, ok := t.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	return context.WithDeadline(t.Context(), end.Add(-patience))
}

// startChild starts the command in a home of its own.
func startChild(t *testing.T, home string, args ...string) *child {
	t.Helper()
	return startProgram(t, home, "citewell", args...)
}

// startProgram starts a program as startChild does the command.
func startProgram(t *testing.T, home, program string, args ...string) *child {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes and servers")
	}
	ctx, cancel := lifeOf(t)
	t.Cleanup(cancel)
	c := &child{Cmd: exec.CommandContext(ctx, program, args...)}
	c.Dir = home
	c.Env = append(os.Environ(), homeEnviron(home)...)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.stdin, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	c.stdout, c.stderr = bufio.NewReader(stdout), bufio.NewReader(stderr)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// homeEnviron is the environment of a process. Scripted models write and do not judge: a judge's
// calls are not among those that the tests count.
func homeEnviron(home string) []string {
	return []string{"CITEWELL__JUDGE__USE=never", "HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config",
		"XDG_DATA_HOME=" + home + "/data", "XDG_CACHE_HOME=" + home + "/cache"}
}

// here runs the command in this process, with the same home.
func here(t *testing.T, home string, args ...string) (stdout, stderr string, code int) {
	var out, errOut bytes.Buffer
	e := &env{environ: homeEnviron(home), stdin: strings.NewReader(""), stdout: &output{w: &out},
		stderr: &console{w: &errOut}}
	code = e.run(t.Context(), args)
	return out.String(), errOut.String(), code
}

// waitFor reads lines until one holds words.
func waitFor(t *testing.T, r *bufio.Reader, words string) string {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if strings.Contains(line, words) {
			return line
		}
		if err != nil {
			t.Fatalf("no line with %q: %v", words, err)
		}
	}
}

// end reads what is left, waits for the process and returns its exit code.
func (c *child) end(t *testing.T) (stdout, stderr string, code int) {
	t.Helper()
	out, err := io.ReadAll(c.stdout)
	if err != nil {
		t.Fatal(err)
	}
	errOut, err := io.ReadAll(c.stderr)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), string(errOut), c.ProcessState.ExitCode()
}

// interrupt ends the process as Ctrl-C does: at once, which is sooner than a server that
// waits for its clients (server.Drain) or a command for an engine that hangs.
func (c *child) interrupt(t *testing.T) (stdout, stderr string, code int) {
	t.Helper()
	began := time.Now()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code = c.end(t)
	if took := time.Since(began); took >= server.Drain {
		t.Errorf("it took %v to end", took)
	}
	return stdout, stderr, code
}

// hanging starts a demo web whose DuckDuckGo never answers, and returns a home
// whose configuration points at it and gives it a minute.
func hanging(t *testing.T) string {
	t.Helper()
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	if err := web.Fail(demo.DuckDuckGo, demo.ModeHang); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	write(t, filepath.Join(home, "citewell.yaml"), fmt.Sprintf(
		"search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q}\nfetch: {allow_networks: "+
			"[127.0.0.0/8], archive: {use: off}}\nbrief: {deadlines: {fanout: 60s, total: 60s}}\n",
		web.SearchURL(), web.DuckDuckGoURL()))
	return home
}

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	home := hanging(t)
	c := startChild(t, home, "search", "larch format release")
	waitFor(t, c.stderr, "searched searxng: ok")
	stdout, stderr, code := c.interrupt(t)
	if code != citewell.ExitFailed || stdout != "" || !strings.Contains(stderr, "citewell: canceled: interrupted\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}

	c = startChild(t, home, "search", "--json", "larch format release")
	waitFor(t, c.stderr, "searched searxng: ok")
	stdout, _, code = c.interrupt(t)
	var answer struct{ Error citewell.ErrorView }
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil || answer.Error.Code != citewell.CodeCanceled ||
		code != citewell.ExitFailed {
		t.Errorf("exit code %d, stdout %q: %v", code, stdout, err)
	}

	// The store is whole: what comes next works.
	if stdout, stderr, code := here(t, home, "--config", filepath.Join(home, "citewell.yaml"),
		"--set", "brief.deadlines.fanout=3s", "search", "--depth", "1",
		"larch format release"); code != citewell.ExitOK || !strings.Contains(stdout, "duckduckgo: timeout") {
		t.Errorf("afterwards: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// A command that reads standard input is not kept by whoever never writes to it.
func TestInterruptReading(t *testing.T) {
	t.Parallel()
	c := startChild(t, t.TempDir(), "--log-level", "debug", "--set", "execution.max_steps=1", "verify", "-")
	waitFor(t, c.stderr, "warning:") // the configuration is read; now comes standard input
	if _, stderr, code := c.interrupt(t); code != citewell.ExitFailed || !strings.Contains(stderr, "interrupted") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

func TestDemoServe(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := startChild(t, home, "demo", "--serve", "--listen", "127.0.0.1:0")
	at := strings.Fields(waitFor(t, c.stdout, "The page is at "))[4]
	base := strings.Fields(waitFor(t, c.stdout, "The demo web is at "))[5]
	page, err := patient.Get(at)
	if err != nil || page.StatusCode != http.StatusOK {
		t.Fatalf("the page: %v", err)
	}
	page.Body.Close()
	line := waitFor(t, c.stdout, " search ")
	_, again, _ := strings.Cut(line, "citewell ")
	config := strings.Fields(again)[1]
	waitFor(t, c.stdout, "research --no-model")
	waitFor(t, c.stdout, "_demo/fail?endpoint=searxng&mode=429")

	// It is what the other commands are told to use, and its faults switch by POST.
	resp, err := patient.PostForm(base+"_demo/fail", url.Values{"endpoint": {"searxng"}, "mode": {"429"}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	stdout, stderr, code := here(t, home, "--config", config, "search", "--json", "--depth", "1",
		"When was Larch 2.0 released?")
	var b citewell.Brief
	if err := json.Unmarshal([]byte(stdout), &b); err != nil || code != citewell.ExitOK {
		t.Fatalf("exit code %d, %v, stderr %q", code, err, stderr)
	}
	for _, p := range b.Coverage.Providers {
		if want := map[string]citewell.ProviderOutcome{"searxng": "rate_limited",
			"duckduckgo": "ok"}[p.Name]; p.Outcome != want {
			t.Errorf("%s: %s, want %s", p.Name, p.Outcome, want)
		}
	}
	if stdout, _, code := c.interrupt(t); code != citewell.ExitOK {
		t.Errorf("exit code %d, stdout %q", code, stdout)
	}

	c = startChild(t, home, "demo", "--serve", "--json", "--listen", "127.0.0.1:0")
	var told struct {
		Home, SearXNG, DuckDuckGo, Config string
		Questions                         []string
	}
	if err := json.NewDecoder(c.stdout).Decode(&told); err != nil || told.Config != config ||
		len(told.Questions) == 0 || !strings.HasPrefix(told.SearXNG, "http://search.localhost:") {
		t.Errorf("%+v: %v", told, err)
	}
	if _, _, code := c.interrupt(t); code != citewell.ExitOK {
		t.Errorf("exit code %d", code)
	}

	if _, stderr, code := here(t, home, "demo", "--serve", "--listen",
		"127.0.0.1:"+portInUse(t)); code != citewell.ExitUsage || !strings.Contains(stderr, "is the port in use?") {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

func portInUse(t *testing.T) string {
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	u, err := url.Parse(web.HomeURL())
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// Several processes index into one store at once, the same folder and their own;
// nothing is lost.
func TestIndexAtOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	const each = 25
	for i := range each {
		for _, dir := range []string{"shared", "a", "b"} {
			write(t, filepath.Join(home, dir, fmt.Sprintf("%d.md", i)),
				fmt.Sprintf("# Note %d\n\nIn %s the crane number %d was seen by the mill on the river.\n", i, dir, i))
		}
	}
	a, b := startChild(t, home, "index", "shared", "a"), startChild(t, home, "index", "shared", "b")
	for _, c := range []*child{a, b} {
		// Both pipes are drained side by side: one line for each document is told.
		var out bytes.Buffer
		done := make(chan struct{})
		go func() { defer close(done); io.Copy(&out, c.stderr) }()
		stdout, err := io.ReadAll(c.stdout)
		<-done
		if werr := c.Wait(); werr != nil || err != nil || !strings.Contains(string(stdout), " 0 failed") {
			t.Errorf("%v %v, stdout %q, stderr %q", werr, err, stdout, out.String())
		}
	}
	stdout, stderr, code := here(t, home, "index", "--json", filepath.Join(home, "shared"), filepath.Join(home, "a"),
		filepath.Join(home, "b"))
	var sum struct{ Indexed, Unchanged int }
	if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != 0 || sum.Unchanged != 3*each ||
		sum.Indexed != 0 {
		t.Errorf("%+v, exit code %d, %v, stderr %q", sum, code, err, stderr)
	}
}
