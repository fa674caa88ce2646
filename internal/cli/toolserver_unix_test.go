//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/mcptest"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// Over OpenAI's API an agent that has nothing but an MCP server's tools answers from these,
// and its report holds when the server is gone.
func TestAToolsAnswerIsASourceOverTheAPI(t *testing.T) {
	t.Parallel()
	wiki := httptest.NewServer(wikiServer("80"))
	defer wiki.Close()
	model := modeltest.Serve(t)
	script, err := turns(
		`[{"wiki_ask_question": {"question": "the lighthouse"}}, {"final_answer_tool": "The lighthouse of Hallvik has 42 steps [1]."}]`)
	if err != nil {
		t.Fatal(err)
	}
	model.Follow(script)
	home := t.TempDir()
	write(t, filepath.Join(home, "citewell.yaml"), fmt.Sprintf("llm: {base_url: %q, model: scripted}\nmcp: "+
		"{mcpServers: {wiki: {url: %q}}}\n"+
		"agents: {plain: {base_class: tool_calling_agent, tools: [final_answer_tool]}}\n", model.Base(), wiki.URL))
	_, address := serve(t, home)
	body, err := json.Marshal(map[string]any{"model": "plain",
		"messages": []any{map[string]any{"role": "user", "content": "How many steps has the lighthouse of Hallvik?"}}})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := patient.Post(address+"/v1/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var said struct {
		Choices  []struct{ Message struct{ Content string } }
		Citewell struct{ Outcome string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil || answer.StatusCode != http.StatusOK ||
		len(said.Choices) != 1 {
		t.Fatalf("%s, %v: %+v", answer.Status, err, said)
	}
	if got := said.Choices[0].Message.Content; said.Citewell.Outcome != "answered" ||
		!bytes.Contains([]byte(got), []byte("The lighthouse of Hallvik has 42 steps [1].")) {
		t.Errorf("%+v", said)
	}
	wiki.Close()
	if stdout, stderr, code := here(t, home, "--config", filepath.Join(home, "citewell.yaml"), "verify",
		answer.Header.Get("X-Agent-ID")); code != 0 {
		t.Errorf("verify: %d\n%s%s", code, stdout, stderr)
	}
}

// What an MCP server of somebody else's answers is a source, too.
func TestAServerOfOthersIsASource(t *testing.T) {
	t.Parallel()
	command := mcptest.Everything(t)
	model := modeltest.Serve(t)
	script, err := turns(
		`[{"everything_get-sum": {"a": 1871, "b": 42}}, {"final_answer_tool": "The sum of 1871 and 42 is 1913 [1]."}]`)
	if err != nil {
		t.Fatal(err)
	}
	model.Follow(script)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf("llm: {base_url: %q, model: scripted}\nmcp: {mcpServers: {everything: {command: %q, "+
		"args: [%q, %q]}}}\n"+
		"agents: {plain: {base_class: tool_calling_agent, tools: [final_answer_tool]}}\n", model.Base(), command[0],
		command[1], command[2]))
	stdout, stderr, code := here(t, home, "--config", config, "research", "--agent", "plain",
		"Ask the server for the sum of the year and the steps.")
	if code != 0 || !strings.Contains(stdout, "The sum of 1871 and 42 is 1913 [1].") ||
		!strings.Contains(stdout, "tool:everything/get-sum?sha256=") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	report := filepath.Join(home, "report.md")
	write(t, report, stdout)
	if stdout, stderr, code := here(t, home, "--config", config, "verify", report); code != 0 {
		t.Errorf("verify: %d\n%s%s", code, stdout, stderr)
	}
}
