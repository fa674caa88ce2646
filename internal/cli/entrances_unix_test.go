//go:build unix

package cli

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A foreign is a text that somebody else wrote.
type foreign struct {
	n           int // of no other
	media, text string
}

// words are the text as JSON can have it.
func (f foreign) words() string { return strings.ToValidUTF8(f.text, "?") }

// numbered are the words with a number behind every few: a model that repeats itself is not heard to the end.
func (f foreign) numbered() string {
	var b strings.Builder
	for i, r := range f.words()[:len(f.words())/2] {
		b.WriteRune(r)
		if i%24 == 23 {
			fmt.Fprint(&b, " ", i, " ")
		}
	}
	return b.String()
}

// file is the text as a file, with its name and as a data URL.
func (f foreign) file() (name, coded string) {
	extension := map[string]string{"text/markdown": ".md", "text/html": ".html", "text/plain": ".txt"}[f.media]
	return fmt.Sprint(f.n, extension), "data:" + f.media + ";base64," +
		base64.StdEncoding.EncodeToString([]byte(f.text))
}

// Words about a gate, and a question that they answer.
const (
	gateWords    = "The harbour gate of Skarrow Quay is twelve metres wide."
	gateQuestion = "How wide is the harbour gate?"
)

// A strangers is all that a server speaks with: a web, a search engine, registers of publications, a server of
// tools and a model. Each says the text at hand wherever it may say something of its own.
type strangers struct {
	*httptest.Server
	text atomic.Pointer[foreign]
	said atomic.Int64 // times that it was said
}

// strangersSay are the answers by the beginning of a path, each a media type and a body.
var strangersSay = map[string]func(s *strangers, f foreign, r *http.Request) (media, body string){
	"/page/": func(s *strangers, f foreign, _ *http.Request) (string, string) {
		s.said.Add(1)
		return f.media, f.text
	},
	"/plain/": func(*strangers, foreign, *http.Request) (string, string) {
		return "text/html", "<title>The gate</title><p>" + gateWords
	},
	"/robots.txt": func(s *strangers, f foreign, r *http.Request) (string, string) {
		if strings.HasPrefix(r.Host, "robots") {
			s.said.Add(1)
			return "text/plain", f.text
		}
		return "text/plain", ""
	},
	"/film/": func(_ *strangers, f foreign, _ *http.Request) (string, string) {
		return "text/html", fmt.Sprintf(
			`<html lang="en"><title>A film of the gate</title><video src="/film.mp4"><track kind="captions" srclang="en" src="/captions/%d.vtt"></video><p>%s The film tells it.</p>`, f.n, gateQuestion)
	},
	"/captions/": func(s *strangers, f foreign, _ *http.Request) (string, string) {
		s.said.Add(1)
		if strings.HasPrefix(f.text, "WEBVTT") {
			return "text/vtt", f.text
		}
		return "text/vtt", "WEBVTT\n\n00:01.000 --> 00:09.000\n" + f.text + "\n"
	},
	"/feed/": func(s *strangers, f foreign, _ *http.Request) (string, string) {
		s.said.Add(1)
		text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(f.text)
		return "application/rss+xml", "<rss version='2.0'><channel><title>News</title><item><title>" + text +
			"</title><description>" + text + "</description></item></channel></rss>"
	},
	"/api/": func(s *strangers, f foreign, _ *http.Request) (string, string) {
		s.said.Add(1)
		return "application/json", toJSON(map[string]any{"text": f.words(), f.words(): 1})
	},
	"/search": func(s *strangers, f foreign, r *http.Request) (string, string) { // as SearXNG
		leadsTo := func(path, words string) (string, string) {
			return "application/json", toJSON(map[string]any{"results": []any{
				map[string]any{"title": words, "url": s.URL + path, "content": words, "engine": words}},
				"answers": []any{words}, "suggestions": []any{words}})
		}
		switch q := r.FormValue("q"); {
		case strings.HasPrefix(q, "answer"):
			s.said.Add(1)
			return "application/json", f.text
		case strings.HasPrefix(q, "words"):
			s.said.Add(1)
			return leadsTo("/plain/1", f.words())
		case strings.HasPrefix(q, "page"):
			return leadsTo(fmt.Sprint("/page/", f.n), gateQuestion)
		}
		return leadsTo("/plain/1", gateQuestion)
	},
	"/html/": func(s *strangers, f foreign, _ *http.Request) (string, string) { // as DuckDuckGo
		s.said.Add(1)
		return "text/html", f.text
	},
	"/works": func(s *strangers, f foreign, r *http.Request) (string, string) { // as Crossref
		s.said.Add(1)
		work := map[string]any{"DOI": "10.5555/" + f.words(), "type": "journal-article", "title": []string{f.words()},
			"subtitle": []string{f.words()}, "container-title": []string{f.words()}, "publisher": f.words(),
			"abstract": "<jats:p>" + f.words() + "</jats:p>", "author": []any{
				map[string]any{"given": f.words(), "family": f.words()}},
			"issued": map[string]any{"date-parts": [][]int{{2015}}}, "URL": "https://doi.org/10.5555/gate"}
		if strings.Contains(r.URL.RawQuery, "answer") {
			return "application/json", f.text
		}
		return "application/json", toJSON(map[string]any{"status": "ok", "message-type": "work-list",
			"message": map[string]any{"total-results": 1, "items": []any{work}}})
	},
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps, lists and strings
	}
	return string(data)
}

