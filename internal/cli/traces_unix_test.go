//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/otlptest"
)

const (
	collectorKey  = "collectorkeyword"
	callersParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	callersTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan   = "00f067aa0ba902b7"
)

// tells has the lab tell a collector of what it does, and hears that nobody else is told
// of a trace.
func (l *lab) tells(t *testing.T, endpoint, more string) {
	t.Helper()
	config := filepath.Join(l.home, "citewell.yaml")
	settings, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, config, string(settings)+fmt.Sprintf("telemetry:\n  endpoint: %q\n  traces: {headers: "+
		"\"Authorization=Bearer%%20%s\"%s}\n", endpoint, collectorKey, more))
	untold := func(who string, h http.Header) {
		for _, name := range []string{"Traceparent", "Tracestate", "Baggage"} {
			if h.Get(name) != "" {
				t.Errorf("%s is told %s: %s", who, name, h.Get(name))
			}
		}
	}
	l.hears(func(r *http.Request) { untold(r.Host, r.Header) })
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		untold("the model", a.Header)
		return researcher{}.reply(n, a)
	})
}

// named are the spans of a name.
func named(all []otlptest.Span, name string) []otlptest.Span {
	return slices.DeleteFunc(slices.Clone(all), func(s otlptest.Span) bool { return s.Name != name })
}

// has holds attributes of a span to what is wanted; nil wants any value.
func has(t *testing.T, s otlptest.Span, want map[string]any) {
	t.Helper()
	for key, value := range want {
		if got, ok := s.Attrs[key]; !ok || value != nil && fmt.Sprint(got) != fmt.Sprint(value) {
			t.Errorf("%s: %s is %v, want %v", s.Name, key, got, value)
		}
	}
}

