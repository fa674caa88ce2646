package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/modeltest"
)

// A team is what a server for many people has around it: a model that thinks for a while
// at each call, a search in the shapes of SearXNG and of Tavily, and pages.
type team struct {
	model *modeltest.Server
	web   *httptest.Server
}

const (
	pumpFact = "The kestrel pump moves 310 litres per minute."
	pumpPage = "<!doctype html><html lang=\"en\"><head><title>Kestrel pump</title></head><body><article><h1>Kestrel " +
		"pump</h1><p>" +
		pumpFact + " It was first sold in 2019 and is made of bronze.</p><p>Its maker tests each one for an hour " +
		"before it leaves the works, and keeps the record.</p></article></body></html>"
)

// newTeam has the model call thinks before each answer.
func newTeam(b testing.TB, thinks func()) *team {
	t := &team{model: modeltest.Serve(b)}
	t.model.Script = func(_ int, a modeltest.Asked) modeltest.Reply {
		reply := t.reply(a)
		thinks()
		return reply
	}
	t.web = httptest.NewServer(t)
	b.Cleanup(t.web.Close)
	return t
}

// configure writes the configuration of a server over the team's services.
func (t *team) configure(b testing.TB, home string) (file string) {
	file = filepath.Join(home, "citewell.yaml")
	write(b, file, fmt.Sprintf("llm: {base_url: %q, model: scripted}\nsearch: {providers: {duckduckgo: {enabled: "+
		"false}, searxng: {base_url: %q}}}\nfetch: {allow_networks: [127.0.0.0/8]}\n"+
		"agents: {team: {base_class: SGRToolCallingAgent, tools: [web_search_tool, extract_page_content_tool, "+
		"create_report_tool, final_answer_tool]}}\n", t.model.Base(), t.web.URL))
	return file
}

// teamQuestion asks the team's agent for what only its page has.
const teamQuestion = `{"model":"team","stream":true,"messages":[{"role":"user","content":"How much does the kestrel pump move?"}]}`

// ServeHTTP answers as SearXNG, Tavily and the web do, 20 ms after it was asked.
func (t *team) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(20 * time.Millisecond)
	url := "http://" + r.Host + "/pump"
	result := map[string]any{"title": "Kestrel pump", "url": url, "content": pumpFact, "raw_content": pumpFact,
		"score": 0.9}
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
		{"reasoningtool", map[string]any{"reasoning_steps": []string{"look", "read"}, "current_situation": "begun",
			"plan_status": "on its way",
			"enough_data": false, "remaining_steps": []string{"go on"}, "task_completed": false}},
		{"websearchtool", map[string]any{"reasoning": why, "query": "kestrel pump", "max_results": 5}},
		{"extractpagecontenttool", map[string]any{"reasoning": why, "urls": []string{t.web.URL + "/pump"}}},
		{"createreporttool", map[string]any{"reasoning": why, "title": "Kestrel pump",
			"user_request_language_reference": "How much does it move?",
			"content":                         strings.TrimSuffix(pumpFact, ".") + " [1].", "confidence": "high"}},
		{"finalanswertool", map[string]any{"reasoning": why, "completed_steps": []string{"searched", "read"},
			"answer": strings.TrimSuffix(pumpFact, ".") + " [1].", "status": "completed"}},
	} {
		if name := offered[step.tool]; name != "" && (!called[step.tool] || len(offered) == 1) {
			arguments, err := json.Marshal(step.arguments)
			if err != nil {
				panic(err) // of strings and booleans
			}
			return modeltest.Asks(modeltest.Call{ID: fmt.Sprint("call_", len(messages)), Name: name,
				Arguments: string(arguments)})
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

// A server with a place for one run, and one with a place for one call of the model, tell
// who waits that it is queued, in the stream; when there is room all have their answers.
func TestServeTellsWhoIsQueued(t *testing.T) {
	t.Parallel()
	for setting, said := range map[string]string{
		"server.limits.runs":        ": queued: the run waits to be taken up",
		"server.limits.model_calls": ": queued: our own queue: 1 requests to the model's endpoint are under way",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			goOn := make(chan struct{})
			work := newTeam(t, func() { <-goOn })
			var once sync.Once
			release := func() { once.Do(func() { close(goOn) }) }
			t.Cleanup(release)
			home := t.TempDir()
			_, address := serve(t, home, "--config", work.configure(t, home), "--set", setting+"=1")
			var all sync.WaitGroup
			heard := 0
			var mu sync.Mutex
			for range 2 {
				all.Go(func() {
					r, err := patient.Post(address+"/v1/chat/completions", "application/json",
						strings.NewReader(teamQuestion))
					if err != nil {
						t.Error(err)
						return
					}
					defer r.Body.Close()
					answered := false
					for lines := bufio.NewScanner(r.Body); lines.Scan(); {
						if lines.Text() == said {
							mu.Lock()
							heard++
							mu.Unlock()
							release()
						}
						answered = answered || strings.Contains(lines.Text(), "310 litres")
					}
					if !answered {
						t.Error("no answer")
					}
				})
			}
			all.Wait()
			if heard == 0 || heard > 1 && setting == "server.limits.runs" { // the model is tried out with a call, too
				t.Errorf("%d were told %q", heard, said)
			}
		})
	}
}

