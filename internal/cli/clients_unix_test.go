//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/testing/mcptest"
)

// demoHome is a home whose configuration points at a demo web of its own.
func demoHome(t *testing.T) (home string, web *demo.Web) {
	t.Helper()
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	home = t.TempDir()
	write(t, filepath.Join(home, "citewell.yaml"), fmt.Sprintf(
		"search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q}\nfetch: {allow_networks: "+
			"[127.0.0.0/8, \"::1/128\"]}\nconfirm: {web_fetch: ask}\nworkdir: %q\n",
		web.SearchURL(), web.DuckDuckGoURL(), workFolder(t, home)))
	return home, web
}

// serveAll starts a server that lasts as long as the test.
func serveAll(t *testing.T, home string) (address string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "citewell", "--log-level", "debug", "serve", "--listen", "127.0.0.1:0")
	command.Dir, command.Env = home, append(command.Environ(), homeEnviron(home)...)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	log := bufio.NewReader(stderr)
	_, rest, _ := strings.Cut(waitFor(t, log, "listening on "), "listening on ")
	drained := make(chan struct{})
	go func() { defer close(drained); io.Copy(io.Discard, log) }()
	t.Cleanup(func() { command.Process.Kill(); <-drained; command.Wait() })
	return strings.Fields(rest)[0]
}

// byStdio is a plan whose client starts citewell itself.
func byStdio(t *testing.T, home string, args ...string) mcptest.Plan {
	t.Helper()
	program, err := exec.LookPath("citewell")
	if err != nil {
		t.Fatal(err)
	}
	environ := map[string]string{}
	for _, e := range homeEnviron(home) {
		name, value, _ := strings.Cut(e, "=")
		environ[name] = value
	}
	return mcptest.Plan{Command: append([]string{program, "--log-level", "debug", "mcp"}, args...), Dir: home,
		Environ: environ}
}

// newest is the protocol that each client comes to.
var newest = map[string]string{"typescript-1": "2025-11-25", "typescript-2": "2026-07-28", "python": "2026-07-28",
	"python-older": "2025-11-25"}

