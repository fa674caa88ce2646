package llm

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// Who speaks in a Message.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// A Message is one turn of a conversation.
type Message struct {
	Role    string
	Content string
	Images  []Image // shown beside Content; of a user only
	// ToolCalls are an assistant's. Each needs an answer by a message of the role tool with its id.
	ToolCalls  []ToolCall
	ToolCallID string // of a tool's message: the call it answers
}

// An Image is shown to a model.
type Image struct {
	URL    string `json:"url"`              // a data URL, or https where the endpoint fetches by itself
	Detail string `json:"detail,omitempty"` // low, high or auto; empty leaves it to the endpoint
}

// DataImage returns an image that travels inside the request.
func DataImage(mediaType string, data []byte) Image {
	return Image{URL: "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)}
}

// A Tool is what a model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema of an object; sent as it stands, in its order
	Strict      bool            // the endpoint shall enforce Parameters, where it can
}

// A ToolCall is what a model wants done.
type ToolCall struct {
	ID        string          // unique in its conversation; repaired where the model gave none
	Name      string          // as the model wrote it; it may name no tool that there is
	Arguments json.RawMessage // a JSON object
	// Fault says why Arguments are unreadable: they hold the model's text under "unreadable", and the call must be
	// answered with Fault, not run.
	Fault string

	written string
}

// Which tools a model is to call.
const (
	ToolAuto     = "auto"     // or none
	ToolRequired = "required" // at least one
	ToolNone     = "none"
)

// A Request is what a model is asked.
type Request struct {
	Messages  []Message
	MaxTokens int // of the answer; 0 is the Client's, and never more than that

	Tools      []Tool
	ToolChoice string // ToolAuto, ToolRequired or ToolNone; empty leaves it to the endpoint
	OnlyTool   string // the one tool that must be called; it beats ToolChoice
	Serial     bool   // at most one call at once, where the endpoint takes parallel_tool_calls

	// Waits hears of each pause before the request is sent again, and why; with ErrQueued, of a wait in our own queue.
	Waits func(pause time.Duration, why error)

	Temperature     *float64       // nil is the Client's
	ReasoningEffort string         // low, medium or high; empty is the Client's
	Extra           map[string]any // sent as it stands; beats the Client's

	// Of Decode alone. Writing, unless nil, hears of each piece of an answer, which is a stream then.
	Writing     func()
	Schema      json.RawMessage
	SchemaName  string
	Tries       int // 1 to MaxTries; MaxTries when 0
	GrowTo      int // an answer cut at MaxTokens is asked for again with up to so many; 0 does not
	TokenBudget int // tokens in and out of all tries; no further try is begun that would pass it. 0 is none
}

// A Reply is what a model answered.
type Reply struct {
	Text         string // without its thinking
	Thinking     string
	ToolCalls    []ToolCall
	FinishReason string
	Model        string
	// Tokens, summed over all tries of Decode. Estimated ones were counted here: the endpoint did not, or not credibly.
	InputTokens     int
	OutputTokens    int
	CachedTokens    int // of InputTokens
	ReasoningTokens int // of OutputTokens
	Estimated       bool
	Streamed        bool // the endpoint sent it in pieces
	Tries           int  // requests that were answered; 1 but for Decode
}

// add counts the tokens of an earlier try in.
func (r *Reply) add(earlier Reply) {
	r.InputTokens += earlier.InputTokens
	r.OutputTokens += earlier.OutputTokens
	r.CachedTokens += earlier.CachedTokens
	r.ReasoningTokens += earlier.ReasoningTokens
	r.Estimated = r.Estimated || earlier.Estimated
	r.Tries += earlier.Tries
}
