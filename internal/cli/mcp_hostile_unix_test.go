//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A reply is one message of the server, as its wire has it.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// read is the next message; every line of standard output must be one.
func (c *child) read(t *testing.T) reply {
	t.Helper()
	line, err := c.stdout.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil || r.JSONRPC != "2.0" {
		t.Fatalf("standard output carries %q: %v", line, err)
	}
	return r
}

func (c *child) say(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c.stdin, text); err != nil {
		t.Fatal(err)
	}
}

// leave closes standard input and wants a good end, with nothing but messages before it.
func (c *child) leave(t *testing.T) {
	t.Helper()
	c.stdin.Close()
	stdout, stderr, code := c.end(t)
	for line := range strings.Lines(stdout) {
		if !json.Valid([]byte(line)) {
			t.Errorf("standard output carries %q", line)
		}
	}
	if code != 0 {
		t.Errorf("exit code %d, stderr %s", code, stderr)
	}
}

// loudMCP starts citewell mcp with the loudest log, which nobody has to read.
func loudMCP(t *testing.T) *child {
	t.Helper()
	return startChild(t, t.TempDir(), "--log-level", "debug", "mcp")
}

func TestStdioNothingButProtocol(t *testing.T) {
	t.Parallel()
	c := loudMCP(t)
	c.say(t, hello)
	if r := c.read(t); r.Error != nil || !strings.Contains(string(r.Result), `"protocolVersion":"2025-06-18"`) {
		t.Errorf("initialize: %+v", r)
	}
	c.say(t, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"web_search","arguments":{"query":""}}}`+
		"\n")
	if r := c.read(t); r.Error != nil || !strings.Contains(string(r.Result), "invalid_argument") {
		t.Errorf("a bad call: %+v", r)
	}
	c.say(t, `{"jsonrpc":"2.0","id":3,"method":"tools/explode"}`+"\n")
	if r := c.read(t); r.Error == nil || r.Error.Code != -32601 {
		t.Errorf("an unknown method: %+v", r)
	}
	c.leave(t)
}

// A signal is an orderly end, of which nobody has to read; a call that is under way then
// is given up.
func TestStdioIsToldToEnd(t *testing.T) {
	t.Parallel()
	for _, call := range []string{
		"", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"web_search","_meta":{"progressToken":"x"},"arguments":{"query":"larch"}}}` + "\n"} {
		c := startChild(t, hanging(t), "mcp")
		c.say(t, hello)
		if r := c.read(t); r.Error != nil {
			t.Errorf("initialize: %+v", r)
		}
		if call != "" {
			c.say(t, call)
			waitFor(t, c.stdout, "notifications/progress")
		}
		began := time.Now()
		c.Process.Signal(syscall.SIGTERM)
		// the engine hangs for a minute
		if _, stderr, code := c.end(t); code != 0 || stderr != "" || time.Since(began) >= patience {
			t.Errorf("exit code %d after %v, stderr %q", code, time.Since(began), stderr)
		}
	}
}

