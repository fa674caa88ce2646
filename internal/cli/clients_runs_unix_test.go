//go:build unix

package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/testing/mcptest"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// research is a step that calls one of the tools of runs.
func research(tool string, arguments map[string]any) mcptest.Step {
	return mcptest.Step{Do: "call", Name: "research_" + tool, Arguments: arguments, Progress: true}
}

// of reads a field of a step's data.
func of(t *testing.T, d mcptest.Done, field string) string {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal(d.Structured, &data); err != nil {
		t.Fatalf("%+v: %v", d, err)
	}
	value, _ := data[field].(string)
	return value
}

// left begins a run by citewell call, which leaves it to others, and returns its id.
func (l *lab) left(t *testing.T, task, key string) string {
	t.Helper()
	stdout, stderr, code := here(t, l.home, "call", "--config", l.home+"/citewell.yaml", "--toolset", "runs",
		"research_start", `{"task": "`+task+`", "idempotency_key": "`+key+`"}`)
	var begun struct{ ID, State, Next string }
	if err := json.Unmarshal([]byte(stdout), &begun); err != nil || code != 0 || begun.State != "inited" ||
		!strings.Contains(begun.Next, "no process executes it now") {
		t.Fatalf("exit code %d, %s%s, %v", code, stdout, stderr, err)
	}
	return begun.ID
}

// TestClientsResearch has the clients of others do research: over standard input and
// output, where citewell mcp executes the runs, and over HTTP, where citewell serve does.
// The question is answered at the client, or by research_answer where nobody can be
// asked there or would not say.
func TestClientsResearch(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	stdio, served := newLab(t, researcher{mode: "asks"}), newLab(t, researcher{mode: "asks"})
	ids := map[string]string{} // before anybody executes runs
	for _, client := range mcptest.Clients {
		for _, how := range []string{"asked", "declined", "nobody"} {
			key := client + " " + how
			ids["stdio "+key], ids["http "+key] = stdio.left(t, larchTask, "stdio "+key),
				served.left(t, larchTask, "http "+key)
		}
	}
	address := serveAll(t, served.home)
	for _, client := range mcptest.Clients {
		for way, plan := range map[string]mcptest.Plan{"stdio": byStdio(t, stdio.home, "--toolset", "runs"),
			"http": {URL: address + "/mcp"}} {
			plan.Client = client
			t.Run(client+"_"+way+"_asked", func(t *testing.T) {
				key := way + " " + client + " asked"
				id := map[string]any{"id": ids[key]}
				wait := research("status", map[string]any{"id": ids[key], "wait_seconds": 50})
				plan.Elicit = map[string]any{"action": "accept", "content": map[string]any{"answer": "the file format"}}
				plan.Steps = []mcptest.Step{
					research("start", map[string]any{"task": larchTask, "idempotency_key": key}),
					research("start", map[string]any{"task": "another", "idempotency_key": key}),
					wait, wait, research("result", id),
					{Do: "resources"}, {Do: "resource", URI: "citewell://runs/" + ids[key] + "/report"},
					{Do: "templates"}, {Do: "resource", URI: "citewell://runs/" + ids[key] + "x/report"},
					research("answer", map[string]any{"id": ids[key], "answer": "too late"}),
					research("cancel", id)}
				o, stderr := tools.Run(t, plan)
				if o.Failed != "" {
					t.Fatalf("%s\n%s", o.Failed, stderr)
				}
				if got := of(t, o.Steps[0], "id"); got != ids[key] {
					t.Errorf("the same key gives %s, not %s", got, ids[key])
				}
				if !o.Steps[1].IsError || !strings.Contains(o.Steps[1].Text,
					"idempotency_key already belongs to another task or budget") {
					t.Errorf("another task by the same key: %+v", o.Steps[1])
				}
				if len(o.Asked) != 1 || o.Asked[0] != "The tree[31m or the file format?" {
					t.Errorf("it was asked %q", o.Asked)
				}
				status, result := o.Steps[3], o.Steps[4]
				if of(t, status, "state") != "completed" || of(t, status, "outcome") != "answered" ||
					!strings.Contains(status.Text, "Next: call research_result") {
					t.Errorf("status %+v\n%s", status, stderr)
				}
				if p := o.Steps[2].Progress; len(p) == 0 || !slices.IsSorted(p) ||
					len(slices.Compact(slices.Clone(p))) != len(p) {
					t.Errorf("progress %v", p)
				}
				if !strings.Contains(result.Text, "Larch 2.0 was released on 9 March 2022") ||
					of(t, result, "outcome") != "answered" || !slices.Contains(result.Links,
					"citewell://runs/"+ids[key]+"/report") {
					t.Errorf("result %+v", result)
				}
				if !slices.Contains(o.Steps[5].Names, "citewell://runs/"+ids[key]+"/report") ||
					o.Steps[6].Text != result.Text {
					t.Errorf("resources %v, the report %+v", o.Steps[5].Names, o.Steps[6])
				}
				if !slices.Contains(o.Steps[7].Names, "citewell://runs/{id}/report") || o.Steps[8].Failed == "" {
					t.Errorf("templates %v, the report of no run %+v", o.Steps[7].Names, o.Steps[8])
				}
				if !o.Steps[9].IsError || !strings.Contains(o.Steps[9].Text, "run_finished") ||
					of(t, o.Steps[10], "state") != "completed" {
					t.Errorf("answered after the end %+v, cancelled after it %+v", o.Steps[9], o.Steps[10])
				}
			})
			for how, elicit := range map[string]map[string]any{"declined": {"action": "decline"}, "nobody": nil} {
				if (how == "nobody") != (client == "typescript-1" || client == "python") { // each protocol once
					continue
				}
				t.Run(client+"_"+way+"_"+how, func(t *testing.T) {
					id := ids[way+" "+client+" "+how]
					wait := research("status", map[string]any{"id": id, "wait_seconds": 50})
					plan.Elicit = elicit
					plan.Steps = []mcptest.Step{wait, wait,
						research("result", map[string]any{"id": id}),
						research("answer", map[string]any{"id": id, "answer": "the file format"}),
						wait, research("result", map[string]any{"id": id, "max_length": 100})}
					o, stderr := tools.Run(t, plan)
					if o.Failed != "" {
						t.Fatalf("%s\n%s", o.Failed, stderr)
					}
					for _, s := range o.Steps[:2] {
						if of(t, s, "state") != "waiting_for_clarification" || !strings.Contains(s.Text,
							"The tree[31m or the file format?") || !strings.Contains(s.Text, "research_answer") {
							t.Errorf("%+v", s)
						}
					}
					if want := map[string]int{"declined": 1}[how]; len(o.Asked) != want {
						t.Errorf("somebody was asked %q", o.Asked)
					}
					if !o.Steps[2].IsError || !strings.Contains(o.Steps[2].Text, "research_status") {
						t.Errorf("the result of a run that waits: %+v", o.Steps[2])
					}
					if of(t, o.Steps[4], "state") != "completed" || !strings.Contains(o.Steps[5].Text,
						"start_index 100 for more") {
						t.Errorf("%+v\n%+v\n%s", o.Steps[4], o.Steps[5], stderr)
					}
				})
			}
		}
	}
}

