package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

var tideTool = llm.Tool{Name: "tide", Description: "Looks up the tide.",
	Parameters: []byte(`{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}`)}

// told collects what a stream tells.
type told struct{ content, reasoning, arguments, names string }

func (d *told) add(p llm.Delta) {
	d.content += p.Content
	d.reasoning += p.Reasoning
	for _, call := range p.Calls {
		d.names += call.Name
		d.arguments += call.Arguments
	}
}

func TestStreamTellsWhatTheReplyHolds(t *testing.T) {
	calls := modeltest.Asks(modeltest.Call{ID: "a", Name: "tide", Arguments: `{"place":"Hallvik"}`},
		modeltest.Call{ID: "b", Name: "tide", Arguments: `{"place":"Ås"}`})
	calls.Text, calls.Thinking = "I look.", "Two places."
	calls.KeepAlive = true
	tests := map[string]struct {
		reply               modeltest.Reply
		content, reasoning  string
		arguments, finished string
	}{
		"text":      {modeltest.Says("Ein Mühlrad und 水車."), "Ein Mühlrad und 水車.", "", "", "stop"},
		"reasoning": {modeltest.Thinks("well, well", "yes"), "yes", "well, well", "", "stop"},
		"think marks": {modeltest.Reply{Text: "<think>a < b</think>\n\nyes", Piece: 1}, "yes", "a < b",
			"", "stop"},
		"one byte at once": {modeltest.Reply{Text: "one byte", Piece: 1, KeepAlive: true}, "one byte", "",
			"", "stop"},
		"calls":               {calls, "I look.", "Two places.", `{"place":"Hallvik"}{"place":"Ås"}`, "tool_calls"},
		"no [DONE]":           {modeltest.Reply{Text: "yes", NoDone: true}, "yes", "", "", "stop"},
		"whole":               {modeltest.Reply{Text: "<think>t</think>yes", OnlyWhole: true}, "yes", "t", "", "stop"},
		"a lone < at the end": {modeltest.Reply{Text: "a <th", Piece: 1}, "a <th", "", "", "stop"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t, test.reply)
			r := user("?")
			r.Tools = []llm.Tool{tideTool}
			var d told
			reply, err := ask(t, s, llm.Options{}).Stream(t.Context(), r, d.add)
			if err != nil || reply.Text != test.content || reply.Thinking != test.reasoning ||
				reply.FinishReason != test.finished {
				t.Fatalf("%+v, %v", reply, err)
			}
			if strings.TrimSpace(d.content) != test.content || strings.TrimSpace(d.reasoning) != test.reasoning ||
				d.arguments != test.arguments {
				t.Errorf("told %+v", d)
			}
			if reply.Streamed == test.reply.OnlyWhole || reply.InputTokens != 10 || reply.Estimated {
				t.Errorf("%+v", reply)
			}
			written := ""
			for _, call := range reply.ToolCalls {
				written += string(call.Arguments)
			}
			if written != test.arguments {
				t.Errorf("calls %+v", reply.ToolCalls)
			}
		})
	}
}

// A stream that breaks off at any byte is an error with a type, or was whole before: no
// half call, no half answer comes out of it.
func TestAStreamCutAtEveryByte(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	whole := modeltest.Asks(modeltest.Call{ID: "a", Name: "tide", Arguments: `{"place":"Hallvik"}`},
		modeltest.Call{ID: "b", Name: "tide", Arguments: `{}`})
	whole.Thinking, whole.Text, whole.KeepAlive, whole.Piece = "hm", "See <b>.", true, 16
	recorded := whole.Stream(true)
	finished := strings.Index(string(recorded), `"finish_reason":"tool_calls"`)
	for _, clean := range []bool{false, true} {
		s := modeltest.Serve(t)
		s.Script = func(n int, _ modeltest.Asked) modeltest.Reply { return modeltest.Cut(whole, n+1, clean) }
		c := ask(t, s, llm.Options{})
		for n := range recorded {
			r := user("?")
			r.Tools = []llm.Tool{tideTool}
			reply, err := c.Stream(t.Context(), r, func(llm.Delta) {})
			switch {
			case err == nil && n < finished:
				t.Fatalf("cut at %d, before the end: %+v", n, reply)
			case err == nil && (len(reply.ToolCalls) != 2 || string(reply.ToolCalls[0].Arguments) !=
				`{"place":"Hallvik"}` || reply.Text != "See <b>."):
				t.Fatalf("cut at %d: a half answer %+v", n, reply)
			case err != nil && (len(reply.ToolCalls) > 0 || !errors.Is(err, llm.ErrCut) ||
				citewell.CodeOf(err) != citewell.CodeHTTPFailed):
				t.Fatalf("cut at %d: %v with %+v", n, err, reply)
			case err != nil && n > finished+200:
				t.Fatalf("cut at %d, after the end: %v", n, err)
			}
		}
		if len(s.Asked()) != len(recorded) {
			t.Errorf("%d requests for %d streams: one that began must not be sent again", len(s.Asked()), len(recorded))
		}
	}
}

