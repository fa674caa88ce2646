package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	openai "github.com/sashabaranov/go-openai"
)

// A format is one way to ask for JSON, strongest first.
type format int32

const (
	formatSchema format = iota // response_format json_schema: the endpoint enforces it
	formatObject               // response_format json_object: some JSON
	formatPrompt               // the schema in words only
)

func formatNamed(name string) (format, bool) {
	switch name {
	case "", "auto", "json_schema":
		return formatSchema, true
	case "json_object":
		return formatObject, true
	case "prompt":
		return formatPrompt, true
	}
	return 0, false
}

// apply puts the schema of r into the request in the format's way.
func (f format) apply(request *openai.ChatCompletionRequest, r Request) {
	if r.Schema == nil {
		return
	}
	switch f {
	case formatSchema:
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: r.SchemaName, Schema: r.Schema, Strict: true}}
		return
	case formatObject:
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	request.Messages = append(request.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser,
		Content: "Answer with one JSON object of this JSON Schema and nothing else:\n" + string(r.Schema)})
}

// Decode asks for JSON of r.Schema and decodes it into out. An endpoint that
// refuses a format is asked in the next weaker one. An answer that does not fit is
// shown to the model once with what is wrong; then it is model_failed.
func (c *Client) Decode(ctx context.Context, r Request, out any) (Reply, error) {
	reply, err := c.structured(ctx, r)
	if err != nil {
		return reply, err
	}
	misfit := decode(reply.Text, out)
	if misfit == nil {
		return reply, nil
	}
	r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)],
		Message{"assistant", reply.Text},
		Message{"user", "That is not the JSON object that was asked for: " + misfit.Error() + ". Answer again with the whole object and nothing else."})
	again, err := c.structured(ctx, r)
	again.InputTokens += reply.InputTokens
	again.OutputTokens += reply.OutputTokens
	if err != nil {
		return again, err
	}
	if misfit = decode(again.Text, out); misfit != nil {
		return again, &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm", Message: "the answer is not the JSON that was asked for: " + misfit.Error(), Err: ErrSchema}
	}
	return again, nil
}

// ErrSchema marks an answer that did not have the form asked for.
var ErrSchema = errors.New("schema-invalid")

// structured asks in the strongest format that the endpoint takes, and remembers
// it once a weaker one was answered.
func (c *Client) structured(ctx context.Context, r Request) (Reply, error) {
	first := format(c.format.Load())
	reply, err := c.chat(ctx, r, first)
	for f := first + 1; f <= formatPrompt && refusesFormat(err); f++ {
		weaker, weakerErr := c.chat(ctx, r, f)
		if weakerErr == nil {
			c.format.CompareAndSwap(int32(first), int32(f))
			return weaker, nil
		}
		if !refusesFormat(weakerErr) {
			return weaker, weakerErr
		}
	}
	return reply, err
}

// refusesFormat says whether an endpoint may have refused the response format: it
// called the request wrong, or said that it cannot do this.
func refusesFormat(err error) bool {
	refusal, ok := errors.AsType[statusError](err)
	return ok && (refusal.status == http.StatusBadRequest || refusal.status == http.StatusUnprocessableEntity || refusal.status == http.StatusNotImplemented)
}

// decode reads the first JSON object in a text, which may stand between fences or
// words, into out.
func decode(s string, out any) error {
	start := strings.IndexByte(s, '{')
	if start < 0 {
		return errors.New("there is no JSON object in it")
	}
	err := json.NewDecoder(strings.NewReader(s[start:])).Decode(out)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s must be %s, not %s", e.Field, e.Type.Kind(), e.Value)
	}
	if err != nil {
		return errors.New("it is not well-formed JSON")
	}
	return nil
}

// Format names the way in which the endpoint is asked for JSON, as far as it is
// known by now.
func (c *Client) Format() string {
	return [...]string{"json_schema", "json_object", "prompt"}[c.format.Load()]
}