func newStrangers(t *testing.T) (s *strangers, model *modeltest.Server) {
	s, model = &strangers{}, modeltest.Serve(t)
	model.Follow(func(_ int, a modeltest.Asked) modeltest.Reply {
		model.Forget()
		reply := s.writes(a)
		reply.Piece = textBytes // many small pieces would take longer than all that is measured
		return reply
	})
	tools := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	mcp.AddTool(tools, &mcp.Tool{Name: "ask", Description: "Answers.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			s.said.Add(1)
			f := s.text.Load()
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{
				Resource: &mcp.ResourceContents{URI: fmt.Sprint("wiki://", f.n), MIMEType: f.media,
					Blob: []byte(f.text)}}}}, nil, nil
		})
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return tools
	}, &mcp.StreamableHTTPOptions{Stateless: true}))
	for path, says := range strangersSay {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			media, body := says(s, *s.text.Load(), r)
			w.Header().Set("Content-Type", media)
			if strings.HasPrefix(r.Host, "robots") { // of which there are many
				w.Header().Set("Connection", "close")
			}
			io.WriteString(w, body)
		})
	}
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s, model
}

// writes is what the model answers: it asks the server of tools or the search engine first, and says the text at
// hand then, as a report where it may write one.
func (s *strangers) writes(a modeltest.Asked) modeltest.Reply {
	calls, _ := said(a)
	wants := func(name string) bool { return offers(a, name) && !slices.Contains(calls, name) }
	f := s.text.Load()
	switch {
	case wants("wiki_ask"):
		return calling("wiki_ask", map[string]any{})
	case wants("web_search_tool"):
		return calling("web_search_tool", map[string]any{"reasoning": "to find it", "query": gateQuestion})
	case offers(a, "create_report_tool") && len(calls) < 5: // sent back, it says so again
		s.said.Add(1)
		return calling("create_report_tool", map[string]any{"reasoning": "enough is known", "title": "The gate",
			"user_request_language_reference": gateQuestion, "content": f.numbered() + "\n\n" + gateWords + " [1]",
			"confidence": "high"})
	case offers(a, "final_answer_tool"):
		return calling("final_answer_tool", map[string]any{"reasoning": "done", "completed_steps": []string{"asked"},
			"answer": gateWords + " [1]", "status": "completed"})
	}
	s.said.Add(1)
	return modeltest.Says(f.words())
}

