package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/modeltest"
	"github.com/citewell/citewell/internal/realpart"
)

// A team is what a server for many people has around it: a model that thinks for a while
// at each call, a search in the shapes of SearXNG and of Tavily, and pages.
type team struct {
	model *modeltest.Server
	web   *httptest.Server
}

const (
	pumpFact = "The kestrel pump moves 310 litres per minute."
	pumpPage = "<!doctype html><html lang=\"en\"><head><title>Kestrel pump</title></head><body><article><h1>Kestrel pump</h1><p>" +
		pumpFact + " It was first sold in 2019 and is made of bronze.</p><p>Its maker tests each one for an hour before it leaves the works, and keeps the record.</p></article></body></html>"
)

func newTeam(b testing.TB, thinks time.Duration) *team {
	t := &team{model: modeltest.Serve(b)}
	t.model.Script = func(_ int, a modeltest.Asked) modeltest.Reply {
		reply := t.reply(a)
		time.Sleep(thinks)
		return reply
	}
	t.web = httptest.NewServer(t)
	b.Cleanup(t.web.Close)
	return t
}

// ServeHTTP answers as SearXNG, Tavily and the web do, 20 ms after it was asked.
func (t *team) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(20 * time.Millisecond)
	url := "http://" + r.Host + "/pump"
	result := map[string]any{"title": "Kestrel pump", "url": url, "content": pumpFact, "raw_content": pumpFact, "score": 0.9}
	answer := map[string]any{"query": "kestrel pump", "results": []any{result}, "failed_results": []any{}}
	switch r.URL.Path {
	case "/search", "/tavily/search", "/tavily/extract":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // a client that is gone
	case "/pump":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, pumpPage) // as above
	default:
		http.NotFound(w, r)
	}
}

// reply takes the next step of a research: whichever of these tools is offered and was
// not called yet. SGR's own names have no underscores.
func (t *team) reply(a modeltest.Asked) modeltest.Reply {
	plain := func(name string) string { return strings.ReplaceAll(name, "_", "") }
	offered, called := map[string]string{}, map[string]bool{}
	for _, name := range namesIn(a.Body["tools"]) {
		offered[plain(name)] = name
	}
	messages, _ := a.Body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		for _, name := range namesIn(message["tool_calls"]) {
			called[plain(name)] = true
		}
	}
	if len(offered) == 0 {
		return modeltest.Says(`{"sum":42}`) // it is tried out
	}
	why := "it is the next step"
	for _, step := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"reasoningtool", map[string]any{"reasoning_steps": []string{"look", "read"}, "current_situation": "begun", "plan_status": "on its way",
			"enough_data": false, "remaining_steps": []string{"go on"}, "task_completed": false}},
		{"websearchtool", map[string]any{"reasoning": why, "query": "kestrel pump", "max_results": 5}},
		{"extractpagecontenttool", map[string]any{"reasoning": why, "urls": []string{t.web.URL + "/pump"}}},
		{"createreporttool", map[string]any{"reasoning": why, "title": "Kestrel pump", "user_request_language_reference": "How much does it move?",
			"content": strings.TrimSuffix(pumpFact, ".") + " [1].", "confidence": "high"}},
		{"finalanswertool", map[string]any{"reasoning": why, "completed_steps": []string{"searched", "read"}, "answer": strings.TrimSuffix(pumpFact, ".") + " [1].", "status": "completed"}},
	} {
		if name := offered[step.tool]; name != "" && (!called[step.tool] || len(offered) == 1) {
			arguments, err := json.Marshal(step.arguments)
			if err != nil {
				panic(err) // of strings and booleans
			}
			return modeltest.Asks(modeltest.Call{ID: fmt.Sprint("call_", len(messages)), Name: name, Arguments: string(arguments)})
		}
	}
	return modeltest.Says(pumpFact)
}

// namesIn are the names of the functions in a list of tools or calls.
func namesIn(list any) (names []string) {
	entries, _ := list.([]any)
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		function, _ := entry["function"].(map[string]any)
		name, _ := function["name"].(string)
		names = append(names, name)
	}
	return names
}

// served is a server under load.
type served struct {
	url string // of its chat completions
	cmd *exec.Cmd
}

func start(b *testing.B, home string, url string, program string, args ...string) served {
	b.Helper()
	cmd := exec.Command(program, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = home, append(os.Environ(), homeEnviron(home)...), &said, &said
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if r, err := http.Get(url + "/v1/models"); err == nil {
			r.Body.Close()
			return served{url, cmd}
		}
		if time.Since(began) > patience {
			b.Fatalf("%s does not answer: %s", program, said.String())
		}
	}
}

