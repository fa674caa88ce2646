//go:build unix

package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/openaitest"
)

const followUp = "And what does it read?"

// A run is gone on from over the API of runs. Its sources keep their numbers and nothing
// is fetched or searched again.
func TestRunsAPIGoesOn(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	first := c.begin(`{"task": "` + larchTask + `"}`)
	c.whole("/v1/runs/" + first + "/events")
	second := c.begin(`{"task": "`+followUp+`", "from": "`+first+`"}`, "Idempotency-Key", "two")
	c.whole("/v1/runs/" + second + "/events")
	if again := c.begin(`{"task": "`+followUp+`", "from": "`+first+`"}`, "Idempotency-Key", "two"); again != second {
		t.Errorf("the same request again began %s", again)
	}
	c.refused(409, citewell.CodeRunExists, "", "POST", "/v1/runs", `{"task": "`+followUp+`"}`, "Idempotency-Key", "two")
	var run struct{ From string }
	var before, after agent.Result
	for path, into := range map[string]any{second: &run, first + "/result": &before, second + "/result": &after} {
		if a := c.do("GET", "/v1/runs/"+path, ""); json.Unmarshal(a.body, into) != nil {
			t.Fatalf("%s: %s", path, a.body)
		}
	}
	if run.From != first || after.Outcome != "answered" || after.Usage.Fetches+after.Usage.Searches != 0 ||
		len(after.Sources) != len(before.Sources) {
		t.Errorf("it goes on from %q and came to %+v", run.From, after)
	}

	l.model.Follow(researcher{mode: "asks"}.reply)
	asking := c.begin(`{"task": "` + larchTask + `"}`)
	for h := range c.heardOf(asking) {
		if h.event == "question" {
			break
		}
	}
	c.refused(409, citewell.CodeRunNotReady, "has not ended", "POST", "/v1/runs", `{"task": "x", "from": "`+asking+`"}`)
	c.refused(404, citewell.CodeNotFound, "from names an unknown run", "POST", "/v1/runs",
		`{"task": "x", "from": "`+first[:len(first)-4]+`0000"}`)
	c.refused(400, citewell.CodeInvalidArgument, "from", "POST", "/v1/runs", `{"task": "x", "from": "`+first[:8]+`"}`)
}

// heardOf yields the events of a run as they come.
func (c *runsClient) heardOf(id string) func(func(heard) bool) {
	return func(yield func(heard) bool) {
		_ = c.listen(c.t.Context(), "/v1/runs/"+id+"/events", yield) // its end is the caller's business
	}
}