// A porter brings foreign texts to the doors of a server that knows strangers.
type porter struct {
	*stander
	home, config string
	strangers    *strangers
}

func newPorter(t *testing.T) *porter {
	p := &porter{home: t.TempDir()}
	var model *modeltest.Server
	p.strangers, model = newStrangers(t)
	p.config = filepath.Join(p.home, "citewell.yaml")
	write(t, p.config, fmt.Sprintf(`
search: {open: off, providers: {searxng: {base_url: %[1]q, rate: 10000}, duckduckgo: {base_url: "%[1]s/html/", rate: 10000, enabled: false}, crossref: {base_url: %[1]q, rate: 10000}}}
fetch: {allow_networks: [127.0.0.0/8], archive: {use: off}, cache_ttl: 1ms}
brief: {synthesis: false}
llm: {base_url: %[2]q, model: scripted}
mcp: {mcpServers: {wiki: {url: "%[1]s/mcp"}}}
agents:
  asker: {base_class: tool_calling_agent, tools: [final_answer_tool]}
  writer: {base_class: tool_calling_agent, tools: [web_search_tool, create_report_tool, final_answer_tool]}
`, p.strangers.URL, model.Base()))
	l := &lab{home: p.home, log: io.Discard}
	operator, _ := l.api(t)
	p.stander = newStander(t, l, operator.base, "porter", "--scope", "all")
	return p
}

// tool calls one of MCP's tools.
func (p *porter) tool(name string, arguments map[string]any) string {
	return p.calls("all", name, toJSON(arguments))
}

// gets reads paths of the server.
func (p *porter) gets(paths ...string) (told string) {
	for _, path := range paths {
		told += p.asks("GET", path, "")
	}
	return told
}

