//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// What speaks against relying on a run is said wherever runs are told of: in the log, in
// the result, beside the answer of a chat, and to callers over MCP.
func TestWarningsAreSaidEverywhere(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{mode: "weak"})
	c, _ := l.api(t)
	const weak = "scripted: a sum of two numbers was wrong (19 + 23 = 19); a model this weak will misread its " +
		"sources; try a larger one"
	id := c.begin(`{"task": "` + larchTask + `"}`)
	log := c.whole("/v1/runs/" + id + "/events")
	if n := len(slices.DeleteFunc(slices.Clone(log), func(h heard) bool {
		return h.event != "warning" || !strings.Contains(h.data, weak)
	})); n != 1 {
		t.Errorf("the log warns %d times: %+v", n, log)
	}
	var r agent.Result
	if a := c.do("GET", "/v1/runs/"+id+"/result", ""); json.Unmarshal(a.body, &r) != nil ||
		!slices.Equal(r.Warnings, []string{weak}) {
		t.Errorf("the result: %s", a.body)
	}
	for tool, want := range map[string]string{"research_status": "warning: " + weak,
		"research_result": `\n\nWarning: ` + weak} {
		if out, _, code := here(t, l.home, "call", tool, `{"id": "`+id+`"}`); code != 0 ||
			!strings.Contains(out, want) {
			t.Errorf("%s: %d %s", tool, code, out)
		}
	}
	picture := `{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="}}`
	for agent, want := range map[string][]string{
		"sgr_tool_calling_agent": {"the conversation has 1 picture; what a picture shows is no source, and nothing " +
			"that is said of it is proven", weak},
		"brief": {"the conversation has 1 picture; what a picture shows is no source, and nothing " +
			"that is said of it is proven"},
	} {
		resp := c.send(t.Context(), "POST", "/v1/chat/completions",
			`{"model": "`+agent+`", "messages": [{"role": "user", "content": [{"type": "text", "text": "`+larchTask+
				`"}, `+picture+`]}]}`)
		said, err := io.ReadAll(resp.Body)
		var done struct{ Citewell struct{ Warnings []string } }
		if err != nil || resp.StatusCode != 200 || json.Unmarshal(said, &done) != nil ||
			!slices.Equal(done.Citewell.Warnings, want) {
			t.Errorf("%s: %d %s", agent, resp.StatusCode, said)
		}
	}
}

// A run that came to nothing since a server's tools were refused says by which setting the
// operator could allow them, over every door.
func TestARefusalNamesItsSetting(t *testing.T) {
	t.Parallel()
	wiki := httptest.NewServer(wikiServer("80"))
	defer wiki.Close()
	l := newLab(t, researcher{})
	script, err := turns(
		`[{"wiki_store": {"question": "the lighthouse"}}, {"wiki_look_up": {"question": "the gate"}}, {"final_answer_tool": "The harbour gate of Hallvik is 12 metres wide."}]`)
	if err != nil {
		t.Fatal(err)
	}
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if strings.Contains(a.Last(), "19 + 23") {
			return modeltest.Says(`{"sum":42}`)
		}
		return script(n, a)
	})
	write(t, filepath.Join(l.home, "citewell.yaml"), fmt.Sprintf("llm: {base_url: %q, model: scripted}\nmcp: "+
		"{mcpServers: {wiki: {url: %q}}}\nagents: {plain: {base_class: tool_calling_agent, tools: "+
		"[final_answer_tool]}}\n", l.model.Base(), wiki.URL))
	c, _ := l.api(t)
	const setting = "a call of wiki_look_up was refused, which mcp.mcpServers.wiki.trust.read_only_tools could allow"
	id := c.begin(`{"task": "How wide is the harbour gate of Hallvik?", "agent": "plain"}`)
	c.whole("/v1/runs/" + id + "/events")
	var r agent.Result
	if a := c.do("GET", "/v1/runs/"+id+"/result", ""); json.Unmarshal(a.body, &r) != nil || r.Outcome != "no_sources" ||
		strings.Count(r.Reason, setting) != 1 {
		t.Errorf("the result: %s", a.body)
	}
	if a := c.do("GET", "/v1/runs/"+id, ""); !strings.Contains(string(a.body), setting) {
		t.Errorf("the run: %s", a.body)
	}
	resp := c.send(t.Context(), "POST", "/v1/chat/completions",
		`{"model": "plain", "messages": [{"role": "user", "content": "How wide is the harbour gate of Hallvik?"}]}`)
	if said, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(said), setting) {
		t.Errorf("a chat: %d %s", resp.StatusCode, said)
	}
	for _, tool := range []string{"research_status", "research_result"} {
		if out, _, code := here(t, l.home, "call", tool, `{"id": "`+id+`"}`); code != 0 ||
			!strings.Contains(out, setting) {
			t.Errorf("%s: %d %s", tool, code, out)
		}
	}
}
