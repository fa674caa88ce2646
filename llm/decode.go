package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/text"
)

// maxShown bounds how much of a bad answer the model is shown again, in bytes.
const maxShown = 8 << 10

// Decode asks for JSON of r.Schema and decodes it into out. An endpoint that refuses or ignores a format is asked in a
// weaker one. An answer that does not fit is shown to the model with all that is wrong, until one fits or r.Tries are
// over: model_failed with ErrSchema. The Reply's tokens are those of all tries.
func (c *Client) Decode(ctx context.Context, r Request, out any) (Reply, error) {
	schema, err := newForm(r.Schema)
	if err != nil {
		return Reply{}, err
	}
	tries := MaxTries
	if r.Tries > 0 && r.Tries < tries {
		tries = r.Tries
	}
	var sum Reply
	var last error
	at := max(c.first, c.known.traitsNow(ctx).Format)
	for ask, try := r, 1; try <= tries; try++ {
		if spent := sum.InputTokens + sum.OutputTokens; try > 1 && r.TokenBudget > 0 &&
			spent+c.Count(ctx, ask) > r.TokenBudget {
			break
		}
		reply, f, err := c.structured(ctx, ask, at)
		reply.add(sum)
		sum, at = reply, f
		switch {
		case errors.Is(err, ErrLength) && c.limit(ask) > 0 && c.limit(ask) < r.GrowTo:
			last, ask.MaxTokens = err, min(2*c.limit(ask), r.GrowTo)
			continue
		case errors.Is(err, ErrEmpty):
			last, at = err, at.ignored()
			continue
		case err != nil:
			return sum, err
		}
		wrong := schema.decode(reply.written(), out)
		if len(wrong) == 0 {
			c.settle(ctx, at)
			return sum, nil
		}
		last = misfit(wrong)
		if !wrong[0].Bound && !c.known.traitsNow(ctx).Proven {
			at = at.ignored()
		}
		ask.Messages = c.repair(ctx, r, at, reply.written(), wrong)
	}
	return sum, last
}

// written is what the model gave for JSON: its text, or the arguments of the tool that stands for the answer.
func (r Reply) written() string {
	if len(r.ToolCalls) > 0 {
		return r.ToolCalls[0].written
	}
	return r.Text
}

// structured asks in the strongest format from at on that the endpoint takes, and says which that was.
func (c *Client) structured(ctx context.Context, r Request, at format) (Reply, format, error) {
	var on func(Delta)
	if r.Writing != nil {
		on = func(Delta) { r.Writing() }
	}
	first, firstErr := c.chat(ctx, r, at, on)
	reply, err := first, firstErr
	for f := at; refusesFormat(err) && f < formatPrompt; {
		f = f.weaker(c.ownAPI)
		if reply, err = c.chat(ctx, r, f, on); !refusesFormat(err) {
			return reply, f, err
		}
	}
	return first, at, firstErr
}

// settle remembers the format that worked, unless it was tried by itself: then the endpoint refused this schema alone.
func (c *Client) settle(ctx context.Context, at format) {
	if t := c.known.traitsNow(ctx); !t.Proven && t.Format < at {
		c.known.learn(ctx, func(t *traits) { t.Format = at })
	}
}

// repair shows the model its answer, if that fits its window, and what is wrong with it.
func (c *Client) repair(ctx context.Context, r Request, at format, written string, wrong []jsonform.Problem) []Message {
	told := "That is not the JSON that was asked for: " + jsonform.Say(wrong, maxMisfits) + "."
	if at.enforced() && r.Schema != nil {
		told += " The JSON Schema is:\n" + string(r.Schema) + "\n" // the weaker formats say it anyway
	}
	told += " Answer again with the whole JSON and nothing else."
	written = text.Shorten(written, maxShown)
	if strings.TrimSpace(written) == "" {
		written = "{}"
	}
	whole := append(r.Messages[:len(r.Messages):len(r.Messages)], Message{Role: RoleAssistant, Content: written},
		Message{Role: RoleUser, Content: told})
	longer := r
	longer.Messages = whole
	if t := c.known.traitsNow(ctx); t.Window.Tokens > 0 && c.Count(ctx, longer)+c.limit(r) > t.Window.Tokens {
		return append(r.Messages[:len(r.Messages):len(r.Messages)],
			Message{Role: RoleUser, Content: "An earlier answer was not used. " + told})
	}
	return whole
}

// ReadJSON decodes into out the JSON of a schema that a model wrote among other words, as Decode does
// where no endpoint keeps the model to it. model_failed where there is none, with ErrSchema or ErrEmpty.
func ReadJSON(written string, schema json.RawMessage, out any) error {
	f, err := newForm(schema)
	if err != nil {
		return err
	}
	if written, _ = apart(written); strings.TrimSpace(written) == "" {
		return unusable(ErrEmpty, "the model answered with nothing")
	}
	if wrong := f.decode(written, out); len(wrong) > 0 {
		return misfit(wrong)
	}
	return nil
}

func misfit(wrong []jsonform.Problem) error {
	return &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm", Err: ErrSchema,
		Message: "the answer is not the JSON that was asked for: " + jsonform.Say(wrong, maxMisfits)}
}

// unmarshalled says why JSON that has the schema's form does not go into a Go value.
func unmarshalled(err error) []jsonform.Problem {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return []jsonform.Problem{{At: e.Field, Words: fmt.Sprintf("must be %s, not %s", e.Type.Kind(), e.Value),
			Bound: true}}
	}
	return malformed
}

// Format names the way in which the endpoint is asked for JSON, as far as it is known by now.
func (c *Client) Format() string {
	return max(c.first, c.known.traitsNow(context.Background()).Format).String()
}
