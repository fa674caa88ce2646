package openai_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/internal/testing/golden"
)

func TestModels(t *testing.T) {
	o := newOffice(t, nil)
	status, _, body := o.ask(t, "GET", "/v1/models", nil)
	valid(t, "ListModelsResponse", body)
	var list struct{ Data []struct{ ID, Object string } }
	if err := json.Unmarshal(body, &list); err != nil || status != 200 || len(list.Data) != 3 ||
		list.Data[0].ID != "desk" || list.Data[1].Object != "model" {
		t.Errorf("%d %s: %v", status, body, err)
	}
	status, _, body = o.ask(t, "GET", "/v1/models/thinker", nil)
	valid(t, "Model", body)
	if status != 200 || !strings.Contains(string(body), `"thinker"`) {
		t.Errorf("%d %s", status, body)
	}
}

// A report, asked for whole and in pieces.
func TestReport(t *testing.T) {
	o := newOffice(t, nil)
	status, header, body := o.ask(t, "POST", "/v1/chat/completions", says("thinker", question+" Tell it as a paper."))
	valid(t, "CreateChatCompletionResponse", body)
	r := decode(t, body)
	if status != 200 || len(r.Choices) != 1 || r.Choices[0].FinishReason != "stop" || r.Object != "chat.completion" {
		t.Fatalf("%d %s", status, body)
	}
	if r.Model != header.Get("X-Agent-ID") || !strings.HasPrefix(r.Model, "thinker_") ||
		header.Get("X-Agent-Model") != "thinker" {
		t.Errorf("model %s, headers %v", r.Model, header)
	}
	m := r.Choices[0].Message
	if !strings.HasPrefix(m.Content, "# The tidal plant\n\nGröße: ") ||
		!strings.Contains(m.Content, "\n\n## Sources\n\n[") || m.Role != "assistant" {
		t.Errorf("%s", m.Content)
	}
	if r.Citewell.Run != r.Model || r.Citewell.Outcome != "answered" || r.Citewell.State != "completed" ||
		!strings.HasPrefix(r.Citewell.Answer, "In short: ") {
		t.Errorf("%+v", r.Citewell)
	}
	// Four steps of two calls each: 8 × 100 and 8 × 20 tokens.
	if u := r.Usage; u == nil || u.Prompt != 800 || u.Completion != 160 || u.Total != 960 {
		t.Errorf("usage %+v", u)
	}
	cites(t, m.Content, r)

	for generator, file := range map[string]string{openai.AsToolCalls: "stream.txt",
		openai.AsDetails: "stream_details.txt"} {
		t.Run(generator, func(t *testing.T) {
			o := newOffice(t, func(o *openai.Options) { o.Generator = generator })
			header, all := o.stream(t, "/v1/chat/completions", says("thinker", question+" Tell it as a paper.",
				"stream", true, "stream_options", args{"include_usage": true}))
			if header.Get("X-Agent-Model") != "thinker" || header.Get("Cache-Control") != "no-cache, no-transform" {
				t.Errorf("headers %v", header)
			}
			golden.Check(t, "testdata/"+file, steady(strings.Join(all, "\n")+"\n"))
			if all[len(all)-1] != "[DONE]" {
				t.Fatalf("it ends with %s", all[len(all)-1])
			}
			var first reply
			calls := map[int]bool{}
			for i, e := range all[:len(all)-1] {
				valid(t, "CreateChatCompletionStreamResponse", []byte(e))
				c := decode(t, []byte(e))
				if i == 0 {
					first = c
				}
				if c.ID != first.ID || c.Model != header.Get("X-Agent-ID") || c.Object != "chat.completion.chunk" {
					t.Errorf("%s", e)
				}
				if usage := i == len(all)-2; usage != (len(c.Choices) == 0) || usage != (c.Usage != nil) {
					t.Errorf("usage in %s", e)
				} else if usage && c.Usage.Total != 960 {
					t.Errorf("usage %+v", c.Usage)
				}
				for _, choice := range c.Choices {
					for _, call := range choice.Delta.ToolCalls {
						if calls[call.Index] || !json.Valid([]byte(call.Function.Arguments)) {
							t.Errorf("%s", e)
						}
						calls[call.Index] = true
					}
				}
			}
			if first.Choices[0].Delta.Role != "assistant" {
				t.Errorf("the first chunk is %s", all[0])
			}
			content, last := joined(t, all)
			if last.Choices[0].FinishReason != "stop" || last.Citewell.Outcome != "answered" {
				t.Errorf("%+v", last)
			}
			if whole := steady(m.Content); generator == openai.AsToolCalls && steady(content) != whole ||
				!strings.HasSuffix(steady(content), whole) {
				t.Errorf("in pieces it says %s", content)
			}
			if want := map[string]int{openai.AsToolCalls: 8, openai.AsDetails: 0}[generator]; len(calls) != want {
				t.Errorf("%d phases", len(calls))
			}
			last.Choices[0].Message = last.Choices[0].Delta
			cites(t, content, last)
		})
	}
}

