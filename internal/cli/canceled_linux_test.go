package cli

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// seeded is a source of random numbers whose seed a failing test tells.
func seeded(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// A run is interrupted at random moments and goes on each time, in the same process. What
// it had when it was let go is not bought again, source numbers stay, and the log has each entry once.
func TestARunIsCanceledAtRandom(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	o := &observer{}
	l.watch(o)
	a, runs := l.runs(t)
	random := seeded(t)
	numbers := map[string]int{}
	var onDisk []map[string]int
	id, processes := "", 0
	for answered := false; !answered; processes++ {
		args := []string{"--config", filepath.Join(l.home, "citewell.yaml"), "runs", "resume", id}
		if id == "" {
			args = append(args[:2], "research", larchTask)
		}
		ctx, cancel := lifeOf(t)
		if call := 1 + random.IntN(5); processes < 12 {
			o.aim(cancel, call, time.Duration(random.IntN(3)*random.IntN(10))*time.Millisecond)
		} else {
			o.aim(nil, 0, 0)
		}
		var stdout, stderr bytes.Buffer
		e := &env{environ: homeEnviron(l.home), stdin: strings.NewReader(""), stdout: &output{w: &stdout},
			stderr: &console{w: &stderr}}
		code := e.run(ctx, args)
		switch answered = code == citewell.ExitOK; {
		case answered && !strings.Contains(stdout.String(), "Larch 2.0 was released on 9 March 2022 [2]."):
			t.Fatalf("the answer is %s", stdout.String())
		case !answered && (!errors.Is(ctx.Err(), context.Canceled) || code != citewell.ExitFailed || stdout.Len() > 0 ||
			!strings.Contains(stderr.String(), "was let go and is not lost")):
			t.Fatalf("process %d: exit code %d, stdout %q, stderr %q", processes+1, code, stdout.String(),
				stderr.String())
		}
		cancel()
		if id == "" {
			list, _, err := runs.List(t.Context(), runstore.RunQuery{})
			if err != nil || len(list) != 1 {
				t.Fatalf("%d runs, %v", len(list), err)
			}
			id = list[0].ID
		}
		onDisk = append(onDisk, l.finishedCalls(t, a, id, o))
		checkNumbers(t, runs, id, numbers)
	}
	if processes < 3 {
		t.Errorf("it was interrupted %d times", processes-1)
	}
	o.checkBought(t, onDisk)
	checkLog(t, runs, id, processes)
}

// Calls of every tool are given up at random moments: each ends as given up, or with what it
// had by then, nothing stays behind, and the tools work as before.
func TestCallsAreCanceledAtRandom(t *testing.T) {
	s := newSoak(t)
	for round := range 6 {
		s.round(t, round)
	}
	before := s.hold(t)
	random := seeded(t)
	given := 0
	for range 12 {
		for i := range s.kits {
			for _, tool := range s.kits[i].tools {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Duration(random.IntN(12)*random.IntN(1000))*time.Microsecond, cancel)
				r, err := s.kits[i].try(ctx, tool.Name)
				cancel()
				switch {
				case errors.Is(err, context.Canceled):
					given++
				case err != nil:
					t.Errorf("%s: %v", tool.Name, err)
				case r.IsError && strings.Contains(asText(t, r), string(citewell.CodeInternal)):
					t.Errorf("%s: %s", tool.Name, asText(t, r))
				}
			}
		}
	}
	t.Logf("%d calls were given up", given)
	if given < 50 {
		t.Error("hardly any call was given up")
	}
	for i := range s.kits {
		if s.kits[i].name == "agent" { // ends the work whose sources have other numbers, since searches were given up
			s.kits[i].call(t, "final_answer_tool",
				`{"reasoning": "nothing", "completed_steps": ["searched"], "answer": "The sources do not say it.", "status": "failed"}`)
		}
	}
	s.round(t, 100)
	s.settles(t, before)
}