// idOf is the first id that an answer has, after the words before.
func idOf(told, before string) string {
	_, after, _ := strings.Cut(told, before+`"id":"`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}

// run has a run executed, and returns what is told of it.
func (p *porter) run(body map[string]any) (told, id string) {
	told = p.asks("POST", "/v1/runs", toJSON(body))
	if id = idOf(told, "{"); id == "" {
		return told, ""
	}
	return p.gets("/v1/runs/"+id+"/events", "/v1/runs/"+id+"/result"), id
}

// command runs a command in a home, that of the server or another, in which nobody has failed yet.
func (p *porter) command(home string, args ...string) string {
	out, stderr, _ := here(p.t, home, append([]string{"--config", p.config}, args...)...)
	return out + stderr
}

// keeps writes a text to a file beside the server.
func (p *porter) keeps(name, text string) string {
	path := filepath.Join(p.home, "files", name)
	write(p.t, path, text)
	return path
}

// An entrance is a door through which texts of others come in.
type entrance struct {
	put   func(p *porter, f foreign) string // all that came of it
	words bool                              // a zip cannot come in as such
	// that it takes alone: to everything else it is refused at once, or a text like any other
	media string
	// that the text comes in by one call, 1 where 0: a report that is sent back comes again
	times int
	asked bool   // a stranger is asked for the text
	shows string // what comes of a text with gateWords; these where empty
}

// entrances are all doors: whatever reads texts of others has one here.
var entrances = map[string]entrance{
	"page": {asked: true, put: func(p *porter, f foreign) string {
		return p.tool("web_fetch", map[string]any{"url": fmt.Sprint(p.strangers.URL, "/page/", f.n),
			"max_length": 1000000})
	}},
	"rules of a site": {asked: true, put: func(p *porter, f foreign) string {
		at := strings.Replace(p.strangers.URL, "127.0.0.1", fmt.Sprintf("robots%d.localhost", f.n), 1)
		return p.tool("web_fetch", map[string]any{"url": at + "/plain/" + strings.Repeat("a/", 500)})
	}},
	"page that is found": {asked: true, put: func(p *porter, f foreign) string {
		return p.tool("web_search", map[string]any{"query": fmt.Sprintf("page %d %s", f.n, gateQuestion)})
	}},
	"words of an engine": {asked: true, words: true, put: func(p *porter, f foreign) string {
		return p.tool("web_search", map[string]any{"query": fmt.Sprintf("words %d %s", f.n, gateQuestion)})
	}},
	"answer of an engine": {asked: true, media: "application/json", put: func(p *porter, f foreign) string {
		return p.command(p.t.TempDir(), "search", fmt.Sprintf("answer %d %s", f.n, gateQuestion))
	}, shows: "searxng: bad_response"},
	"page of an engine": {asked: true, media: "text/html", put: func(p *porter, f foreign) string {
		return p.command(p.t.TempDir(), "--set", "search.engine=duckduckgo", "--set",
			"search.providers.duckduckgo.enabled=true", "search", fmt.Sprint(f.n, " ", gateQuestion))
	}, shows: "No provider answered"},
	"API": {asked: true, words: true, put: func(p *porter, f foreign) string {
		return p.tool("http_get", map[string]any{"url": fmt.Sprint(p.strangers.URL, "/api/", f.n)})
	}},
	"upload": {put: func(p *porter, f foreign) string {
		name, coded := f.file()
		told := p.asks("POST", "/v1/documents", toJSON(map[string]any{"filename": name, "data": coded}))
		if id := idOf(told, `"state":"indexed",`); id != "" {
			told += p.gets("/v1/documents/"+id+"/text", "/library/d/"+id,
				"/v1/documents/search?q=how+wide+is+the+gate") + p.asks("DELETE", "/v1/documents/"+id, "")
		}
		return told
	}},
	"attachment of a run": {put: func(p *porter, f foreign) string {
		name, coded := f.file()
		told, _ := p.run(map[string]any{"agent": "brief", "task": gateQuestion, "documents": false,
			"attachments": []any{map[string]any{"filename": name, "data": coded}}})
		return told
	}},
	"attachment of a chat": {put: func(p *porter, f foreign) string {
		name, coded := f.file()
		return p.chat(map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "text", "text": gateQuestion}, map[string]any{
				"type": "file", "file": map[string]any{"filename": name, "file_data": coded}}}})
	}},
	"conversation": {words: true, put: func(p *porter, f foreign) string {
		return p.chat(map[string]any{"role": "user", "content": f.words()},
			map[string]any{"role": "assistant", "content": f.words()},
			map[string]any{"role": "user", "content": gateQuestion})
	}},
	"question": {words: true, media: "text/plain", put: func(p *porter, f foreign) string {
		told, id := p.run(map[string]any{"agent": "brief", "task": f.words(), "documents": false})
		return told + p.gets("/v1/runs/"+id+"/report", "/runs/"+id)
	}},
	"file for a claim": {put: func(p *porter, f foreign) string {
		name, _ := f.file()
		return p.command(p.home, "check", gateWords, "--against", p.keeps(name, f.text))
	}},
	"page for a claim": {asked: true, put: func(p *porter, f foreign) string {
		return p.tool("check_claim", map[string]any{"claim": "The gate is 12 metres wide.",
			"url": fmt.Sprint(p.strangers.URL, "/page/", f.n)})
	}},
	"evidence": {words: true, put: func(p *porter, f foreign) string {
		return p.tool("check_claim", map[string]any{"claim": "The gate is 12 metres wide.", "evidence": f.words(),
			"title": f.words()})
	}},
	"claim": {words: true, put: func(p *porter, f foreign) string {
		return p.tool("check_claim", map[string]any{"claim": f.words(), "evidence": gateWords})
	}},
	"evidence for a judge": {words: true, put: func(p *porter, f foreign) string {
		return p.command(p.home, "--set", "judge.use=auto", "check",
			"At the quay of Skarrow ships of twelve metres pass.", "--against",
			p.keeps(fmt.Sprint(f.n, ".txt"), gateWords+"\n\n"+f.words()))
	}},
	"text that cites": {words: true, put: func(p *porter, f foreign) string {
		return p.command(p.home, "check", p.keeps(fmt.Sprint(f.n, ".md"),
			fmt.Sprintf("%s\n\n%s [the gate](%s/plain/1)\n", f.text, strings.TrimSuffix(gateWords, "."),
				p.strangers.URL)))
	}},
	"references": {words: true, put: func(p *porter, f foreign) string {
		return p.tool("check_references", map[string]any{"entries": f.words()}) +
			p.tool("check_references", map[string]any{"text": f.words() + "\n\n# References\n\nFinch, B. (2016). " +
				gateWords + " Harbours 1."})
	}},
	"words of a register": {words: true, asked: true, put: func(p *porter, f foreign) string {
		return p.tool("check_references", map[string]any{"entries": fmt.Sprintf("@article{a, title = {The harbour "+
			"gate of Skarrow Quay, volume %d}, author = {Finch, Ben}, year = 2016}", f.n)})
	}, shows: "no work of this title"},
	"answer of a register": {asked: true, media: "application/json", put: func(p *porter, f foreign) string {
		return p.command(p.t.TempDir(), "call", "--toolset", "all", "check_references",
			toJSON(map[string]any{"entries": fmt.Sprintf("@article{a, title = {The answer of Skarrow Quay, volume "+
				"%d}, author = {Finch, Ben}, year = 2016}", f.n)}))
	}, shows: "crossref bad response"},
	"result of a tool": {asked: true, put: func(p *porter, f foreign) string {
		told, _ := p.run(map[string]any{"agent": "asker", "task": gateQuestion})
		return told
	}},
	"feed": {words: true, asked: true, put: func(p *porter, f foreign) string {
		return p.tool("web_fetch", map[string]any{"url": fmt.Sprint(p.strangers.URL, "/feed/", f.n),
			"max_length": 1000000})
	}},
	"watch": {words: true, asked: true, put: func(p *porter, f foreign) string {
		id := idOf(p.asks("POST", "/v1/watches", toJSON(map[string]any{
			"agent": "brief", "question": fmt.Sprintf("words %d %s", f.n, gateQuestion), "every_seconds": 86400,
			"documents": false})), "{")
		_, run, _ := strings.Cut(p.gets("/v1/watches/"+id+"/news"), `"run":"`)
		run, _, _ = strings.Cut(run, `"`)
		return p.gets("/v1/runs/"+run+"/events", "/v1/watches/"+id+"/news", "/v1/watches/"+id+"/feed", "/watches/"+id) +
			p.asks("DELETE", "/v1/watches/"+id, "")
	}},
	"captions": {words: true, asked: true, put: func(p *porter, f foreign) string {
		return p.tool("check_claim", map[string]any{"claim": "The gate is 12 metres wide.",
			"url": fmt.Sprint(p.strangers.URL, "/film/", f.n)})
	}},
	"report of a model": {times: 3, words: true, media: "text/markdown", asked: true,
		put: func(p *porter, f foreign) string {
			told, id := p.run(map[string]any{"agent": "writer", "task": gateQuestion, "documents": false})
			markdown := p.gets("/v1/runs/" + id + "/report")
			_, markdown, _ = strings.Cut(markdown, "] ") // behind the header
			told += markdown + p.gets("/v1/runs/"+id+"/report?format=html", "/v1/runs/"+id+"/report?format=json")
			return told + p.gets("/runs/"+id) + p.command(p.home, "verify", p.keeps(fmt.Sprint(f.n, ".md"), markdown))
		}},
	"answer of a model": {words: true, media: "application/json", asked: true, put: func(p *porter, f foreign) string {
		return p.command(p.home, "--set", "brief.synthesis=true", "search", "--no-docs", "--fresh", gateQuestion)
	}},
	"file of a report": {words: true, put: func(p *porter, f foreign) string {
		return p.command(p.home, "verify", p.keeps(fmt.Sprint(f.n, ".md"), f.text))
	}, shows: "the file carries neither the id and the hash"},
}

