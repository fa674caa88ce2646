//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/goccy/go-yaml"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// tables reads the little of TOML that a client's configuration has: tables, and
// keys whose values are JSON too.
func tables(text string) (map[string]any, error) {
	all := map[string]any{}
	var table map[string]any
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			table = map[string]any{}
			all[strings.TrimSuffix(name, "]")] = table
			continue
		}
		key, value, ok := strings.Cut(line, " = ")
		if !ok || table == nil {
			return nil, fmt.Errorf("the line %q", line)
		}
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			return nil, fmt.Errorf("the line %q: %w", line, err)
		}
		table[key] = v
	}
	return all, nil
}

// entries are the objects of a configuration that name a command or an address.
func entries(v any) (found []map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		if v["command"] != nil || v["url"] != nil || v["httpUrl"] != nil {
			return []map[string]any{v}
		}
		for _, inner := range v {
			found = append(found, entries(inner)...)
		}
	case []any:
		for _, inner := range v {
			found = append(found, entries(inner)...)
		}
	}
	return found
}

// ownFolder is this package's, from before scripts change the working folder.
var ownFolder, _ = os.Getwd()

// TestClientsDocument tries every configuration of doc/clients.md: commands are
// started, addresses are called with the token where the entry has it.
func TestClientsDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(ownFolder, "..", "..", "doc", "clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	home, _ := demoHome(t)
	token, _, code := here(t, home, "token", "create", "desk")
	if code != 0 {
		t.Fatalf("token create ends with %d", code)
	}
	token = strings.TrimSpace(token)
	address := serveAll(t, home)
	const written = "http://127.0.0.1:8010"
	list := func(t *testing.T, transport mcp.Transport) {
		t.Helper()
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), transport, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		if tools, err := session.ListTools(t.Context(), nil); err != nil || len(tools.Tools) == 0 {
			t.Errorf("%+v, %v", tools, err)
		}
	}
	start := func(t *testing.T, command string, args ...string) {
		t.Helper()
		if command != "citewell" {
			t.Fatalf("it starts %s", command)
		}
		cmd := exec.CommandContext(t.Context(), command, args...)
		cmd.Dir, cmd.Env = home, append(cmd.Environ(), homeEnviron(home)...)
		list(t, &mcp.CommandTransport{Command: cmd})
	}
	call := func(t *testing.T, at, authorization string) {
		t.Helper()
		path, ok := strings.CutPrefix(at, written)
		if !ok || !strings.HasPrefix(authorization, "Bearer ") {
			t.Fatalf("it calls %s with %q", at, authorization)
		}
		list(t, &mcp.StreamableClientTransport{Endpoint: address + path, MaxRetries: -1,
			HTTPClient: &http.Client{Transport: withToken(token)}})
	}
	tried := map[string]int{}
	section := regexp.MustCompile(`(?m)^## (.*)$`)
	for _, m := range fence.FindAllSubmatchIndex(page, -1) {
		language, text := string(page[m[2]:m[3]]), string(page[m[4]:m[5]])
		titles := section.FindAllSubmatch(page[:m[0]], -1)
		title := string(titles[len(titles)-1][1])
		t.Run(title+"/"+language, func(t *testing.T) {
			var v any
			switch language {
			case "json":
				err = json.Unmarshal([]byte(text), &v)
			case "yaml":
				err = yaml.Unmarshal([]byte(text), &v)
			case "toml":
				v, err = tables(text)
			case "sh":
				tried[title+" command"]++
				tryShell(t, text, written, address, token, start, call)
				return
			default:
				t.Fatalf("a block in %s", language)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries(v) {
				if command, ok := e["command"].(string); ok {
					tried[title+" stdio"]++
					var args []string
					for _, a := range e["args"].([]any) {
						args = append(args, a.(string))
					}
					start(t, command, args...)
					continue
				}
				tried[title+" http"]++
				at, _ := e["url"].(string)
				if at == "" {
					at, _ = e["httpUrl"].(string)
				}
				headers, _ := e["headers"].(map[string]any)
				if options, ok := e["requestOptions"].(map[string]any); ok {
					headers, _ = options["headers"].(map[string]any)
				}
				authorization, _ := headers["Authorization"].(string)
				if variable, ok := e["bearer_token_env_var"].(string); ok {
					authorization = "Bearer " + variable
				}
				call(t, at, authorization)
			}
			if title == "Open WebUI" { // our own configuration
				write(t, home+"/open-webui.yaml", text)
				if _, stderr, code := here(t, home, "--config", home+"/open-webui.yaml", "config", "check"); code != 0 {
					t.Errorf("config check: %s", stderr)
				}
				tried[title+" yaml"]++
			}
		})
	}
	for _, client := range []string{"Claude Code", "Cursor", "VS Code", "Codex", "Gemini CLI", "LM Studio", "Zed",
		"Cline", "Continue"} {
		if tried[client+" stdio"] != 1 || tried[client+" http"] != 1 {
			t.Errorf("%s: %d configurations for stdio and %d for HTTP were tried", client, tried[client+" stdio"],
				tried[client+" http"])
		}
	}
	if tried["Claude Desktop stdio"] != 1 || tried["Open WebUI yaml"] != 1 || tried["Claude Code command"] != 1 ||
		tried["Any HTTP client command"] != 1 {
		t.Errorf("not everything was tried: %v", tried)
	}
}

// tryShell tries what the commands of a block come to: what `claude mcp add` would
// keep, and curl as it stands.
func tryShell(t *testing.T, text, written, address, token string, start func(*testing.T, string, ...string),
	call func(*testing.T, string, string)) {
	if strings.HasPrefix(text, "curl ") {
		if _, err := exec.LookPath("curl"); err != nil {
			realpart.Lacking(t, "needs curl: %v", err)
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(text, written, address))
		cmd.Env = append(os.Environ(), "CITEWELL_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), `"web_search"`) {
			t.Errorf("%v: %.500s", err, out)
		}
		return
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if _, command, ok := strings.Cut(line, " -- "); ok {
			words := strings.Fields(command)
			start(t, words[0], words[1:]...)
			continue
		}
		at := regexp.MustCompile(`http://\S+`).FindString(line)
		_, authorization, _ := strings.Cut(line, "Authorization: ")
		call(t, at, strings.Trim(authorization, `"`))
	}
}