// A run outlives the server that executes it, killed in the middle: the next takes it
// over when the lease has run out, and buys nothing twice but what was in flight. A run
// that is cancelled ends in the middle.
func TestClientsRunSurvives(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	l := newLab(t, researcher{})
	reached := make(chan struct{})
	var mu sync.Mutex
	asked := 0 // for the run that survives; it is at its fourth question when the server dies
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if strings.Contains(conversation(a), "Be brief.") {
			return modeltest.Reply{Hangs: true}
		}
		if triesOut(a) {
			return researcher{}.reply(n, a)
		}
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 4 {
			close(reached)
			return modeltest.Reply{Hangs: true}
		}
		return researcher{}.reply(n, a)
	})
	id, ended := l.left(t, larchTask, "survives"), l.left(t, larchTask+" Be brief.", "ends")
	first := startChild(t, l.home, "serve", "--listen", "127.0.0.1:0")
	_, rest, _ := strings.Cut(waitFor(t, first.stderr, "listening on "), "listening on ")
	await(t, "the fourth call", reached)
	plan := mcptest.Plan{Client: "typescript-2", URL: strings.Fields(rest)[0] + "/mcp/runs"}
	plan.Steps = []mcptest.Step{research("status", map[string]any{"id": id, "wait_seconds": 1}),
		research("cancel", map[string]any{"id": ended}),
		research("status", map[string]any{"id": ended, "wait_seconds": 50})}
	o, stderr := tools.Run(t, plan)
	if o.Failed != "" || of(t, o.Steps[0], "state") != "researching" || of(t, o.Steps[2], "state") != "cancelled" {
		t.Fatalf("%s %+v\n%s", o.Failed, o.Steps, stderr)
	}
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	first.end(t)

	wait := research("status", map[string]any{"id": id, "wait_seconds": 50})
	plan = byStdio(t, l.home, "--toolset", "runs") // now it is citewell mcp that executes runs
	plan.Client = "python"
	plan.Steps = []mcptest.Step{wait, wait, research("result", map[string]any{"id": id}),
		research("result", map[string]any{"id": ended})}
	o, stderr = tools.Run(t, plan)
	if o.Failed != "" || of(t, o.Steps[1], "state") != "completed" ||
		!strings.Contains(o.Steps[2].Text, "9 March 2022") {
		t.Fatalf("%s %+v\n%s", o.Failed, o.Steps, stderr)
	}
	if !strings.Contains(o.Steps[0].Text+o.Steps[1].Text, "taken over") {
		t.Errorf("it does not say that the run was taken over: %+v", o.Steps[:2])
	}
	if of(t, o.Steps[3], "outcome") != "cancelled" || !strings.Contains(o.Steps[3].Text, "cancelled") {
		t.Errorf("the result of the run that was cancelled: %+v", o.Steps[3])
	}
	// What was answered is not asked again: one question more than a run needs alone.
	lone := newLab(t, researcher{})
	loneID := lone.left(t, larchTask, "alone")
	plan = byStdio(t, lone.home)
	plan.Client, plan.Steps = "python", []mcptest.Step{research("status",
		map[string]any{"id": loneID, "wait_seconds": 50})}
	if o, stderr := tools.Run(t, plan); o.Failed != "" || of(t, o.Steps[0], "state") != "completed" {
		t.Fatalf("%+v\n%s", o, stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	if needed := len(slices.DeleteFunc(lone.model.Asked(), triesOut)); asked != needed+1 {
		t.Errorf("the model was asked %d times, one of them when the server was killed; the whole run needs %d",
			asked, needed)
	}
}

// TestClientsOwnAgent has the clients of others use the agent's tools for an agent of
// their own: what one has searched is what its report is checked against, and another's
// is not.
func TestClientsOwnAgent(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	l := newLab(t, researcher{})
	tokens := map[string]string{}
	for _, name := range []string{"one", "another"} {
		token, stderr, code := here(t, l.home, "token", "create", name)
		if code != 0 {
			t.Fatal(stderr)
		}
		tokens[name] = strings.TrimSpace(token)
	}
	address := serveAll(t, l.home)
	write := mcptest.Step{Do: "call", Name: "create_report_tool",
		Arguments: map[string]any{"reasoning": "enough", "title": "Larch", "user_request_language_reference": larchTask,
			"content": "Larch 2.0 was released on 9 March 2022 [2].", "confidence": "high"}}
	search := mcptest.Step{Do: "call", Name: "web_search_tool",
		Arguments: map[string]any{"reasoning": "to find it", "query": "Larch file format"}}
	for _, client := range mcptest.Clients {
		for way, plan := range map[string]mcptest.Plan{"stdio": byStdio(t, l.home, "--toolset", "sgr"),
			"http": {URL: address + "/mcp/sgr", Token: tokens["one"]}} {
			t.Run(client+"_"+way, func(t *testing.T) {
				plan.Client, plan.Steps = client, []mcptest.Step{{Do: "tools"}, search, write}
				o, stderr := tools.Run(t, plan)
				if o.Failed != "" || len(o.Steps[0].Names) != 8 {
					t.Fatalf("%s %+v\n%s", o.Failed, o.Steps, stderr)
				}
				if report := o.Steps[2]; report.IsError || !strings.Contains(report.Text, `"unverified":[]`) ||
					!strings.Contains(report.Text, `"sources_count":1`) {
					t.Errorf("search %+v\nreport %+v", o.Steps[1], report)
				}
				if way == "http" {
					for name, token := range tokens { // a key is its caller's own
						other := mcptest.Plan{Client: client, URL: address + "/mcp/runs", Token: token,
							Steps: []mcptest.Step{
								research("start", map[string]any{"task": larchTask, "idempotency_key": client}),
								research("start", map[string]any{"task": larchTask, "idempotency_key": client})}}
						o, stderr := tools.Run(t, other)
						if o.Failed != "" || of(t, o.Steps[0], "id") != of(t, o.Steps[1], "id") {
							t.Fatalf("%+v\n%s", o, stderr)
						}
						if id := of(t, o.Steps[0], "id"); id != job.IDOf("sgr_tool_calling_agent", name, client) {
							t.Errorf("the key of %s stands for %s", name, id)
						}
					}
					plan.Token, plan.Steps = tokens["another"], []mcptest.Step{write}
					if o, _ := tools.Run(t, plan); !strings.Contains(o.Steps[0].Text, "nothing was verified") {
						t.Errorf("another's sources are taken: %+v", o.Steps[0])
					}
				}
			})
		}
	}
}