// Whatever notation a model cites in, the client gets [n], annotated with the address.
func TestNotations(t *testing.T) {
	o := newOffice(t, nil)
	for _, form := range []string{"[N](URL)", "[[N]](URL)", "【N†source】", "[^N]", "(URL)", "[the owner's page](URL)",
		"URL", "[Source N]", "<cite>N</cite>", "(N)", "[N, N]"} {
		t.Run(form, func(t *testing.T) {
			_, _, body := o.ask(t, "POST", "/v1/chat/completions", says("thinker",
				question+" Tell it as a paper, citing as “"+form+"”."))
			r := decode(t, body)
			if r.Citewell.Outcome != "answered" || r.Usage.Total != 960 {
				t.Errorf("%s after %d tokens: %s", r.Citewell.Outcome, r.Usage.Total, body)
			}
			cites(t, r.Choices[0].Message.Content, r)
		})
	}
}

// cites says whether annotations name the marks of a content, and citations the pages.
func cites(t *testing.T, content string, r reply) {
	t.Helper()
	annotations, characters := r.Choices[0].Message.Annotations, []rune(content)
	if len(annotations) != 1 || len(r.Citations) != 1 {
		t.Fatalf("%d annotations, %d citations", len(annotations), len(r.Citations))
	}
	for _, a := range annotations {
		if a.URL.End > len(characters) || !strings.HasPrefix(string(characters[a.URL.Start:a.URL.End]), "[") ||
			!strings.HasSuffix(string(characters[a.URL.Start:a.URL.End]), "]") ||
			a.URL.URL != r.Citations[0] || !strings.HasSuffix(a.URL.URL, "/plant") || a.URL.Title == "" {
			t.Errorf("%+v in %s", a, content)
		}
	}
}

// What a run comes to that is not simply an answer.
func TestOutcomes(t *testing.T) {
	o := newOffice(t, nil)
	_, _, body := o.ask(t, "POST", "/v1/chat/completions", says("", "hello there"))
	if r := decode(t, body); len(r.Choices) != 1 || r.Choices[0].Message.Content != "Hello." ||
		r.Citewell.Agent != "desk" || r.Citewell.Outcome != "no_sources" || r.Citations != nil {
		t.Errorf("hello: %s", body)
	}
	_, _, body = o.ask(t, "POST", "/v1/chat/completions", says("desk", "look in vain"))
	if r := decode(t, body); len(r.Choices) != 1 || r.Choices[0].Message.Content != "*no sources: the sources do not "+
		"answer the task, as the model says.*\n\nThe sources say nothing." || r.Citewell.State != "failed" {
		t.Errorf("in vain: %s", body)
	}
	_, _, body = o.ask(t, "POST", "/v1/chat/completions", says("desk", "answer out of the blue"))
	if r := decode(t, body); len(r.Choices) != 1 || r.Choices[0].Message.Content != "*no sources: it cites no source "+
		"that was found, and nothing in it is proven.*\n\nThe kestrel pump moves 310 litres a minute. (⚠ "+
		"unknown number)" {
		t.Errorf("out of the blue: %s", body)
	}
	_, _, body = o.ask(t, "POST", "/v1/chat/completions", says("desk", "invent a figure"))
	if r := decode(t, body); len(r.Choices) != 1 || !strings.HasPrefix(r.Choices[0].Message.Content,
		"*partial: what is marked ⚠ (1) is not borne out by the sources.*\n\n# The tidal plant\n\n") ||
		!strings.Contains(r.Choices[0].Message.Content, "48,613 visitors a year. (⚠ unknown number)") ||
		r.Citewell.Outcome != "partial" {
		t.Errorf("invented: %s", body)
	}
	status, header, body := o.ask(t, "POST", "/v1/chat/completions", says("desk", "something broken"))
	valid(t, "ErrorResponse", body)
	r := decode(t, body)
	if status != 502 || r.Error == nil || r.Error.Type != "server_error" || *r.Error.Code != "model_failed" ||
		!strings.Contains(r.Error.Message, "refused the key") ||
		r.Citewell.Outcome != "model_failed" || r.Citewell.Run != header.Get("X-Agent-ID") ||
		header.Get("X-Should-Retry") != "false" {
		t.Errorf("broken: %d %v %s", status, header, body)
	}
	status, header, body = o.ask(t, "POST", "/v1/chat/completions", says("desk", "something busy"))
	valid(t, "ErrorResponse", body)
	r = decode(t, body)
	if seconds, err := strconv.Atoi(header.Get("Retry-After")); status != 429 || r.Error == nil ||
		*r.Error.Code != "rate_limited" || r.Citewell.Outcome != "model_failed" ||
		err != nil || seconds < 86000 || seconds > 86401 || header.Get("X-Should-Retry") != "false" {
		t.Errorf("busy: %d %v %s", status, header, body)
	}
	_, all := o.stream(t, "/v1/chat/completions", says("desk", "something broken", "stream", true))
	last := decode(t, []byte(all[len(all)-2]))
	if all[len(all)-1] != "[DONE]" || last.Error == nil || *last.Error.Code != "model_failed" ||
		last.Citewell.Run == "" {
		t.Errorf("broken, in pieces: %q", all)
	}
}

