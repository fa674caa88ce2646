package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// An Ability is what came of trying something.
type Ability string

// The empty Ability was not tried.
const (
	Can    Ability = "yes"
	Cannot Ability = "no"
)

// Capabilities are what a model at an endpoint was seen to do.
type Capabilities struct {
	// the strongest way in which it answers in JSON: json_schema, grammar, tool, json_object or prompt; empty where it
	// does not
	Structured string
	Sum        int // its answer to 19 + 23
	Tools      Ability
	Streaming  Ability
	Embeddings Ability
	Window     Window
}

// String says it in a line.
func (c Capabilities) String() string {
	parts := []string{"does not answer in JSON"}
	if c.Structured != "" {
		parts[0] = fmt.Sprintf("answers in JSON by %s (19 + 23 = %d)", c.Structured, c.Sum)
	}
	for _, a := range []struct {
		ability  Ability
		yes, not string
	}{{c.Tools, "calls tools", "does not call tools"}, {c.Streaming, "streams", "does not stream"},
		{c.Embeddings, "gives embeddings", "gives no embeddings"}} {
		switch a.ability {
		case Can:
			parts = append(parts, a.yes)
		case Cannot:
			parts = append(parts, a.not)
		}
	}
	if c.Window.From == FromNothing {
		parts = append(parts, fmt.Sprintf("its window is not told, %d tokens are assumed", c.Window.Tokens))
	} else if c.Window.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("window of %d tokens by %s", c.Window.Tokens, c.Window.From))
	}
	return strings.Join(parts, "; ")
}

// Capabilities returns what is remembered of the model, or tries it out, once however many ask. An error means that
// the model could not be asked.
func (c *Client) Capabilities(ctx context.Context) (Capabilities, error) {
	done, ok := alone(ctx, c.known.trial)
	if !ok {
		return Capabilities{}, httpwire.Classify("llm", ctx.Err())
	}
	defer done()
	if t := c.known.traitsNow(ctx); t.Proven {
		return c.capabilities(t, c.Window(ctx)), nil
	}
	return c.examine(ctx)
}

// Examine tries everything out anew, with a handful of small requests, and remembers it.
func (c *Client) Examine(ctx context.Context) (Capabilities, error) {
	done, ok := alone(ctx, c.known.trial)
	if !ok {
		return Capabilities{}, httpwire.Classify("llm", ctx.Err())
	}
	defer done()
	c.known.learn(ctx, func(t *traits) {
		t.Refused = nil
		if t.Window.From != FromError { // no endpoint that tells its window so tells it otherwise
			t.Window = Window{}
		}
	})
	return c.examine(ctx)
}

func (c *Client) capabilities(t traits, w Window) Capabilities {
	found := Capabilities{Tools: t.Tools, Streaming: t.Streaming, Embeddings: t.Embeddings, Window: w}
	if t.Answers {
		found.Structured, found.Sum = max(c.first, t.Format).String(), t.Sum
	}
	return found
}

func (c *Client) examine(ctx context.Context) (Capabilities, error) {
	f, sum, answers, err := c.tryFormats(ctx)
	if err != nil {
		return Capabilities{}, err
	}
	t := traits{Format: f, Answers: answers, Sum: sum, Proven: true}
	var window Window
	var wg sync.WaitGroup
	wg.Go(func() { t.Tools = c.tryTools(ctx) })
	wg.Go(func() { t.Streaming = c.tryStreaming(ctx) })
	wg.Go(func() { t.Embeddings = c.tryEmbeddings(ctx) })
	wg.Go(func() { window = c.Window(ctx) })
	wg.Wait()
	if ctx.Err() == nil {
		c.known.learn(ctx, func(kept *traits) {
			kept.Format, kept.Answers, kept.Sum, kept.Proven = t.Format, t.Answers, t.Sum, true
			kept.Tools, kept.Streaming, kept.Embeddings = t.Tools, t.Streaming, t.Embeddings
		})
	}
	return c.capabilities(t, window), nil
}

