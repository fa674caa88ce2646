package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/citewell/citewell/internal/tool"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// send posts one message to h with a token and in a session, where there are any.
func send(h http.Handler, body, token, session string) *http.Response {
	r := httptest.NewRequest("POST", "http://localhost:8010/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// A session belongs to the token that began it; its id is not the caller's to choose.
func TestSessionsBelongToTokens(t *testing.T) {
	tokens, err := access.Load(filepath.Join(t.TempDir(), "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	mine, err := tokens.Create(access.Token{Name: "mine", Scopes: []string{access.ScopeMCP}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := tokens.Create(access.Token{Name: "theirs", Scopes: []string{access.ScopeMCP}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	door, err := access.New(access.Options{Listen: "127.0.0.1:8010", Tokens: tokens,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := door.For(access.ScopeMCP, mcpserver.Handler(func(string) (*tool.Toolset, error) {
		return tools(nil), nil
	}, mcpserver.Options{}))
	began := send(h, initialize, mine, "")
	session := began.Header.Get("Mcp-Session-Id")
	if began.StatusCode != 200 || len(session) < 20 {
		t.Fatalf("%d, session %q", began.StatusCode, session)
	}
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	answers := map[string]string{}
	for _, test := range []struct {
		name, token, session string
		want                 int
	}{{"own", mine, session, 200}, {"stolen", theirs, session, 404}, {"nobody's", theirs, "x" + session, 404},
		{"none", "", session, 401}, {"chosen", mine, "of-my-own", 404}} {
		got := send(h, ping, test.token, test.session)
		if got.StatusCode != test.want {
			t.Errorf("%s: %d, want %d", test.name, got.StatusCode, test.want)
		}
		body, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		answers[test.name] = fmt.Sprint(got.Header, string(body))
	}
	if answers["stolen"] != answers["nobody's"] || answers["stolen"] != answers["chosen"] {
		t.Errorf("a session of another's is told from one that is nobody's: %v", answers)
	}
	if got := send(h, initialize, mine, "of-my-own").StatusCode; got != 404 {
		t.Errorf("a session by an id that the caller chose: %d", got)
	}
}

// A session keeps to the path at which it was begun; two paths of one toolset are one.
func TestSessionsKeepToTheirToolset(t *testing.T) {
	set := func(name string) (*tool.Toolset, error) {
		set := tools(nil)
		if set.Name = name; name == "" {
			set.Name = "default"
		}
		return set, nil
	}
	mux := http.NewServeMux()
	h := mcpserver.Handler(set, mcpserver.Options{})
	mux.Handle("/mcp", h)
	mux.Handle("/mcp/{toolset}", h)
	at := func(path string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { r.URL.Path = path; mux.ServeHTTP(w, r) })
	}
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	for _, test := range []struct {
		begun, used string
		want        int
	}{{"/mcp", "/mcp", 200}, {"/mcp", "/mcp/lite", 404}, {"/mcp/lite", "/mcp", 404}, {"/mcp/lite", "/mcp/lite", 200},
		{"/mcp", "/mcp/default", 200}} {
		began := send(at(test.begun), initialize, "", "")
		session := began.Header.Get("Mcp-Session-Id")
		if began.StatusCode != 200 || session == "" {
			t.Fatalf("%d, session %q", began.StatusCode, session)
		}
		got := send(at(test.used), list, "", session)
		body, err := io.ReadAll(got.Body)
		if err != nil || got.StatusCode != test.want || test.want == 404 &&
			!strings.Contains(string(body), "no such session at this path") {
			t.Errorf("of %s at %s: %d, want %d: %s, %v", test.begun, test.used, got.StatusCode, test.want, body, err)
		}
		remove(at(test.begun), session)
	}
}

// Sessions have a bound, and a token holds as many as are left free for others; those that
// are ended make room.
func TestSessionsAreShared(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	h := mcpserver.Handler(func(string) (*tool.Toolset, error) { return tools(nil), nil }, mcpserver.Options{})
	as := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if name != "" {
				r.Header.Set("Authorization", "Bearer judged-by-the-door")
			}
			h.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), access.Caller{Name: name})))
		})
	}
	begun := map[string][]string{}
	begin := func(who string) (refused bool) {
		r := send(as(who), initialize, "", "")
		if r.StatusCode == 200 {
			begun[who] = append(begun[who], r.Header.Get("Mcp-Session-Id"))
			return false
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != 429 || r.Header.Get("Retry-After") == "" ||
			!strings.Contains(string(body), "too many sessions") {
			t.Fatalf("%d %v: %s, %v", r.StatusCode, r.Header, body, err)
		}
		return true
	}
	defer func() {
		for who, sessions := range begun {
			for _, s := range sessions {
				remove(as(who), s)
			}
		}
	}()
	for _, who := range []string{"greedy", "greedier"} {
		for !begin(who) {
		}
	}
	if a, b := len(begun["greedy"]), len(begun["greedier"]); a != 2048 || b != 1024 {
		t.Errorf("two tokens hold %d and %d sessions, want half and half of the rest", a, b)
	}
	for !begin("") {
	}
	if n := len(begun[""]); n != 1024 {
		t.Errorf("who needs no token holds %d sessions, want all that were left", n)
	}
	remove(as("greedier"), begun["greedier"][0])
	if begun["greedier"] = begun["greedier"][1:]; begin("modest") {
		t.Error("what was ended is not there for another")
	}
}