// A served run is told as one trace, below who asked for it, in names and numbers alone.
func TestTraces(t *testing.T) {
	t.Parallel()
	collector := otlptest.Serve(t)
	l := newLab(t, researcher{})
	l.tells(t, collector.URL+"/base", "")
	tokens := map[string]string{}
	for _, scope := range []string{access.ScopeMCP, access.ScopeMetrics} {
		token, _, code := here(t, l.home, "token", "create", "of "+scope, "--scope", scope)
		if code != 0 {
			t.Fatal("no token could be made")
		}
		tokens[scope] = strings.TrimSpace(token)
	}
	c, _ := l.api(t)
	const canary = "quaggaword"
	body := `{"task": "` + larchTask + `", "history": [{"role": "user", "content": "` + canary +
		`"}, {"role": "assistant", "content": "Hello."}]}`
	id := c.begin(body, "Traceparent", callersParent, "Idempotency-Key", "one")
	if again := c.begin(body, "Idempotency-Key", "one"); again != id {
		t.Errorf("asked for again from another trace it is the run %s, not %s", again, id)
	}
	c.whole("/v1/runs/" + id + "/events")
	c.send(t.Context(), canary[:4], "/v1/"+canary+"?q="+canary, "")
	mcp := newRunsClient(t, c.base, tokens[access.ScopeMCP])
	mcp.send(t.Context(), "POST", "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"web_search","arguments":{"query":"Larch `+
			canary+`"},"_meta":{"traceparent":"`+callersParent+`",
		"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"`+canary+`","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method",
		"tools/call", "Mcp-Name", "web_search")

	wanted := []string{"invoke_agent sgr_tool_calling_agent", "POST /v1/runs", "tools/call web_search", "POST /mcp",
		"_OTHER /v1/"}
	all := collector.Wait(t, func(all []otlptest.Span) bool {
		return !slices.ContainsFunc(wanted, func(name string) bool { return len(named(all, name)) == 0 })
	})
	bodies, heads, paths := collector.Requests()
	for i, body := range bodies {
		if paths[i] != "/base/v1/traces" || heads[i].Get("Authorization") != "Bearer "+collectorKey {
			t.Errorf("%s with %v", paths[i], heads[i])
		}
		for _, word := range []string{canary, "Larch", "larch file", "releases", "searxng/search", collectorKey,
			"tester", tokens[access.ScopeMCP], "reasoning", "Hello"} {
			if bytes.Contains(body, []byte(word)) {
				t.Errorf("the collector is told %q", word)
			}
		}
	}
	request := named(all, "POST /v1/runs")[0]
	if request.Trace != callersTrace || request.Parent != callersSpan || request.Kind != 2 {
		t.Errorf("the request is %+v", request)
	}
	has(t, request, map[string]any{"http.request.method": "POST", "http.route": "/v1/runs",
		"http.response.status_code": 201, "url.scheme": "http"})
	run := named(all, wanted[0])[0]
	if run.Trace != callersTrace || run.Parent != request.ID || run.Resource["service.name"] != "citewell" ||
		run.Resource["service.version"] == "" {
		t.Errorf("the run is %+v", run)
	}
	has(t, run, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "sgr_tool_calling_agent",
		"citewell.run.id": id, "citewell.run.state": "completed", "citewell.run.outcome": "answered",
		"citewell.run.steps": nil, "gen_ai.usage.input_tokens": nil, "gen_ai.usage.output_tokens": nil,
		"citewell.run.searches": 1, "citewell.run.fetches": 1, "citewell.run.active_seconds": nil})
	chats := named(all, "chat scripted")
	for _, chat := range chats {
		if slices.ContainsFunc(named(all, "tools/call web_search"), func(tool otlptest.Span) bool {
			return tool.ID == chat.Parent
		}) {
			continue // for the queries of a search
		}
		if chat.Trace == run.Trace && (chat.Parent != run.ID || chat.Kind != 3 || chat.Began.Before(run.Began)) {
			t.Errorf("a chat is %+v", chat)
		}
		has(t, chat, map[string]any{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai",
			"gen_ai.request.model": "scripted", "gen_ai.usage.input_tokens": nil, "gen_ai.usage.output_tokens": nil,
			"gen_ai.response.finish_reasons": nil, "server.address": "127.0.0.1", "server.port": nil})
	}
	if len(chats) < 5 {
		t.Errorf("%d chats were told", len(chats))
	}
	for _, name := range []string{"generate_plan_tool", "web_search_tool", "extract_page_content_tool",
		"create_report_tool", "final_answer_tool"} {
		tools := named(all, "execute_tool "+name)
		if len(tools) != 1 || tools[0].Parent != run.ID || tools[0].Kind != 1 {
			t.Errorf("%s: %+v", name, tools)
			continue
		}
		has(t, tools[0], map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name,
			"gen_ai.tool.call.id": nil})
	}
	searching, reading := named(all, "execute_tool web_search_tool")[0],
		named(all, "execute_tool extract_page_content_tool")[0]
	outcomes := map[string]string{}
	for _, s := range append(named(all, "retrieval searxng"), named(all, "retrieval duckduckgo")...) {
		if s.Parent == searching.ID {
			outcomes[fmt.Sprint(s.Attrs["gen_ai.data_source.id"])] = fmt.Sprintf("%v %v %v",
				s.Attrs["citewell.search.outcome"], s.Attrs["error.type"],
				s.Attrs["citewell.search.results"] != int64(0))
		}
	}
	if len(outcomes) != 2 || outcomes["searxng"] != "ok <nil> true" || outcomes["duckduckgo"] != "ok <nil> true" {
		t.Errorf("the providers of the search are %v", outcomes)
	}
	fetches := slices.DeleteFunc(named(all, "GET"), func(s otlptest.Span) bool { return s.Parent != reading.ID })
	if len(fetches) != 1 || fetches[0].Trace != run.Trace {
		t.Fatalf("the page is told as %+v", fetches)
	}
	has(t, fetches[0], map[string]any{"http.request.method": "GET", "server.address": "docs.larch.localhost",
		"url.scheme": "http", "http.response.status_code": 200, "citewell.fetch.outcome": "ok",
		"url.full": fmt.Sprintf("http://docs.larch.localhost:%v", fetches[0].Attrs["server.port"])})
	call := named(all, "tools/call web_search")[0]
	if call.Trace != callersTrace || call.Parent != callersSpan || call.Kind != 2 {
		t.Errorf("the call over MCP is %+v", call)
	}
	has(t, call, map[string]any{"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool",
		"gen_ai.tool.name": "web_search"})
	if !slices.ContainsFunc(all, func(s otlptest.Span) bool {
		return s.Parent == call.ID && strings.HasPrefix(s.Name, "retrieval ")
	}) {
		t.Error("the call over MCP has no search below it")
	}
	counts, _ := l.metrics(t, c.base, tokens[access.ScopeMetrics])
	if sent, dropped := counts["citewell_trace_spans_sent_total"].samples["citewell_trace_spans_sent_total"],
		counts["citewell_trace_spans_dropped_total"].samples["citewell_trace_spans_dropped_total"]; sent < float64(
		len(all)) || dropped != 0 {
		t.Errorf("%v were sent, %v dropped", sent, dropped)
	}
}

