package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/tool"
)

// maxWritten bounds the braces of one text that are looked at.
const maxWritten = 64

// callMarks are what models put around calls that they write out: tags and fences.
var callMarks = lazyregexp.New(
	"(?i)<[/|]?\\s*(?:tool_calls?|function_calls?|tools?)\\s*\\|?>|\\[/?tool_calls?\\]|```[a-z]*")

// written are the calls that a model wrote out as text, as it does behind an endpoint
// that hands calls on unread: objects that name a tool and have its arguments, and what
// else it said. Arguments alone are a call where they fit one tool only. They are held to
// what any call is held to.
func written(ctx context.Context, text string, tools []*tool.Tool) (calls []ToolCall, says string) {
	says = text
	var objects []json.RawMessage
	for from, tries := 0, 0; tries < maxWritten; tries++ {
		open := strings.IndexByte(says[from:], '{')
		if open < 0 {
			break
		}
		from += open
		rest := json.NewDecoder(strings.NewReader(says[from:]))
		var object json.RawMessage
		if rest.Decode(&object) != nil {
			from++
			continue
		}
		objects = append(objects, object)
		says = says[:from] + says[from+int(rest.InputOffset()):]
	}
	says = strings.Trim(callMarks.ReplaceAllString(says, ""), " \t\r\n[],;")
	set := &tool.Toolset{Name: "agent", Tools: tools}
	for _, object := range objects {
		for _, c := range named(object) {
			if _, err := set.Find(c.Name); err == nil || says == "" { // of a tool that is not there the model is told
				calls = append(calls, c)
			}
		}
	}
	if len(calls) == 0 && len(objects) == 1 && says == "" {
		for _, t := range tools {
			if len(t.Input.Required) > 0 && fits(ctx, t, objects[0]) == nil {
				calls = append(calls, ToolCall{Name: t.Name, Arguments: objects[0]})
			}
		}
		if len(calls) > 1 {
			calls = nil
		}
	}
	return calls, says
}

// named are the calls in an object: one, or a list of them, in the forms that models
// were taught.
func named(object json.RawMessage) []ToolCall {
	var o struct {
		Name       string            `json:"name"`
		Arguments  json.RawMessage   `json:"arguments"`
		Parameters json.RawMessage   `json:"parameters"`
		Function   json.RawMessage   `json:"function"`
		ToolCalls  []json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(object, &o) != nil {
		return nil
	}
	if o.Name == "" && len(o.Function) > 0 {
		if json.Unmarshal(o.Function, &o.Name) != nil {
			o.ToolCalls = []json.RawMessage{o.Function}
		}
	}
	if o.Name == "" {
		var list []ToolCall
		for _, each := range o.ToolCalls[:min(len(o.ToolCalls), maxCalls)] {
			if len(each) < len(object) {
				list = append(list, named(each)...)
			}
		}
		return list
	}
	arguments := o.Arguments
	if len(arguments) == 0 {
		arguments = o.Parameters
	}
	var quoted string
	if json.Unmarshal(arguments, &quoted) == nil {
		arguments = json.RawMessage(quoted)
	}
	if trimmed := strings.TrimSpace(string(arguments)); !strings.HasPrefix(trimmed, "{") || !json.Valid(arguments) {
		return nil
	}
	return []ToolCall{{Name: o.Name, Arguments: arguments}}
}

// sentBack says whether words in the place of a call are sent back, once in a run: where
// nothing was read yet that they could be an answer from, and they cite nothing.
func (r *run) sentBack(text string, available []*tool.Tool) bool {
	research := slices.ContainsFunc(available, func(t *tool.Tool) bool { return !terminal(t.Name) })
	if r.needsNone(text, statements(text)) {
		return false
	}
	if r.nudged || r.closing != "" || !research || r.pagesRead() > 0 || len(notation.ParseMarks(text)) > 0 {
		return false
	}
	r.nudged, r.rejected = true, true
	r.say(RoleAssistant, text)
	r.say(RoleUser, "You answered in words and called no tool. Call one of your tools; "+finalAnswerTool+
		" is for the answer.")
	return true
}
