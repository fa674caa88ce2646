//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/search/provider"
)

// A mine is a configuration with a word of its own in each place that may hold a secret, and
// the services of all of them, which refuse every request and say back all that it had.
type mine struct {
	t     *testing.T
	base  string
	words map[string]string // by place
	mu    sync.Mutex
	sent  map[string]bool // places whose word a service was sent
}

// entries are those that maps are given, by the map's place without what is before it. A
// map of anything has its own way of holding a secret.
func (m *mine) entries(place string) map[string]any {
	switch place[strings.LastIndexByte(place, '.')+1:] {
	case "extra":
		return map[string]any{"auth_token": m.word(place + ".auth_token")}
	case "tools":
		return map[string]any{"desk": map[string]any{"description": "Answers.", "url": m.base + "/desk",
			"input": map[string]any{"type": "object"}, "headers": map[string]any{"X-Api-Key": m.word(place + ".desk")},
			"read_only": true}}
	case "price", "confirm", "toolsets", "lenses":
		return nil // none of them has a place for a secret
	}
	m.t.Errorf("%s is a map that may hold anything: say here what a secret in it looks like", place)
	return nil
}

// names are those of entries of a map of structures.
func (m *mine) names(place string) []string {
	switch name := place[strings.LastIndexByte(place, '.')+1:]; name {
	case "providers":
		return slices.DeleteFunc(provider.Names(), func(n string) bool { return n == "local" })
	case "mcpServers":
		return []string{"far", "near"}
	case "headers", "env":
		return []string{"X_OWN"}
	case "agents":
		return []string{"kept"}
	case "specialists":
		return []string{"reviewer"}
	}
	return nil
}

func (m *mine) word(place string) string {
	word := "Kx" + citewell.SHA256([]byte(place))[:16] + "/+Zq" // of letters that encodings change
	m.words[place] = word
	return word
}

// fill gives a value of t with its secrets, nil where it has none.
func (m *mine) fill(place string, t reflect.Type) any {
	key := place[strings.LastIndexByte(place, '.')+1:]
	switch {
	case t == reflect.TypeFor[citewell.Secret]() && place == "telemetry.traces.headers":
		return "X-Own=" + url.QueryEscape(m.word(place))
	case t == reflect.TypeFor[citewell.Secret]():
		return m.word(place)
	case t == reflect.TypeFor[[]config.AgentTool]():
		return []any{map[string]any{"extract_page_content_tool": map[string]any{
			"tavily_api_key":      m.word(place + ".extract_page_content_tool"),
			"tavily_api_base_url": m.base + "/of-a-tool"}}, "create_report_tool", "final_answer_tool"}
	case t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[config.Config]().PkgPath():
		section := map[string]any{}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			if strings.HasSuffix(place, ".far") && (name == "command" || name == "env") ||
				strings.HasSuffix(place, ".near") && (name == "url" || name == "headers") {
				continue
			}
			if value := m.fill(strings.TrimPrefix(place+"."+name, "."), t.Field(i).Type); value != nil {
				section[name] = value
			}
		}
		return some(section)
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Interface:
		return some(m.entries(place))
	case t.Kind() == reflect.Map && (t.Elem().Kind() == reflect.Struct):
		section := map[string]any{}
		for _, name := range m.names(place) {
			if value := m.fill(place+"."+name, t.Elem()); value != nil {
				section[name] = value
			}
		}
		if len(section) == 0 {
			m.entries(place)
		}
		return some(section)
	case t.Kind() == reflect.Map:
		return some(m.entries(place))
	case t.Kind() != reflect.String:
		return nil
	case key == "base_url" || place == "telemetry.endpoint" || key == "tavily_api_base_url" ||
		strings.HasSuffix(place, ".far.url"):
		return m.base + "/" + url.PathEscape(place)
	case key == "model" || key == "description" || key == "cse_id":
		return "m"
	case strings.HasSuffix(place, ".near.command"):
		return "/bin/false"
	case httpwire.NamesSecret(key) && key != "tokens_file":
		m.t.Errorf("%s is a text with the name of a secret: make it a citewell.Secret", place)
	}
	return nil
}

func some(section map[string]any) any {
	if len(section) == 0 {
		return nil
	}
	return section
}

// ServeHTTP refuses, and says back what it was sent, as a service that is misconfigured does.
func (m *mine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Error(err)
	}
	had := fmt.Sprintf("%s %s %v %s", r.Method, r.URL, r.Header, body)
	m.mu.Lock()
	for place, word := range m.words {
		if strings.Contains(had, word) || strings.Contains(had, url.QueryEscape(word)) {
			m.sent[place] = true
		}
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Echo", strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, had))
	w.WriteHeader(http.StatusUnauthorized)
	// a client that is gone
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": "not with " + had, "code": "invalid_api_key"}, "detail": had})
}

// unsent are places whose word no service here is sent.
var unsent = []string{
	// an agent whose model refuses asks nobody; the same code asks for those above
	"agents.kept.search", "agents.kept.tools", "agents.kept.mcp",
	"mcp.mcpServers.near.env", // a process is told
	"search.tavily_api_key",   // providers.tavily goes before
}

// takesNoKey says whether a place is a key of a provider that none is sent to.
func takesNoKey(place string) bool {
	name, of := strings.CutPrefix(place, "search.providers.")
	name, _, _ = strings.Cut(name, ".")
	d, _ := provider.Describe(name)
	return of && d.WithKey == nil && !slices.Contains(d.Needs, "api_key")
}

