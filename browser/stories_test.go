package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/klauspost/compress/zstd"
)

// A story is a run that is planned whole: what its search finds, and what a model writes of
// it. The search, the reading, the check of each sentence and the pages are real.
type story struct {
	task    string // no other story's is a part of it
	title   string
	pages   []told
	content string            // {KEY} is the number of a page
	asks    []string          // the user, before it begins
	judged  map[string]string // what a judge says of each statement; without any it answers no judge's question
}

// A told is a page of a story.
type told struct {
	key, title, snippet string
	host                string // without .localhost; the web's own where empty
	path                string // /KEY where empty
	lang                string
	paragraphs          []string
	kind                string // of data; a page of paragraphs where empty
	data                []byte
	unread              bool // it is found, and cannot be read
}

// A shelf is the web and the model of some stories.
type shelf struct {
	stories []story
	port    string
}

func (p told) url(port string) string {
	host, path := "127.0.0.1", p.path
	if p.host != "" {
		host = p.host + ".localhost"
	}
	if path == "" {
		path = "/" + p.key
	}
	return "http://" + host + ":" + port + path
}

func (p told) body() (kind string, body []byte) {
	if p.kind != "" {
		return p.kind, p.data
	}
	var w strings.Builder
	fmt.Fprintf(&w,
		`<!doctype html><html lang="%s"><head><meta charset="utf-8"><title>%s</title></head><body><article><h1>%s</h1>`,
		html.EscapeString(p.lang), html.EscapeString(p.title), html.EscapeString(p.title))
	for _, words := range p.paragraphs {
		fmt.Fprintf(&w, "<p>%s</p>\n", html.EscapeString(words))
	}
	w.WriteString("</article></body></html>")
	return "text/html; charset=utf-8", []byte(w.String())
}

// ServeHTTP is the web: every page at its address, and a search that finds those of the
// story whose task is asked for.
func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/search" {
		type result struct {
			URL     string `json:"url"`
			Title   string `json:"title"`
			Content string `json:"content"`
		}
		found := []result{}
		for _, st := range s.stories {
			for _, p := range st.pages {
				if st.task == r.URL.Query().Get("q") {
					found = append(found, result{p.url(s.port), p.title, p.snippet})
				}
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"results": found}) // the client is gone where this fails
		return
	}
	for _, st := range s.stories {
		for _, p := range st.pages {
			if !p.unread && p.url(s.port) == "http://"+r.Host+r.URL.RequestURI() {
				kind, body := p.body()
				w.Header().Set("Content-Type", kind)
				_, _ = w.Write(body)
				return
			}
		}
	}
	http.NotFound(w, r)
}

// numbered are pages in what a tool says, with their numbers.
var numbered = regexp.MustCompile(`(?m)^\[(\d+)\] .* - (http://\S+)`)

// reply is a modeltest.Script: it searches, reads, reports and ends.
func (s *shelf) reply(_ int, a modeltest.Asked) modeltest.Reply {
	if strings.Contains(a.Last(), "19 + 23") { // it is tried out
		return modeltest.Says(`{"sum":42}`)
	}
	for _, st := range s.stories {
		if verdicts, ok := st.judge(a); ok {
			return verdicts
		}
	}
	made, all := conversation(a)
	tools, _ := json.Marshal(a.Body["tools"])
	if strings.Contains(string(tools), `"reasoning_tool"`) {
		return calls("reasoning_tool", map[string]any{"reasoning_steps": []string{"look", "read"},
			"current_situation": "begun", "plan_status": "on its way", "enough_data": false,
			"remaining_steps": []string{"go on"}, "task_completed": false})
	}
	i := slices.IndexFunc(s.stories, func(st story) bool { return strings.Contains(all, st.task) })
	if i < 0 {
		return modeltest.Says("no story is asked for")
	}
	st, numbers, marks := s.stories[i], map[string]string{}, []string{}
	for _, m := range numbered.FindAllStringSubmatch(all, -1) {
		numbers[m[2]] = m[1]
	}
	var read []string
	for _, p := range st.pages {
		marks = append(marks, "{"+p.key+"}", "["+numbers[p.url(s.port)]+"]")
		if !p.unread {
			read = append(read, p.url(s.port))
		}
	}
	const most = 5 // pages of one call
	from := most * made["extract_page_content_tool"]
	switch {
	case len(st.asks) > 0 && made["clarification_tool"] == 0:
		return calls("clarification_tool", map[string]any{"reasoning": "unclear", "unclear_terms": st.asks[:1],
			"assumptions": st.asks[:2], "questions": st.asks[:min(3, len(st.asks))]})
	case made["web_search_tool"] == 0:
		return calls("web_search_tool", map[string]any{"reasoning": "to find it", "query": st.task, "max_results": 10})
	case from < len(read):
		return calls("extract_page_content_tool", map[string]any{
			"reasoning": "to read it", "urls": read[from:min(from+most, len(read))]})
	// it comes back each time that it says so
	case made["create_report_tool"] == strings.Count(all, "again with the whole text"):
		return calls("create_report_tool", map[string]any{"reasoning": "enough is known", "title": st.title,
			"user_request_language_reference": st.task,
			"content":                         strings.NewReplacer(marks...).Replace(st.content), "confidence": "high"})
	}
	return calls("final_answer_tool", map[string]any{"reasoning": "done", "completed_steps": []string{"searched"},
		"answer": "See the report.", "status": "completed"})
}

