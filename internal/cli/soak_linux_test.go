package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A held is what a process holds at one moment.
type held struct {
	descriptors, goroutines int
	processes               int    // that it has started and not waited for
	files                   int    // unfinished ones of the store, and temporary ones
	heap                    uint64 // bytes that live, in MB
	connections             int64  // that the services have seen opened since they began
}

// hold counts what this process holds, the test's own servers and clients included.
func (s *soak) hold(t *testing.T) held {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, dir := range []string{os.TempDir(), filepath.Join(s.home, "data", "citewell", "snapshots", "tmp")} {
		if err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files++
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.GC() // the first leaves what finalizers and pools still hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return held{len(open), runtime.NumGoroutine(), children(t), files, m.HeapAlloc / 1_000_000, s.connections.Load()}
}

// children counts the processes whose parent is this one.
func children(t *testing.T) (n int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range stats {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, fields, _ := strings.Cut(string(stat), ") ") // behind the name: state, parent
		if f := strings.Fields(fields); len(f) > 1 && f[1] == strconv.Itoa(os.Getpid()) {
			n++
		}
	}
	return n
}

// over says what of h is more than was held before, but for what comes and goes.
func (h held) over(before held) bool {
	return h.descriptors > before.descriptors+10 || h.goroutines > before.goroutines+10 ||
		h.processes > before.processes || h.files > before.files || h.heap > before.heap+4
}

// settles waits until no more is held than before: a call that was given up ends by itself.
func (s *soak) settles(t *testing.T, before held) {
	t.Helper()
	after := s.hold(t)
	for began := time.Now(); after.over(before) && time.Since(began) < patience; after = s.hold(t) {
		time.Sleep(50 * time.Millisecond)
	}
	if t.Logf("before %+v, after %+v", before, after); after.over(before) {
		t.Errorf("held before %+v, and after %+v", before, after)
	}
}

// A soak is a server whose every tool is called again and again.
type soak struct {
	home        string
	connections atomic.Int64
	model       *modeltest.Server
	kits        []soaked
}

// newSoak is not for tests that are parallel to others, whose descriptors would count.
func newSoak(t *testing.T) *soak {
	t.Helper()
	if testing.Short() {
		t.Skip("some thousand calls")
	}
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	services, model := keyedAPIs(t)
	s := &soak{home: t.TempDir(), model: model}
	t.Setenv("TMPDIR", t.TempDir())
	keyed := httptest.NewUnstartedServer(services)
	keyed.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	keyed.Start()
	t.Cleanup(keyed.Close)
	called := httptest.NewServer(services) // for http_get and http_post, whose connections end with each call
	t.Cleanup(called.Close)
	config := filepath.Join(s.home, "citewell.yaml")
	write(t, config, fmt.Sprintf(soakConfig, keyed.URL, web.SearchURL(), web.DuckDuckGoURL(), workFolder(t, s.home)))
	address := serveHere(t, s.home, config)
	for _, toolset := range []string{"default", "agent", "searxng"} {
		s.kits = append(s.kits, newSoaked(t, address, toolset, web.HomeURL(), called.URL))
	}
	return s
}

func (s *soak) round(t *testing.T, n int) {
	t.Helper()
	s.model.Forget()
	for i := range s.kits {
		s.kits[i].round(t, n)
	}
}

// The process is the same after the twelfth round of every tool and after the thirtieth, or
// after the minutes of CITEWELL_SOAK: no descriptor, goroutine, process, file or memory more,
// and no connection that a service had to open.
func TestSoak(t *testing.T) {
	if score.RaceDetector { // TestEveryTool calls each tool under it
		t.Skip("measured without the race detector")
	}
	s := newSoak(t)
	const first, rounds = 12, 30
	minutes, err := strconv.Atoi(cmp.Or(os.Getenv("CITEWELL_SOAK"), "0"))
	if err != nil {
		t.Fatal(err)
	}
	var before held
	round := 0
	for began := time.Now(); round < rounds || time.Since(began) < time.Duration(minutes)*time.Minute; round++ {
		if round == first {
			before = s.hold(t)
		}
		s.round(t, round)
	}
	t.Logf("%d rounds", round)
	s.settles(t, before)
	if opened := s.connections.Load(); opened > before.connections+10 {
		t.Errorf("the services saw %d connections after round %d", opened-before.connections, first)
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
	e := &env{environ: homeEnviron(home), stdin: strings.NewReader(""), stdout: &output{w: io.Discard},
		stderr: &console{w: in}}
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
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: address + "/mcp/" + toolset}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(list.Tools, func(a, b *mcp.Tool) int { return turn(a.Name) - turn(b.Name) })
	return soaked{session: session, name: toolset, tools: list.Tools,
		fill: strings.NewReplacer("WEB", page, "KEYED", called, "VECTOR", vectorOf("a text"))}
}

// round calls each tool once as its trial says, with a question that was not asked
// before.
func (s *soaked) round(t *testing.T, n int) {
	t.Helper()
	for _, d := range s.tools {
		for _, call := range append(slices.Clone(preludes[d.Name]), [2]string{d.Name, s.trial(d.Name).good}) {
			s.call(t, call[0], strings.ReplaceAll(call[1], "Skarrow light", fmt.Sprintf("Skarrow light %d", n)))
		}
	}
}

// try calls a tool as its trial says.
func (s *soaked) try(ctx context.Context, name string) (*mcp.CallToolResult, error) {
	return s.ask(ctx, name, s.trial(name).good)
}

func (s *soaked) trial(name string) trial {
	if try, ok := trials[s.name+"/"+name]; ok {
		return try
	}
	return trials[name]
}

func (s *soaked) ask(ctx context.Context, name, arguments string) (*mcp.CallToolResult, error) {
	arguments = strings.ReplaceAll(s.fill.Replace(arguments), "RUN", s.run)
	return s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
}

func (s *soaked) call(t *testing.T, name, arguments string) {
	t.Helper()
	r, err := s.ask(t.Context(), name, arguments)
	if err != nil || r.IsError {
		t.Fatalf("%s %s: %s, %v", name, arguments, asText(t, r), err)
	}
	if data, ok := r.StructuredContent.(map[string]any); ok && name == "research_start" {
		s.run, _ = data["id"].(string)
	}
}