// A question ends the request; the run's id as model, and the answer, go on with it.
func TestClarification(t *testing.T) {
	o := newOffice(t, nil)
	status, _, body := o.ask(t, "POST", "/v1/chat/completions", says("desk", "which lake is deepest?"))
	valid(t, "CreateChatCompletionResponse", body)
	r := decode(t, body)
	if status != 200 || r.Choices[0].Message.Content != "Which lake?\nIn which land?" ||
		r.Choices[0].FinishReason != "stop" || !slices.Equal(r.Citewell.Questions,
		[]string{"Which lake?", "In which land?"}) ||
		r.Usage.Total != 120 || r.Citewell.State != "waiting_for_clarification" {
		t.Fatalf("%d %s", status, body)
	}
	conversation := []any{args{"role": "user", "content": "which lake is deepest?"},
		args{"role": "assistant", "content": r.Choices[0].Message.Content},
		args{"role": "user", "content": "Alder Lake"}}
	_, _, body = o.ask(t, "POST", "/v1/chat/completions", args{"model": r.Model, "messages": conversation})
	if again := decode(t, body); again.Model != r.Model || again.Choices[0].Message.Content !=
		"Nothing is known of it." || again.Usage.Total != 120 {
		t.Errorf("%s", body)
	}
	var seen strings.Builder
	for _, m := range o.model.last.Messages {
		seen.WriteString(m.Content)
	}
	if !strings.Contains(seen.String(), "Alder Lake") {
		t.Errorf("the model saw %s", seen.String())
	}
	status, _, body = o.ask(t, "POST", "/v1/chat/completions", args{"model": r.Model, "messages": conversation})
	if e := decode(t, body).Error; status != 409 || e == nil || *e.Code != "run_finished" {
		t.Errorf("afterwards: %d %s", status, body)
	}

	// In pieces, and by SGR's own route in both its forms.
	for _, answer := range []args{{"clarifications": "Alder Lake"},
		{"messages": []any{args{"role": "user", "content": "Alder Lake"}}}, nil} {
		header, all := o.stream(t, "/v1/chat/completions", says("thinker", "which lake is deepest?", "stream", true))
		id := header.Get("X-Agent-ID")
		content, last := joined(t, all)
		if content != "Which lake?\nIn which land?" || last.Choices[0].FinishReason != "stop" ||
			all[len(all)-1] != "[DONE]" {
			t.Fatalf("%q", all)
		}
		_, _, body := o.ask(t, "GET", "/agents/"+id+"/state", nil)
		if !strings.Contains(string(body), `"state":"waiting_for_clarification"`) ||
			!strings.Contains(string(body), `"clarifications_used":1`) {
			t.Errorf("%s", body)
		}
		if answer == nil {
			_, all = o.stream(t, "/v1/chat/completions", says(id, "Alder Lake", "stream", true))
		} else {
			_, all = o.stream(t, "/agents/"+id+"/provide_clarification", answer)
		}
		if content, last := joined(t, all); content != "Nothing is known of it." || last.Model != id {
			t.Errorf("%q", all)
		}
		status, _, body = o.ask(t, "POST", "/agents/"+id+"/provide_clarification", answer)
		if answer != nil && (status != 400 || !strings.Contains(string(body),
			`{"detail":"the agent is not waiting for clarification: it is completed"}`)) {
			t.Errorf("afterwards: %d %s", status, body)
		}
	}
}

