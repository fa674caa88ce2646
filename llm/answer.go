package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
)

// A chunk is an answer, or a piece of one, as it comes over the wire.
type chunk struct {
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"` // some servers fail with status 200
	Usage   json.RawMessage `json:"usage"`
	Choices []struct {
		Index        int     `json:"index"`
		FinishReason *string `json:"finish_reason"`
		Message      *spoken `json:"message"`
		Delta        *spoken `json:"delta"`
	} `json:"choices"`
}

type spoken struct {
	Content          content    `json:"content"`
	ReasoningContent content    `json:"reasoning_content"`
	Reasoning        content    `json:"reasoning"`
	Refusal          content    `json:"refusal"`
	ToolCalls        []wireCall `json:"tool_calls"`
	FunctionCall     *wireFunc  `json:"function_call"` // of older servers
}

type wireCall struct {
	Index    *int     `json:"index"`
	ID       string   `json:"id"`
	Function wireFunc `json:"function"`
}

type wireFunc struct {
	Name      string   `json:"name"`
	Arguments verbatim `json:"arguments"`
}

// content is a text, or a list of parts of which some are thoughts.
type content struct{ text, thought string }

func (c *content) UnmarshalJSON(raw []byte) error {
	*c = content{}
	if json.Unmarshal(raw, &c.text) == nil {
		return nil
	}
	var parts []struct {
		Type     string  `json:"type"`
		Text     string  `json:"text"`
		Thinking content `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		for _, part := range parts {
			c.text += part.Text
			c.thought += part.Thinking.text
		}
	}
	return nil // what is of another form says nothing
}

// verbatim is a string, or the JSON itself where a server did not put it into one.
type verbatim string

func (v *verbatim) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	*v = verbatim(s)
	return nil
}

// incoming is an answer as far as it has come.
type incoming struct {
	content, reasoning, refusal strings.Builder
	calls                       calls
	finish                      string
	model                       string
	usage                       usage
	begun                       bool // there was a choice
	streamed                    bool
	size                        int // bytes of text and arguments
}

// addChunk takes a piece in and returns it as it is told of.
func (a *incoming) addChunk(c chunk) (Delta, error) {
	a.model = cmp.Or(c.Model, a.model)
	a.usage.read(c.Usage)
	var d Delta
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one answer was asked for
		}
		a.begun = true
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			a.finish = *choice.FinishReason
		}
		for _, said := range []*spoken{choice.Message, choice.Delta} {
			if said == nil {
				continue
			}
			thought := said.Content.thought + said.ReasoningContent.text
			if said.ReasoningContent.text == "" {
				thought += said.Reasoning.text // some servers send both, with the same in them
			}
			d.Content += said.Content.text
			d.Reasoning += thought
			a.refusal.WriteString(said.Refusal.text)
			if said.FunctionCall != nil {
				said.ToolCalls = append(said.ToolCalls, wireCall{Function: *said.FunctionCall})
			}
			for _, call := range said.ToolCalls {
				piece, err := a.calls.addPiece(call, choice.Delta != nil)
				if err != nil {
					return d, err
				}
				a.size += len(piece.Arguments) + len(piece.Name)
				d.Calls = append(d.Calls, piece)
			}
		}
	}
	a.content.WriteString(d.Content)
	a.reasoning.WriteString(d.Reasoning)
	if a.size += len(d.Content) + len(d.Reasoning); a.size > maxReply {
		return d, tooLarge()
	}
	return d, nil
}

// readWhole reads an answer that comes in one piece.
func (c *Client) readWhole(ctx context.Context, resp *http.Response) (*incoming, error) {
	a := &incoming{}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		if citewell.CodeOf(err) == citewell.CodeInternal && ctx.Err() == nil {
			return a, brokenOff(err)
		}
		return a, broken(ctx, err)
	}
	var piece chunk
	if err := json.Unmarshal(data, &piece); err != nil {
		syntax, ok := errors.AsType[*json.SyntaxError](err)
		half := ok && strings.Contains(syntax.Error(), "unexpected end")
		if half && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
			return a, brokenOff(err)
		}
		return a, notChat(err)
	}
	if said(piece.Error) && len(piece.Choices) == 0 {
		return a, c.failed(piece.Error)
	}
	if len(piece.Choices) == 0 {
		return a, unusable(ErrEmpty, "the model's answer has no choices")
	}
	_, err = a.addChunk(piece)
	return a, err
}

func said(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// failed is an error that comes in the place of an answer, or in its midst.
func (c *Client) failed(body json.RawMessage) error {
	var object struct {
		Code   any `json:"code"`
		Status any `json:"status"`
	}
	_ = json.Unmarshal(body, &object) // plain words have neither
	status := http.StatusInternalServerError
	for _, value := range []any{object.Code, object.Status} {
		if n, ok := value.(float64); ok && n >= 400 && n < 600 {
			status = int(n)
		}
	}
	return c.refusal(status, body, 0)
}

// reply turns a whole answer into a Reply. With an error there are no calls.
func (a *incoming) reply(r Request, err error) (Reply, error) {
	text, thinking := apart(a.content.String())
	if a.reasoning.Len() > 0 {
		thinking = strings.TrimSpace(a.reasoning.String() + "\n" + thinking)
	}
	reply := Reply{Text: text, Thinking: thinking, FinishReason: a.finish, Model: a.model,
		Streamed: a.streamed, Tries: 1}
	reply.InputTokens, reply.OutputTokens = a.usage.input, a.usage.output
	reply.CachedTokens, reply.ReasoningTokens = a.usage.cached, a.usage.reasoning
	if err != nil {
		return reply, err
	}
	switch {
	case a.refusal.Len() > 0:
		return reply, unusable(ErrRefused, "the model refused to answer")
	case a.finish == "content_filter":
		return reply, unusable(ErrFiltered, "the endpoint's content filter stopped the answer")
	case a.finish == "error":
		return reply, unusable(nil, "the model broke off with an error of its own")
	case a.finish == "length" || a.finish == "max_tokens":
		if a.repeats() {
			return reply, repetition()
		}
		return reply, &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm",
			Message: "the answer was cut at the token limit", Hint: "raise llm.max_tokens", Err: ErrLength}
	}
	reply.ToolCalls = a.calls.whole(r)
	if strings.TrimSpace(text) == "" && len(reply.ToolCalls) == 0 {
		return reply, unusable(ErrEmpty, "the model answered with nothing")
	}
	return reply, nil
}
