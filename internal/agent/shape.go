package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// A decision is what the model chose: calls, or words instead.
type decision struct {
	calls []ToolCall
	says  string // what it said beside its calls
	text  string // where there are no calls
}

// A misfit is an answer that has no usable form.
type misfit struct{ error }

func isMisfit(err error) bool {
	_, ok := errors.AsType[*misfit](err)
	return ok
}

// discriminator tells the members of a union apart; models that have to write it choose the right one.
const discriminator = "tool_name_discriminator"

// functions are the tools as a model is offered them. What they are for is in the system prompt.
func (r *run) functions(tools ...*tool.Tool) []Function {
	list := make([]Function, len(tools))
	for i, t := range tools {
		known, ok := ownFunctions()[t]
		if !ok {
			known, ok = r.offers[t]
		}
		if !ok {
			known = functionOf(t)
			r.offers[t] = known
		}
		list[i] = known
	}
	return list
}

// turnCalling asks for a native call; the model may answer in words.
func (r *run) turnCalling(ctx context.Context, available []*tool.Tool) (decision, error) {
	reply, err := r.ask(ctx, "action", Request{Functions: r.functions(available...)})
	if err != nil {
		return decision{}, err
	}
	if len(reply.Calls) == 0 && strings.TrimSpace(reply.Text) == "" {
		r.say(RoleUser, "Your answer was empty. Call one of your tools.")
		return decision{}, &misfit{errors.New("an empty answer")}
	}
	return decision{calls: reply.Calls, says: reply.Text, text: reply.Text}, nil
}

// turnHybrid has the model reason first, by a forced call that stays in the conversation
// until the next takes its place, and then asks for a native call.
func (r *run) turnHybrid(ctx context.Context, available []*tool.Tool) (decision, error) {
	if r.closing == "" {
		reply, err := r.ask(ctx, "reasoning", Request{Functions: r.functions(reasoning), Force: reasoningTool,
			weighs: true})
		if err != nil {
			return decision{}, err
		}
		if len(reply.Calls) == 0 {
			if calls, says := written(ctx, reply.Text, []*tool.Tool{reasoning}); len(calls) > 0 &&
				calls[0].Name == reasoningTool {
				reply.Calls, reply.Text = calls, says
			}
		}
		if len(reply.Calls) > 0 {
			r.reason1(ctx, reply)
		} else if text := strings.TrimSpace(reply.Text); text != "" {
			r.say(RoleAssistant, text)
		}
	}
	return r.turnCalling(ctx, available)
}

// reason1 keeps the reasoning call of a reply and its result in the conversation, in place of the one before: each says
// anew where the research stands. What does not fit is told to the model, and it may act all the same.
func (r *run) reason1(ctx context.Context, reply Reply) {
	call := reply.Calls[0]
	call.ID = r.callID(r.iteration, "reasoning", 0)
	if at := r.weighed(); at >= 0 {
		r.conversation = slices.Delete(r.conversation, at, at+2)
	}
	r.reasoned = call.ID
	r.conversation = append(r.conversation, Message{Role: RoleAssistant, Content: reply.Text, Calls: []ToolCall{call}})
	result := door.Ours(noted)
	if err := r.keepReasoning(ctx, call.Arguments); err != nil {
		result = door.OwnError(err)
	}
	r.respond(call.ID, result)
}

// keepReasoning checks a reasoning and keeps it as the current one.
func (r *run) keepReasoning(ctx context.Context, arguments json.RawMessage) error {
	result, err := reasoning.Call(ctx, arguments)
	if err != nil {
		return err
	}
	thought := result.Structured.(Reasoning)
	r.reasoning = &thought
	r.tell("reasoning", "", reasoningTool, result.Text)
	return nil
}

// sgrTries are the tries of one structured answer; ironTries those of plain text.
const (
	sgrTries  = 2
	ironTries = 5
)

// turnSGR asks for one object: the reasoning, and the call with its arguments.
func (r *run) turnSGR(ctx context.Context, available []*tool.Tool) (decision, error) {
	var call ToolCall
	err := r.object(ctx, "step", sgrTries, Request{Schema: schemaJSON(stepSchema(available)), SchemaName: "next_step"},
		"", func(object json.RawMessage) error {
			var step struct {
				Function json.RawMessage `json:"function"`
			}
			if err := json.Unmarshal(object, &step); err != nil {
				return err
			}
			if err := r.keepReasoning(ctx, without(object, "function")); err != nil {
				return err
			}
			var chosen map[string]json.RawMessage
			if err := json.Unmarshal(step.Function, &chosen); err != nil {
				return errors.New("function must be an object with the arguments of the tool")
			}
			if json.Unmarshal(chosen[discriminator], &call.Name) != nil || call.Name == "" {
				return fmt.Errorf("function.%s must name the tool", discriminator)
			}
			call.Arguments = without(step.Function, discriminator)
			return nil
		})
	if err != nil {
		return decision{}, err
	}
	return decision{calls: []ToolCall{call}}, nil
}