// An agent that talks answers in between, with its sources, and the conversation goes
// on by the run's id.
func TestDialog(t *testing.T) {
	o := newOffice(t, nil)
	_, _, body := o.ask(t, "POST", "/v1/chat/completions", says("talker", question+" Just talk to me."))
	r := decode(t, body)
	if len(r.Choices) != 1 || r.Citewell.State != "waiting_for_clarification" || len(r.Citewell.Questions) != 0 ||
		!strings.Contains(r.Choices[0].Message.Content, "## Sources") {
		t.Fatalf("%s", body)
	}
	cites(t, r.Choices[0].Message.Content, r)
	_, all := o.stream(t, "/v1/chat/completions", says(r.Model, "That is all, thank you.", "stream", true))
	if content, last := joined(t, all); !strings.HasPrefix(content, "In short: ") ||
		last.Citewell.State != "completed" {
		t.Errorf("%q", all)
	}
}

// A client that goes cancels nothing; the run's id finds it again.
func TestAttach(t *testing.T) {
	o := newOffice(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	r := o.send(t, ctx, "POST", "/v1/chat/completions", says("desk", "a slow hello", "stream", true))
	id := r.Header.Get("X-Agent-ID")
	until(t, "the model is asked", func() bool { return o.model.held.Load() == 1 })
	leave()
	r.Body.Close()
	r = o.send(t, t.Context(), "POST", "/v1/chat/completions", says(id, "go on", "stream", true))
	defer r.Body.Close()
	close(o.model.hold) // it is followed: one that had ended would refuse to go on
	all := events(t, r.Body)
	if content, last := joined(t, all); content != "Hello." || last.Model != id {
		t.Errorf("%q", all)
	}
	if s, err := o.Status(t.Context(), id); err != nil || s.State != runstore.RunCompleted {
		t.Errorf("%+v, %v", s, err)
	}
}

// A request that comes again with its key begins nothing.
func TestIdempotencyKey(t *testing.T) {
	o := newOffice(t, nil)
	_, _, first := o.ask(t, "POST", "/v1/chat/completions", says("desk", "hello"), "Idempotency-Key", "k1")
	_, _, again := o.ask(t, "POST", "/v1/chat/completions", says("desk", "hello"), "Idempotency-Key", "k1")
	if decode(t, first).Model == "" || decode(t, first).Model != decode(t, again).Model {
		t.Errorf("%s\n%s", first, again)
	}
	if status, _, body := o.ask(t, "POST", "/v1/chat/completions", says("desk", "another hello"), "Idempotency-Key",
		"k1"); status != 409 {
		t.Errorf("another task with the same key: %d %s", status, body)
	}
	for range 2 {
		_, _, body := o.ask(t, "POST", "/v1/chat/completions", says("desk", "which lake?"), "Idempotency-Key", "k2")
		if r := decode(t, body); len(r.Choices) != 1 || r.Choices[0].Message.Content != "Which lake?\nIn which land?" {
			t.Errorf("%s", body)
		}
	}
	runs, _, err := o.List(t.Context(), runstore.RunQuery{})
	if err != nil || len(runs) != 2 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// There are places for so many, and the end of the server is told.
func TestPlacesAndEnd(t *testing.T) {
	ends := make(chan struct{})
	o := newOffice(t, func(o *openai.Options) { o.Requests, o.Ends = 2, ends })
	r := o.send(t, t.Context(), "POST", "/v1/chat/completions", says("desk", "a slow hello", "stream", true))
	defer r.Body.Close()
	var status int
	var body []byte
	var waiting sync.WaitGroup
	waiting.Go(func() {
		status, _, body = o.ask(t, "POST", "/v1/chat/completions", says("desk", "another slow hello"))
	})
	until(t, "the model is asked", func() bool { return o.model.held.Load() == 2 })
	busy, header, said := o.ask(t, "POST", "/v1/chat/completions", says("desk", "hello"))
	if e := decode(t, said).Error; busy != 429 || e == nil || e.Type != "rate_limit_error" ||
		header.Get("Retry-After") != "5" {
		t.Errorf("%d %s", busy, said)
	}
	close(ends)
	waiting.Wait()
	if e := decode(t, body); status != 503 || e.Error == nil ||
		!strings.Contains(e.Error.Message, "send its id as model") || e.Citewell.Run == "" {
		t.Errorf("%d %s", status, body)
	}
	all := events(t, r.Body)
	if e := decode(t, []byte(all[len(all)-2])); e.Error == nil || e.Citewell.Run != r.Header.Get("X-Agent-ID") {
		t.Errorf("%q", all)
	}
	close(o.model.hold)
}

// A budget may be less than the agent's, not more.
func TestBudget(t *testing.T) {
	o := newOffice(t, nil)
	status, _, body := o.ask(t, "POST", "/v1/chat/completions",
		says("desk", "hello", "citewell", args{"budget": job.Budget{Tokens: 400_001}}))
	if status != 400 || !strings.Contains(string(body), "tokens is 400001") {
		t.Errorf("%d %s", status, body)
	}
	status, _, body = o.ask(t, "POST", "/v1/chat/completions",
		says("desk", "hello", "citewell", args{"budget": job.Budget{Tokens: 100_000}}))
	if status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

// SGR's routes.
func TestSGR(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	o := newOffice(t, nil)
	status, _, body := o.ask(t, "GET", "/health", nil)
	if status != 200 || string(body) != `{"service":"citewell","status":"healthy"}`+"\n" {
		t.Errorf("%d %s", status, body)
	}
	_, _, body = o.ask(t, "POST", "/v1/chat/completions", says("thinker", question))
	done := decode(t, body).Model
	_, _, body = o.ask(t, "GET", "/agents/"+done+"/state", nil)
	var state struct {
		AgentID   string `json:"agent_id"`
		Task      string
		State     string
		Iteration int
		Searches  int             `json:"searches_used"`
		Sources   int             `json:"sources_count"`
		Reasoning json.RawMessage `json:"current_step_reasoning"`
		Result    string          `json:"execution_result"`
	}
	if err := json.Unmarshal(body, &state); err != nil || state.AgentID != done || state.Task != question ||
		state.State != "completed" || state.Iteration != 3 ||
		state.Searches != 1 || state.Sources == 0 || len(state.Reasoning) < 10 ||
		!strings.Contains(state.Result, "640 GWh") {
		t.Errorf("%s: %v", body, err)
	}
	r := o.send(t, t.Context(), "POST", "/v1/chat/completions", says("desk", "a slow hello", "stream", true))
	defer r.Body.Close()
	slow := r.Header.Get("X-Agent-ID")
	until(t, "the model is asked", func() bool { return o.model.held.Load() == 1 })
	_, _, body = o.ask(t, "GET", "/agents", nil)
	var list struct {
		Agents []struct {
			AgentID string `json:"agent_id"`
			Task    string
			State   string
			At      string `json:"creation_time"`
		}
		Total int
	}
	if err := json.Unmarshal(body, &list); err != nil || list.Total != 2 || list.Agents[0].AgentID != slow ||
		list.Agents[0].Task != "a slow hello" || list.Agents[0].State != "researching" || list.Agents[0].At == "" {
		t.Errorf("%s: %v", body, err)
	}
	for id, want := range map[string]string{slow: "cancelled", done: "completed"} {
		status, _, body := o.ask(t, "DELETE", "/agents/"+id, nil)
		var gone struct {
			AgentID string `json:"agent_id"`
			Deleted bool
			Final   string `json:"final_state"`
		}
		if err := json.Unmarshal(body, &gone); err != nil || status != 200 || gone.AgentID != id || !gone.Deleted ||
			gone.Final != want {
			t.Errorf("%d %s: %v", status, body, err)
		}
		for _, route := range []struct{ method, path string }{{"DELETE", ""}, {"GET", "/state"},
			{"POST", "/provide_clarification"}} {
			status, _, body := o.ask(t, route.method, "/agents/"+id+route.path, args{"clarifications": "x"})
			if status != http.StatusNotFound || !strings.HasPrefix(string(body), `{"detail":"there is no agent `) {
				t.Errorf("%v: %d %s", route, status, body)
			}
		}
	}
}
