package custom

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/tool"
)

// section reads the section tools as the configuration does.
func section(t *testing.T, text string) map[string]any {
	t.Helper()
	var s map[string]any
	if err := yaml.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func known(name string) bool { return name == "web_search" || name == "WebSearchTool" }

func made(t *testing.T, text string) *tool.Tool {
	t.Helper()
	specs, err := Parse(section(t, text), known)
	if err != nil || len(specs) != 1 {
		t.Fatalf("%+v, %v", specs, err)
	}
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return New(specs[0], guard, t.TempDir())
}

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// A command whose section names what it may open sees that and the system, and no more.
func TestWalledCommand(t *testing.T) {
	unixOnly(t)
	if walls, err := sandbox.CommandWalls(); err != nil || !walls.Holds() {
		realpart.Lacking(t, "needs Landlock and seccomp: %v, %q", err, walls.Missing)
	}
	open, shut := t.TempDir(), t.TempDir()
	for _, dir := range []string{open, shut} {
		if err := os.WriteFile(dir+"/file", []byte("the words"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	call := func(script, keys string) (string, error) {
		r, err := made(t, `x: {command: [sh, -c, "`+script+`"], `+keys+`}`).Call(t.Context(), nil)
		return r.Text, err
	}
	for script, want := range map[string]string{
		"cat " + open + "/file": "the words", "cat " + shut + "/file": "",
		"echo more >> " + open + "/file && echo done": "", "cat /proc/$PPID/environ": "",
	} {
		if said, err := call(script, "read: ["+open+"]"); said != want ||
			(want == "") != (citewell.CodeOf(err) == citewell.CodeToolFailed) {
			t.Errorf("%s: %q, %v", script, said, err)
		}
	}
	if said, err := call("echo more >> "+open+"/file && echo done", "write: ["+open+"]"); said != "done" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	if said, err := call("cat "+shut+"/file", "confirm: false"); said != "the words" || err != nil {
		t.Errorf("without a wall: %q, %v", said, err)
	}
	if _, err := call("sleep 60", "network: false, timeout: 200ms"); citewell.CodeOf(err) != citewell.CodeTimeout {
		t.Error(err)
	}
}

func unixOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are a Unix shell's")
	}
}

func TestCommand(t *testing.T) {
	unixOnly(t)
	t.Setenv("OPENAI_API_KEY", "never-to-be-seen")
	sum := made(t, `
sum:
  description: Adds.
  command: [sh, -c, 'read line; echo "{\"got\": $line, \"env\": \"$(env | tr "\n" " ")\", \"given\": \"$GREETING\"}"']
  env: {GREETING: hello}
  input: {type: object, properties: {a: {type: integer, minimum: 1}}, required: [a], additionalProperties: false}
`)
	r, err := sum.Call(t.Context(), json.RawMessage(`{"a": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	var out struct {
		Got   map[string]int
		Env   string
		Given string
	}
	if err := json.Unmarshal(r.Structured.(json.RawMessage), &out); err != nil || out.Got["a"] != 3 ||
		out.Given != "hello" {
		t.Errorf("%s, %v", r.Text, err)
	}
	if strings.Contains(r.Text, "never-to-be-seen") {
		t.Error("the command sees our keys")
	}
	for arguments, want := range map[string]string{`{"a": 0}`: "a must be at least 1", `{}`: "a is required",
		`{"a":1,"b":2}`: "b is unknown"} {
		if _, err := sum.Call(t.Context(), json.RawMessage(arguments)); !strings.Contains(citewell.View(err).Message,
			want) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// Each way in which a command fails has its word.
func TestCommandFailures(t *testing.T) {
	unixOnly(t)
	tests := []struct {
		name, fields string
		code         citewell.Code
		said         string
	}{
		{"exit", `command: [sh, -c, "echo it is broken >&2; exit 3"]`, citewell.CodeToolFailed, "it is broken"},
		{"absent", `command: [/absent/program]`, citewell.CodeToolFailed, ""},
		{"too_much", `command: [sh, -c, "head -c 3000000 /dev/zero"]`, citewell.CodeResponseTooLarge, ""},
		{"too_long", `command: [sh, -c, "sleep 600 & sleep 600"], timeout: 300ms`, citewell.CodeTimeout, "timeout"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := made(t, "x: {"+test.fields+"}").Call(t.Context(), nil) // within 30 s where none is said
			if v := citewell.View(err); v.Code != test.code || !strings.Contains(v.Hint, test.said) {
				t.Errorf("%+v", v)
			}
		})
	}
}

// Whose time is over is told apart: the caller's is no matter of the tool's settings.
func TestCommandOutlastsItsCaller(t *testing.T) {
	unixOnly(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := made(t, `x: {command: [sleep, "600"], timeout: 9m}`).Call(ctx, nil)
	if v := citewell.View(err); v.Code != citewell.CodeTimeout || strings.Contains(v.Message+v.Hint, "9m") ||
		strings.Contains(v.Hint, "tools.x.timeout") {
		t.Errorf("%+v", v)
	}
}

// What a command started ends with it.
func TestCommandLeavesNothing(t *testing.T) {
	unixOnly(t)
	dir := t.TempDir()
	left := made(t, `x: {command: [sh, -c, "(sleep 30; touch `+dir+`/late) >/dev/null 2>&1 & echo $! > `+dir+
		`/pid; echo done"]}`)
	r, err := left.Call(t.Context(), nil)
	if err != nil || r.Text != "done" {
		t.Fatalf("%q, %v", r.Text, err)
	}
	pid, err := os.ReadFile(dir + "/pid")
	if err != nil {
		t.Fatal(err)
	}
	proc := "/proc/" + strings.TrimSpace(string(pid)) + "/cmdline"
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	for range 1500 { // half a minute, where a moment would do
		if line, err := os.ReadFile(proc); err != nil || len(line) == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("what the command started lives on")
}

func TestEndpoint(t *testing.T) {
	var key, body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		key, body = r.Header.Get("Authorization"), string(data)
		switch r.URL.Path {
		case "/down":
			http.Error(w, "upstream is down", http.StatusBadGateway)
		case "/closed":
			w.WriteHeader(http.StatusUnauthorized)
		case "/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/away":
			http.Redirect(w, r, "http://127.0.0.2:9/", http.StatusTemporaryRedirect)
		case "/large":
			w.Write(make([]byte, 2<<20))
		default:
			io.WriteString(w, `{"ok": true}`)
		}
	}))
	defer server.Close()
	call := func(path string) (tool.Result, error) {
		return made(t, `x: {url: "`+server.URL+path+`", headers: {Authorization: Bearer secret}}`).Call(t.Context(),
			json.RawMessage(`{"q": "é"}`))
	}
	r, err := call("/")
	if err != nil || string(r.Structured.(json.RawMessage)) != `{"ok": true}` || key != "Bearer secret" ||
		body != `{"q":"é"}` {
		t.Errorf("%+v, %v; sent %q %s", r, err, key, body)
	}
	for path, want := range map[string]citewell.Code{"/down": citewell.CodeToolFailed, "/closed": citewell.CodeAuth,
		"/busy": citewell.CodeRateLimited,
		"/away": citewell.CodeBlockedRedirect, "/large": citewell.CodeResponseTooLarge} {
		if _, err := call(path); citewell.CodeOf(err) != want ||
			strings.Contains(citewell.View(err).Message, "secret") {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// A section that makes no sense says which tool and what it must be.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		`x: {description: nothing}`:                                  "tools.x needs a command or a url",
		`x: {command: [a], url: "http://x"}`:                         "both a command and a url",
		`x: {command: []}`:                                           "must have command: [PROGRAM, ARGUMENT, ...]",
		`x: {command: [[a]]}`:                                        "must have command: [PROGRAM, ARGUMENT, ...]",
		`x: {command: a, timeout: 1h}`:                               "timeout such as 30s",
		`x: {command: a, input: {type: string}}`:                     "a JSON schema with type: object",
		`x: {url: "https://a.example", private: true, public: true}`: "tools.x cannot be both private and public",
		`x: {command: a, public: maybe}`:                             "tools.x must have public: true or false",
		`x: {command: a, inptu: {}}`:                                 "unknown key inptu",
		`"x y": {command: a}`:                                        "is no name for a tool",
		`x: {command: a, read: [sub]}`:                               "must have read: [FOLDER, ...], absolute",
		`x: {command: a, write: /srv}`:                               "must have write: [FOLDER, ...], absolute",
		`x: {command: a, network: yes please}`:                       "must have network: true or false",
		`x: {url: "https://a.example", network: false}`: "tools.x has no command for read, write and " +
			"network to bound",
		`x: {command: a, env: [1]}`:                                  "must have env: {NAME: value}",
		`x: {command: a, input: {type: object, properties: {a: 7}}}`: "a JSON schema with type: object",
	} {
		if _, err := Parse(section(t, text), known); !strings.Contains(citewell.View(err).Message, want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	// What Citewell has itself is not the operator's tool.
	if specs, err := Parse(section(t, `{web_search: {max_results: 3}, mine: {base_class: WebSearchTool}}`),
		known); err != nil || len(specs) != 0 {
		t.Errorf("%+v, %v", specs, err)
	}
	// A Python class is kept back with a hint.
	python := made(t, `old: {base_class: tools.CustomTool, setting: 3}`)
	if _, err := python.Call(context.Background(), nil); citewell.CodeOf(err) != citewell.CodeToolNotConfigured ||
		!strings.Contains(citewell.View(err).Hint, "tools.old.command") {
		t.Errorf("%v", err)
	}
}

// A tool whose error quotes the key that it was given does not tell the model.
func TestGivenKeysAreHidden(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bad" {
			w.WriteHeader(http.StatusBadRequest)
		}
		io.WriteString(w, "you sent "+r.Header.Get("Authorization"))
	}))
	defer server.Close()
	for _, path := range []string{"/", "/bad"} {
		r, err := made(t, `x: {url: "`+server.URL+path+`", headers: {Authorization: Bearer never-to-be-seen}}`).
			Call(t.Context(), nil)
		if said := r.Text + citewell.View(err).Hint; !strings.Contains(said, "you sent [redacted]") {
			t.Errorf("%s: %q", path, said)
		}
	}
	unixOnly(t)
	for _, command := range []string{"echo $API_KEY in $FOLDER", "echo $API_KEY in $FOLDER >&2; exit 1"} {
		r, err := made(t, `x: {command: [sh, -c, "`+command+
			`"], env: {API_KEY: never-to-be-seen, FOLDER: /srv/some/where}}`).Call(t.Context(), nil)
		if said := r.Text + citewell.View(err).Hint; said != "[redacted] in /srv/some/where" {
			t.Errorf("%s: %q", command, said)
		}
	}
}

// A command tells nobody what it is told, an endpoint does unless it is private; what either
// says is private unless it is public.
func TestOrigins(t *testing.T) {
	for yaml, want := range map[string][2]bool{ // tells others, says what is private
		`x: {command: a}`:                              {false, true},
		`x: {command: a, public: true}`:                {false, false},
		`x: {url: "https://a.example"}`:                {true, true},
		`x: {url: "https://a.example", private: true}`: {false, true},
		`x: {url: "https://a.example", public: true}`:  {true, false},
	} {
		x := made(t, yaml)
		if got := [2]bool{x.TellsOthers(), x.SaysPrivate()}; got != want || x.Origin.Foreign ||
			x.Origin.Setting != "tools.x" {
			t.Errorf("%s: %v, want %v; %+v", yaml, got, want, x.Origin)
		}
	}
}