// chat asks agent brief over OpenAI's API.
func (p *porter) chat(messages ...any) string {
	return p.asks("POST", "/v1/chat/completions", toJSON(map[string]any{"model": "brief", "messages": messages}))
}

// A cost is what it took to bring a text in, whatever ran on behind the answer included.
type cost struct {
	worked    time.Duration // of processor time
	allocated uint64        // bytes in all, which are more than are held at once
}

// Ceilings of what a text costs. It is shorter than the 64 KiB that readers are held to by themselves, so that
// all doors are tried in a minute.
const (
	textBytes    = 24 << 10
	mostWork     = time.Second
	mostMemory   = 384 << 20
	mostLeft     = 20            // goroutines that connections may keep, fewer than texts come in by most doors
	beyondRepair = 10 * mostWork // after which nobody waits for its end
)

// brings puts a text through an entrance, and waits until nothing of this process runs any more.
func (p *porter) brings(t *testing.T, e entrance, f foreign) (told string, c cost) {
	p.strangers.text.Store(&f)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	used := score.ProcessorTime()
	answer := make(chan string, 1)
	go func() {
		defer close(answer)
		answer <- e.put(p, f)
	}()
	running := []metrics.Sample{{Name: "/sched/goroutines/running:goroutines"},
		{Name: "/sched/goroutines/runnable:goroutines"}}
	for quiet, answered := 0, false; quiet < 3; time.Sleep(200 * time.Microsecond) {
		select {
		case words, ok := <-answer:
			if answered = true; ok {
				told = words
			}
		default:
		}
		metrics.Read(running)
		if quiet++; !answered || running[0].Value.Uint64()+running[1].Value.Uint64() > 1 {
			quiet = 0
		}
		if c.worked = score.ProcessorTime() - used; c.worked > beyondRepair {
			stacks := make([]byte, 1<<20)
			t.Fatalf("text %d of %s runs without an end:\n%s", f.n, f.media, stacks[:runtime.Stack(stacks, true)])
		}
	}
	runtime.ReadMemStats(&after)
	c.allocated = after.TotalAlloc - before.TotalAlloc
	return told, c
}

