// Package llm talks to chat and embedding models over any API of OpenAI's shape.
//
// Flow: Request → endpoint → Reply; Decode also asks for JSON of a schema, finds
// it in what came back, and asks once more where it does not fit. Embeddings turn
// texts into vectors of unit length, in batches, and keep them.
// Structured output: a schema is asked for in the strongest way the endpoint
// takes (json_schema, then json_object, then in words), found out by trying and
// remembered by the Client.
// Untrusted text goes to a model inside an Envelope.
// Errors: auth, rate_limited, quota_exhausted, timeout, canceled, model_failed (it
// answered, but not usably), and what egress says of connections. No message
// holds a key.
// Concurrency: a Client and Embeddings serve many callers at once. ctx bounds each
// call; there is no other deadline. A chat is not retried, embeddings are.
// Why go-openai: doc/decision/0004-model-client.md.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/egress"
	openai "github.com/sashabaranov/go-openai"
)

// DefaultBaseURL is used where a key and a model are set, but no endpoint.
const DefaultBaseURL = "https://api.openai.com/v1"

// maxReply bounds what is read of one answer, in bytes.
const maxReply = 16 << 20

// Options say which model and how it is asked.
type Options struct {
	BaseURL          string // DefaultBaseURL when empty
	APIKey           egress.Secret
	Model            string
	MaxTokens        int     // of one answer; 0 leaves it to the endpoint
	Temperature      float64 // 0 leaves it to the endpoint
	StructuredOutput string  // auto, json_schema, json_object or prompt; empty is auto
	ReasoningEffort  string  // low, medium or high; empty leaves it to the endpoint
	Extra            map[string]any
	Guard            *egress.Guard
	// Foreign says that the endpoint is not the operator's word but a caller's: its
	// address is judged as a page's is.
	Foreign bool
}

// A Client asks one model at one endpoint.
type Client struct {
	o      Options
	api    *openai.Client
	format atomic.Int32 // the strongest format that the endpoint has not refused
	// newNames says that the endpoint is OpenAI's own, whose newer models refuse
	// max_tokens and want max_completion_tokens.
	newNames bool
}

// New returns a Client. invalid_config where the endpoint or the model is missing
// or wrong.
func New(o Options) (*Client, error) {
	if o.Model == "" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "llm.model is not set", Hint: "name the model that the endpoint serves"}
	}
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(strings.TrimRight(o.BaseURL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "llm.base_url is no http or https URL",
			Hint: "as in http://127.0.0.1:11434/v1"}
	}
	c := &Client{o: o, newNames: base.Hostname() == "api.openai.com"}
	first, ok := formatNamed(o.StructuredOutput)
	if !ok {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "llm.structured_output is " + o.StructuredOutput + "; it must be auto, json_schema, json_object or prompt"}
	}
	c.format.Store(int32(first))
	config := openai.DefaultConfig(o.APIKey.Reveal())
	config.BaseURL = base.String()
	client := o.Guard.TrustedClient(base)
	if o.Foreign {
		client.Transport = o.Guard.Transport()
	}
	config.HTTPClient = &http.Client{Transport: &wire{next: client.Transport, extra: o.Extra}, CheckRedirect: client.CheckRedirect}
	c.api = openai.NewClientWithConfig(config)
	return c, nil
}

// Options are what the Client was made of.
func (c *Client) Options() Options { return c.o }

type clientKey struct{}

