package agent

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/llm"
)

// A Model is a chat model as the agent asks it. A call that was cut, refused or could not be understood is an error
// (model_failed), never a part of an answer; the tokens of the Reply beside it were spent all the same.
type Model interface {
	Name() string
	// Window is how many tokens a request and its answer may have together; 0 where that is not known.
	Window(ctx context.Context) int
	Chat(ctx context.Context, r Request) (Reply, error)
}

// Roles of a Message.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// A Message is one turn of a conversation. An assistant's may have Calls; a tool's answers the call CallID.
type Message struct {
	Role    string      `json:"role"`
	Content string      `json:"content"`
	Images  []llm.Image `json:"images,omitempty"` // shown beside Content; of a user only
	Calls   []ToolCall  `json:"calls,omitempty"`
	CallID  string      `json:"call_id,omitempty"`
}

// A ToolCall is what a model wants called.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	// Fault says why the arguments are not what the model meant: the call is answered with it, and not made.
	Fault string `json:"fault,omitempty"`
}

// A Function is a tool as a model is offered it.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON Schema, its fields in the order to fill them in
}

// A Request is what a model is asked: for a call of one of Functions, for JSON of
// Schema, or where both are empty for text.
type Request struct {
	Messages   []Message
	Functions  []Function
	Force      string // the one function that must be called; empty leaves the choice among them
	Schema     json.RawMessage
	SchemaName string
	MaxTokens  int
	weighs     bool // it is for a reasoning: what the one before has weighed is shown in short
	Room       int  // tokens, in and out, beyond which the Model begins no further try of its own; 0 is no limit
	// Heard is told what the model says while it says it; only for showing, since it may
	// never become whole. It is called before Chat returns and by one goroutine at once.
	Heard func(Delta)
	// Waits hears of each pause that the Model makes before it asks again, and why.
	Waits func(pause time.Duration, why error)
}

// A Delta is a piece of an answer: of its text, or of the arguments of a call.
type Delta struct {
	Text string
	Call string // the tool's name; empty for text
}

// A Reply is what a model answered. Text has no thinking in it.
type Reply struct {
	Text         string     `json:"text,omitempty"`
	Thinking     string     `json:"thinking,omitempty"`
	Calls        []ToolCall `json:"calls,omitempty"`
	InputTokens  int        `json:"input_tokens"`
	CachedTokens int        `json:"cached_tokens,omitempty"` // of InputTokens
	OutputTokens int        `json:"output_tokens"`
	Tries        int        `json:"tries,omitempty"` // requests that the tokens are of, where it took more than one
	// RetryAt, beside an error, is when the endpoint may be asked again, where that is later than the run can wait.
	RetryAt time.Time `json:"retry_at,omitzero"`
	// Failed is what kind of failure an error beside the Reply is, where the run goes by
	// it: kept in its journal, since it has to go by it again. Code sets it.
	Failed string `json:"failed,omitempty"`
}

// The kinds of failure that a run goes by.
const (
	failedTooLong = "too_long" // the question and the answer asked for are longer than the window
	failedAway    = "away"     // the endpoint cannot be asked for the moment
	failedNoTools = "no_tools" // the endpoint takes no tools for this model
	failedCut     = "cut"      // the answer was longer than the budget had room for
)

// failureOf is the kind of a failure. An endpoint that cannot be reached is away where it
// has answered in this run; before, its address may be wrong.
func (r *run) failureOf(err error) string {
	switch c := citewell.CodeOf(err); {
	case errors.Is(err, llm.ErrContext):
		return failedTooLong
	case errors.Is(err, llm.ErrNoTools):
		return failedNoTools
	case errors.Is(err, llm.ErrLength):
		return failedCut
	case llm.Momentary(err), c == citewell.CodeRateLimited,
		(c == citewell.CodeConnectFailed || c == citewell.CodeDNSFailed) && r.lastInput > 0:
		return failedAway
	}
	return ""
}

// defaultWindow is what a model is taken for whose window is not known, in tokens.
const defaultWindow = 128_000

// tokensOfImage is what an image is taken for: the most that large models spend on one of the size that is sent.
const tokensOfImage = 1500

// bytesOfToken is how many bytes of a text are taken for a token.
const bytesOfToken = 3

// tokens estimates how many tokens a text has: a third of its bytes. OpenAI's tokenizer
// makes 0.87 of that of Chinese and of Japanese, 0.5 of Russian, 0.67 of English; that of a
// model with a small vocabulary makes more, which the run learns from the first answer.
func tokens(text string) int { return (len(text) + bytesOfToken - 1) / bytesOfToken }

// size estimates the tokens of a request.
func (r Request) size() int {
	n := tokens(string(r.Schema))
	for _, m := range r.Messages {
		n += m.size()
	}
	for _, f := range r.Functions {
		n += tokens(f.Name) + tokens(f.Description) + tokens(string(f.Parameters)) + 8
	}
	return n
}

func (m Message) size() int {
	n := tokens(m.Content) + tokensOfImage*len(m.Images) + 4
	for _, c := range m.Calls {
		n += tokens(c.Name) + tokens(string(c.Arguments)) + 8
	}
	return n
}
