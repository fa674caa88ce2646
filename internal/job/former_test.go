package job_test

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
)

// What a run that goes on from another takes over: the conversation, the agent and its
// parts. What has not ended, or is not there, is gone on from by nobody.
func TestGoingOn(t *testing.T) {
	db := open(t, t.TempDir())
	o := newOffice(t, db, &model{script: func(context.Context, int) (agent.Reply, error) { return answers() }})
	first := o.begin(t)
	if _, err := o.Start(t.Context(), job.Start{Task: "x", From: first}); citewell.CodeOf(
		err) != citewell.CodeRunNotReady {
		t.Errorf("from a run that has not ended: %v", err)
	}
	if _, err := o.x.Execute(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	desk := job.NewDesk(db, []job.Definition{{Name: "new"},
		{Name: "desk", Model: "another", Parts: []byte(`{"changed":true}`), Budget: job.Budget{Tokens: 1000}},
		{Name: "brief"}}, nil)
	run, err := desk.Start(t.Context(), job.Start{ID: "desk_00000000-0000-4000-8000-000000000001", Task: "and then?",
		From: first})
	if err != nil {
		t.Fatal(err)
	}
	request := string(run.Request)
	if run.Agent != "desk" || strings.Contains(request, "changed") ||
		!strings.Contains(request, `"from":"`+first+`"`) || !strings.Contains(string(run.Budget), "1000") ||
		!strings.Contains(request,
			`[{"role":"user","content":"which lake is deepest?"},{"role":"assistant","content":"Nothing was to be found.`) {
		t.Errorf("it is begun with %s, %s", request, run.Budget)
	}
	if again, err := desk.Start(t.Context(), job.Start{ID: run.ID, Task: "and then?", From: first}); err != nil ||
		again.ID != run.ID {
		t.Errorf("asked for again: %v", err)
	}
	if _, err := desk.Start(t.Context(), job.Start{ID: run.ID, Agent: "desk", Task: "and then?"}); citewell.CodeOf(
		err) != citewell.CodeRunExists {
		t.Errorf("the same id without the run before: %v", err)
	}
	if other, err := desk.Start(t.Context(), job.Start{Agent: "new", Task: "x", From: first,
		History: []agent.Message{}}); err != nil || other.Agent != "new" ||
		strings.Contains(string(other.Request), "deepest") {
		t.Errorf("with an agent and a history of its own: %s, %v", other.Request, err)
	}
	alone, err := desk.Start(t.Context(), job.Start{Agent: "brief", Task: "x", From: first})
	if err != nil || alone.Agent != "brief" {
		t.Fatalf("with one that reads no conversation: %s, %v", alone.Agent, err)
	}
	if _, err := desk.Cancel(t.Context(), alone.ID); err != nil {
		t.Fatal(err)
	}
	if after, err := desk.Start(t.Context(), job.Start{Task: "x", From: alone.ID}); err != nil || after.Agent != "new" {
		t.Errorf("another goes on from that one's run: %s, %v", after.Agent, err)
	}
	for _, test := range []struct{ name, from, want string }{
		{"", "", "new"}, {"", first, "desk"}, {"", alone.ID, "new"}, {"brief", first, "brief"}} {
		if got, err := desk.AgentFor(t.Context(), test.name, test.from); err != nil || got != test.want {
			t.Errorf("the agent for %q from %q is %q, want %q: %v", test.name, test.from, got, test.want, err)
		}
	}
	if _, err := desk.AgentFor(t.Context(), "new", "desk_00000000-0000-4000-8000-000000000009"); citewell.CodeOf(
		err) != citewell.CodeNotFound {
		t.Errorf("the agent for a run that goes on from none: %v", err)
	}
	if err := o.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Start(t.Context(), job.Start{Task: "x", From: first}); citewell.CodeOf(
		err) != citewell.CodeNotFound {
		t.Errorf("from a run that is gone: %v", err)
	}
	// It was deleted before its successor began: that says so, and does not hang.
	if ended, err := o.x.Execute(t.Context(), run.ID); err != nil ||
		!strings.Contains(ended.Detail, "was deleted before it began") {
		t.Errorf("%+v, %v", ended, err)
	}
}