func remove(h http.Handler, session string) {
	r := httptest.NewRequest("DELETE", "http://localhost:8010/mcp", nil)
	r.Header.Set("Mcp-Session-Id", session)
	h.ServeHTTP(httptest.NewRecorder(), r)
}

// Who ends a session ends the calls of it, and does not wait for them. Another token ends
// neither.
func TestDeleteEndsCalls(t *testing.T) {
	began, ended := make(chan bool, 1), make(chan error, 1)
	set := &tool.Toolset{Name: "test", Tools: []*tool.Tool{
		tool.New(tool.Spec{Name: "hold", Title: "Hold", Description: "Waits."},
			func(ctx context.Context, _ struct{}) (echoOutput, error) {
				began <- true
				<-ctx.Done()
				ended <- ctx.Err()
				return echoOutput{}, ctx.Err()
			})}}
	h := mcpserver.Handler(func(string) (*tool.Toolset, error) { return set, nil }, mcpserver.Options{})
	as := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), access.Caller{Name: name})))
		})
	}
	const token = "judged-by-the-door"
	session := send(as("mine"), initialize, token, "").Header.Get("Mcp-Session-Id")
	send(as("mine"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, token, session)
	answered := make(chan bool)
	go func() {
		defer close(answered)
		send(as("mine"), `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"hold","arguments":{}}}`,
			token, session)
	}()
	<-began
	end := func(who string) int {
		r := httptest.NewRequest("DELETE", "http://localhost:8010/mcp", nil)
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		as(who).ServeHTTP(w, r)
		return w.Code
	}
	if got := end("theirs"); got != 404 {
		t.Errorf("another's session was ended: %d", got)
	}
	select {
	case err := <-ended:
		t.Fatalf("another ended the call: %v", err)
	default:
	}
	if got := end("mine"); got != 204 {
		t.Errorf("the session was not ended: %d", got)
	}
	if err := <-ended; err != context.Canceled {
		t.Errorf("the call ended with %v", err)
	}
	<-answered
}

// A client that came, called, gave a call up and went leaves nothing running.
func TestNothingIsLeft(t *testing.T) {
	before := goleak.IgnoreCurrent()
	ended := make(chan error, 100)
	set := tools(ended)
	for name, version := range map[string]string{"newest": "", "older": "2025-06-18"} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(mcpserver.Handler(func(string) (*tool.Toolset, error) {
				return set, nil
			}, mcpserver.Options{Kept: kept{}}))
			client := &http.Client{Transport: &http.Transport{}}
			for range 5 {
				session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(context.Background(),
					&mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: client},
					&mcp.ClientSessionOptions{ProtocolVersion: version})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{
					Name: "echo_text", Arguments: map[string]any{"text": "hi"}}); err != nil {
					t.Error(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				params := &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"text": "forever"}}
				go func() { session.CallTool(ctx, params); ended <- ctx.Err() }()
				cancel()
				<-ended
				if err := session.Close(); err != nil {
					t.Error(err)
				}
			}
			client.CloseIdleConnections()
			server.Close()
		})
	}
	// What was given up sleeps a while before it hears of it, longer than goleak waits.
	err := goleak.Find(before)
	for deadline := time.Now().Add(time.Minute); err != nil && time.Now().Before(deadline); {
		err = goleak.Find(before)
	}
	if err != nil {
		t.Error(err)
	}
}

// A stream that can be taken up again begins with an id and no data, and every event of it
// that has a name is a message: the Python client warns of any other.
func TestStreamsHaveMessagesAlone(t *testing.T) {
	h := mcpserver.Handler(func(string) (*tool.Toolset, error) { return tools(nil), nil }, mcpserver.Options{})
	body, err := io.ReadAll(send(h, strings.Replace(initialize, "2025-06-18", "2025-11-25", 1), "", "").Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(body), "id: ") || strings.Count(string(body), "event: ") != strings.Count(string(body),
		"event: message\n") {
		t.Errorf("the stream is\n%s", body)
	}
}
