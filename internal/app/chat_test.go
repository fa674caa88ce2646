package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/tool/builtin"
)

const chatKey = "sk-chat-never-to-be-seen-elsewhere"

// A recorder answers as a model does and remembers what it was sent.
type recorder struct {
	*httptest.Server
	keys   []string
	bodies []string
}

func newRecorder(t *testing.T) *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		r.keys, r.bodies = append(r.keys, req.Header.Get("Authorization")), append(r.bodies, string(body))
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w,
			`{"choices":[{"message":{"role":"assistant","content":"<think>hm</think> done "},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":2}}`)
	}))
	t.Cleanup(r.Close)
	return r
}

func registryOver(t *testing.T, sets ...string) *builtin.Registry {
	t.Helper()
	loaded, err := config.Load(config.Options{Environ: []string{
		"HOME=" + t.TempDir(), "XDG_CONFIG_HOME=" + t.TempDir()}, Sets: sets})
	if err != nil {
		t.Fatal(err)
	}
	loaded.Paths.Data, loaded.Paths.Cache = filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "cache")
	a, err := Open(t.Context(), Options{Config: loaded, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	registry, err := a.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return registry
}

// The key goes to its own endpoint and to no other, whatever a caller asks for, and
// no caller reaches a private address through a model.
func TestLLMTransform(t *testing.T) {
	own, other := newRecorder(t), newRecorder(t)
	registry := registryOver(t, "llm.base_url="+own.URL+"/v1", "llm.api_key="+chatKey, "llm.model=small",
		"fetch.allow_networks=[127.0.0.1/32]")
	for _, name := range []string{"default", "manifold"} {
		set, err := registry.Toolset(name)
		if err != nil {
			t.Fatal(err)
		}
		call := func(arguments string) string {
			r, err := set.Call(t.Context(), "llm_transform", json.RawMessage(arguments))
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(r.Structured)
			return string(text)
		}
		want := `{"output":"done","model":"small","input_tokens":7,"output_tokens":2}`
		if name == "manifold" {
			want = `{"ok":true,"output":"done"}`
		}
		if got := call(`{"instruction":"shorten","input":"a long text"}`); got != want {
			t.Errorf("%s: %s", name, got)
		}
		last := len(own.bodies) - 1
		if own.keys[last] != "Bearer "+chatKey || !strings.Contains(own.bodies[last],
			`"content":"shorten\n\na long text"`) {
			t.Errorf("%s: sent %q, %s", name, own.keys[last], own.bodies[last])
		}
		call(`{"instruction":"shorten","model":"large","base_url":"` + own.URL + `/v1"}`)
		if last++; own.keys[last] != "Bearer "+chatKey || !strings.Contains(own.bodies[last], `"model":"large"`) {
			t.Errorf("%s: another model at the same endpoint: %q, %s", name, own.keys[last], own.bodies[last])
		}
		call(`{"instruction":"shorten","model":"large","base_url":"` + other.URL + `/v1"}`)
		if last := len(other.keys) - 1; strings.Contains(other.keys[last], chatKey) {
			t.Errorf("%s: the key went to another endpoint", name)
		}
	}

	closed := registryOver(t, "llm.base_url="+own.URL+"/v1", "llm.api_key="+chatKey, "llm.model=small")
	set, err := closed.Toolset("llm")
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{other.URL + "/v1", "http://169.254.169.254/", "http://2130706433/",
		"file:///etc/passwd"} {
		r, err := set.Call(t.Context(), "llm_transform", json.RawMessage(`{"instruction":"shorten","base_url":"`+base+
			`"}`))
		if err == nil {
			t.Errorf("%s answered %+v", base, r)
		}
		if category := citewell.CategoryOf(err); category != citewell.CategoryDenied &&
			category != citewell.CategoryInvalid {
			t.Errorf("%s: %v", base, err)
		}
	}
	if n := len(other.keys); n != 2 {
		t.Errorf("the other endpoint was asked %d times", n)
	}
}

func TestSpecialists(t *testing.T) {
	own, other := newRecorder(t), newRecorder(t)
	set, err := registryOver(t, "llm.base_url="+own.URL+"/v1", "llm.api_key="+chatKey, "llm.model=small",
		"specialists.reviewer.description=reads code", "specialists.reviewer.system=You review code.",
		"specialists.reviewer.reasoning_effort=low",
		"specialists.lawyer.base_url="+other.URL+"/v1", "specialists.lawyer.model=legal",
		"specialists.asleep.model=x", "specialists.asleep.paused=true",
		`routes=[{name: lawyer, contains: [contract], regex: ["(?i)§\\s*\\d"]}, {name: reviewer, contains: [code]}]`).
		Toolset("llm")
	if err != nil {
		t.Fatal(err)
	}
	call := func(arguments string) (map[string]any, error) {
		r, err := set.Call(t.Context(), "specialists_infer", json.RawMessage(arguments))
		out := map[string]any{}
		text, _ := json.Marshal(r.Structured)
		json.Unmarshal(text, &out)
		return out, err
	}
	out, err := call(`{"specialist":"reviewer","prompt":"look at this","override_reasoning_effort":"high"}`)
	if err != nil || out["specialist"] != "reviewer" || out["used_reasoning_effort"] != "high" ||
		out["model"] != "small" || out["output"] != "done" {
		t.Errorf("%v, %v", out, err)
	}
	if !strings.Contains(own.bodies[0], `"reasoning_effort":"high"`) ||
		!strings.Contains(own.bodies[0], "You review code.") {
		t.Errorf("sent %s", own.bodies[0])
	}
	if out, _ = call(`{"specialist":"reviewer","prompt":"again"}`); out["used_reasoning_effort"] != "low" {
		t.Errorf("the override stuck: %v", out)
	}
	for prompt, want := range map[string]string{"is this CONTRACT code sound": "lawyer", "see § 5": "lawyer",
		"this code": "reviewer"} {
		if out, err := call(`{"specialist":"auto","prompt":"` + prompt + `"}`); err != nil ||
			out["specialist"] != want {
			t.Errorf("%s went to %v, %v", prompt, out["specialist"], err)
		}
	}
	for _, key := range other.keys {
		if strings.Contains(key, chatKey) {
			t.Error("llm's key went to a specialist of another endpoint")
		}
	}
	for arguments, want := range map[string]string{
		`{"specialist":"asleep","prompt":"x"}`:     "must be one of lawyer, reviewer, auto",
		`{"specialist":"auto","prompt":"poetry"}`:  "no specialist's routes fit",
		`{"specialist":"reviewer","prompt":"   "}`: "prompt is required",
	} {
		if _, err := call(arguments); citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			!strings.Contains(citewell.View(err).Message, want) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