// stepSchema is the schema of a turn in one object: the fields of reasoning_tool, then
// the union of what may be called now. Where that is one tool there is no union.
func stepSchema(available []*tool.Tool) *jsonschema.Schema {
	s := reasoning.Input.CloneSchemas()
	s.Defs = map[string]*jsonschema.Schema{}
	var members []*jsonschema.Schema
	for _, t := range available {
		m, definitions := inputPart(t)
		maps.Copy(s.Defs, definitions)
		var name any = t.Name
		properties := map[string]*jsonschema.Schema{discriminator: {Type: "string", Const: &name}}
		maps.Copy(properties, m.Properties)
		m.PropertyOrder = append([]string{discriminator}, jsonform.Order(t.Input)...)
		m.Properties, m.Required = properties, append([]string{discriminator}, m.Required...)
		m.Description = t.Title
		members = append(members, m)
	}
	function := &jsonschema.Schema{AnyOf: members}
	if len(members) == 1 {
		function = members[0]
	}
	s.PropertyOrder = append(jsonform.Order(reasoning.Input), "function")
	properties := map[string]*jsonschema.Schema{"function": function}
	maps.Copy(properties, reasoning.Input.Properties)
	s.Properties, s.Required = properties, append(append([]string{}, s.Required...), "function")
	return s
}

// without is an object without one of its keys; the others keep their order as far as anyone reads them.
func without(object json.RawMessage, key string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	delete(fields, key)
	return tool.MustMarshal(fields)
}

// object asks for one JSON object and hands it to take; what that does not like is
// told to the model, as often as tries allow. shown is what goes before, not kept.
func (r *run) object(ctx context.Context, phase string, tries int, q Request, shown string,
	take func(json.RawMessage) error) error {
	var more []Message
	if shown != "" {
		more = append(more, Message{Role: RoleUser, Content: shown})
	}
	var wrong error
	for try := 1; try <= tries; try++ {
		reply, err := r.ask(ctx, fmt.Sprintf("%s.%d", phase, try), q, more...)
		if err != nil {
			return err
		}
		object, err := dig(reply.Text)
		if err == nil {
			if err = take(object); err == nil {
				return nil
			}
		}
		wrong = err
		complaint := "That was not the JSON object that was asked for: " + citewellMessage(err) +
			". Answer again with the whole object and nothing else."
		if shown != "" {
			complaint += "\n" + shown
		}
		more = append(more[:min(len(more), 1)], Message{Role: RoleAssistant, Content: tool.Shorten(reply.Text, 2000)},
			Message{Role: RoleUser, Content: complaint})
	}
	r.say(RoleUser, "Your last answers were not the JSON object that was asked for: "+citewellMessage(wrong)+".")
	return &misfit{wrong}
}

func citewellMessage(err error) string {
	if e, ok := errors.AsType[*citewell.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// dig takes the JSON object out of a text: from the first brace to the last one.
func dig(text string) (json.RawMessage, error) {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return nil, errors.New("there is no JSON object in it")
	}
	object := json.RawMessage(text[from : to+1])
	if json.Valid(object) {
		return object, nil
	}
	var first json.RawMessage // words with braces may follow it
	if json.NewDecoder(strings.NewReader(text[from:])).Decode(&first) != nil {
		return nil, errors.New("it is not well-formed JSON")
	}
	return first, nil
}

// turnIron asks in plain text twice: for the reasoning and the name of a tool, then for the arguments of that tool.
func (r *run) turnIron(ctx context.Context, available []*tool.Tool) (decision, error) {
	const choice = "function_name_choice"
	s := reasoning.Input.CloneSchemas()
	s.PropertyOrder = append(jsonform.Order(reasoning.Input), choice)
	s.Properties = maps.Clone(reasoning.Input.Properties)
	name := &jsonschema.Schema{Type: "string", Description: "the tool to call next"}
	for _, t := range available {
		name.Enum = append(name.Enum, t.Name)
	}
	s.Properties[choice], s.Required = name, append(append([]string{}, s.Required...), choice)

	var chosen *tool.Tool
	err := r.object(ctx, "choice", ironTries, Request{}, "Decide on the next step. Answer with one JSON object of "+
		"this JSON Schema and nothing else:\n"+string(schemaJSON(s)), func(object json.RawMessage) error {
		var answer struct {
			Name string `json:"function_name_choice"`
		}
		if err := json.Unmarshal(object, &answer); err != nil {
			return err
		}
		if err := r.keepReasoning(ctx, without(object, choice)); err != nil {
			return err
		}
		var err error
		chosen, err = r.find(answer.Name, available)
		return err
	})
	if err != nil {
		return decision{}, err
	}
	call := ToolCall{Name: chosen.Name}
	err = r.object(ctx, "arguments", ironTries, Request{}, "Call "+chosen.Name+": "+chosen.Description+
		"\nAnswer with one JSON object of this JSON Schema, its arguments, and nothing else:\n"+
		string(schemaJSON(chosen.Input)), func(object json.RawMessage) error {
		call.Arguments = object
		return fits(ctx, chosen, object)
	})
	if err != nil {
		return decision{}, err
	}
	return decision{calls: []ToolCall{call}}, nil
}

// fits says what is wrong with arguments, without calling the tool.
func fits(ctx context.Context, t *tool.Tool, arguments json.RawMessage) error {
	check := tool.Raw(t.Spec, t.Input, nil, func(context.Context, json.RawMessage) (tool.Result, error) {
		return tool.Result{}, nil
	})
	_, err := check.Call(ctx, arguments)
	return err
}