// WithClient makes c the model of the calls below ctx.
func WithClient(ctx context.Context, c *Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// ClientOf is the model of who calls; nil where the caller has none.
func ClientOf(ctx context.Context) *Client {
	c, _ := ctx.Value(clientKey{}).(*Client)
	return c
}

// Name is the model's name.
func (c *Client) Name() string { return c.o.Model }

// A Message is one turn of a conversation.
type Message struct {
	Role    string // system, user or assistant
	Content string
}

// A Request is what a model is asked.
type Request struct {
	Messages   []Message
	MaxTokens  int             // 0 is the Client's
	Schema     json.RawMessage // of Decode's answer
	SchemaName string
}

// A Reply is what a model answered.
type Reply struct {
	Text         string // without its thinking
	Thinking     string
	FinishReason string
	Model        string
	InputTokens  int
	OutputTokens int
}

// Chat asks for plain text.
func (c *Client) Chat(ctx context.Context, r Request) (Reply, error) {
	return c.chat(ctx, r, formatPrompt)
}

func (c *Client) chat(ctx context.Context, r Request, f format) (Reply, error) {
	request := openai.ChatCompletionRequest{Model: c.o.Model, Temperature: float32(c.o.Temperature), ReasoningEffort: c.o.ReasoningEffort}
	limit := c.o.MaxTokens
	if r.MaxTokens > 0 && (limit == 0 || r.MaxTokens < limit) {
		limit = r.MaxTokens
	}
	if c.newNames {
		request.MaxCompletionTokens = limit
	} else {
		//lint:ignore SA1019 the name that every other endpoint of this shape knows
		request.MaxTokens = limit
	}
	for _, m := range r.Messages {
		request.Messages = append(request.Messages, openai.ChatCompletionMessage{Role: m.Role, Content: m.Content})
	}
	f.apply(&request, r)
	answer, err := c.api.CreateChatCompletion(ctx, request)
	if err != nil {
		return Reply{}, c.failure(ctx, err)
	}
	if len(answer.Choices) == 0 {
		return Reply{}, unusable("the model's answer has no choices")
	}
	choice := answer.Choices[0]
	text, thinking := apart(choice.Message.Content)
	if choice.Message.ReasoningContent != "" {
		thinking = choice.Message.ReasoningContent
	}
	reply := Reply{Text: text, Thinking: thinking, FinishReason: string(choice.FinishReason), Model: answer.Model,
		InputTokens: answer.Usage.PromptTokens, OutputTokens: answer.Usage.CompletionTokens}
	switch {
	case choice.Message.Refusal != "":
		return reply, unusable("the model refused to answer")
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return reply, unusable("the endpoint's content filter stopped the answer")
	case choice.FinishReason == openai.FinishReasonLength:
		return reply, unusable("the answer was cut at the token limit")
	case strings.TrimSpace(text) == "":
		return reply, unusable("the model answered with nothing")
	}
	return reply, nil
}

func unusable(message string) error {
	return &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm", Message: message}
}

// apart separates what a model thought aloud from its answer.
func apart(content string) (text, thinking string) {
	before, rest, found := strings.Cut(content, "<think>")
	if !found {
		// Some servers strip the opening mark and leave the closing one.
		if thought, answer, closed := strings.Cut(content, "</think>"); closed {
			return strings.TrimSpace(answer), strings.TrimSpace(thought)
		}
		return content, ""
	}
	thought, after, closed := strings.Cut(rest, "</think>")
	if !closed {
		return strings.TrimSpace(before), strings.TrimSpace(rest)
	}
	return strings.TrimSpace(before + after), strings.TrimSpace(thought)
}

// failure gives the library's error a code, and a message without key or address.
func (c *Client) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	status, said := 0, ""
	if e, ok := errors.AsType[*openai.APIError](err); ok {
		status, said = e.HTTPStatusCode, e.Message
		if code, _ := e.Code.(string); code == "insufficient_quota" {
			return &citewell.Error{Code: citewell.CodeQuotaExhausted, Op: "llm", Message: "the account's credits are used up", Err: err}
		}
	} else if e, ok := errors.AsType[*openai.RequestError](err); ok {
		status = e.HTTPStatusCode
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return &citewell.Error{Code: citewell.CodeAuth, Op: "llm", Message: "the model's endpoint refused the key", Hint: "check llm.api_key and llm.base_url", Err: err}
	case status == http.StatusTooManyRequests:
		return &citewell.Error{Code: citewell.CodeRateLimited, Op: "llm", Message: "the model's endpoint is rate limited", Err: err}
	case status >= 400:
		return &citewell.Error{Code: citewell.CodeModelFailed, Op: "llm", Message: strings.TrimSuffix("the model's endpoint answered "+http.StatusText(status)+": "+safe(said, c.o.APIKey), ": "), Err: statusError{status, err}}
	}
	if _, broken := errors.AsType[*json.SyntaxError](err); broken || errors.Is(err, errNotJSON) {
		return &citewell.Error{Code: citewell.CodeBadResponse, Op: "llm", Message: "the model's endpoint did not answer in JSON", Hint: "llm.base_url usually ends in /v1", Err: err}
	}
	return egress.Classify("llm", err)
}

// safe shortens what an endpoint said of an error and takes the key out.
func safe(said string, key egress.Secret) string {
	said = strings.Join(strings.Fields(said), " ")
	if !key.Empty() {
		said = strings.ReplaceAll(said, key.Reveal(), key.String())
	}
	if len(said) > 200 {
		said = strings.ToValidUTF8(said[:200], "") + "…"
	}
	return said
}

// A statusError keeps the HTTP status of a refusal.
type statusError struct {
	status int
	error
}

func (e statusError) Unwrap() error { return e.error }