// The same for an answer in one piece.
func TestAWholeAnswerCutAtEveryByte(t *testing.T) {
	whole := modeltest.Asks(modeltest.Call{ID: "a", Name: "tide", Arguments: `{"place":"Hallvik"}`})
	recorded := whole.Whole()
	s := modeltest.Serve(t)
	s.Script = func(n int, _ modeltest.Asked) modeltest.Reply { return modeltest.Cut(whole, n/2+1, n%2 == 1) }
	c := ask(t, s, llm.Options{})
	for n := range 2 * len(recorded) {
		reply, err := c.Chat(t.Context(), user("?"))
		if code := citewell.CodeOf(err); err == nil || len(reply.ToolCalls) > 0 || code != citewell.CodeHTTPFailed &&
			code != citewell.CodeBadResponse {
			t.Fatalf("cut at %d: %v with %+v", n/2, err, reply)
		}
	}
}

func TestWhatAStreamMayNotBe(t *testing.T) {
	stream := http.Header{"Content-Type": {"text/event-stream"}}
	event := func(text string) string { return "data: " + text + "\n\n" }
	piece := func(text string) string {
		return event(asJSON(t, map[string]any{"choices": []any{
			map[string]any{"index": 0, "delta": map[string]any{"content": text}}}}))
	}
	tests := map[string]struct {
		reply modeltest.Reply
		code  citewell.Code
		kind  error
	}{
		"web page": {modeltest.Page(), citewell.CodeBadResponse, nil},
		"no JSON":  {modeltest.Reply{Body: event("hello"), Header: stream}, citewell.CodeBadResponse, nil},
		"nothing": {modeltest.Reply{Body: ": hello\n\n", Header: stream}, citewell.CodeHTTPFailed,
			llm.ErrCut},
		"only [DONE]": {modeltest.Reply{Body: event("[DONE]"), Header: stream}, citewell.CodeHTTPFailed,
			llm.ErrCut},
		"an error within": {modeltest.Reply{Body: piece("a") +
			event(`{"error":{"message":"engine died","code":500}}`), Header: stream}, citewell.CodeModelFailed, nil},
		"too busy within": {modeltest.Reply{Body: event(`{"error":{"message":"slow down","code":429}}`),
			Header: stream}, citewell.CodeRateLimited, nil},
		"length": {modeltest.Stops("half", "length"), citewell.CodeModelFailed, llm.ErrLength},
		"length within a call": {modeltest.Reply{Calls: []modeltest.Call{
			{ID: "a", Name: "tide", Arguments: `{"place":"Hall`}}, Finish: "length"}, citewell.CodeModelFailed,
			llm.ErrLength},
		"filter":  {modeltest.Stops("half", "content_filter"), citewell.CodeModelFailed, llm.ErrFiltered},
		"refusal": {modeltest.Refuses("no"), citewell.CodeModelFailed, llm.ErrRefused},
		"empty":   {modeltest.Says(" "), citewell.CodeModelFailed, llm.ErrEmpty},
		"endless": {modeltest.Reply{Text: strings.Repeat("and so on ", 100_000), Piece: 1000},
			citewell.CodeModelFailed, llm.ErrRepetition},
		"endless thinking": {modeltest.Reply{Thinking: strings.Repeat("wait, ", 10_000), Piece: 1000},
			citewell.CodeModelFailed, llm.ErrRepetition},
		"endless arguments": {modeltest.Reply{Calls: []modeltest.Call{
			{ID: "a", Name: "tide", Arguments: `{"place":"` + strings.Repeat("o", 100_000)}}, Piece: 1000},
			citewell.CodeModelFailed, llm.ErrRepetition},
		"one event of 5 MB": {modeltest.Reply{Body: "data: " + strings.Repeat("x", 5<<20) + "\n\n", Header: stream},
			citewell.CodeResponseTooLarge, nil},
		"line without end": {modeltest.Reply{Body: strings.Repeat("x", 5<<20), Header: stream},
			citewell.CodeResponseTooLarge, nil},
		"50 MB at once": {modeltest.Reply{Body: `{"choices":[{"message":{"content":"` +
			strings.Repeat("x", 50<<20) + `"}}]}`}, citewell.CodeResponseTooLarge, nil},
		"500 calls": {modeltest.Asks(fiveHundred()...), citewell.CodeModelFailed, llm.ErrCalls},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t, test.reply)
			reply, err := ask(t, s, llm.Options{}).Stream(t.Context(), user("?"), func(llm.Delta) {})
			if citewell.CodeOf(err) != test.code || test.kind != nil && !errors.Is(err, test.kind) ||
				len(reply.ToolCalls) > 0 {
				t.Errorf("%v with %d calls, want %s %v", err, len(reply.ToolCalls), test.code, test.kind)
			}
			if len(s.Asked()) != 1 {
				t.Errorf("%d requests: an answer that began must not be bought twice", len(s.Asked()))
			}
		})
	}
}

