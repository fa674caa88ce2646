package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/llm"
)

// An endpoint answers chat completions with a script of handlers, the last one
// again and again, and keeps what it was asked.
type endpoint struct {
	*httptest.Server
	asked []map[string]any
	auth  string
}

func serve(t *testing.T, script ...http.HandlerFunc) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked := map[string]any{}
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		e.asked = append(e.asked, asked)
		e.auth = r.Header.Get("Authorization")
		script[min(len(e.asked), len(script))-1](w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

func says(content, finish string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "served-model",
			"choices": []any{map[string]any{"index": 0, "finish_reason": finish,
				"message": map[string]any{"role": "assistant", "content": content}}},
			"usage": map[string]any{"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
		})
	}
}

func fails(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func client(t *testing.T, e *endpoint, o llm.Options) *llm.Client {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.BaseURL, o.Guard = e.URL+"/v1/", guard
	if o.Model == "" {
		o.Model = "asked-model"
	}
	c, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var question = llm.Request{Messages: []llm.Message{{Role: "user", Content: "2+2?"}},
	Schema: json.RawMessage(
		`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`),
	SchemaName: "sum"}

type sum struct {
	Sum int `json:"sum"`
}

func TestChatSendsWhatWasConfigured(t *testing.T) {
	e := serve(t, says("<think>hm</think>four", "stop"))
	c := client(t, e, llm.Options{APIKey: citewell.NewSecret("sk-1"), MaxTokens: 50, Temperature: 0.25,
		Extra: map[string]any{"top_k": 3}})
	reply, err := c.Chat(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "system", Content: "s"}, {Role: "user", Content: "u"}}, MaxTokens: 20})
	if err != nil {
		t.Fatal(err)
	}
	if reply.Text != "four" || reply.Thinking != "hm" || reply.Model != "served-model" || reply.InputTokens != 7 ||
		reply.OutputTokens != 3 {
		t.Errorf("reply %+v", reply)
	}
	asked := e.asked[0]
	if e.auth != "Bearer sk-1" || asked["model"] != "asked-model" || asked["max_tokens"] != 20.0 ||
		asked["top_k"] != 3.0 || asked["temperature"] != 0.25 {
		t.Errorf("asked %v with %q", asked, e.auth)
	}
	if messages := asked["messages"].([]any); len(messages) != 2 || messages[0].(map[string]any)["role"] != "system" {
		t.Errorf("messages %v", messages)
	}
}

// Each way an endpoint can fail has its own code, and none shows the key.
func TestFailures(t *testing.T) {
	const key = "sk-secret-key"
	tests := []struct {
		name    string
		handler http.HandlerFunc
		code    citewell.Code
	}{
		{"wrong key", fails(401, `{"error":{"message":"Incorrect API key provided: `+key+
			`","code":"invalid_api_key"}}`), citewell.CodeAuth},
		{"forbidden", fails(403, `{}`), citewell.CodeAuth},
		{"rate limited", fails(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`),
			citewell.CodeRateLimited},
		{"credits used up", fails(429,
			`{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`),
			citewell.CodeQuotaExhausted},
		{"no such model", fails(404, `{"error":{"message":"model '`+key+`' not found"}}`), citewell.CodeModelFailed},
		{"context overflow", fails(400, `{"error":{"message":"maximum context length is 10 tokens"}}`),
			citewell.CodeModelFailed},
		{"server error without JSON", fails(500, `oops`), citewell.CodeModelFailed},
		{"HTML with 200", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "<!doctype html><html><body>hello")
		}, citewell.CodeBadResponse},
		{"half a JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"choices":[{"mess`)
		}, citewell.CodeHTTPFailed},
		{"no choices", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"choices":[]}`)
		}, citewell.CodeModelFailed},
		{"empty answer", says("  ", "stop"), citewell.CodeModelFailed},
		{"only thoughts", says("<think>for ever", "stop"), citewell.CodeModelFailed},
		{"cut at the limit", says(`{"sum":`, "length"), citewell.CodeModelFailed},
		{"content filter", says("x", "content_filter"), citewell.CodeModelFailed},
		{"refusal", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"I cannot"}}]}`)
		}, citewell.CodeModelFailed},
		{"redirect away", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/v1", http.StatusTemporaryRedirect)
		}, citewell.CodeBlockedRedirect},
		{"broken connection", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		}, citewell.CodeHTTPFailed},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, citewell.CodeTimeout},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			within := time.Minute
			if test.code == citewell.CodeTimeout {
				within = 500 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			e := serve(t, test.handler)
			var got sum
			_, err := client(t, e, llm.Options{APIKey: citewell.NewSecret(key)}).Decode(ctx, question, &got)
			if code := citewell.CodeOf(err); code != test.code {
				t.Errorf("code %s (%v), want %s", code, err, test.code)
			}
			if err != nil && (strings.Contains(err.Error(), key) || strings.Contains(citewell.View(err).Message, key)) {
				t.Errorf("the key is in the message: %v", err)
			}
		})
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]llm.Options{
		"no model":  {BaseURL: "http://h/v1"},
		"no host":   {BaseURL: "h/v1", Model: "m"},
		"ftp":       {BaseURL: "ftp://h/v1", Model: "m"},
		"no format": {BaseURL: "http://h/v1", Model: "m", StructuredOutput: "magic"},
	} {
		o.Guard = guard
		if _, err := llm.New(o); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%s: %v, want invalid_config", name, err)
		}
	}
}

func TestOnLoopback(t *testing.T) {
	for base, want := range map[string]bool{
		"http://127.0.0.1:11434/v1": true, "http://[::1]:8080/v1": true, "http://LocalHost/v1": true,
		"http://[::ffff:127.0.0.2]/v1": true, "http://llm.localhost/v1": true,
		"https://api.openai.com/v1": false, "http://10.0.0.1/v1": false, "http://localhost.example/v1": false,
		"http://notlocalhost/v1": false,
	} {
		c, err := llm.New(llm.Options{BaseURL: base, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if c.OnLoopback() != want {
			t.Errorf("%s: %v", base, !want)
		}
	}
}
