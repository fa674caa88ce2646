//go:build unix

package cli

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

var runInLine = regexp.MustCompile(`run (sgr_tool_calling_agent_[0-9a-f-]{36}) `)

// stopsAt has the model of a lab stay silent at its nth call of a run, once, and says when.
func (l *lab) stopsAt(call int64) (reached chan struct{}) {
	reached = make(chan struct{})
	var calls atomic.Int64
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if !triesOut(a) && calls.Add(1) == call {
			close(reached)
			return modeltest.Reply{Hangs: true}
		}
		return researcher{}.reply(n, a)
	})
	return reached
}

// await waits for what should take a moment.
func await(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s: nothing in %v", what, patience)
	}
}

// An interrupt lets a run go, and says how it goes on.
func TestInterruptedResearch(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	reached := l.stopsAt(3)
	_, runs := l.runs(t)
	c := startChild(t, l.home, "research", larchTask)
	id := runInLine.FindStringSubmatch(waitFor(t, c.stderr, "goes on with: citewell runs resume"))[1]
	await(t, "the third call", reached)
	for verb, code := range map[string]string{"delete": "run_leased: the run is being executed by ",
		"export": "run_not_ready: the run has not ended: it is researching",
		"answer": "run_not_ready: the run asks nothing now: it is researching"} {
		args := []string{"--config", filepath.Join(l.home, "citewell.yaml"), "runs", verb, id}
		if verb == "answer" {
			args = append(args, "the format")
		}
		if _, stderr, exit := here(t, l.home, args...); exit != citewell.ExitFailed || !strings.Contains(stderr, code) {
			t.Errorf("%s of a run that is executed: exit code %d, stderr %q", verb, exit, stderr)
		}
	}
	stdout, stderr, code := c.interrupt(t)
	if code != citewell.ExitFailed || stdout != "" || !strings.Contains(stderr, "was let go and is not lost") ||
		!strings.Contains(stderr, "citewell runs resume "+id) || !strings.Contains(stderr, "citewell runs cancel "+id) {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if status, err := runs.Status(t.Context(), id); err != nil || status.State != runstore.RunResearching ||
		status.Executor != "" {
		t.Errorf("%+v, %v", status, err)
	}
	if stdout, stderr, code := here(t, l.home, "--config", filepath.Join(l.home, "citewell.yaml"), "runs", "resume",
		id); code != 0 || !strings.Contains(stdout, "9 March 2022 [2]") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// Who is asked and goes away leaves the run waiting; the question is answered later, and
// a server that is there goes on with it.
func TestInterruptedWhileAsked(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{mode: "asks"})
	_, runs := l.runs(t)
	c := startChild(t, l.home, "research", "-i", larchTask)
	id := runInLine.FindStringSubmatch(waitFor(t, c.stderr, "goes on with"))[1]
	waitFor(t, c.stderr, "or the file format?")
	if stdout, stderr, code := c.interrupt(t); code != citewell.ExitFailed || stdout != "" ||
		!strings.Contains(stderr, "was let go and is not lost") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if status, err := runs.Status(t.Context(), id); err != nil || status.Question == nil {
		t.Errorf("%+v, %v", status, err)
	}
	server, _ := serve(t, l.home)
	if _, stderr, code := here(t, l.home, "runs", "answer", shortID(id), "the file format"); code != 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	if stdout, stderr, code := here(t, l.home, "runs", "watch", id); code != 0 ||
		!strings.HasSuffix(stdout, "  completed, answered\n") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if _, stderr, code := server.interrupt(t); code != 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
}

// Another process ends a run: its executor hears of it within two seconds.
func TestCancelFromElsewhere(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	reached := l.stopsAt(4)
	c := startChild(t, l.home, "research", larchTask)
	id := runInLine.FindStringSubmatch(waitFor(t, c.stderr, "goes on with"))[1]
	await(t, "the fourth call", reached)
	began := time.Now()
	stdout, stderr, code := here(t, l.home, "runs", "cancel", id)
	took := time.Since(began)
	if code != 0 || stdout != "run "+id+": cancelled\n" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	t.Logf("cancelled after %v", took)
	if took > 2*patience { // two seconds where the machine has nothing else to do; without being told it waits for ever
		t.Errorf("it took %v", took)
	}
	if stdout, stderr, code := c.end(t); code != citewell.ExitFailed || stdout != "" ||
		!strings.Contains(stderr, "canceled: the run was cancelled") {
		t.Errorf("its executor: exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// Two processes are told to go on with one run: one executes it, the other follows, and
// both show the result.
func TestTwoResumeOneRun(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	_, runs := l.runs(t)
	run, err := runs.Start(t.Context(), job.Start{Task: larchTask})
	if err != nil {
		t.Fatal(err)
	}
	together, asked := make(chan struct{}), make(chan struct{}, 100)
	begin := sync.OnceFunc(func() { close(together) })
	t.Cleanup(begin) // the model's server does not end while it is asked
	stages := map[string]int{}
	var mu sync.Mutex
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if !triesOut(a) {
			mu.Lock()
			stages[stageOf(a)]++
			mu.Unlock()
			asked <- struct{}{}
		}
		<-together // both are there before the run goes on
		return researcher{}.reply(n, a)
	})
	first := startChild(t, l.home, "runs", "resume", run.ID)
	await(t, "the first call", asked)
	second := startChild(t, l.home, "runs", "resume", run.ID)
	waitFor(t, second.stderr, "is executed by")
	begin()
	for _, c := range []*child{first, second} {
		if stdout, stderr, code := c.end(t); code != 0 || !strings.Contains(stdout, "9 March 2022 [2]") {
			t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
		}
	}
	for name, n := range stages {
		if n > 1 {
			t.Errorf("%s was asked %d times", name, n)
		}
	}
	events, err := runs.Events(t.Context(), run.ID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, e := range events {
		if e.Type == runstore.EventAcquired {
			taken++
		}
	}
	if taken != 1 {
		t.Errorf("the run was taken up %d times", taken)
	}
}

// An endpoint that asks to be left alone for a day is not waited for: the run ends and
// says when to try again.
func TestAModelThatIsRateLimitedForADay(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	var asked atomic.Int32
	l.model.Follow(func(int, modeltest.Asked) modeltest.Reply {
		asked.Add(1)
		return modeltest.Reply{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"86400"}},
			Body: `{"error":{"message":"slow down"}}`}
	})
	_, stderr, code := startChild(t, l.home, "research", larchTask).end(t)
	// doctor's question, before the run is taken up, and the run's own
	if code != citewell.ExitFailed || asked.Load() != 2 ||
		!regexp.MustCompile(
			`rate_limited: the model failed: the model's endpoint is rate limited; it may be asked again at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, 24h0m0s from now`).MatchString(stderr) {
		t.Errorf("exit code %d after %d requests, stderr %q", code, asked.Load(), stderr)
	}
}
