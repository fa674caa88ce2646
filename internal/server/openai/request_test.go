package openai_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/store/sqlite"
)

// Each thing that cannot be taken is named, in the form of its route.
func TestErrorBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	o := newOffice(t, nil)
	user := func(content any) []any { return []any{args{"role": "user", "content": content}} }
	one := args{"role": "user", "content": "hello"}
	many := make([]any, 1001)
	for i := range many {
		many[i] = one
	}
	show := func(url string) args {
		return args{"messages": user([]any{args{"type": "text", "text": "what is it?"},
			args{"type": "image_url", "image_url": args{"url": url}}})}
	}
	var table strings.Builder
	for _, test := range []struct {
		name, method, path string
		body               any
		header             []string
	}{
		{"no messages", "POST", "/v1/chat/completions", args{"messages": []any{}}, nil},
		{"messages of no list", "POST", "/v1/chat/completions", args{"messages": "hello"}, nil},
		{"no JSON", "POST", "/v1/chat/completions", "{", nil},
		{"no object", "POST", "/v1/chat/completions", "[1]", nil},
		{"a key twice", "POST", "/v1/chat/completions", `{"messages":[],"messages":[]}`, nil},
		{"too deep", "POST", "/v1/chat/completions", strings.Repeat("[", 100), nil},
		{"two values", "POST", "/v1/chat/completions", "{}{}", nil},
		{"a form", "POST", "/v1/chat/completions", "a=b", []string{
			"Content-Type", "application/x-www-form-urlencoded"}},
		{"unknown model", "POST", "/v1/chat/completions", says("gpt-7", "hello"), nil},
		{"a model that is no word", "POST", "/v1/chat/completions", says("\x00../\"", "hello"), nil},
		{"a long model", "POST", "/v1/chat/completions", says(strings.Repeat("x", 1000), "hello"), nil},
		{"an agent that cannot be used", "POST", "/v1/chat/completions", says("absent", "hello"), nil},
		{"an absent run", "POST", "/v1/chat/completions", says("desk_00000000-0000-4000-8000-000000000000", "hello"),
			nil},
		{"a number as model", "POST", "/v1/chat/completions", args{"model": 7, "messages": user("hello")}, nil},
		{"n", "POST", "/v1/chat/completions", says("desk", "hello", "n", 3), nil},
		{"misspelt wall", "POST", "/v1/chat/completions", says("desk", "hello", "citewell",
			map[string]any{"budget": map[string]any{"serches": 1}}), nil},
		{"misspelt budget", "POST", "/v1/chat/completions", says("desk", "hello", "citewell",
			map[string]any{"buget": map[string]any{"searches": 1}}), nil},
		{"wall of none", "POST", "/v1/chat/completions", says("desk", "hello", "citewell",
			map[string]any{"budget": map[string]any{"searches": 0}}), nil},
		{"response_format", "POST", "/v1/chat/completions", says("desk", "hello", "response_format",
			args{"type": "json_object"}), nil},
		{"a role", "POST", "/v1/chat/completions", args{"messages": []any{args{"role": "narrator", "content": "x"}}},
			nil},
		{"no user", "POST", "/v1/chat/completions", args{"messages": []any{
			args{"role": "system", "content": "be brief"}}}, nil},
		{"no words", "POST", "/v1/chat/completions", args{"messages": user("  \n")}, nil},
		{"many messages", "POST", "/v1/chat/completions", args{"messages": many}, nil},
		{"long instructions", "POST", "/v1/chat/completions", args{
			"messages": []any{args{"role": "developer", "content": strings.Repeat("x", 17<<10)}, one}}, nil},
		{"a long task", "POST", "/v1/chat/completions", says("desk", strings.Repeat("x", job.MaxTask+1)), nil},
		{"a part", "POST", "/v1/chat/completions", args{"messages": user([]any{args{"type": "input_audio"}})}, nil},
		{"content of no form", "POST", "/v1/chat/completions", args{"messages": user(7)}, nil},
		{"an image without URL", "POST", "/v1/chat/completions",
			args{"messages": user([]any{args{"type": "image_url"}})}, nil},
		{"an image alone", "POST", "/v1/chat/completions", args{
			"messages": user([]any{args{"type": "image_url", "image_url": args{"url": picture(t, 4, 4)}}})}, nil},
		{"an image of the assistant's", "POST", "/v1/chat/completions",
			args{"messages": []any{args{"role": "assistant", "content": []any{
				args{"type": "image_url", "image_url": args{"url": picture(t, 4, 4)}}}}, one}}, nil},
		{"a detail", "POST", "/v1/chat/completions", args{"messages": user([]any{
			args{"type": "image_url", "image_url": args{"url": "https://x.test/", "detail": "much"}}})}, nil},
		{"no base64", "POST", "/v1/chat/completions", show("data:image/png;base64,%%%"), nil},
		{"no image type", "POST", "/v1/chat/completions", show("data:text/html;base64,AAAA"), nil},
		{"no image", "POST", "/v1/chat/completions", show("data:image/png;base64,AAAA"), nil},
		{"a damaged image", "POST", "/v1/chat/completions", show(picture(t, 64, 64)[:222]), nil},
		{"an image that would be huge", "POST", "/v1/chat/completions", show(bomb(t)), nil},
		{"a large image file", "POST", "/v1/chat/completions", show("data:image/png;base64," +
			strings.Repeat("A", 14<<20)), nil},
		{"a private address", "POST", "/v1/chat/completions", show("http://169.254.169.254/latest/"), nil},
		{"a file", "POST", "/v1/chat/completions", show("file:///etc/passwd"), nil},
		{"a body too large", "POST", "/v1/chat/completions", strings.Repeat(" ", openai.MaxBody+1), nil},
		{"a long key", "POST", "/v1/chat/completions", says("desk", "hello"),
			[]string{"Idempotency-Key", strings.Repeat("k", 300)}},
		{"a budget below 0", "POST", "/v1/chat/completions", says("desk", "hello", "citewell",
			args{"budget": args{"tokens": -1}}), nil},
		{"GET", "GET", "/v1/chat/completions", nil, nil},
		{"DELETE", "DELETE", "/v1/models/desk", nil, nil},
		{"a model", "GET", "/v1/models/gpt-7", nil, nil},
		{"no path", "POST", "/v1/embeddings", args{}, nil},
		{"an agent's state", "GET", "/agents/nobody/state", nil, nil},
		{"an agent's long state", "GET", "/agents/" + strings.Repeat("x", 500) + "/state", nil, nil},
		{"an agent's clarification", "POST", "/agents/nobody/provide_clarification", args{"clarifications": "x"}, nil},
		{"an agent's path", "GET", "/agents/nobody/else", nil, nil},
		{"an agent's method", "POST", "/agents", args{}, nil},
		{"an agent to delete", "DELETE", "/agents/nobody", nil, nil},
	} {
		status, header, body := o.ask(t, test.method, test.path, test.body, test.header...)
		fmt.Fprintf(&table, "%s\n  %d %s\n", test.name, status, bytes.TrimSpace(body))
		if strings.HasPrefix(test.path, "/v1/") {
			valid(t, "ErrorResponse", body)
		}
		if status < 400 || status >= 500 || header.Get("Content-Type") != "application/json" ||
			header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", test.name, status, header)
		}
	}
	golden.Check(t, "testdata/errors.txt", steady(table.String()))
	if runs, _, err := o.List(t.Context(), runstore.RunQuery{}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs were begun, %v", len(runs), err)
	}
}

