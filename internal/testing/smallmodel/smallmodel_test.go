package smallmodel_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/smallmodel"
)

func post(t testing.TB, url string, body any) (status int, answer []byte) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Timeout: 5 * time.Minute}).Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

type object = map[string]any

func asks(text string, more object) object {
	body := object{"model": smallmodel.Model, "messages": []any{object{"role": "user", "content": text}},
		"max_tokens": 64, "temperature": 0}
	for name, value := range more {
		body[name] = value
	}
	return body
}

// It is the model that it is said to be: one of this kind knows this capital.
func TestSmallModelAnswers(t *testing.T) {
	base := smallmodel.Start(t)
	if again := smallmodel.Start(t); again != base {
		t.Fatalf("two servers: %s and %s", base, again)
	}
	status, data := post(t, base+"/chat/completions", asks("What is the capital of France?", nil))
	var answer struct {
		Choices []struct {
			Message      struct{ Content string }
			FinishReason string `json:"finish_reason"`
		}
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Total      int `json:"total_tokens"`
		}
	}
	if err := json.Unmarshal(data, &answer); err != nil || status != http.StatusOK || len(answer.Choices) != 1 {
		t.Fatalf("%d %s, %v", status, data, err)
	}
	if c := answer.Choices[0]; !strings.Contains(c.Message.Content, "Paris") || c.FinishReason != "stop" {
		t.Errorf("it says %q and ends by %s", c.Message.Content, c.FinishReason)
	}
	if u := answer.Usage; u.Prompt < 10 || u.Completion < 2 || u.Total != u.Prompt+u.Completion {
		t.Errorf("usage %+v", u)
	}
}

// What it cannot do it refuses as llama.cpp's own server does.
func TestSmallModelRefuses(t *testing.T) {
	base := smallmodel.Start(t)
	schema := func(s any) object {
		return object{"response_format": object{"type": "json_schema", "json_schema": object{"name": "x", "schema": s}}}
	}
	for name, test := range map[string]struct {
		path   string
		body   object
		status int
		says   string
	}{
		"no messages": {"/chat/completions", object{"model": smallmodel.Model}, 400, "'messages' is required"},
		"too long": {"/chat/completions", asks(strings.Repeat("tide ", smallmodel.Window), nil), 400,
			"exceed_context_size_error"},
		"a type of its own": {"/chat/completions", asks("Hello.", schema(object{"type": "date"})), 400,
			"invalid_request_error"},
		"a schema of naught": {"/chat/completions", asks("Hello.", schema([]any{})), 400, "invalid_request_error"},
		"a picture": {"/chat/completions", object{"messages": []any{
			object{"role": "user", "content": []any{object{"type": "image_url",
				"image_url": object{"url": "data:,"}}}}}},
			500, "image input is not supported"},
		"vectors": {"/embeddings", object{"model": smallmodel.Model, "input": "hello"}, 501,
			"does not support embeddings"},
		"nothing": {"/nothing", object{}, 404, "File Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			if status, data := post(t, base+test.path, test.body); status != test.status ||
				!strings.Contains(string(data), test.says) {
				t.Errorf("%d %s, want %d with %q", status, data, test.status, test.says)
			}
		})
	}
}

// BenchmarkSmallModel asks for a text after a page of 600 tokens and for JSON of a schema,
// and reports what the server says of its speed.
func BenchmarkSmallModel(b *testing.B) {
	base := smallmodel.Start(b)
	page := strings.Repeat("The tide at Hallvik turns at noon, and the heron waits. ", 40)
	for name, more := range map[string]object{"text": nil, "schema": {
		"json_schema": object{"type": "object", "properties": object{
			"places": object{"type": "array", "items": object{"type": "string", "maxLength": 80}, "minItems": 4,
				"maxItems": 4}}}}} {
		b.Run(name, func(b *testing.B) {
			var read, written float64
			for i := range b.N {
				body := asks(strconv.Itoa(i)+" "+page+"Go on with the story.", more)
				body["max_tokens"] = 128
				_, data := post(b, base+"/chat/completions", body)
				var answer struct {
					Timings struct {
						Read    float64 `json:"prompt_per_second"`
						Written float64 `json:"predicted_per_second"`
					}
				}
				if err := json.Unmarshal(data, &answer); err != nil || answer.Timings.Written == 0 {
					b.Fatalf("%s, %v", data, err)
				}
				read, written = read+answer.Timings.Read, written+answer.Timings.Written
			}
			b.ReportMetric(read/float64(b.N), "read-tokens/s")
			b.ReportMetric(written/float64(b.N), "written-tokens/s")
		})
	}
}