// The operator's switch tells queries and addresses, and nothing else; a command is one trace.
func TestTracesWithContent(t *testing.T) {
	t.Parallel()
	collector := otlptest.Serve(t)
	l := newLab(t, researcher{})
	l.tells(t, collector.URL, ", content: true")
	stdout, stderr, code := here(t, l.home, "--config", filepath.Join(l.home, "citewell.yaml"), "research", larchTask)
	if code != 0 {
		t.Fatalf("%s%s", stdout, stderr)
	}
	all := collector.Spans()
	root := named(all, "citewell research")
	run := named(all, "invoke_agent sgr_tool_calling_agent")
	if len(root) != 1 || len(run) != 1 || run[0].Parent != root[0].ID || root[0].Parent != "" {
		t.Fatalf("the command is %+v, the run %+v", root, run)
	}
	for _, s := range all {
		if s.Trace != root[0].Trace {
			t.Errorf("%s is in another trace", s.Name)
		}
	}
	has(t, named(all, "retrieval searxng")[0], map[string]any{"gen_ai.retrieval.query.text": larchQueries[0]})
	if !slices.ContainsFunc(named(all, "GET"), func(s otlptest.Span) bool {
		return strings.HasSuffix(fmt.Sprint(s.Attrs["url.full"]), "/releases")
	}) {
		t.Error("no address is told")
	}
	bodies, _, _ := collector.Requests()
	for _, word := range []string{"9 March 2022", "The user's task", larchTask} {
		if bytes.Contains(bytes.Join(bodies, nil), []byte(word)) {
			t.Errorf("the collector is told %q", word)
		}
	}
}

// A collector that refuses, hangs or is gone changes nothing of what a command does.
func TestACollectorThatIsGone(t *testing.T) {
	t.Parallel()
	hangs, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer hangs.Close()
	refuses := otlptest.Serve(t)
	refuses.Answer(http.StatusUnauthorized)
	for name, endpoint := range map[string]string{"gone": "http://127.0.0.1:1",
		"hangs": "http://" + hangs.Addr().String(), "refuses": refuses.URL} {
		l := newLab(t, researcher{})
		l.tells(t, endpoint, "")
		stdout, stderr, code := here(t, l.home, "--config", filepath.Join(l.home, "citewell.yaml"), "--log-level",
			"warn", "research", larchTask)
		if code != 0 || !strings.Contains(stdout, "Larch 2.0 was released on 9 March 2022 [2].") || name != "hangs" &&
			!strings.Contains(stderr, "traces do not reach the collector") || strings.Contains(stderr, collectorKey) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}
}