// forms are what a word may look like.
func forms(word string) []string {
	inJSON, err := json.Marshal(word)
	if err != nil {
		panic(err)
	}
	return []string{word, url.QueryEscape(word), url.PathEscape(word), strings.Trim(string(inJSON), `"`),
		base64.StdEncoding.EncodeToString([]byte(word)), base64.URLEncoding.EncodeToString([]byte(word)),
		base64.RawURLEncoding.EncodeToString([]byte(word)), hex.EncodeToString([]byte(word)), word[:16]}
}

// No secret of a configuration is found in what any command says, logs, keeps, counts or
// answers, whatever the services do with it; a new place for one fails until it is covered.
func TestCanaries(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts servers")
	}
	m := &mine{t: t, words: map[string]string{}, sent: map[string]bool{}}
	services := httptest.NewServer(m)
	t.Cleanup(services.Close)
	m.base = services.URL
	home := t.TempDir()
	filled := m.fill("", reflect.TypeFor[config.Config]()).(map[string]any)
	filled["fetch"] = map[string]any{"allow_networks": []string{"127.0.0.0/8"}, "archive": map[string]any{"use": "off"}}
	filled["agents"].(map[string]any)["kept"].(map[string]any)["base_class"] = "ToolCallingAgent"
	filled["brief"] = map[string]any{"deadlines": map[string]any{"total": "5s"}}
	text, err := json.MarshalIndent(filled, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "citewell.yaml")
	write(t, file, string(text))
	write(t, filepath.Join(home, "doc.md"), "# Pumps\n\nThe kestrel pump moves 310 litres a minute.\n")

	said := map[string]string{}
	do := func(args ...string) {
		out, log, code := here(t, home, append([]string{"--config", file, "--log-level", "debug"}, args...)...)
		said[strings.Join(args, " ")] = out + log
		if strings.Contains(log, "panic") {
			t.Errorf("%q ends with %d: %s", args, code, log)
		}
	}
	do("config", "show")
	do("config", "check")
	do("doctor")
	do("tools", "--all")
	do("index", filepath.Join(home, "doc.md"))
	do("search", "kestrel pump")
	do("research", "kestrel pump")
	do("--set", "judge.use=auto", "check", "The pump empties a bath in a minute.", "--against",
		filepath.Join(home, "doc.md"))
	do("fetch", m.base+"/page")
	for name, arguments := range map[string]string{"specialists_infer": `{"prompt": "x", "specialist": "reviewer"}`,
		"llm_transform": `{"text": "x", "instruction": "y"}`, "get_weather": `{"location": "Bonn"}`, "desk": `{}`,
		"tavily_extract": `{"urls": ["https://a.example/"]}`, "search_query": `{"query": "pump"}`} {
		do("call", name, arguments)
		do("call", "--toolset", "manifold", name, arguments)
	}
	for _, name := range provider.Names() {
		do("call", "--set", "search.engine="+name, "web_search", `{"query": "pump", "depth": 1}`)
	}

	log, err := os.Create(filepath.Join(home, "serve.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	l := &lab{home: home, log: log}
	operator, _ := l.api(t)
	client := newStander(t, l, operator.base, "all", "--scope", "all")
	client.known()
	for _, path := range []string{"/metrics", "/v1/models", "/v1/agents", "/v1/runs", "/v1/documents",
		"/v1/documents/search?q=pump", "/v1/status", "/agents", "/health"} {
		said[path] = client.asks("GET", path, "")
	}
	boss := newStander(t, l, operator.base, "boss", "--scope", "admin")
	boss.known()
	said["POST /v1/status"] = boss.asks("POST", "/v1/status", "")
	if !strings.Contains(said["POST /v1/status"], `"state":"failed"`) {
		t.Errorf("doctor's findings: %s", said["POST /v1/status"])
	}
	said["chat"] = client.asks("POST", "/v1/chat/completions",
		`{"model": "kept", "messages": [{"role": "user", "content": "kestrel pump"}]}`)
	said["mcp"] = client.calls("default", "web_search", `{"query": "kestrel pump"}`)
	for _, agent := range []string{"brief", "kept"} {
		a := client.do("POST", "/v1/runs", `{"task": "kestrel pump", "agent": "`+agent+`"}`)
		var run struct{ ID string }
		if json.Unmarshal(a.body, &run) != nil || run.ID == "" {
			t.Errorf("no run of %s: %s", agent, a.body)
			continue
		}
		said["events of "+agent] = fmt.Sprint(client.whole("/v1/runs/" + run.ID + "/events"))
		for _, of := range []string{"", "/result", "/report", "/evidence"} {
			said[agent+of] = string(client.do("GET", "/v1/runs/"+run.ID+of, "").body)
		}
	}
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == file {
			return err
		}
		data, err := os.ReadFile(path)
		said[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said[log.Name()], "level=INFO") {
		t.Errorf("the log has not all: %s", said[log.Name()])
	}
	for place, word := range m.words {
		for where, text := range said {
			for _, form := range forms(word) {
				if at := strings.Index(text, form); at >= 0 {
					t.Errorf("%s is told by %s: %.200q", place, where, text[max(0, at-100):])
					break
				}
			}
		}
	}
	for place := range m.words {
		if !m.sent[place] && !slices.ContainsFunc(unsent, func(one string) bool {
			return strings.HasPrefix(place, one)
		}) && !takesNoKey(place) {
			t.Errorf("nothing tried what happens to %s when it is used", place)
		}
	}
}
