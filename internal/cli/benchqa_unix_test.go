//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// A bench is interrupted while the model is asked, then killed, then goes on with the same
// file: no run is begun again, and beyond what was in flight no call is made twice.
func TestABenchIsKilledAndGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	l := newLab(t, researcher{})
	var mu sync.Mutex
	var reached chan struct{}
	var dies *child
	kills := false
	at, heard, graded := 0, 0, 0
	l.model.Script = func(n int, a modeltest.Asked) modeltest.Reply {
		mu.Lock()
		defer mu.Unlock()
		if triesOut(a) {
			return quizzed(n, a)
		}
		if strings.HasPrefix(conversation(a), "You grade an answer") {
			graded++
		}
		if heard++; heard == at {
			if kills {
				dies.Process.Kill()
			}
			close(reached)
			return modeltest.Reply{Hangs: true}
		}
		return quizzed(n, a)
	}
	write(t, filepath.Join(l.home, "set.csv"), "problem,answer\nWhen was Larch 2.0 released?,9 March 2022\nWhen was "+
		"Larch 1.0 released?,6 November 2018\n")
	bench := []string{"bench", "qa", "--json", "--parallel", "1", "--out", "answers.jsonl", "set.csv"}
	// The first process comes to an end in the first run, the second in the second.
	for i, call := range []int{4, 14} {
		mu.Lock()
		reached, at, heard, kills = make(chan struct{}), call, 0, i > 0
		c := startChild(t, l.home, bench...)
		dies = c
		mu.Unlock()
		select {
		case <-reached:
		case <-time.After(patience):
			t.Fatalf("it did not come to its request %d", call)
		}
		if kills {
			if err := c.Wait(); err == nil {
				t.Fatal("it had ended by itself")
			}
		} else if stdout, stderr, code := c.interrupt(t); code != citewell.ExitFailed ||
			!strings.Contains(stdout, `"hint": "the same command continues answers.jsonl"`) {
			t.Errorf("interrupted: exit code %d, %s%s", code, stdout, stderr)
		}
	}
	mu.Lock()
	at = 0
	mu.Unlock()
	c := startChild(t, l.home, bench...)
	stdout, stderr, code := c.end(t)
	var report struct {
		Tables []struct {
			Rows []struct{ Figures map[string]float64 }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &report); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if f := report.Tables[0].Rows[0].Figures; f["correct"] != 1 || f["incorrect"] != 1 || f["failed"] != 0 ||
		f["ungraded"] != 0 {
		t.Errorf("%v", f)
	}
	_, runs := l.runs(t)
	if list, _, err := runs.List(t.Context(), runstore.RunQuery{}); err != nil || len(list) != 2 {
		t.Errorf("%d runs for two questions, %v", len(list), err)
	}
	asked := map[string]int{} // by what was asked last, without what chance put into it
	for _, a := range l.model.Asked() {
		if !triesOut(a) {
			asked[stageOf(a)+" "+firstTask(a)]++
		}
	}
	again := 0
	for _, n := range asked {
		again += n
	}
	undisturbed := 2 * requestsOfOne(t)
	if again != undisturbed+2 || graded != 2 {
		t.Errorf("%d requests, %d of them to grade; undisturbed there are %d, and 2 were in flight: %v", again, graded,
			undisturbed, asked)
	}
	if raw, err := os.ReadFile(filepath.Join(l.home, "answers.jsonl")); err != nil ||
		strings.Count(string(raw), "\n") != 3 {
		t.Errorf("%s, %v", raw, err)
	}
}

func firstTask(a modeltest.Asked) string {
	words := conversation(a)
	if strings.Contains(words, "Larch 1.0 released") {
		return "of Larch 1.0"
	}
	return "of Larch 2.0"
}

// requestsOfOne is how many requests one question takes that nothing disturbs.
func requestsOfOne(t *testing.T) int {
	t.Helper()
	l := newLab(t, researcher{})
	l.model.Script = quizzed
	write(t, filepath.Join(l.home, "set.csv"), "problem,answer\nWhen was Larch 2.0 released?,9 March 2022\n")
	c := startChild(t, l.home, "bench", "qa", "set.csv")
	if stdout, stderr, code := c.end(t); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	return len(slices.DeleteFunc(l.model.Asked(), triesOut))
}

// triesOut says whether the model is tried out with a request, beside the run: a matter of
// the store, which asks once, and not of the question.
func triesOut(a modeltest.Asked) bool {
	messages, _ := a.Body["messages"].([]any)
	return len(messages) == 1 && !strings.HasPrefix(conversation(a), "You grade an answer")
}