// doctor and config check name the setting that is wrong.
func TestTracesAreTriedOut(t *testing.T) {
	t.Parallel()
	collector := otlptest.Serve(t)
	l := newLab(t, researcher{})
	l.tells(t, collector.URL, "")
	config := filepath.Join(l.home, "citewell.yaml")
	try := func(code int, want string, args ...string) {
		t.Helper()
		stdout, stderr, got := here(t, l.home, append([]string{"--config", config}, args...)...)
		if got != code || !regexp.MustCompile(want).MatchString(stdout+stderr) ||
			strings.Contains(stdout+stderr, collectorKey) {
			t.Errorf("%q: exit code %d, want %d with %s\n%s%s", args, got, code, want, stdout, stderr)
		}
	}
	doctor := []string{"doctor"}
	try(0, `(?m)^ok +traces +collector .* the collector took a request`, doctor...)
	collector.Answer(http.StatusUnauthorized)
	try(1, `(?m)^failed +traces +collector .* answered 401 Unauthorized\n.*telemetry.traces.headers`, doctor...)
	for setting, want := range map[string]string{"telemetry.endpoint=here": "telemetry.endpoint is no http or " +
		"https URL", "telemetry.traces.endpoint=ftp://x": "telemetry.traces.endpoint is no",
		"telemetry.traces.headers=" + collectorKey: "telemetry.traces.headers is not of the form",
		"telemetry.resource=x":                     "telemetry.resource is not of the form",
		"telemetry.traces.sample=2":                "telemetry.traces.sample is 2"} {
		try(2, "invalid_config: "+want+"|"+want, "--set", setting, "config", "check")
		try(2, want, "--set", setting, "tools")
	}
	try(0, `telemetry.traces.headers +\[redacted\]`, "config", "show")
}

// A run that another process goes on with after the death of the first is one trace.
func TestATraceOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	collector := otlptest.Serve(t)
	l := newLab(t, researcher{})
	l.tells(t, collector.URL, "")
	var hangs atomic.Bool
	hangs.Store(true)
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if calls, _ := said(a); hangs.Load() && slices.Contains(calls, "extract_page_content_tool") {
			return modeltest.Reply{Hangs: true}
		}
		return researcher{}.reply(n, a)
	})
	c := startChild(t, l.home, "worker")
	_, runs := l.runs(t)
	run, err := runs.Start(t.Context(), job.Start{Task: larchTask})
	if err != nil {
		t.Fatal(err)
	}
	before := collector.Wait(t, func(all []otlptest.Span) bool {
		return len(named(all, "execute_tool extract_page_content_tool")) > 0
	})
	c.Process.Kill()
	c.Wait()
	hangs.Store(false)
	if stdout, stderr, code := here(t, l.home, "--config", filepath.Join(l.home, "citewell.yaml"), "runs", "resume",
		run.ID); code != 0 {
		t.Fatalf("%s%s", stdout, stderr)
	}
	all := collector.Spans()
	whole := named(all, "invoke_agent sgr_tool_calling_agent")
	if len(whole) != 1 || len(all) <= len(before) {
		t.Fatalf("%d spans, then %d; the run is %+v", len(before), len(all), whole)
	}
	for _, name := range []string{"chat scripted", "execute_tool generate_plan_tool",
		"execute_tool extract_page_content_tool", "execute_tool create_report_tool"} {
		of := slices.DeleteFunc(named(all, name), func(s otlptest.Span) bool { return s.Trace != whole[0].Trace })
		if len(of) == 0 || strings.HasPrefix(name, "execute") && len(of) != 1 ||
			slices.ContainsFunc(of, func(s otlptest.Span) bool { return s.Parent != whole[0].ID }) {
			t.Errorf("%s: %+v", name, of)
		}
	}
	if took := whole[0].Ended.Sub(whole[0].Began); took < time.Millisecond || whole[0].Began.After(before[0].Began) {
		t.Errorf("the run is told as %v from %v", took, whole[0].Began)
	}
}