// TestClients has the clients of others do what people do with them, over standard
// input and output and over HTTP with a token. They check structured content against
// the tool's output schema themselves.
func TestClients(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	home, web := demoHome(t)
	token, _, code := here(t, home, "token", "create", "desk")
	if code != 0 {
		t.Fatalf("token create ends with %d", code)
	}
	address := serveAll(t, home)
	overHTTP := mcptest.Plan{URL: address + "/mcp", Token: strings.TrimSpace(token)}
	page := web.HomeURL()
	for _, client := range mcptest.Clients {
		for way, plan := range map[string]mcptest.Plan{"stdio": byStdio(t, home), "http": overHTTP} {
			t.Run(client+"_"+way, func(t *testing.T) {
				plan.Client, plan.Elicit = client, map[string]any{"action": "accept",
					"content": map[string]any{"allow": true}}
				question := "When was Larch 2.0 released? " + client + " " + way // nobody asked it before
				plan.Steps = []mcptest.Step{
					{Do: "tools"},
					{Do: "call", Name: "web_search", Arguments: map[string]any{"query": question, "depth": 2},
						Progress: true},
					{Do: "call", Name: "web_search", Arguments: map[string]any{"query": "larch", "depth": 99}},
					{Do: "call", Name: "web_serach", Arguments: map[string]any{"query": "larch"}},
					{Do: "call", Name: "web_fetch", Arguments: map[string]any{"url": page}},
					{Do: "call", Name: "search_index", Arguments: map[string]any{
						"id": "note-1", "text": "The well at Nether Hale is 41 metres deep."}},
					{Do: "call", Name: "search_query", Arguments: map[string]any{"query": "well"}},
					{Do: "templates"},
					{Do: "resource", URI: "citewell://snapshots/" + strings.Repeat("0", 64)},
					{Do: "prompts"},
					{Do: "prompt", Name: "research", Arguments: map[string]any{"question": "How deep is the well?"}},
					{Do: "prompt", Name: "research"},
				}
				o, stderr := tools.Run(t, plan)
				if o.Failed != "" {
					t.Fatalf("it cannot connect: %s\n%s", o.Failed, stderr)
				}
				if strings.Contains(stderr, "Unknown SSE event") {
					t.Errorf("it does not know an event of the stream: %s", stderr)
				}
				if o.Server != "citewell" || o.Protocol != newest[client] {
					t.Errorf("it speaks %s with %q, want %s", o.Protocol, o.Server, newest[client])
				}
				search, tooDeep, unknown, fetched, indexed, queried := o.Steps[1], o.Steps[2], o.Steps[3], o.Steps[4],
					o.Steps[5], o.Steps[6]
				if names := o.Steps[0].Names; !slices.Contains(names, "web_search") ||
					!slices.Contains(names, "web_fetch") || !slices.IsSorted(names) {
					t.Errorf("it lists %v", names)
				}
				var brief struct{ Sources []struct{ URL string } }
				if err := json.Unmarshal(search.Structured, &brief); search.Failed != "" || search.IsError ||
					err != nil || !strings.Contains(search.Text, "①") {
					t.Errorf("web_search: %+v, %v", search, err)
				}
				if len(search.Progress) == 0 || !slices.IsSorted(search.Progress) ||
					len(slices.Compact(slices.Clone(search.Progress))) != len(search.Progress) {
					t.Errorf("progress %v", search.Progress)
				}
				if !tooDeep.IsError || !strings.Contains(tooDeep.Text, `"invalid_argument"`) ||
					!strings.Contains(tooDeep.Text, "99") {
					t.Errorf("depth 99: %+v", tooDeep)
				}
				if !strings.Contains(unknown.Failed, "did you mean web_search?") {
					t.Errorf("an unknown tool: %+v", unknown)
				}
				if fetched.Failed != "" || fetched.IsError || len(o.Asked) != 1 ||
					!strings.Contains(o.Asked[0], "Allow web_fetch with these arguments?") {
					t.Errorf("web_fetch: %+v, asked %q", fetched, o.Asked)
				}
				if indexed.IsError || indexed.Failed != "" || queried.IsError ||
					!strings.Contains(queried.Text, "41 metres") {
					t.Errorf("search_index: %+v\nsearch_query: %+v", indexed, queried)
				}
				if !slices.Contains(o.Steps[7].Names, "citewell://snapshots/{sha256}") || o.Steps[8].Failed == "" {
					t.Errorf("templates %+v, an absent resource %+v", o.Steps[7], o.Steps[8])
				}
				if !slices.Contains(o.Steps[9].Names, "research") || !strings.Contains(o.Steps[10].Text,
					"How deep is the well?") || !strings.Contains(o.Steps[11].Failed, "question is required") {
					t.Errorf("prompts %+v, %+v, %+v", o.Steps[9], o.Steps[10], o.Steps[11])
				}
				if len(search.Links) == 0 {
					t.Fatal("web_search links to nothing")
				}

				// What a result links to can be read, and without somebody to ask nothing
				// is done that needs asking.
				plan.Elicit, plan.Steps = nil, []mcptest.Step{
					{Do: "call", Name: "web_fetch", Arguments: map[string]any{"url": page}}}
				for _, link := range search.Links {
					plan.Steps = append(plan.Steps, mcptest.Step{Do: "resource", URI: link})
				}
				o, stderr = tools.Run(t, plan)
				if o.Failed != "" || !o.Steps[0].IsError || !strings.Contains(o.Steps[0].Text,
					"confirm.web_fetch: allow") {
					t.Errorf("%s\nnobody to ask: %+v\n%s", o.Failed, o.Steps, stderr)
				}
				for i, read := range o.Steps[1:] {
					if read.Failed != "" || read.Text == "" {
						t.Errorf("%s: %+v", search.Links[i], read)
					}
				}
			})
		}
	}

	t.Run("without_token", func(t *testing.T) {
		for _, client := range mcptest.Clients {
			o, _ := tools.Run(t, mcptest.Plan{Client: client, URL: address + "/mcp", Steps: []mcptest.Step{}})
			if o.Failed == "" {
				t.Errorf("%s connects without a token", client)
			}
		}
	})
}

// Every toolset can be listed, and has what citewell tools says.
func TestClientsListToolsets(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	home, _ := demoHome(t)
	address := serveAll(t, home)
	for _, toolset := range []string{"default", "lite", "web", "knowledge", "llm", "runs", "agent", "sgr", "cogtrix",
		"manifold"} {
		var want struct{ Tools []struct{ Name string } }
		stdout, stderr, code := here(t, home, "--config", filepath.Join(home, "citewell.yaml"), "tools", "--json",
			"--toolset", toolset)
		if code != 0 {
			t.Fatalf("citewell tools --toolset %s: %s", toolset, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &want); err != nil {
			t.Fatalf("%s: %v", stdout, err)
		}
		var names []string
		for _, tool := range want.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		o, _ := tools.Run(t, mcptest.Plan{Client: "typescript-2", URL: address + "/mcp/" + toolset,
			Steps: []mcptest.Step{{Do: "tools"}}})
		if o.Failed != "" {
			t.Errorf("%s: %s", toolset, o.Failed)
			continue
		}
		if !slices.Equal(o.Steps[0].Names, names) {
			t.Errorf("%s: it lists %v, want %v", toolset, o.Steps[0].Names, names)
		}
	}
}

// slowSearch is a SearXNG that answers nobody, in a home that waits a minute for it.
// began and ended hear of each request.
func slowSearch(t *testing.T) (home string, began, ended chan struct{}) {
	t.Helper()
	began, ended = make(chan struct{}, 100), make(chan struct{}, 100)
	stop := make(chan struct{})
	search := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-stop:
		}
		ended <- struct{}{}
	}))
	t.Cleanup(func() { close(stop); search.Close() })
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	home = t.TempDir()
	write(t, filepath.Join(home, "citewell.yaml"), fmt.Sprintf(
		"search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q}\nfetch: {allow_networks: "+
			"[127.0.0.0/8, \"::1/128\"]}\nbrief: {deadlines: {fanout: 60s, total: 60s}}\n",
		search.URL, web.DuckDuckGoURL()))
	return home, began, ended
}