// What one token began is not there for another: not over the API of runs, OpenAI's, SGR's
// or MCP.
func TestRunsAreTheirCallers(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	token, _, code := here(t, l.home, "token", "create", "bob", "--scope", "api")
	if code != 0 {
		t.Fatal("no token could be made")
	}
	ann, _ := l.api(t)
	bob := newRunsClient(t, ann.base, strings.TrimSpace(token))
	id := ann.begin(`{"task": "` + larchTask + `"}`)
	ann.whole("/v1/runs/" + id + "/events")
	for _, request := range []string{"GET ", "GET /events", "GET /result", "GET /report", "GET /evidence",
		"POST /cancel", "DELETE "} {
		method, rest, _ := strings.Cut(request, " ")
		bob.refused(404, citewell.CodeNotFound, "no run", method, "/v1/runs/"+id+rest, "")
	}
	bob.refused(404, citewell.CodeNotFound, "no run", "POST", "/v1/runs/"+id+"/answer", `{"text": "x"}`)
	bob.refused(404, citewell.CodeNotFound, "from names an unknown run", "POST", "/v1/runs", `{"task": "x", "from": "`+id+`"}`)
	_, uuid, _ := strings.Cut(id, "agent_")
	bob.refused(409, citewell.CodeRunExists, "", "POST", "/v1/runs", `{"task": "`+larchTask+`", "id": "`+uuid+`"}`)
	if a := bob.do("GET", "/v1/runs", ""); string(a.body) != "{\"runs\":[]}\n" {
		t.Errorf("bob's runs: %s", a.body)
	}
	if a := ann.do("GET", "/v1/runs", ""); !strings.Contains(string(a.body), id) {
		t.Errorf("ann's runs: %s", a.body)
	}
	for _, query := range []string{"q=Larch", "outcome=answered", "since=2026-01-01", "until=2126-01-01"} {
		if a := bob.do("GET", "/v1/runs?"+query, ""); string(a.body) != "{\"runs\":[]}\n" {
			t.Errorf("bob's runs by %s: %s", query, a.body)
		}
		if a := ann.do("GET", "/v1/runs?"+query, ""); !strings.Contains(string(a.body), id) {
			t.Errorf("ann's runs by %s: %s", query, a.body)
		}
	}
	strangers := bob.refused(404, citewell.CodeNotFound, "same_task names an unknown run", "GET",
		"/v1/runs?same_task="+id[:len(id)-4]+"0000", "")
	if got := bob.refused(404, citewell.CodeNotFound, "same_task names an unknown run", "GET", "/v1/runs?same_task="+id,
		""); !bytes.Equal(got.body, strangers.body) {
		t.Errorf("bob is told of ann's run %s and of nobody's %s", got.body, strangers.body)
	}
	for path, want := range map[string]int{"/agents": 200, "/agents/" + id + "/state": 404} {
		resp := bob.send(t.Context(), "GET", path, "")
		var said struct{ Total int }
		if resp.StatusCode != want || json.NewDecoder(resp.Body).Decode(&said) != nil || said.Total != 0 {
			t.Errorf("%s: %d, %d runs", path, resp.StatusCode, said.Total)
		}
	}
	if resp := bob.send(t.Context(), "DELETE", "/agents/"+id, ""); resp.StatusCode != 404 {
		t.Errorf("bob deletes ann's over SGR's route: %d", resp.StatusCode)
	}
	chat := `{"model": "sgr_tool_calling_agent", "messages": [{"role": "user", "content": "x"}], "metadata": {"run_id": "` + id + `"}}`
	if resp := bob.send(t.Context(), "POST", "/v1/chat/completions", chat); resp.StatusCode != 400 {
		t.Errorf("a conversation on ann's run: %d", resp.StatusCode)
	}
	if out, _, code := here(t, l.home, "runs", "list"); code != 0 || !strings.Contains(out, id) {
		t.Errorf("the operator's list: %s", out)
	}
	// The operator's own are nobody's, and not there for a token.
	out, _, _ := here(t, l.home, "--set", "search.providers.duckduckgo.rate=100", "research", "--agent", "brief",
		"--json", larchTask)
	var own agent.Result
	if json.Unmarshal([]byte(out), &own) != nil || own.ID == "" {
		t.Fatalf("the operator's run: %s", out)
	}
	ann.refused(404, citewell.CodeNotFound, "no run", "GET", "/v1/runs/"+own.ID, "")
	ann.refused(404, citewell.CodeNotFound, "same_task names an unknown run", "GET", "/v1/runs?same_task="+own.ID, "")
	if a := ann.do("GET", "/v1/runs?same_task="+id, ""); !strings.Contains(string(a.body), id) ||
		strings.Contains(string(a.body), own.ID) {
		t.Errorf("ann's runs with her task: %s", a.body)
	}
	if out, _, code := here(t, l.home, "runs", "list", "--same-task", id); code != 0 || !strings.Contains(out, id) ||
		!strings.Contains(out, own.ID) {
		t.Errorf("the operator's list of runs with ann's task: %s", out)
	}
	if a := ann.do("DELETE", "/v1/runs/"+id, ""); a.StatusCode != 204 {
		t.Errorf("ann deletes her own: %d", a.StatusCode)
	}
}

// OpenAI's own clients hold a conversation of three turns: they send back what the
// assistant said, and it is known by that.
func TestOpenAIClientsConverse(t *testing.T) {
	t.Parallel()
	tools := openaitest.Find(t)
	l := newLab(t, researcher{})
	token, _, code := here(t, l.home, "token", "create", "desk", "--scope", "api")
	if code != 0 {
		t.Fatalf("token create ends with %d", code)
	}
	address := serveAll(t, l.home)
	api := newRunsClient(t, address, strings.TrimSpace(token))
	for _, client := range openaitest.Clients {
		t.Run(client, func(t *testing.T) {
			plan := openaitest.Plan{Client: client, URL: address + "/v1", Token: strings.TrimSpace(token)}
			var messages []any
			former := ""
			for i, question := range []string{larchTask, followUp, "Say it once more, please."} {
				messages = append(messages, map[string]any{"role": "user", "content": question})
				how := []string{"stream", "chat"}[i%2]
				plan.Steps = []openaitest.Step{{Do: how, Body: map[string]any{
					"model": "sgr_tool_calling_agent", "messages": messages}}}
				done := tools.Run(t, plan)[0]
				if done.Failed != "" || done.Outcome != "answered" || len(done.Citations) != 1 ||
					!strings.HasSuffix(done.Citations[0], "/releases") {
					t.Fatalf("turn %d: %+v", i+1, done)
				}
				var run struct {
					From  string
					Spent agent.Usage
				}
				if a := api.do("GET", "/v1/runs/"+done.Run, ""); json.Unmarshal(a.body, &run) != nil ||
					run.From != former {
					t.Errorf("turn %d goes on from %q, want %q", i+1, run.From, former)
				}
				if i > 0 && run.Spent.Fetches+run.Spent.Searches != 0 {
					t.Errorf("turn %d spent %+v", i+1, run.Spent)
				}
				former = done.Run
				messages = append(messages, map[string]any{"role": "assistant", "content": done.Content})
			}
		})
	}
}

