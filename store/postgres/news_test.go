package postgres

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/runstore"
)

// Who follows a run in another process sees what is written, by being told and, where nobody
// can tell it, by looking.
func TestNewsOfAnotherProcess(t *testing.T) {
	for name, deaf := range map[string]bool{"told": false, "looking": true} {
		t.Run(name, func(t *testing.T) {
			writer, reader := openTest(t), openTest(t)
			if deaf {
				nowhere := reader.news.direct.Copy()
				nowhere.Host, nowhere.Fallbacks = t.TempDir(), nil
				reader.news.direct = nowhere
			}
			s := writer.Tenant(tenantOf(t, "a"))
			run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
			if err != nil {
				t.Fatal(err)
			}
			lease, err := s.AcquireRun(t.Context(), run.ID, "w", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			seen := int64(0)
			for e, err := range reader.Tenant(tenantOf(t, "a")).FollowEvents(t.Context(), run.ID, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if seen++; e.Seq != seen {
					t.Errorf("event %d comes as number %d", e.Seq, seen)
				}
				if seen == 2 { // all there is: the reader waits for what comes now
					err = s.ChangeState(t.Context(), lease, runstore.RunChange{
						State: runstore.RunFailed, Outcome: runstore.RunModelFailed}, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if seen != 3 {
				t.Errorf("%d events were seen, want 3", seen)
			}
		})
	}
}

// A run that may want an executor is told of to other processes.
func TestNewsOfWork(t *testing.T) {
	writer, worker := openTest(t), openTest(t)
	heard := make(chan struct{}, 100)
	worker.OnWork(func() { heard <- struct{}{} })
	<-heard // that it listens: whatever was told before is missed
	if _, err := writer.Tenant(tenantOf(t, "a")).CreateRun(t.Context(),
		runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)}); err != nil {
		t.Fatal(err)
	}
	<-heard
}

func TestNewsFit(t *testing.T) {
	many := make(map[int64]bool)
	for run := range int64(10_000) {
		many[run] = true
	}
	for _, test := range []struct {
		runs map[int64]bool
		work bool
		want string
	}{{nil, false, ""}, {nil, true, "w"}, {map[int64]bool{12: true, 7: true}, true, "w 7 12"}, {many, false, "*"}} {
		if got := newsOf(test.runs, test.work); got != test.want {
			t.Errorf("%d runs: %.40q, want %q", len(test.runs), got, test.want)
		}
	}
	if n := len(fmt.Sprint(many)); n < 8000 {
		t.Errorf("the many are only %d bytes", n)
	}
}
