//go:build unix

package cli

import (
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serve starts the server on a free port and returns its address.
func serve(t *testing.T, home string, args ...string) (*child, string) {
	t.Helper()
	c := startChild(t, home, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	line := waitFor(t, c.stderr, "listening on ")
	_, rest, _ := strings.Cut(line, "listening on ")
	return c, strings.Fields(rest)[0]
}

// A server answers MCP clients, asks for tokens once there is one, and ends well.
func TestServe(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c, address := serve(t, home)
	list := func(client *http.Client, path string) error {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: address + path, HTTPClient: client, MaxRetries: -1}, nil)
		if err != nil {
			return err
		}
		defer session.Close()
		tools, err := session.ListTools(t.Context(), nil)
		if err == nil && len(tools.Tools) == 0 {
			t.Error("no tools")
		}
		return err
	}
	for _, path := range []string{"/mcp", "/mcp/lite"} {
		if err := list(nil, path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	get := func(path string) int {
		r, err := patient.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/mcp/absent": 404, "/": 200,
		"/nothing": 404} {
		if got := get(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}

	token, _, code := here(t, home, "token", "create", "laptop")
	if code != 0 {
		t.Fatalf("token create ends with %d", code)
	}
	c.Process.Signal(syscall.SIGTERM)
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	c = startChild(t, home, "serve", "--listen", "127.0.0.1:0")
	waitFor(t, c.stderr, "every call needs a token")
	_, rest, _ := strings.Cut(waitFor(t, c.stderr, "listening on "), "listening on ")
	address = strings.Fields(rest)[0]
	if err := list(nil, "/mcp"); err == nil {
		t.Error("it answers without the token")
	}
	if err := list(&http.Client{Transport: withToken(strings.TrimSpace(token))}, "/mcp"); err != nil {
		t.Errorf("with the token: %v", err)
	}
}

type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// Over standard input and output there is nothing but protocol, and the end of the
// input is a good end.
func TestStdio(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "citewell", "mcp", "--toolset", "lite")
	cmd.Dir, cmd.Env = home, append(cmd.Environ(), homeEnviron(home)...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) == 0 {
		t.Errorf("%+v, %v", tools, err)
	}
	if err := session.Close(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
