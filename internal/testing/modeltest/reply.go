package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A Reply is what the model answers, and how its server fails to bring it.
type Reply struct {
	Text     string
	Thinking string // in reasoning_content
	Refusal  string
	Calls    []Call
	Finish   string // stop or tool_calls when empty
	Usage    string // as JSON; ten tokens each when empty, none when "none"

	Piece     int  // bytes of text in one piece of a stream; 7 when 0
	KeepAlive bool // comments between the pieces
	NoDone    bool // a stream ends without [DONE]
	OnlyWhole bool // a stream that is asked for is answered whole

	// Status, Header and Body take the place of an answer.
	Status int
	Header http.Header
	Body   string

	CutAt    int           // the connection breaks before this byte of the answer, counted from 1
	CutClean bool          // and looks as if the answer had ended there
	Hangs    bool          // no answer comes
	Begins   bool          // with Hangs: the answer comes, but not its end
	Every    time.Duration // between two lines
}

// A Call is one of a tool.
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// Says is a model that answers.
func Says(text string) Reply { return Reply{Text: text} }

// Thinks is a model that thinks before it answers.
func Thinks(thought, text string) Reply { return Reply{Thinking: thought, Text: text} }

// Asks is a model that calls tools.
func Asks(calls ...Call) Reply { return Reply{Calls: calls} }

// Refuses is a model that will not.
func Refuses(why string) Reply { return Reply{Refusal: why} }

// Stops is an answer that ended for a reason: length, content_filter.
func Stops(text, finish string) Reply { return Reply{Text: text, Finish: finish} }

// Fails is a server that says no.
func Fails(status int, message string) Reply {
	body, err := json.Marshal(map[string]any{"error": map[string]any{
		"message": message, "type": "invalid_request_error"}})
	if err != nil {
		panic(err) // strings can be marshalled
	}
	return Reply{Status: status, Body: string(body)}
}

// Busy is a server that wants to be asked again in so many seconds.
func Busy(status int, retryAfter string) Reply {
	r := Fails(status, "busy")
	if retryAfter != "" {
		r.Header = http.Header{"Retry-After": {retryAfter}}
	}
	return r
}

// Page is a web page in the place of an answer.
func Page() Reply {
	return Reply{Body: "<!doctype html><html><body>hello", Header: http.Header{"Content-Type": {"text/html"}}}
}

// Cut is r broken off before byte n, from 1; clean where it looks like an end.
func Cut(r Reply, n int, clean bool) Reply {
	r.CutAt, r.CutClean = n, clean
	return r
}

// Obeys answers in JSON where it is asked in one of the formats that it knows, and in
// prose otherwise, as a server does that passes over what it does not know.
func Obeys(answer, prose string, formats ...string) Script {
	return func(_ int, a Asked) Reply {
		format := a.Format()
		for _, known := range formats {
			if known != format {
				continue
			}
			if format == "tool" {
				return Asks(Call{ID: "1", Name: "answer", Arguments: answer})
			}
			return Says(answer)
		}
		return Says(prose)
	}
}

func (p Reply) finish() string {
	switch {
	case p.Finish != "":
		return p.Finish
	case len(p.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (p Reply) usage() any {
	switch p.Usage {
	case "none":
		return nil
	case "":
		return map[string]any{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
	}
	return json.RawMessage(p.Usage)
}

func (c Call) wire(index int) map[string]any {
	call := map[string]any{"index": index, "type": "function",
		"function": map[string]any{"name": c.Name, "arguments": c.Arguments}}
	if c.ID != "" {
		call["id"] = c.ID
	}
	return call
}

// Whole is the answer in one piece.
func (p Reply) Whole() []byte {
	message := map[string]any{"role": "assistant", "content": p.Text}
	if p.Thinking != "" {
		message["reasoning_content"] = p.Thinking
	}
	if p.Refusal != "" {
		message["refusal"], message["content"] = p.Refusal, nil
	}
	if len(p.Calls) > 0 {
		calls := make([]any, len(p.Calls))
		for i, c := range p.Calls {
			calls[i] = c.wire(i)
		}
		message["tool_calls"] = calls
	}
	whole := map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "finish_reason": p.finish(), "message": message}}}
	if u := p.usage(); u != nil {
		whole["usage"] = u
	}
	return encode(whole)
}

// Stream is the answer as server-sent events.
func (p Reply) Stream(usage bool) []byte {
	var out strings.Builder
	event := func(choices []any, with map[string]any) {
		chunk := map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
			"model": "scripted", "choices": choices}
		for key, value := range with {
			chunk[key] = value
		}
		if p.KeepAlive {
			out.WriteString(": keep-alive\n\n")
		}
		fmt.Fprintf(&out, "data: %s\n\n", encode(chunk))
	}
	delta := func(d map[string]any) {
		event([]any{map[string]any{"index": 0, "delta": d, "finish_reason": nil}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": ""})
	for _, piece := range p.pieces(p.Thinking) {
		delta(map[string]any{"reasoning_content": piece})
	}
	for _, piece := range p.pieces(p.Text) {
		delta(map[string]any{"content": piece})
	}
	if p.Refusal != "" {
		delta(map[string]any{"refusal": p.Refusal})
	}
	for i, c := range p.Calls {
		first := c
		first.Arguments = ""
		delta(map[string]any{"tool_calls": []any{first.wire(i)}})
		for _, piece := range p.pieces(c.Arguments) {
			delta(map[string]any{"tool_calls": []any{map[string]any{
				"index": i, "function": map[string]any{"arguments": piece}}}})
		}
	}
	event([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": p.finish()}}, nil)
	if u := p.usage(); u != nil && usage {
		event([]any{}, map[string]any{"usage": u})
	}
	if !p.NoDone {
		out.WriteString("data: [DONE]\n\n")
	}
	return []byte(out.String())
}

// pieces cuts a text into pieces of whole characters.
func (p Reply) pieces(text string) []string {
	length := p.Piece
	if length == 0 {
		length = 7
	}
	var list []string
	start := 0
	for at := range text {
		if at-start >= length {
			list, start = append(list, text[start:at]), at
		}
	}
	if start < len(text) {
		list = append(list, text[start:])
	}
	return list
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a reply's Usage is no JSON: a mistake of the test's
	}
	return data
}
