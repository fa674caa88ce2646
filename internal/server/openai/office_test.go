package openai_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what should take a moment.
const patience = 3 * time.Minute

// An office is the API over runs that are executed by a scripted model, which
// researches the demo web.
type office struct {
	*job.Desk
	url   string
	web   *demo.Web
	model *model
}

// A model plays its part by the words of the task, whichever run it is.
type model struct {
	web  *demo.Web
	hold chan struct{} // a task with "slow" in it waits for it
	held atomic.Int64  // how many wait
	mu   sync.Mutex
	last agent.Request
}

func (*model) Name() string               { return "scripted" }
func (*model) Window(context.Context) int { return 0 }

type args map[string]any

func call(name string, a args) (agent.Reply, error) {
	data, err := json.Marshal(a)
	return agent.Reply{Calls: []agent.ToolCall{{ID: "x", Name: name, Arguments: data}}, InputTokens: 100,
		OutputTokens: 20}, err
}

const question = "How much electricity does the Skarrow Sound tidal plant generate a year?"

// Chat plays a task: its words are in the last message of the user that is no answer.
func (m *model) Chat(ctx context.Context, q agent.Request) (agent.Reply, error) {
	m.mu.Lock()
	m.last = q
	m.mu.Unlock()
	if q.Force == "reasoning_tool" {
		return call("reasoning_tool", args{"reasoning_steps": []string{"look", "read"},
			"current_situation": "nothing is known yet <b>", "plan_status": "none",
			"remaining_steps": []string{"search for the plant"}, "task_completed": false})
	}
	var shown strings.Builder
	step := 0
	for _, said := range q.Messages {
		shown.WriteString(said.Content + "\n")
		for _, c := range said.Calls {
			if c.Name != "reasoning_tool" {
				step++
			}
		}
	}
	all := shown.String()
	if strings.Contains(all, "slow") {
		m.held.Add(1)
		select {
		case <-m.hold:
		case <-ctx.Done():
			return agent.Reply{}, ctx.Err()
		}
	}
	switch {
	case strings.Contains(all, "busy"):
		return agent.Reply{}, &citewell.Error{Code: citewell.CodeRateLimited, Op: "llm",
			Message: "the endpoint is busy", RetryAfter: 24 * time.Hour}
	case strings.Contains(all, "broken"):
		return agent.Reply{}, &citewell.Error{Code: citewell.CodeAuth, Op: "llm",
			Message: "the endpoint refused the key"}
	case strings.Contains(all, "which lake") && step == 0:
		return call("clarification_tool", args{"reasoning": "unclear", "unclear_terms": []string{"lake"},
			"assumptions": []string{"a", "b"}, "questions": []string{"Which lake?", "In which land?"}})
	case strings.Contains(all, "which lake"):
		return m.final("Nothing is known of it.", "completed")
	case strings.Contains(all, "hello"):
		return m.final("Hello.", "completed")
	case strings.Contains(all, "out of the blue"):
		return m.final("The kestrel pump moves 310 litres a minute [1].", "completed")
	case strings.Contains(all, "in vain"):
		return m.final("The sources say nothing.", "failed")
	case step == 0:
		return call("web_search_tool", args{"reasoning": "to find it", "query": question})
	case step == 1:
		return call("extract_page_content_tool", args{"reasoning": "the owner's page",
			"urls": []string{m.web.URL("skarrow-tidal", "/plant")}})
	}
	n := "[0]"
	if found := regexp.MustCompile(`\[(\d+)\] [^\n]* - \S*/plant\b`).FindStringSubmatch(all); found != nil {
		n = "[" + found[1] + "]"
	}
	if _, form, ok := strings.Cut(all, "citing as “"); ok { // N is the number, URL the address
		form, _, _ = strings.Cut(form, "”")
		n = strings.NewReplacer("N", strings.Trim(n, "[]"), "URL", m.web.URL("skarrow-tidal", "/plant")).Replace(form)
	}
	text := "Größe: the Skarrow Sound tidal plant generates 640 GWh of electricity in an average year " + n + "."
	if step == 2 && strings.Contains(all, "talk to me") {
		return call("answer_tool", args{"reasoning": "asked", "answer": text})
	}
	if strings.Contains(all, "invent a figure") && step < 5 { // it is sent back twice
		return call("create_report_tool", args{"reasoning": "enough", "title": "The tidal plant",
			"user_request_language_reference": question, "content": text + " It has 48,613 visitors a year [99].",
			"confidence": "high"})
	}
	if step == 3 || step == 5 {
		return m.final("In short: the Skarrow Sound tidal plant generates 640 GWh of electricity in an average year "+n+
			".", "completed")
	}
	if strings.Contains(all, "as a paper") {
		return call("create_report_tool", args{"reasoning": "enough", "title": "The tidal plant",
			"user_request_language_reference": question, "content": text, "confidence": "high"})
	}
	return m.final(text, "completed")
}

func (*model) final(answer, status string) (agent.Reply, error) {
	return call("final_answer_tool", args{"reasoning": "done", "completed_steps": []string{"looked"}, "answer": answer,
		"status": status})
}