// An engine is a SearXNG that answers so many questions at once, each after the same time;
// the others wait in it.
func engine(t testing.TB, atOnce int, takes time.Duration) *httptest.Server {
	places := make(chan struct{}, atOnce)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		defer func() { <-places }()
		time.Sleep(takes)
		w.Header().Set("Content-Type", "application/json")
		// a client that is gone
		_, _ = io.WriteString(w,
			`{"query":"q","results":[{"title":"Kestrel pump","url":"https://pumps.example/","content":"Kestrel pump"}]}`)
	}))
	t.Cleanup(s.Close)
	return s
}

// searching asks the engine behind a server and says how that ends: answered, queued where
// our own queue refused it, or the answer.
func (c *caller) searching() (took time.Duration, ended string) {
	began := time.Now()
	answer, err := c.post(
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"q":"kestrel pump"}}}`,
		200)
	switch text := string(answer); {
	case err != nil:
		ended = err.Error()
	case strings.Contains(text, "our own limit") && strings.Contains(text, "rate_limited"):
		ended = "queued"
	case strings.Contains(text, "pumps.example"):
		ended = "answered"
	default:
		ended = text
	}
	return time.Since(began), ended
}

// searchTogether has so many MCP callers search at once, and counts how that ends.
func searchTogether(t testing.TB, address string, callers int) (times []time.Duration, ended map[string]int) {
	all := make([]*caller, callers)
	for i := range all {
		var err error
		if all[i], err = newCaller(address); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(all[i].client.CloseIdleConnections)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	ended = map[string]int{}
	for _, c := range all {
		wg.Go(func() {
			took, end := c.searching()
			mu.Lock()
			defer mu.Unlock()
			times = append(times, took)
			ended[end]++
		})
	}
	wg.Wait()
	return times, ended
}

// Many MCP callers at once, with nothing set but where the SearXNG is, are each served or
// refused by our own queue; at a rate of a call in 25 s all but the first are. Whoever
// comes after them hears nothing of a provider that fails.
func TestManyCallersAreServedOrRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rate     string // search.providers.searxng.rate
		answered int    // of 100; the others are refused
		after    string // how the next one ends
	}{"default": {"0", 100, "answered"}, "slow": {"0.04", 1, "queued"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			_, address := serve(t, home, "--set", "search.providers.searxng.base_url="+
				engine(t, 8, 50*time.Millisecond).URL, "--set", "search.providers.searxng.rate="+test.rate)
			_, ended := searchTogether(t, address, 100)
			if ended["answered"] != test.answered || ended["queued"] != 100-test.answered {
				t.Errorf("%v", ended)
			}
			if _, after := searchTogether(t, address, 1); after[test.after] != 1 {
				t.Errorf("after them: %v", after)
			}
		})
	}
}