func fiveHundred() (calls []modeltest.Call) {
	for i := range 500 {
		calls = append(calls, modeltest.Call{ID: fmt.Sprint(i), Name: "tide", Arguments: "{}"})
	}
	return calls
}

// A long answer with equal rows is no repetition.
func TestRowsAreNoRepetition(t *testing.T) {
	var text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&text, "| row %d | ------------------------------ | yes |\n", i)
	}
	text.WriteString(strings.Repeat("-", 4000))
	s := modeltest.Serve(t, modeltest.Reply{Text: text.String(), Piece: 500})
	if reply, err := ask(t, s, llm.Options{}).Stream(t.Context(), user("?"), nil); err != nil ||
		reply.Text != text.String() {
		t.Errorf("%v with %d bytes", err, len(reply.Text))
	}
}

// A stream that drips goes on as long as its caller waits; one that falls silent ends.
func TestSlowStreams(t *testing.T) {
	drip := modeltest.Says("a long answer in many pieces")
	drip.Every = time.Millisecond
	s := modeltest.Serve(t, drip)
	if reply, err := ask(t, s, llm.Options{Stall: time.Minute}).Stream(t.Context(), user("?"), nil); err != nil ||
		reply.Text != drip.Text {
		t.Errorf("%+v %v", reply, err)
	}
	drip.Every = 10 * time.Millisecond
	s = modeltest.Serve(t, drip)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := ask(t, s, llm.Options{}).Stream(ctx, user("?"), nil); citewell.CodeOf(err) != citewell.CodeTimeout {
		t.Errorf("the caller's deadline gave %v", err)
	}
	silent := modeltest.Cut(modeltest.Says("a long answer"), 400, false)
	silent.Hangs, silent.Begins = true, true
	s = modeltest.Serve(t, silent)
	if _, err := ask(t, s, llm.Options{Stall: 20 * time.Millisecond}).Stream(t.Context(), user("?"),
		nil); citewell.CodeOf(err) != citewell.CodeTimeout {
		t.Errorf("a silent stream gave %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, err := ask(t, s, llm.Options{}).Stream(ctx, user("?"), func(llm.Delta) { stop() })
	if citewell.CodeOf(err) != citewell.CodeCanceled {
		t.Errorf("a caller that goes gave %v", err)
	}
}

// The end of a stream is read behind its [DONE], so that the next call goes over the same
// connection. An endpoint that says no more and does not end is not waited for.
func TestStreamsShareAConnection(t *testing.T) {
	var mu sync.Mutex
	callers := map[string]bool{}
	hangs := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		callers[r.RemoteAddr] = true
		mu.Unlock()
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}\n\ndata: "+
			"[DONE]\n\n")
		w.(http.Flusher).Flush()
		time.Sleep(2 * time.Millisecond) // the end comes in a packet of its own
		if hangs {
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer guard.CloseIdleConnections()
	c, err := llm.New(llm.Options{BaseURL: server.URL + "/v1", Model: "m", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	ask := func() {
		t.Helper()
		if reply, err := c.Stream(t.Context(), llm.Request{Messages: []llm.Message{{Role: "user", Content: "Is it?"}}},
			nil); err != nil || reply.Text != "yes" {
			t.Errorf("%q, %v", reply.Text, err)
		}
	}
	for range 20 {
		ask()
	}
	if len(callers) > 4 { // a machine that stands still for 100 ms costs one
		t.Errorf("20 streams over %d connections", len(callers))
	}
	hangs = true
	ask()
}