// conversation is how often each function was called in it, and all its words.
func conversation(a modeltest.Asked) (made map[string]int, all string) {
	made = map[string]int{}
	messages, _ := a.Body["messages"].([]any)
	for _, each := range messages {
		message, _ := each.(map[string]any)
		list, _ := message["tool_calls"].([]any)
		for _, c := range list {
			function, _ := c.(map[string]any)["function"].(map[string]any)
			made[fmt.Sprint(function["name"])]++
		}
		words, _ := message["content"].(string)
		all += words + "\n"
	}
	return made, all
}

// serveStories serves the page over stories.
func serveStories(t testing.TB, stories ...story) *Server {
	t.Helper()
	s := &shelf{stories: stories}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	_, s.port, _ = net.SplitHostPort(web.Listener.Addr().String())
	model := modeltest.Serve(t)
	model.Script = s.reply
	file := filepath.Join(t.TempDir(), "citewell.yaml")
	config := fmt.Sprintf("llm: {base_url: %q, model: scripted}\nsearch:\n  providers:\n    searxng: "+
		"{base_url: %q}\n    "+
		"duckduckgo: {enabled: false}\nfetch:\n  allow_networks: [127.0.0.0/8]\n", model.Base(), web.URL)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return Serve(t, "serve", "--config", file)
}

// tells runs a story by the API, to its end.
func (s *Server) tells(st story) (run string) {
	s.t.Helper()
	run = s.begins(st, nil)
	s.fetch("/v1/runs/" + run + "/events") // which ends when the run does
	return run
}

// begins begins the run of a story, with more in its request.
func (s *Server) begins(st story, more map[string]any) (run string) {
	s.t.Helper()
	request := map[string]any{"task": st.task, "agent": "sgr_tool_calling_agent"}
	maps.Copy(request, more)
	body, err := json.Marshal(request)
	if err != nil {
		s.t.Fatal(err)
	}
	var began struct{ ID string }
	s.api("POST", "/v1/runs", &began, string(body))
	return began.ID
}

// fetch is what the server answers, to its end.
func (s *Server) fetch(path string) []byte {
	s.t.Helper()
	resp, err := http.Get(s.URL + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s %v %s", path, resp.Status, err, body)
	}
	return body
}

// alter changes words of a kept text in the folder of a server that has stopped, into as
// many others, as somebody does who would have a source say something else.
func (s *Server) alter(t *testing.T, sha256, words, others string) {
	t.Helper()
	packer, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	unpacker, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacker.Close()
	altered := 0
	err = filepath.WalkDir(filepath.Join(s.home, "data"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasPrefix(entry.Name(), sha256[:60]) &&
			!strings.HasPrefix(entry.Name(), sha256[2:60]) {
			return err
		}
		packed, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text, err := unpacker.DecodeAll(packed, nil)
		if err != nil {
			return err
		}
		altered += bytes.Count(text, []byte(words))
		return os.WriteFile(path, packer.EncodeAll(bytes.ReplaceAll(text, []byte(words), []byte(others)), nil), 0o600)
	})
	if err != nil || altered != 1 {
		t.Fatalf("%d places were altered: %v", altered, err)
	}
}
