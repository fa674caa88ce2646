package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store/internal/codec"
)

// A child in mode "runs" makes runs and executes them, in mode "work" it executes
// those that are there, several at once. What a run does follows from its number, so
// that any executor can go on with it, and each line that the child prints says what
// was acknowledged: "ack RUN N KIND", or that a call is being paid: "buy RUN STEP".
const (
	childTTL   = "CITEWELL_STORE_TTL"   // of leases
	childWaits = "CITEWELL_STORE_WAITS" // the line after which it does nothing until its input ends
)

const runSteps = 5

func init() {
	childModes["runs"] = func(dir string) int { return childRuns(dir, true) }
	childModes["work"] = func(dir string) int { return childRuns(dir, false) }
}

func childRuns(dir string, create bool) int {
	ctx := context.Background()
	db, err := Open(ctx, dir, Options{LockWait: 30 * time.Second})
	if err != nil {
		fmt.Println("open", citewell.CodeOf(err), err)
		return 1
	}
	e := runExecutor{Store: db.Tenant("t"), say: func(line string) {
		os.Stdout.WriteString(line + "\n")
		if line == os.Getenv(childWaits) {
			io.Copy(io.Discard, os.Stdin)
		}
	}}
	var group sync.WaitGroup
	for worker := range strings.SplitSeq(os.Getenv(childWorkers), ",") {
		group.Go(func() {
			if n, _ := strconv.Atoi(worker); create {
				e.create(ctx, n)
			}
			for {
				lease, ok, err := e.AcquireNext(ctx, "child", childLease())
				if err != nil || !ok {
					return
				}
				n := runNumber(lease.Run)
				e.ack(n, int(lease.Token), "leased")
				if err := e.execute(ctx, lease); err != nil {
					e.say(fmt.Sprintf("err %d %s", n, citewell.CodeOf(err)))
					return
				}
			}
		})
	}
	group.Wait()
	if err := db.Close(); err != nil {
		fmt.Println("close", err)
		return 1
	}
	return 0
}

func childLease() time.Duration {
	ttl, err := time.ParseDuration(os.Getenv(childTTL))
	if err != nil {
		return runstore.MaxLeaseTTL
	}
	return ttl
}

func numberedRun(n int) string { return fmt.Sprintf("sgr_agent_00000000-0000-4000-8000-%012d", n) }

func runNumber(id string) int {
	n, _ := strconv.Atoi(id[len(id)-12:])
	return n
}

type runExecutor struct {
	*Store
	say func(line string)
}

func (e runExecutor) ack(run, n int, kind string) { e.say(fmt.Sprintf("ack %d %d %s", run, n, kind)) }

func (e runExecutor) create(ctx context.Context, n int) error {
	_, err := e.CreateRun(ctx, runstore.NewRun{ID: numberedRun(n), Agent: "sgr_agent",
		Request: json.RawMessage(strconv.Itoa(n))})
	if err == nil {
		e.ack(n, 0, "created")
	}
	return err
}

func runCall(run, step int) runstore.Call {
	return runstore.Call{Step: step, Kind: runstore.CallModel, Name: "m",
		Input: json.RawMessage(fmt.Sprintf("[%d,%d]", run, step))}
}

// runResult is too large for a row in one step, and an error in another.
func runResult(run, step int) runstore.CallResult {
	switch step {
	case 1:
		return runstore.CallResult{Data: json.RawMessage(fmt.Sprintf(`"%x"`, noise(1000*run+step, 2*codec.InlineBody)))}
	case 3:
		return runstore.CallResult{Err: &citewell.ErrorView{Code: citewell.CodeTimeout}}
	}
	return runstore.CallResult{Data: json.RawMessage(fmt.Sprint(1000*run + step))}
}

// execute brings a run to its end from wherever it is.
func (e runExecutor) execute(ctx context.Context, lease runstore.Lease) error {
	n := runNumber(lease.Run)
	if err := e.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching}, nil); err != nil {
		return err
	}
	e.ack(n, 0, "state")
	log, err := e.Events(ctx, lease.Run, 0, 0)
	if err != nil {
		return err
	}
	done := make(map[string]bool)
	for _, event := range log {
		done[event.Type+string(event.Data)] = true
	}
	var next runstore.CallRecord // begun with the end of the call before it
	for step := range runSteps {
		call, result, record := runCall(n, step), runResult(n, step), next
		if next = (runstore.CallRecord{}); record.Key == "" {
			if record, err = storesuite.BeginCall(ctx, e, lease, call); err != nil {
				return err
			}
		}
		if record.State == runstore.CallInFlight {
			e.say(fmt.Sprintf("buy %d %d", n, step))
			if n%2 == 1 && step+1 < runSteps {
				records, err := e.WriteCalls(ctx, lease, []runstore.CallEntry{
					{Call: call, Result: &result}, {Call: runCall(n, step+1)}})
				if err != nil {
					return err
				}
				next = records[1]
			} else if err := storesuite.FinishCall(ctx, e, lease, call, result); err != nil {
				return err
			}
			e.ack(n, step, "call")
		}
		if data := strconv.Itoa(step); !done["step"+data] {
			if _, err := e.AppendEvents(ctx, lease, []runstore.RunEvent{
				{Type: "step", Data: json.RawMessage(data)}}); err != nil {
				return err
			}
			e.ack(n, step, "event")
		}
		if err := e.SendMessage(ctx, lease.Run, runstore.RunMessage{
			ID: fmt.Sprint("m", step), Kind: "note"}); err != nil {
			return err
		}
		e.ack(n, step, "message")
	}
	if _, err := e.TakeMessages(ctx, lease); err != nil {
		return err
	}
	e.ack(n, 0, "taken")
	if err := e.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunCompleted, Outcome: runstore.RunAnswered},
		nil); err != nil {
		return err
	}
	e.ack(n, 0, "ended")
	return nil
}