// trialLimit is what a trial's answer may take, in tokens: a word, and room for a model that thinks first.
const trialLimit = 1024

// tryFormats asks a small question in each way, strongest first, until one is answered as asked. The question does not
// speak of JSON: an endpoint that passes over the format answers in words.
func (c *Client) tryFormats(ctx context.Context) (f format, sum int, ok bool, err error) {
	question := Request{
		Messages: []Message{{Role: RoleUser, Content: "What is 19 + 23? Answer with the sum."}},
		Schema: json.RawMessage(
			`{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`),
		SchemaName: "sum", MaxTokens: trialLimit,
	}
	schema, err := newForm(question.Schema)
	if err != nil {
		return 0, 0, false, err
	}
	for f = c.first; ; f = f.weaker(c.ownAPI) {
		reply, err := c.chat(ctx, question, f, nil)
		if err == nil {
			if value, wrong := schema.findJSON(reply.written()); len(wrong) == 0 {
				var answer struct{ Sum int }
				if json.Unmarshal(value, &answer) == nil {
					return f, answer.Sum, true, nil
				}
			}
		} else if !refusesFormat(err) && !errors.Is(err, ErrEmpty) && !errors.Is(err, ErrLength) &&
			!errors.Is(err, ErrRepetition) {
			return 0, 0, false, err
		}
		if f == formatPrompt {
			if refusesFormat(err) {
				return 0, 0, false, err
			}
			return f, 0, false, nil
		}
	}
}

// tryTools wants a tool called with the argument that the question names.
func (c *Client) tryTools(ctx context.Context) Ability {
	reply, err := c.Chat(ctx, Request{
		Messages: []Message{{Role: RoleUser, Content: "Look up the tide at Hallvik with the tool."}},
		Tools: []Tool{{Name: "tide", Description: "Looks up the tide at a place.",
			Parameters: json.RawMessage(
				`{"type":"object","properties":{"place":{"type":"string"}},"required":["place"],"additionalProperties":false}`)}},
		ToolChoice: ToolAuto, MaxTokens: trialLimit,
	})
	if err != nil {
		return failedBy(ctx, err)
	}
	for _, call := range reply.ToolCalls {
		var given struct{ Place string }
		if call.Name == "tide" && call.Fault == "" && json.Unmarshal(call.Arguments, &given) == nil &&
			strings.Contains(given.Place, "Hallvik") {
			return Can
		}
	}
	return Cannot
}

func (c *Client) tryStreaming(ctx context.Context) Ability {
	told := false
	reply, err := c.Stream(ctx, Request{Messages: []Message{{Role: RoleUser, Content: "Say hello."}},
		MaxTokens: trialLimit}, func(Delta) { told = true })
	switch {
	case err != nil && !errors.Is(err, ErrLength):
		return failedBy(ctx, err)
	case told && reply.Streamed:
		return Can
	}
	return Cannot
}

// tryEmbeddings asks the model itself for a vector; the embedding model that is configured is tried by itself.
func (c *Client) tryEmbeddings(ctx context.Context) Ability {
	body, err := json.Marshal(embeddingRequest{Model: c.o.Model, Input: []string{"hello"}, EncodingFormat: "float"})
	if err != nil {
		return ""
	}
	resp, err := c.request(ctx, "POST", c.base.JoinPath("embeddings").String(), body)
	if err != nil {
		return failedBy(ctx, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	var answer embeddingAnswer
	if err != nil || json.Unmarshal(bytes.TrimSpace(data), &answer) != nil || len(answer.Data) != 1 {
		return Cannot
	}
	if vector, err := readVector(answer.Data[0].Embedding); err != nil || len(vector) == 0 {
		return Cannot
	}
	return Can
}

// failedBy tells what an endpoint cannot do from what it could not do now.
func failedBy(ctx context.Context, err error) Ability {
	switch code := citewell.CodeOf(err); {
	case ctx.Err() != nil, code == citewell.CodeRateLimited, code == citewell.CodeTimeout,
		code == citewell.CodeConnectFailed:
		return ""
	}
	return Cannot
}