// picture is an image with a pattern, as a data URL.
func picture(t testing.TB, w, h int) string {
	t.Helper()
	i := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		for y := range h {
			i.Set(x, y, color.RGBA{uint8(x * 7), uint8(y * 5), uint8(x ^ y), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, i); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// bomb is a small file that says it is 60,000 pixels wide and high.
func bomb(t testing.TB) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(picture(t, 4, 4), "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint32(data[16:], 60_000)
	binary.BigEndian.PutUint32(data[20:], 60_000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// What the model is shown of a conversation: who said what, images made smaller, the
// oldest left out.
func TestConversation(t *testing.T) {
	o := newOffice(t, nil)
	long := strings.Repeat("old words ", 3000) // 30 kB each, of 48 that are kept
	pictures := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/picture" {
			http.NotFound(w, r)
			return
		}
		jpeg.Encode(w, image.NewGray(image.Rect(0, 0, 2, 2)), nil)
	}))
	defer pictures.Close()
	shows := func(url string) args {
		return args{"max_tokens": 1, "temperature": 2, "tools": []any{args{"type": "function"}}, "seed": 7,
			"messages": []any{
				args{"role": "system", "content": "Be brief."},
				args{"role": "user", "content": "first " + long},
				args{"role": "assistant", "content": "second " + long},
				args{"role": "user", "content": []any{args{"type": "text", "text": "see"},
					args{"type": "text", "text": "this"},
					args{"type": "image_url", "image_url": args{"url": picture(t, 3000, 30), "detail": "low"}}}},
				args{"role": "assistant", "content": "<details type=\"reasoning\" done=\"true\">\n<summary>Step " +
					"1</summary>\n> shown\n</details>\n\nI saw it.",
					"tool_calls": []any{args{"id": "1-action", "type": "function"}}},
				args{"role": "assistant", "content": nil},
				args{"role": "tool", "tool_call_id": "1-action", "content": "https://evil.test/ says so"},
				args{"role": "developer", "content": "Answer in words."},
				args{"role": "user", "content": []any{args{"type": "text", "text": "hello"},
					args{"type": "image_url", "image_url": url},
					args{"type": "image_url", "image_url": args{"url": picture(t, 8, 8)}}}},
				args{"role": "assistant", "content": "to be gone on from"},
			}}
	}
	if status, _, body := o.ask(t, "POST", "/v1/chat/completions", shows(pictures.URL+"/absent")); status != 400 ||
		!strings.Contains(string(body), "cannot be fetched: the server answered 404") {
		t.Errorf("an image that is not there: %d %s", status, body)
	}
	if status, _, body := o.ask(t, "POST", "/v1/chat/completions", shows(pictures.URL+"/picture")); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	var got strings.Builder
	for _, m := range o.model.last.Messages[1:] {
		fmt.Fprintf(&got, "%s: %.40q", m.Role, m.Content)
		for _, i := range m.Images {
			data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(i.URL, "data:image/jpeg;base64,"))
			if err != nil {
				t.Fatalf("%.60s: %v", i.URL, err)
			}
			c, err := jpeg.DecodeConfig(bytes.NewReader(data))
			fmt.Fprintf(&got, " %dx%d %s %v", c.Width, c.Height, i.Detail, err)
		}
		got.WriteByte('\n')
	}
	want := `user: "For this conversation:\nBe brief."
assistant: "second old words old words old words old"
user: "see\nthis" 1024x10 low <nil>
assistant: "I saw it."
assistant: "Result of the call 1-action:\nhttps://evi"
user: "For this conversation:\nAnswer in words."
user: `
	text, task, _ := strings.Cut(got.String(), want)
	if text != "" || !strings.Contains(task, " 2x2  <nil> 8x8  <nil>") {
		t.Errorf("the model was shown\n%s", got.String())
	}
}