// A file in a conversation is a source: it is read as index reads files, cited by its number,
// verified offline, and still there in the next turn, where the client sends it again.
func TestFilesInAConversation(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	const words = "The harbour gate of Skarrow Quay is twelve metres wide. It was painted green in the spring of 2021."
	l.model.Follow(func(_ int, a modeltest.Asked) modeltest.Reply {
		if offers(a, "reasoning_tool") {
			return researcher{}.reply(0, a)
		}
		return calling("final_answer_tool", map[string]any{"reasoning": "known", "completed_steps": []string{"read"},
			"answer": "The harbour gate of Skarrow Quay is twelve metres wide [1].", "status": "completed"})
	})
	c, _ := l.api(t)
	note := map[string]any{"type": "file", "file": map[string]any{
		"filename": "../gate\nnotes.txt", "file_data": "data:text/plain;base64," +
			base64.StdEncoding.EncodeToString([]byte(words))}}
	page := map[string]any{"type": "file", "file": map[string]any{
		"filename": "old.html", "file_data": base64.StdEncoding.EncodeToString(
			[]byte("<p>The lighthouse of Skarrow Quay was built of larch in 1871.</p>"))}}
	messages := []any{map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "text", "text": "How wide is the gate?"}, note, page, note}}}
	type answer struct {
		Choices  []struct{ Message struct{ Content string } }
		Citewell struct{ Run, Outcome string }
	}
	ask := func() (a answer, id string) {
		body, err := json.Marshal(map[string]any{"messages": messages})
		if err != nil {
			t.Fatal(err)
		}
		resp := c.send(t.Context(), "POST", "/v1/chat/completions", string(body))
		if said, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || json.Unmarshal(said, &a) != nil ||
			a.Citewell.Outcome != "answered" {
			t.Fatalf("%d %s", resp.StatusCode, said)
		}
		return a, a.Citewell.Run
	}
	former := ""
	for turn := range 2 {
		a, id := ask()
		var r agent.Result
		if read := c.do("GET", "/v1/runs/"+id+"/result", ""); json.Unmarshal(read.body, &r) != nil ||
			len(r.Sources) != 2 || r.Usage.Fetches != 0 ||
			r.Sources[0].Title != "gate notes.txt" || r.Sources[0].Class != "local" ||
			r.Sources[1].Title != "old.html" || !strings.HasPrefix(r.Sources[0].URL, "file:///attached/") {
			t.Errorf("turn %d: %s", turn, read.body)
		}
		var run struct{ From string }
		if shown := c.do("GET", "/v1/runs/"+id, ""); json.Unmarshal(shown.body, &run) != nil || run.From != former {
			t.Errorf("turn %d goes on from %q, want %q", turn, run.From, former)
		}
		if out, _, code := here(t, l.home, "verify", id); code != 0 || !strings.Contains(out, "1 of 1 citation holds") {
			t.Errorf("turn %d: %s", turn, out)
		}
		former = id
		messages = append(messages, map[string]any{"role": "assistant", "content": a.Choices[0].Message.Content},
			map[string]any{"role": "user", "content": "Say it again."})
	}
	for name, test := range map[string]struct{ file, want string }{
		"broken": {`{"filename": "plan.pdf", "file_data": "data:application/pdf;base64,` +
			base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 and no more")) + `"}`,
			`the file \"plan.pdf\" cannot be read`},
		"picture": {`{"filename": "gate.png", "file_data": "` +
			base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n")) + `"}`, "holds no text that can be cited"},
		"no_name": {`{"file_data": "QQ=="}`, "filename must have"},
		"by_id":   {`{"file_id": "file-1"}`, "send file_data"},
		"no_code": {`{"filename": "a.txt", "file_data": "?"}`, `the file \"a.txt\" is not well-formed base64`},
		"empty":   {`{"filename": "a.txt"}`, `the file \"a.txt\" is empty`},
	} {
		resp := c.send(t.Context(), "POST", "/v1/chat/completions",
			fmt.Sprintf(`{"messages": [{"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "file", "file": %s}]}]}`, test.file))
		if said, _ := io.ReadAll(resp.Body); resp.StatusCode != 400 || !strings.Contains(string(said), test.want) ||
			!strings.Contains(string(said), `"param":"messages[0].content[1].file`) {
			t.Errorf("%s: %d %s", name, resp.StatusCode, said)
		}
	}
	brief := fmt.Sprintf(
		`{"model": "brief", "messages": [{"role": "user", "content": [{"type": "text", "text": "How wide is the harbour gate of Skarrow Quay?"}, {"type": "file", "file": {"filename": "a.txt", "file_data": %q}}]}]}`, base64.StdEncoding.EncodeToString([]byte(words)))
	resp := c.send(t.Context(), "POST", "/v1/chat/completions", brief)
	if said, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 ||
		!strings.Contains(string(said), "is twelve metres wide.” [1]") {
		t.Errorf("a file for a brief: %d %s", resp.StatusCode, said)
	}
}
