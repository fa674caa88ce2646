// Package modeltest is a model server for tests: it answers chat completions in OpenAI's form by a script, whole or
// streamed, and fails in every way in which models and their servers fail.
//
// Flow: request → Asked → script → Reply → bytes. The same script gives the same bytes.
// Concurrency: a Server answers many requests at once; replies are taken in the order in which requests come.
package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// An Asked is one request that came.
type Asked struct {
	Path   string
	Header http.Header
	Body   map[string]any
}

// Streams says whether the answer is wanted in pieces.
func (a Asked) Streams() bool { return a.Body["stream"] == true }

// Format is how JSON is asked for: json_schema, grammar, tool, json_object, or prompt
// where nothing but words does.
func (a Asked) Format() string {
	if f, ok := a.Body["response_format"].(map[string]any); ok {
		kind, _ := f["type"].(string)
		return kind
	}
	switch {
	case a.Body["guided_json"] != nil:
		return "grammar"
	case a.Body["tool_choice"] == "required":
		return "tool"
	}
	return "prompt"
}

// Last is the text of the last message.
func (a Asked) Last() string {
	messages, _ := a.Body["messages"].([]any)
	if len(messages) == 0 {
		return ""
	}
	last, _ := messages[len(messages)-1].(map[string]any)
	text, _ := last["content"].(string)
	return text
}

// A Script answers the n-th chat request, from 0.
type Script func(n int, a Asked) Reply

// InOrder gives one reply after the other, the last one again and again.
func InOrder(replies ...Reply) Script {
	return func(n int, _ Asked) Reply { return replies[min(n, len(replies)-1)] }
}

// A Server serves one model, "scripted", at Base.
type Server struct {
	Script Script
	// Refuses are fields of a request that are answered with 400, and the words of it
	// where they are not the usual ones.
	Refuses map[string]string
	// Window is how many tokens a request and its answer have room for, a token for four
	// bytes; what has more is refused as it is by servers. 0 has room for all.
	Window  int
	Models  string // of GET /v1/models, as JSON; 404 where empty, as for those below
	Props   string // of GET /props, as llama.cpp's server
	Show    string // of POST /api/show, as Ollama
	Running string // of GET /api/ps, as Ollama
	Vector  string // of POST /v1/embeddings

	http *httptest.Server
	stop chan struct{}
	mu   sync.Mutex
	all  []Asked
	chat int
	now  int
	most int
}

// Serve starts a server that gives these replies in order, and "hello" where there are
// none; set its other fields before the first request. It ends with the test.
func Serve(t testing.TB, replies ...Reply) *Server {
	s := New(replies...)
	t.Cleanup(s.Close)
	return s
}

// New is Serve for a caller that closes the server.
func New(replies ...Reply) *Server {
	if len(replies) == 0 {
		replies = []Reply{Says("hello")}
	}
	s := &Server{Script: InOrder(replies...), stop: make(chan struct{})}
	s.http = httptest.NewServer(s)
	return s
}

// Close ends the server and what hangs at it.
func (s *Server) Close() {
	close(s.stop)
	s.http.CloseClientConnections()
	s.http.Close()
}

// Base is what llm.base_url is set to.
func (s *Server) Base() string { return s.http.URL + "/v1" }

// Follow has the server go by a script from now on, also where other processes ask it.
func (s *Server) Follow(script Script) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Script = script
}

// Asked are the chat requests that came, in order.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.all), func(a Asked) bool { return a.Path != chatPath })
}

// Paths are those of all requests that came, in order.
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	paths := make([]string, len(s.all))
	for i, a := range s.all {
		paths[i] = a.Path
	}
	return paths
}

// Forget drops the requests that came, for a test that counts what is held in memory.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = nil
}

// Most is how many chat requests were answered at once at most.
func (s *Server) Most() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

const chatPath = "/v1/chat/completions"

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := Asked{Path: r.URL.Path, Header: r.Header.Clone()}
	body, err := io.ReadAll(r.Body)
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &asked.Body)
	}
	if err != nil {
		Fails(http.StatusBadRequest, "the body is no JSON").write(w, r, s.stop, asked)
		return
	}
	s.mu.Lock()
	s.all = append(s.all, asked)
	n, script := s.chat, s.Script
	if asked.Path == chatPath {
		s.chat++
		s.now++
		s.most = max(s.most, s.now)
	}
	s.mu.Unlock()
	if asked.Path != chatPath {
		s.aside(w, r, asked)
		return
	}
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	for field, words := range s.Refuses {
		if asked.Body[field] != nil {
			if words == "" {
				words = "Unsupported parameter: '" + field + "' is not supported with this model."
			}
			Fails(http.StatusBadRequest, words).write(w, r, s.stop, asked)
			return
		}
	}
	if used, wanted := asked.tokens(); s.Window > 0 && used+wanted > s.Window {
		Fails(http.StatusBadRequest, fmt.Sprintf("This model's maximum context length is %d tokens. However, you "+
			"requested %d tokens (%d in the messages, %d in the completion).",
			s.Window, used+wanted, used, wanted)).write(w, r, s.stop, asked)
		return
	}
	script(n, asked).write(w, r, s.stop, asked)
}

// tokens are those of a request, a token for four bytes, and those wanted of the answer.
func (a Asked) tokens() (used, wanted int) {
	for _, field := range []string{"messages", "tools", "response_format"} {
		if shown, err := json.Marshal(a.Body[field]); err == nil {
			used += len(shown) / 4
		}
	}
	for _, field := range []string{"max_tokens", "max_completion_tokens"} {
		if limit, ok := a.Body[field].(float64); ok {
			wanted = int(limit)
		}
	}
	return used, wanted
}

// aside answers what is no chat.
func (s *Server) aside(w http.ResponseWriter, r *http.Request, asked Asked) {
	said := map[string]string{"/v1/models": s.Models, "/props": s.Props, "/api/show": s.Show, "/api/ps": s.Running,
		"/v1/embeddings": s.Vector}[asked.Path]
	if said == "" {
		Fails(http.StatusNotFound, "not found").write(w, r, s.stop, asked)
		return
	}
	Reply{Body: said}.write(w, r, s.stop, asked)
}

// write sends a reply, whole or in pieces as it was asked for.
func (p Reply) write(w http.ResponseWriter, r *http.Request, stop <-chan struct{}, asked Asked) {
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
			return true
		case <-r.Context().Done():
		case <-stop:
		}
		return false
	}
	if p.Hangs && !p.Begins {
		wait(time.Hour)
		return
	}
	data, kind := []byte(p.Body), "application/json"
	status := p.Status
	if status == 0 {
		status = http.StatusOK
	}
	if p.Body == "" {
		if asked.Streams() && !p.OnlyWhole {
			options, _ := asked.Body["stream_options"].(map[string]any)
			data, kind = p.Stream(options["include_usage"] == true), "text/event-stream"
		} else {
			data = p.Whole()
		}
	}
	w.Header().Set("Content-Type", kind)
	for name, values := range p.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(status)
	flush := func() { _ = http.NewResponseController(w).Flush() }
	if p.CutAt > 0 && p.CutAt <= len(data) {
		data = data[:p.CutAt-1]
	}
	if p.Every > 0 {
		for piece := range strings.SplitAfterSeq(string(data), "\n") {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
			if flush(); !wait(p.Every) {
				return
			}
		}
	} else if _, err := w.Write(data); err != nil {
		return
	}
	switch {
	case p.Hangs:
		flush()
		wait(time.Hour)
	case p.CutAt > 0 && !p.CutClean:
		flush()
		panic(http.ErrAbortHandler) // the connection is closed without an end
	}
}
