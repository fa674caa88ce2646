package agent

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/citewell/citewell/llm"
)

// A Chat is a Model over a chat client.
type Chat struct{ Client *llm.Client }

// Name implements Model.
func (c Chat) Name() string { return c.Client.Name() }

// Window implements Model.
func (c Chat) Window(ctx context.Context) int { return c.Client.Window(ctx).Tokens }

// schemaTries are the requests for one object; what does not fit then is told to the model within the run.
const schemaTries = 3

// Chat implements Model. JSON of a schema is asked for in the strongest way that the
// endpoint takes; everything else is streamed.
func (c Chat) Chat(ctx context.Context, q Request) (Reply, error) {
	r := llm.Request{MaxTokens: q.MaxTokens, Schema: q.Schema, SchemaName: q.SchemaName, Tries: schemaTries,
		TokenBudget: q.Room, OnlyTool: q.Force, Waits: q.Waits}
	for _, m := range q.Messages {
		said := llm.Message{Role: m.Role, Content: m.Content, Images: m.Images, ToolCallID: m.CallID}
		for _, call := range m.Calls {
			said.ToolCalls = append(said.ToolCalls, llm.ToolCall{ID: call.ID, Name: call.Name,
				Arguments: call.Arguments})
		}
		r.Messages = append(r.Messages, said)
	}
	for _, f := range q.Functions {
		r.Tools = append(r.Tools, llm.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
	}
	if len(r.Tools) > 0 && r.OnlyTool == "" {
		r.ToolChoice = llm.ToolRequired
	}
	if q.Schema != nil {
		var object json.RawMessage
		answer, err := c.Client.Decode(ctx, r, &object)
		reply := replyOf(answer)
		if object != nil {
			reply.Text = string(object)
		}
		if errors.Is(err, llm.ErrSchema) {
			err = nil // the run tells the model what is wrong
		}
		return reply, err
	}
	if q.Heard == nil {
		q.Heard = func(Delta) {}
	}
	names := map[int]string{} // of the calls that are being written
	answer, err := c.Client.Stream(ctx, r, func(d llm.Delta) {
		if d.Content != "" {
			q.Heard(Delta{Text: d.Content})
		}
		for _, call := range d.Calls {
			if call.Name != "" {
				names[call.Index] = call.Name
			}
			q.Heard(Delta{Text: call.Arguments, Call: names[call.Index]})
		}
	})
	return replyOf(answer), err
}

func replyOf(answer llm.Reply) Reply {
	reply := Reply{Text: answer.Text, Thinking: answer.Thinking, InputTokens: answer.InputTokens,
		CachedTokens: answer.CachedTokens, OutputTokens: answer.OutputTokens}
	if answer.Tries > 1 {
		reply.Tries = answer.Tries
	}
	for _, call := range answer.ToolCalls {
		reply.Calls = append(reply.Calls, ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments,
			Fault: call.Fault})
	}
	return reply
}
