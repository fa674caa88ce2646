package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell/internal/demo"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A held is what a process holds at one moment.
type held struct {
	descriptors, goroutines int
	heap                    uint64 // bytes that live, in MB
	connections             int64  // that the services have seen opened since they began
}

// hold counts what this process holds, the test's own servers and clients included.
func hold(t *testing.T, connections *atomic.Int64) held {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.GC() // the first leaves what finalizers and pools still hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{len(open), runtime.NumGoroutine(), m.HeapAlloc / 1_000_000, connections.Load()}
}

// The process is the same after the twelfth round of every tool and after the thirtieth: no
// descriptor, goroutine or memory more, and no connection that a service had to open.
// It is not parallel to other tests, whose descriptors would count.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("some thousand calls")
	}
	const first, rounds = 12, 30
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	var connections atomic.Int64
	services, model := keyedAPIs(t)
	keyed := httptest.NewUnstartedServer(services)
	keyed.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	keyed.Start()
	t.Cleanup(keyed.Close)
	called := httptest.NewServer(services) // for http_get and http_post, whose connections end with each call
	t.Cleanup(called.Close)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf(soakConfig, keyed.URL, web.SearchURL(), web.DuckDuckGoURL(), workFolder(t, home)))
	address := serveHere(t, home, config)

	var kits []soaked
	for _, toolset := range []string{"default", "agent", "searxng"} {
		kits = append(kits, newSoaked(t, address, toolset, web.HomeURL(), called.URL))
	}
	var before held
	for round := range rounds {
		model.Forget()
		if round == first {
			before = hold(t, &connections)
		}
		for i := range kits {
			kits[i].round(t, round)
		}
	}
	after := hold(t, &connections)
	if after.descriptors > before.descriptors+10 || after.goroutines > before.goroutines+10 || after.heap > before.heap+4 {
		t.Errorf("after %d rounds %+v, after %d %+v", first, before, rounds, after)
	}
	if after.connections > before.connections+10 {
		t.Errorf("the services saw %d connections after round %d", after.connections-before.connections, first)
	}
}

const soakConfig = `
workdir: %[4]s
llm: {base_url: %[1]s/v1, api_key: k, model: scripted}
embedding: {base_url: %[1]s/v1, api_key: k, model: letters}
brief: {synthesis: false}
search:
  providers:
    searxng: {base_url: %[2]q, rate: 100000}
    duckduckgo: {base_url: %[3]q, rate: 100000}
    tavily: {base_url: "%[1]s/tavily", api_key: k, rate: 100000}
    exa: {base_url: "%[1]s/exa", api_key: k, rate: 100000}
weather: {base_url: %[1]s, api_key: k}
fetch: {allow_networks: [127.0.0.0/8, "::1/128"]}
specialists: {reviewer: {description: reads code, reasoning_effort: low}}
confirm: {http_post: allow}
`

// serveHere runs citewell serve in this process until the test ends and returns its
// address.
func serveHere(t *testing.T, home, config string) string {
	t.Helper()
	out, in := io.Pipe()
	e := &env{environ: homeEnviron(home), stdin: strings.NewReader(""), stdout: &output{w: io.Discard}, stderr: &console{w: in}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- e.run(ctx, []string{"--config", config, "serve", "--listen", "127.0.0.1:0"}) }()
	lines := bufio.NewReader(out)
	_, rest, _ := strings.Cut(waitFor(t, lines, "listening on "), "listening on ")
	go io.Copy(io.Discard, lines)
	t.Cleanup(func() {
		cancel()
		<-ended
		in.Close()
	})
	return strings.Fields(rest)[0]
}

// A soaked is a toolset whose tools are called again and again.
type soaked struct {
	session *mcp.ClientSession
	name    string
	tools   []*mcp.Tool
	fill    *strings.Replacer
	run     string // the newest
}

func newSoaked(t *testing.T, address, toolset, page, called string) soaked {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address + "/mcp/" + toolset}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(list.Tools, func(a, b *mcp.Tool) int { return turn(a.Name) - turn(b.Name) })
	return soaked{session: session, name: toolset, tools: list.Tools, fill: strings.NewReplacer("WEB", page, "KEYED", called, "VECTOR", vectorOf("a text"))}
}

// round calls each tool once as its trial says, with a question that was not asked
// before.
func (s *soaked) round(t *testing.T, n int) {
	t.Helper()
	for _, d := range s.tools {
		try, ok := trials[s.name+"/"+d.Name]
		if !ok {
			try = trials[d.Name]
		}
		for _, call := range append(slices.Clone(preludes[d.Name]), [2]string{d.Name, try.good}) {
			s.call(t, call[0], strings.ReplaceAll(call[1], "Skarrow light", fmt.Sprintf("Skarrow light %d", n)))
		}
	}
}

func (s *soaked) call(t *testing.T, name, arguments string) {
	t.Helper()
	arguments = strings.ReplaceAll(s.fill.Replace(arguments), "RUN", s.run)
	r, err := s.session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil || r.IsError {
		t.Fatalf("%s %s: %+v, %v", name, arguments, r, err)
	}
	if data, ok := r.StructuredContent.(map[string]any); ok && name == "research_start" {
		s.run, _ = data["id"].(string)
	}
}
