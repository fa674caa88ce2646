//go:build unix

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// A server that ends tells those who follow a run, and does not wait for them. The next
// one goes on with it, and the id finds it there, told in another form.
func TestAStreamOutlivesItsServer(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	reached := l.stopsAt(4)
	c, address := serve(t, l.home)
	ask := func(address, model string) *http.Response {
		t.Helper()
		body, err := json.Marshal(map[string]any{"model": model, "stream": true,
			"messages": []any{map[string]any{"role": "user", "content": larchTask}}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), "POST", address+"/v1/chat/completions",
			strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := patient.Do(r)
		if err != nil || answer.StatusCode != 200 {
			t.Fatalf("%+v, %v", answer, err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	first := ask(address, "")
	run := first.Header.Get("X-Agent-ID")
	await(t, "the fourth call", reached)
	c.Process.Signal(syscall.SIGTERM)
	said, err := io.ReadAll(first.Body)
	if err != nil || !strings.HasSuffix(string(said), "data: [DONE]\n\n") ||
		!strings.Contains(string(said), `"message":"the server is stopping (the run goes on`) ||
		!strings.Contains(string(said), `"run":"`+run+`"`) {
		t.Errorf("%s, %v", said, err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}

	_, address = serve(t, l.home, "--set", "execution.streaming_generator=open_webui")
	second := ask(address, run)
	if id := second.Header.Get("X-Agent-ID"); id != run {
		t.Errorf("it follows %s", id)
	}
	var content strings.Builder
	lines := bufio.NewScanner(second.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if ok && data != "[DONE]" && json.Unmarshal([]byte(data), &chunk) == nil && len(chunk.Choices) > 0 {
			content.WriteString(chunk.Choices[0].Delta.Content)
		}
	}
	all := content.String()
	if err := lines.Err(); err != nil || strings.Count(all, "<details ") != strings.Count(all, "</details>") ||
		!strings.Contains(all, "<summary>web_search_tool</summary>") ||
		strings.Count(all, "<summary>extract_page_content_tool</summary>") != 1 ||
		!strings.Contains(all, "</details>\n\n# The release of Larch 2.0\n\nLarch 2.0 was released on 9 March "+
			"2022 [2].") {
		t.Errorf("%s, %v", all, err)
	}
}
