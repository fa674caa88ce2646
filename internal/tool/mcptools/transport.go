package mcptools

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inherited are the variables that a started server gets of ours.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SystemRoot", "TEMP", "APPDATA"}

// transport is the way to the server, and the command that is started for it.
func (r *remote) transport() (mcp.Transport, *exec.Cmd, error) {
	s := r.server
	if s.Command != "" {
		cmd := exec.Command(s.Command, s.Args...)
		cmd.Dir = r.o.Dir
		sandbox.Group(cmd) // npx and its like are not the server itself
		for _, name := range inherited {
			if value, ok := os.LookupEnv(name); ok {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
		}
		for name, value := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+value.Reveal())
		}
		slices.Sort(cmd.Env)
		return &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}, cmd, nil
	}
	base, err := url.Parse(s.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
			Message: "mcp.mcpServers." + s.Name + " needs a url or a command",
			Hint:    "as in url: https://mcp.example/mcp, or command: npx with args"}
	}
	client := r.o.Guard.TrustedClient(base)
	return &mcp.StreamableClientTransport{Endpoint: s.URL, DisableStandaloneSSE: true, MaxRetries: -1,
			MaxEventSize: maxMessage,
			HTTPClient: &http.Client{Transport: keyed{client.Transport, s.Headers},
				CheckRedirect: client.CheckRedirect}},
		nil, nil
}