// newOffice opens an office. set changes the API's options.
func newOffice(t *testing.T, set func(*openai.Options)) *office {
	t.Helper()
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8", "::1/128")})
	if err != nil {
		t.Fatal(err)
	}
	searx, err := provider.New("searxng", provider.Deps{Guard: guard,
		Settings: map[string]provider.Settings{"searxng": {BaseURL: web.SearchURL()}}})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{Guard: guard, Spacing: -1})
	t.Cleanup(client.Close)
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	runs := db.Tenant("test")
	m := &model{web: web, hold: make(chan struct{})}
	x := job.NewExecutor(job.ExecutorOptions{Runs: runs, Build: func(_ context.Context, d job.Definition,
		ties job.Ties) (job.Agent, error) {
		shape := agent.ShapeToolCalling
		switch d.Name {
		case "thinker":
			shape = agent.ShapeSGRToolCalling
		case "talker":
			shape = agent.ShapeDialog
		}
		return agent.New(agent.Options{Name: d.Name, Shape: shape, Model: m, Journal: ties.Journal,
			Budget: ties.Budget.Agent(), Ask: ties.Ask, Tell: ties.Tell, Archive: runs,
			Searcher: inOrder{agent.Providers{List: []search.Provider{searx}}},
			Reader:   agent.Pages{Fetcher: client, Extract: extract.Extract}})
	}})
	desk := job.NewDesk(runs, []job.Definition{{Name: "desk", Description: "the default", Model: "scripted",
		Budget: job.Budget{Tokens: 400_000}},
		{Name: "thinker", Model: "scripted"}, {Name: "talker", Model: "scripted"},
		{Name: "absent", Hidden: "it has no key"}}, x.Wake)
	ctx, end := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { x.Serve(ctx) })
	o := openai.Options{Desk: desk, FetchImage: func(ctx context.Context, url string) (citewell.Page, error) {
		return client.Get(ctx, fetch.Request{URL: url, IgnoreRobots: true})
	}}
	if set != nil {
		set(&o)
	}
	server := httptest.NewServer(openai.New(o))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		http.DefaultClient.CloseIdleConnections()
		end()
		serving.Wait()
	})
	return &office{desk, server.URL, web, m}
}

// inOrder gives results in an order that has nothing to do with their age, for golden
// files.
type inOrder struct{ agent.Searcher }

func (s inOrder) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	results, err := s.Searcher.Search(ctx, q)
	for i := range results {
		for k := i; k > 0 && results[k].URL < results[k-1].URL; k-- {
			results[k], results[k-1] = results[k-1], results[k]
		}
	}
	return results, err
}

// ask sends a request and returns its status and body.
func (o *office) ask(t *testing.T, method, path string, body any, header ...string) (int, http.Header, []byte) {
	t.Helper()
	r := o.send(t, t.Context(), method, path, body, header...)
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, r.Header, data
}

func (o *office) send(t *testing.T, ctx context.Context, method, path string, body any,
	header ...string) *http.Response {
	t.Helper()
	var data []byte
	switch b := body.(type) {
	case nil:
	case string:
		data = []byte(b)
	default:
		var err error
		if data, err = json.Marshal(b); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, o.url+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func says(model, text string, more ...any) args {
	a := args{"model": model, "messages": []any{args{"role": "user", "content": text}}}
	for i := 0; i < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return a
}

// A reply is what clients read of a completion or a chunk.
type reply struct {
	ID, Object, Model string
	Choices           []struct {
		Message, Delta struct {
			Role, Content string
			ToolCalls     []struct {
				Index    int
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			Annotations []struct {
				URL struct {
					Start int `json:"start_index"`
					End   int `json:"end_index"`
					URL   string
					Title string
				} `json:"url_citation"`
			}
		}
		FinishReason string `json:"finish_reason"`
	}
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	}
	Citations []string
	Citewell  struct {
		Run, Agent, State, Outcome, Reason, Answer string
		Questions                                  []string
	}
	Error *struct {
		Message, Type string
		Param, Code   *string
	}
}

func decode(t *testing.T, data []byte) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return r
}

// events reads a stream to its end: the data of its events, [DONE] among them.
func events(t *testing.T, r io.Reader) []string {
	t.Helper()
	var all []string
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	blank := true
	for lines.Scan() {
		line := lines.Text()
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case line == "":
			blank = true
			continue
		case ok && !blank, !ok && !strings.HasPrefix(line, ":"):
			t.Fatalf("the line %q after %q", line, all)
		case ok:
			all = append(all, data)
		}
		blank = false
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// stream asks for a stream and reads it.
func (o *office) stream(t *testing.T, path string, body args, header ...string) (http.Header, []string) {
	t.Helper()
	r := o.send(t, t.Context(), "POST", path, body, header...)
	defer r.Body.Close()
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/event-stream" {
		data, err := io.ReadAll(r.Body)
		t.Fatalf("%d %s %v: %s, %v", r.StatusCode, path, body, data, err)
	}
	return r.Header, events(t, r.Body)
}

// joined is the content of a stream, and its last chunk with a choice.
func joined(t *testing.T, all []string) (content string, last reply) {
	t.Helper()
	for _, e := range all {
		if e == "[DONE]" {
			continue
		}
		if c := decode(t, []byte(e)); len(c.Choices) > 0 {
			content += c.Choices[0].Delta.Content
			last = c
		}
	}
	return content, last
}

// steady takes out of a text what differs from run to run.
func steady(text string) string {
	for form, with := range map[string]string{
		`localhost:\d+`: "localhost:PORT", `"chatcmpl-[^"]*"`: `"chatcmpl-ID"`, `"created":\d+`: `"created":0`,
		`_[0-9a-f]{8}-[0-9a-f-]{27}`: "_UUID", `(<<<(?:DATA|END)) [a-z0-9]{26}`: "$1 BOUNDARY",
		`\d{4}-\d\d-\d\dT[0-9:]+Z`: "TIME", `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`: "TIME",
	} {
		text = regexp.MustCompile(form).ReplaceAllString(text, with)
	}
	return text
}

// until waits for something that another goroutine does.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal(fmt.Sprint("not after ", patience, ": ", what))
		}
	}
}