// freePort is a port that nobody listens on for the moment.
func freePort(b *testing.B) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// startCitewell is the shipped binary with its defaults over a team's services.
func startCitewell(b *testing.B, program string, t *team) served {
	home, port := b.TempDir(), freePort(b)
	write(b, filepath.Join(home, "citewell.yaml"), fmt.Sprintf("llm: {base_url: %q, model: scripted}\nsearch: {providers: {duckduckgo: {enabled: false}, searxng: {base_url: %q}}}\n"+
		"fetch: {allow_networks: [127.0.0.0/8]}\nserver: {listen: \"127.0.0.1:%d\"}\n"+
		"agents: {team: {base_class: SGRToolCallingAgent, tools: [web_search_tool, extract_page_content_tool, create_report_tool, final_answer_tool]}}\n", t.model.Base(), t.web.URL, port))
	return start(b, home, fmt.Sprint("http://127.0.0.1:", port), program, "serve")
}

// startPeer is sgr-agent-core with the same agent.
func startPeer(b *testing.B, t *team) served {
	python, err := realpart.Home("sgr", filepath.Join(ownFolder, "..", "..", "scripts"), []string{"sgr.txt"}, "bin/python")
	realpart.Need(b, "sgr-agent-core", err)
	home, port := b.TempDir(), freePort(b)
	write(b, filepath.Join(home, "config.yaml"), fmt.Sprintf("llm: {api_key: k, base_url: %q, model: scripted}\nexecution: {logs_dir: \"\", reports_dir: reports}\ntools:\n"+
		"  web_search_tool: {engine: tavily, api_key: k, api_base_url: %[2]q}\n  extract_page_content_tool: {tavily_api_key: k, tavily_api_base_url: %[2]q}\n  create_report_tool:\n  final_answer_tool:\n"+
		"agents: {team: {base_class: SGRToolCallingAgent, tools: [web_search_tool, extract_page_content_tool, create_report_tool, final_answer_tool]}}\n", t.model.Base(), t.web.URL+"/tavily"))
	return start(b, home, fmt.Sprint("http://127.0.0.1:", port), filepath.Join(python, "bin", "python"), "-m", "sgr_agent_core.server", "-c", "config.yaml", "--host", "127.0.0.1", "--port", fmt.Sprint(port))
}

// ask puts a question to the agent and says whether the answer has the fact.
func (s served) ask(client *http.Client) (took time.Duration, ok bool) {
	began := time.Now()
	r, err := client.Post(s.url+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"team","stream":true,"messages":[{"role":"user","content":"How much does the kestrel pump move?"}]}`))
	if err != nil {
		return time.Since(began), false
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		ok = ok || strings.Contains(lines.Text(), "310 litres") && strings.Contains(lines.Text(), "content")
	}
	return time.Since(began), ok
}

// BenchmarkTeam is one server that many people ask at once over OpenAI's API, with a
// model of 1.5 s a call: how long until all have their answers, how many have one, and
// what the process holds at most. A run is eight calls of the model, 12 s.
func BenchmarkTeam(b *testing.B) {
	program := shipped(b)
	for _, many := range []int{1, 64, 200} {
		for name, start := range map[string]func(*testing.B, *team) served{
			"citewell": func(b *testing.B, t *team) served { return startCitewell(b, program, t) }, "sgr-agent-core": startPeer,
		} {
			b.Run(fmt.Sprintf("%d/%s", many, name), func(b *testing.B) {
				t := newTeam(b, 1500*time.Millisecond)
				s := start(b, t)
				s.ask(http.DefaultClient) // the endpoint is tried out, what is imported late is imported
				b.ResetTimer()
				for range b.N {
					var mu sync.Mutex
					var times []time.Duration
					answered := 0
					client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: many}, Timeout: 3 * time.Minute}
					var all sync.WaitGroup
					for range many {
						all.Go(func() {
							took, ok := s.ask(client)
							mu.Lock()
							defer mu.Unlock()
							if times = append(times, took); ok {
								answered++
							}
						})
					}
					all.Wait()
					client.CloseIdleConnections()
					slices.Sort(times)
					b.ReportMetric(at(times, 0.5)/1000, "p50-s")
					b.ReportMetric(float64(answered), "answered")
					b.ReportMetric(float64(t.model.Most()), "model-calls-at-once")
					b.ReportMetric(resident(b, s.cmd.Process.Pid, "VmHWM"), "peak-MB")
				}
			})
		}
	}
}