// Whatever comes in by any door costs little, and nothing of it runs on.
func TestEntrancesOfForeignText(t *testing.T) {
	extracttest.Measured(t)
	p, n := newPorter(t), 0
	for _, name := range slices.Sorted(maps.Keys(entrances)) {
		t.Run(name, func(t *testing.T) {
			e := entrances[name]
			n++
			told, _ := p.brings(t, e, foreign{n: n, media: "text/html", text: "<title>The gate</title><p>" + gateWords})
			if want := cmp.Or(e.shows, "twelve metres wide"); !strings.Contains(told, want) {
				t.Errorf("a text of plain words does not come in: no %q in %.3000s", want, told)
			}
			before := runtime.NumGoroutine()
			for kind, q := range extracttest.Quadratics() {
				if zip := q.Parts != nil || q.Unit == ""; zip && e.words || e.media != "" && q.Media != e.media {
					continue
				}
				n++
				said := p.strangers.said.Load()
				_, c := p.brings(t, e, foreign{n: n, media: q.Media, text: q.Of(textBytes)})
				if times := max(e.times, 1); c.worked > time.Duration(times)*mostWork ||
					c.allocated > uint64(times)*mostMemory {
					t.Errorf("%s: it took %v of work and %d MiB", kind, c.worked, c.allocated>>20)
				}
				if e.asked && p.strangers.said.Load() == said {
					t.Errorf("%s: nobody was asked for it", kind)
				}
			}
			if after := runtime.NumGoroutine(); after > before+mostLeft {
				t.Errorf("there were %d goroutines, and are %d", before, after)
			}
		})
	}
}