// A protocol that nobody knows is answered with one that the server speaks, or with
// those that it does.
func TestStdioVersions(t *testing.T) {
	t.Parallel()
	c := loudMCP(t)
	c.say(t, strings.Replace(hello, "2025-06-18", "2199-01-01", 1))
	if r := c.read(t); r.Error != nil || !strings.Contains(string(r.Result), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize with an unknown version: %+v %s", r, r.Result)
	}
	c.leave(t)

	c = loudMCP(t)
	c.say(t, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2199-01-01","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n")
	if r := c.read(t); r.Error == nil || r.Error.Code != -32022 ||
		!strings.Contains(string(r.Error.Data), "2026-07-28") {
		t.Errorf("discover with an unknown version: %+v", r)
	}
	c.leave(t)
}

// What is no message is answered as such, and what comes after it as ever.
func TestStdioGarbage(t *testing.T) {
	t.Parallel()
	for name, garbage := range map[string]string{
		"no_json":       "this is no JSON\n",
		"wrong_version": `{"jsonrpc":"1.0","id":9,"method":"ping"}` + "\n",
		"array_of_junk": `[1,2,3]` + "\n",
		"huge":          `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"web_search","arguments":{"query":"` + strings.Repeat("a", 64<<20) + `"}}}` + "\n",
		"deep":          strings.Repeat(`[`, 1<<20) + "\n",
		"nul":           "\x00\x00\x00\n",
	} {
		t.Run(name, func(t *testing.T) {
			c := loudMCP(t)
			c.say(t, hello+garbage+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
			answers := map[string]reply{}
			for range 3 {
				r := c.read(t)
				answers[string(r.ID)] = r
			}
			if r := answers["1"]; r.Error != nil || r.Result == nil {
				t.Errorf("what came before is answered with %+v", r)
			}
			if r := answers["null"]; r.Error == nil || r.Error.Code != -32700 && r.Error.Code != -32600 {
				t.Errorf("it is answered with %+v", r)
			}
			if r, ok := answers["2"]; !ok || r.Error != nil {
				t.Errorf("what came after is answered with %+v", r)
			}
			c.leave(t)
		})
	}
	t.Run("half_a_message", func(t *testing.T) {
		c := loudMCP(t)
		c.say(t, hello)
		c.read(t)
		c.say(t, `{"jsonrpc":"2.0","id":9,"method":"tools/li`)
		c.leave(t)
	})
}

// post sends one message as a client of the newest protocol does.
func post(t *testing.T, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := patient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(data)
}

// Who may not come in is told so before anything is read; what is no message is a
// client's mistake; the server goes on.
func TestServeHostile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	address := serveAll(t, home)
	first, _, _ := strings.Cut(hello, "\n")
	for _, test := range []struct {
		name   string
		body   string
		header []string
		status int
		says   string
	}{
		{"origin", first, []string{"Origin", "https://evil.example"}, 403, "permission_denied"},
		{"null_origin", first, []string{"Origin", "null"}, 403, "permission_denied"},
		{"host", first, []string{"Host", "evil.example"}, 403, "permission_denied"},
		{"rebound", first, []string{"Host", "127.0.0.1.evil.example"}, 403, "permission_denied"},
		{"cross_site", first, []string{"Sec-Fetch-Site", "cross-site"}, 403, "permission_denied"},
		{"no_json", "{", nil, 400, ""},
		{"empty", "", nil, 400, ""},
		{"form", first, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, ""},
		{"accepts_nothing", first, []string{"Accept", "text/html"}, 400, ""},
		{"version", first, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, "2026-07-28"},
		{"later_version",
			`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"zzz","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			[]string{"Mcp-Protocol-Version", "zzz", "Mcp-Method", "server/discover"}, 400, "2026-07-28"},
		{"session", first, []string{"Mcp-Session-Id", "stolen"}, 404, ""},
		{"huge", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", 20<<20) + `"}}`,
			nil, 413, ""},
		{"deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", 1<<20) +
			strings.Repeat("]", 1<<20) + `}}`, nil, 400, ""},
		{"deep_open", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", 17<<20),
			nil, 400, ""},
		{"deep_objects", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat(`{"a":`, 1<<19) + "1" +
			strings.Repeat("}", 1<<19) + `}`, nil, 400, ""},
		{"good", first, nil, 200, "citewell"},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, body := post(t, address+"/mcp", test.body, test.header...)
			if resp.StatusCode != test.status || !strings.Contains(body, test.says) {
				t.Errorf("%d %.500s, want %d with %q", resp.StatusCode, body, test.status, test.says)
			}
		})
	}

	if stdout, stderr, code := here(t, home, "token", "create", "desk"); code != 0 {
		t.Fatalf("token create: %s %s", stdout, stderr)
	}
	deadline := time.Now().Add(patience) // it looks at the file once a second
	for {
		resp, body := post(t, address+"/mcp", first)
		if resp.StatusCode == 401 {
			if got := resp.Header.Get("WWW-Authenticate"); got != `Bearer realm="citewell"` ||
				!strings.Contains(body, `"auth"`) {
				t.Errorf("WWW-Authenticate %q, %s", got, body)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not ask for the token")
		}
		time.Sleep(50 * time.Millisecond)
	}
	resp, _ := post(t, address+"/mcp", first, "Authorization", "Bearer citewell_guess")
	if got := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != 401 ||
		got != `Bearer realm="citewell", error="invalid_token"` {
		t.Errorf("a wrong token: %d, %q", resp.StatusCode, got)
	}
}

// The server ends at once though a client listens for what may come, in the way of the
// older protocols or of the newest.
func TestServeEndsWithOpenStreams(t *testing.T) {
	t.Parallel()
	first, _, _ := strings.Cut(hello, "\n")
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	for name, request := range map[string]func(session string) string{
		"older": func(session string) string {
			return "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + session +
				"\r\nMcp-Protocol-Version: 2025-06-18\r\n\r\n"
		},
		"newest": func(string) string {
			return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, "+
				"text/event-stream\r\nContent-Type: application/json\r\nMcp-Protocol-Version: "+
				"2026-07-28\r\nMcp-Method: subscriptions/listen\r\nContent-Length: %d\r\n\r\n%s", len(listen), listen)
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, address := serve(t, t.TempDir())
			resp, _ := post(t, address+"/mcp", first)
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, request(resp.Header.Get("Mcp-Session-Id")))
			answer := bufio.NewReader(conn)
			if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Fatalf("%q, %v", line, err)
			}
			waitFor(t, answer, "text/event-stream")
			if _, stderr, code := c.interrupt(t); code != 0 {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}
