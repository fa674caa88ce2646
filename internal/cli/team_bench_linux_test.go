package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
)

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
	t.configure(b, home)
	return start(b, home, fmt.Sprint("http://127.0.0.1:", port), program, "serve", "--listen",
		fmt.Sprint("127.0.0.1:", port))
}

// startPeer is sgr-agent-core with the same agent.
func startPeer(b *testing.B, t *team) served {
	python, err := realpart.Home("sgr", filepath.Join(ownFolder, "..", "..", "scripts"), []string{"sgr.txt"},
		"bin/python")
	realpart.Need(b, "sgr-agent-core", err)
	home, port := b.TempDir(), freePort(b)
	write(b, filepath.Join(home, "config.yaml"), fmt.Sprintf("llm: {api_key: k, base_url: %q, model: "+
		"scripted}\nexecution: {logs_dir: \"\", reports_dir: reports}\ntools:\n"+
		"  web_search_tool: {engine: tavily, api_key: k, api_base_url: %[2]q}\n  extract_page_content_tool: "+
		"{tavily_api_key: k, tavily_api_base_url: %[2]q}\n  create_report_tool:\n  final_answer_tool:\n"+
		"agents: {team: {base_class: SGRToolCallingAgent, tools: [web_search_tool, extract_page_content_tool, "+
		"create_report_tool, final_answer_tool]}}\n", t.model.Base(), t.web.URL+"/tavily"))
	return start(b, home, fmt.Sprint("http://127.0.0.1:", port), filepath.Join(python, "bin", "python"), "-m",
		"sgr_agent_core.server", "-c", "config.yaml", "--host", "127.0.0.1", "--port", fmt.Sprint(port))
}

// ask puts a question to the agent and says whether its answer came to its end and has
// the fact.
func (s served) ask(client *http.Client) (took time.Duration, ok bool) {
	began := time.Now()
	r, err := client.Post(s.url+"/v1/chat/completions", "application/json", strings.NewReader(teamQuestion))
	if err != nil {
		return time.Since(began), false
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	fact, ended := false, false
	for lines.Scan() {
		fact = fact || strings.Contains(lines.Text(), "310 litres")
		ended = ended || lines.Text() == "data: [DONE]"
	}
	return time.Since(began), fact && ended
}

// BenchmarkTeam is one server that many people ask at once over OpenAI's API, with a
// model of 1.5 s a call: how long until all have their answers, how many have one, and
// what the process holds at most. A run is eight calls of the model, 12 s.
func BenchmarkTeam(b *testing.B) {
	program := shipped(b)
	for _, many := range []int{1, 64, 200} {
		for name, start := range map[string]func(*testing.B, *team) served{
			"citewell":       func(b *testing.B, t *team) served { return startCitewell(b, program, t) },
			"sgr-agent-core": startPeer,
		} {
			b.Run(fmt.Sprintf("%d/%s", many, name), func(b *testing.B) {
				t := newTeam(b, func() { time.Sleep(1500 * time.Millisecond) })
				s := start(b, t)
				s.ask(http.DefaultClient) // the endpoint is tried out, what is imported late is imported
				b.ResetTimer()
				for range b.N {
					var mu sync.Mutex
					var times []time.Duration
					answered := 0
					client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: many},
						Timeout: 3 * time.Minute}
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

// BenchmarkMCPSearch is 1,000 MCP callers that search at once, with nothing set but where
// the SearXNG is: one of 20 ms, and one that answers 16 at once in a second each, as a real
// one does. A call has 20 s.
func BenchmarkMCPSearch(b *testing.B) {
	program := shipped(b)
	for name, e := range map[string]struct {
		atOnce int
		takes  time.Duration
	}{"20ms": {1000, 20 * time.Millisecond}, "16_at_once_1s": {16, time.Second}} {
		b.Run(name, func(b *testing.B) {
			home, port := b.TempDir(), freePort(b)
			s := start(b, home, fmt.Sprint("http://127.0.0.1:", port), program, "serve", "--listen",
				fmt.Sprint("127.0.0.1:", port),
				"--set", "search.providers.searxng.base_url="+engine(b, e.atOnce, e.takes).URL)
			for range b.N {
				times, ended := searchTogether(b, s.url, 1000)
				slices.Sort(times)
				b.ReportMetric(at(times, 0.5), "ms-p50")
				b.ReportMetric(at(times, 1), "ms-longest")
				b.ReportMetric(float64(ended["answered"]), "answered")
				b.ReportMetric(float64(ended["queued"]), "refused-as-queued")
				b.ReportMetric(resident(b, s.cmd.Process.Pid, "VmHWM"), "peak-MB")
				delete(ended, "answered")
				delete(ended, "queued")
				for end, n := range ended {
					b.Logf("%d: %.300s", n, end)
				}
			}
		})
	}
}
