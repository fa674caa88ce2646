package llm

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// body is the request as it goes over the wire, without what the endpoint refused before.
func (c *Client) body(r Request, f format, refused []string, stream bool) map[string]any {
	body := map[string]any{"model": c.o.Model}
	messages := make([]any, len(r.Messages))
	for i, m := range r.Messages {
		messages[i] = wireMessage(m)
	}
	body["messages"] = messages
	set := func(name string, value any, given bool) {
		if given && !slices.Contains(refused, name) {
			body[name] = value
		}
	}
	temperature := c.o.Temperature
	if r.Temperature != nil {
		temperature = *r.Temperature
	}
	set("temperature", temperature, r.Temperature != nil || temperature != 0)
	effort := cmp.Or(r.ReasoningEffort, c.o.ReasoningEffort)
	set("reasoning_effort", effort, effort != "")
	if limit := c.limit(r); !c.ownAPI && !slices.Contains(refused, "max_tokens") {
		set("max_tokens", limit, limit > 0)
	} else {
		set("max_completion_tokens", limit, limit > 0)
	}
	if stream {
		body["stream"] = true
		set("stream_options", map[string]any{"include_usage": true}, true)
	}
	c.putTools(body, r, refused, set)
	f.apply(body, r, c.ownAPI)
	for _, extra := range []map[string]any{c.o.Extra, r.Extra} {
		maps.Copy(body, extra)
	}
	if delete(body, "stream"); stream {
		body["stream"] = true // who reads the answer has to know
	}
	return body
}

// limit of the answer in tokens; 0 is none.
func (c *Client) limit(r Request) int {
	if r.MaxTokens > 0 && (c.o.MaxTokens == 0 || r.MaxTokens < c.o.MaxTokens) {
		return r.MaxTokens
	}
	return c.o.MaxTokens
}

// putTools offers the tools. Where the endpoint refuses to be told which one to call, that one alone is offered.
func (c *Client) putTools(body map[string]any, r Request, refused []string, set func(string, any, bool)) {
	if len(r.Tools) == 0 {
		return
	}
	choice, tools := r.ToolChoice, r.Tools
	if r.OnlyTool != "" {
		choice = ToolRequired
		if slices.Contains(refused, refusedNamed) {
			tools = slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.Name != r.OnlyTool })
		}
	}
	list := make([]any, len(tools))
	for i, t := range tools {
		function := map[string]any{"name": t.Name, "description": t.Description, "parameters": t.Parameters}
		if len(t.Parameters) == 0 { // it takes nothing
			function["parameters"] = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		if t.Strict {
			function["strict"] = true
		}
		list[i] = map[string]any{"type": "function", "function": function}
	}
	body["tools"] = list
	switch {
	case choice == ToolRequired && slices.Contains(refused, refusedRequired):
	case r.OnlyTool != "" && !slices.Contains(refused, refusedNamed):
		set("tool_choice", map[string]any{"type": "function", "function": map[string]any{"name": r.OnlyTool}}, true)
	default:
		set("tool_choice", choice, choice != "")
	}
	set("parallel_tool_calls", false, r.Serial)
}

func wireMessage(m Message) map[string]any {
	message := map[string]any{"role": m.Role, "content": m.Content}
	if len(m.Images) > 0 {
		parts := []any{}
		if m.Content != "" {
			parts = append(parts, map[string]any{"type": "text", "text": m.Content})
		}
		for _, image := range m.Images {
			shown := map[string]any{"url": image.URL}
			if image.Detail != "" {
				shown["detail"] = image.Detail
			}
			parts = append(parts, map[string]any{"type": "image_url", "image_url": shown})
		}
		message["content"] = parts
	}
	if m.ToolCallID != "" {
		message["tool_call_id"] = m.ToolCallID
	}
	if len(m.ToolCalls) > 0 {
		calls := make([]any, len(m.ToolCalls))
		for i, call := range m.ToolCalls {
			arguments := cmp.Or(string(call.Arguments), "{}")
			calls[i] = map[string]any{"id": call.ID, "type": "function",
				"function": map[string]any{"name": call.Name, "arguments": arguments}}
		}
		message["tool_calls"] = calls
	}
	return message
}