func wait(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatal(what)
	}
}

// A call that a client gives up ends the work: the request to the provider is gone.
func TestClientsCancel(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	home, began, ended := slowSearch(t)
	address := serveAll(t, home)
	for _, client := range mcptest.Clients {
		for way, plan := range map[string]mcptest.Plan{"stdio": byStdio(t, home), "http": {URL: address + "/mcp"}} {
			t.Run(client+"_"+way, func(t *testing.T) {
				plan.Client = client
				plan.Steps = []mcptest.Step{{Do: "call", Name: "web_search",
					Arguments: map[string]any{"query": "larch", "depth": 1}, Progress: true, Cancel: true},
					{Do: "wait"}}
				command := tools.Command(t.Context(), t, plan)
				var stderr bytes.Buffer
				command.Stderr = &stderr
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				defer func() {
					command.Process.Kill()
					command.Wait()
					if t.Failed() {
						t.Log(stderr.String())
					}
				}()
				wait(t, "the search did not begin", began)
				wait(t, "the search goes on, though the client is still there and gave it up", ended)
			})
		}
	}
}

// processesIn are the processes whose working folder is home, where the system tells.
func processesIn(t *testing.T, home string) (pids []string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if at, err := os.Readlink(folder); err == nil && at == home { // those of others cannot be read
			pids = append(pids, filepath.Base(filepath.Dir(folder)))
		}
	}
	return pids
}

// A client that is killed leaves no process and no work behind.
func TestClientsKilled(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	home, began, ended := slowSearch(t)
	for _, client := range []string{"typescript-2", "python"} {
		t.Run(client, func(t *testing.T) {
			plan := byStdio(t, home)
			plan.Client, plan.Steps = client, []mcptest.Step{{Do: "call", Name: "web_search",
				Arguments: map[string]any{"query": "larch", "depth": 1}}}
			command := tools.Command(t.Context(), t, plan)
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			wait(t, "the search did not begin", began)
			if runtime.GOOS == "linux" && len(processesIn(t, home)) == 0 {
				t.Fatal("citewell is not seen among the processes")
			}
			command.Process.Signal(syscall.SIGKILL)
			command.Wait()
			wait(t, "the search goes on without a client", ended)
			deadline := time.Now().Add(patience)
			for {
				left := processesIn(t, home)
				if len(left) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("processes %v are left", left)
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
}

// The models of the clients of others judge for a citewell that has none, and may be refused: one
// question for one call.
func TestClientsLendTheirModels(t *testing.T) {
	t.Parallel()
	tools := mcptest.Find(t)
	home, _ := demoHome(t)
	const (
		claim    = "Monks had most of the mills put up."
		quote    = "Most were built by the abbey of Saint Orrin between 1210 and 1290."
		evidence = "The Quern valley has 34 water mills. " + quote +
			" Each mill paid a tithe of 12 sacks of flour a year. Millers in the valley were free tenants."
	)
	check := mcptest.Step{Do: "call", Name: "check_claim", Arguments: map[string]any{
		"claim": claim, "evidence": evidence}}
	for _, client := range mcptest.Clients {
		t.Run(client, func(t *testing.T) {
			plan := byStdio(t, home, "--set", "judge.use=auto")
			plan.Client, plan.Steps, plan.Sample = client, []mcptest.Step{check},
				&mcptest.Sample{Model: "wise-1", Quotes: map[string]string{claim: quote}}
			o, stderr := tools.Run(t, plan)
			if o.Failed != "" || o.Protocol != newest[client] || o.Sampled != 1 {
				t.Fatalf("%s, %s, asked %d times\n%s", o.Failed, o.Protocol, o.Sampled, stderr)
			}
			var c struct{ Verdict, By, Quote string }
			if err := json.Unmarshal(o.Steps[0].Structured, &c); err != nil || c.Verdict != "supported" ||
				c.By != "judge sampling wise-1" || c.Quote != quote {
				t.Errorf("%v, %+v", err, o.Steps[0])
			}
			plan.Sample.Refuse, plan.Steps = true, []mcptest.Step{check, check}
			o, stderr = tools.Run(t, plan)
			last := o.Steps[len(o.Steps)-1]
			if o.Sampled != 1 || last.IsError || !strings.Contains(last.Text, "undecided: ") ||
				!strings.Contains(last.Text, "the client's model was asked before and gave no answer") {
				t.Errorf("asked %d times, %+v\n%s", o.Sampled, o.Steps, stderr)
			}
			// the newest protocol has no way to tell the server
			if first := o.Steps[0].Failed + o.Steps[0].Text; !strings.Contains(first, map[bool]string{
				true: "the user said no", false: "Note: not judged: the client did not let its model " +
					"be asked"}[newest[client] == "2026-07-28"]) {
				t.Errorf("refused, it says %s", first)
			}
		})
	}
}