// runFacts are what a run holds, counted.
type runFacts struct {
	runstore.Run
	steps, messages, delivered map[string]int
	problems                   []string
}

// readFacts reads a run in every way there is, and notes what does not fit together.
func readFacts(ctx context.Context, s *Store, id string) (f runFacts, err error) {
	f = runFacts{steps: map[string]int{}, messages: map[string]int{}, delivered: map[string]int{}}
	if f.Run, err = s.Run(ctx, id); err != nil {
		return f, err
	}
	log, err := s.Events(ctx, id, 0, runstore.MaxEventPage)
	if err != nil {
		return f, err
	}
	if f.Seq != int64(len(log)) {
		f.problems = append(f.problems, fmt.Sprintf("the newest event is %d and there are %d", f.Seq, len(log)))
	}
	for i, event := range log {
		if event.Seq != int64(i+1) {
			f.problems = append(f.problems, fmt.Sprintf("event %d has number %d", i+1, event.Seq))
		}
		var message runstore.RunMessage
		var delivered runstore.RunDelivered
		switch event.Type {
		case "step":
			f.steps[string(event.Data)]++
		case runstore.EventMessage:
			err = json.Unmarshal(event.Data, &message)
			f.messages[message.ID]++
		case runstore.EventDelivered:
			err = json.Unmarshal(event.Data, &delivered)
			for _, message := range delivered.Messages {
				f.delivered[message.ID]++
			}
		}
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// lost says whether what was acknowledged is missing.
func (f runFacts) lost(ctx context.Context, s *Store, a ack) bool {
	step := strconv.Itoa(a.n)
	switch a.kind {
	case "created":
		return false
	case "leased":
		return f.Token < int64(a.n)
	case "state":
		return f.State == runstore.RunInited
	case "call":
		call, err := s.LookupCall(ctx, f.ID, runCall(a.worker, a.n).Key())
		want := runResult(a.worker, a.n)
		if want.Err != nil {
			return err != nil || call.State != runstore.CallFailed || call.Err == nil || *call.Err != *want.Err
		}
		return err != nil || call.State != runstore.CallDone || string(call.Result) != string(want.Data)
	case "event":
		return f.steps[step] != 1
	case "message":
		return f.messages["m"+step] != 1
	case "taken":
		return f.delivered["m0"] != 1
	case "ended":
		return f.State != runstore.RunCompleted || f.Outcome != runstore.RunAnswered
	}
	return true
}

// checkRunAcks looks for what was acknowledged.
func checkRunAcks(t *testing.T, s *Store, acks []ack) {
	t.Helper()
	ctx := context.Background()
	facts := make(map[int]runFacts)
	for _, a := range acks {
		f, read := facts[a.worker]
		if !read {
			var err error
			if f, err = readFacts(ctx, s, numberedRun(a.worker)); err != nil {
				t.Errorf("run %d cannot be read: %v", a.worker, err)
			}
			if len(f.problems) > 0 {
				t.Errorf("run %d: %q", a.worker, f.problems)
			}
			facts[a.worker] = f
		}
		if f.lost(ctx, s, a) {
			t.Errorf("%v was acknowledged and is lost", a)
		}
	}
}

// checkGoOn takes up every run of the store that has not ended, whose executors are
// dead, and brings it to its end: nothing that was acknowledged is bought again, and
// in the end everything is there once.
func checkGoOn(t *testing.T, s *Store, acks []ack) {
	t.Helper()
	ctx := context.Background()
	bought := make(map[string]bool)
	e := runExecutor{Store: s, say: func(line string) {
		if buy, ok := strings.CutPrefix(line, "buy "); ok {
			bought[buy] = true
		}
	}}
	for {
		lease, ok, err := s.AcquireNext(ctx, "successor", runstore.MaxLeaseTTL)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		if err := e.execute(ctx, lease); err != nil {
			t.Fatalf("run %s does not go on: %v", lease.Run, err)
		}
	}
	for _, a := range acks {
		if a.kind == "call" && bought[fmt.Sprintf("%d %d", a.worker, a.n)] {
			t.Errorf("call %d of run %d was paid twice", a.n, a.worker)
		}
	}
	runs, _, err := s.ListRuns(ctx, runstore.RunQuery{Limit: runstore.MaxRunPage})
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		var all []ack
		for step := range runSteps {
			for _, kind := range []string{"call", "event", "message"} {
				all = append(all, ack{runNumber(run.ID), step, kind})
			}
		}
		checkRunAcks(t, s, append(all, ack{runNumber(run.ID), 0, "taken"}, ack{runNumber(run.ID), 0, "ended"}))
	}
}