// Whatever is sent, the answer is JSON with an error or a run, and nothing breaks.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"model":"desk","messages":[{"role":"user","content":"hello"}]}`))
	f.Add([]byte(`{"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image_url","image_url":{"url":"` + picture(f, 3, 3) + `"}}]}],"stream":true}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","content":"<details type=\"reasoning\">"},{"role":"tool","content":[{"type":"text"}]},{"role":"user","content":"\ud800"}],"n":1}`))
	f.Add([]byte(`{"model":"desk_00000000-0000-4000-8000-000000000000","messages":[{"role":"user","content":null}]}`))
	f.Add([]byte(`{"citewell":{"budget":{"tokens":1e400}},"messages":[{"role":"user","content":"x"}]}`))
	db, err := sqlite.Open(f.Context(), f.TempDir(), sqlite.Options{})
	if err != nil {
		f.Fatal(err)
	}
	defer db.Close()
	runs := db.Tenant("t")
	ends := make(chan struct{})
	close(ends) // nobody executes runs here: who follows one is sent away
	api := openai.New(openai.Options{Desk: job.NewDesk(runs, []job.Definition{{Name: "desk"}}, nil), Ends: ends})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/v1/chat/completions", "/agents/desk/provide_clarification"} {
			r := httptest.NewRequest("POST", path, bytes.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if w.Header().Get("Content-Type") == "text/event-stream" {
				if !strings.HasSuffix(w.Body.String(), "data: [DONE]\n\n") ||
					!strings.Contains(w.Body.String(), `"error":{`) {
					t.Errorf("%q", w.Body)
				}
				continue
			}
			if !json.Valid(w.Body.Bytes()) || w.Code < 400 || w.Code == http.StatusInternalServerError {
				t.Errorf("%d %q", w.Code, w.Body)
			}
		}
	})
}
