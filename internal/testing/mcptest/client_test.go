package mcptest

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A client in Python that was forked is as one that was started: it carries out its own plan,
// and one forker forks for one plan after the other.
func TestForkedClients(t *testing.T) {
	if testing.Short() {
		t.Skip("starts clients of others")
	}
	tools := Find(t)
	for _, plan := range []Plan{
		{Client: "python", URL: "http://127.0.0.1:9/mcp", Steps: []Step{}},
		{Client: "python-older", Command: []string{"/nowhere/program"}, Dir: "/", Environ: map[string]string{},
			Steps: []Step{{Do: "tools"}}},
	} {
		forked, _ := tools.Run(t, plan)
		stdout, stderr, err := tools.start(t, plan)
		var started Outcome
		if err != nil || json.Unmarshal(stdout, &started) != nil || started.Failed == "" ||
			!reflect.DeepEqual(forked, started) {
			t.Errorf("%s: forked %+v, started %+v: %v, %s", plan.Client, forked, started, err, stderr)
		}
	}
	if len(idle.forkers) != 1 {
		t.Errorf("%d forkers for one plan after the other", len(idle.forkers))
	}
}
