package openai

import (
	"encoding/json"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
)

// A usage is what a request cost in tokens, of all that the run asked its model.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func usageOf(u agent.Usage) *usage {
	return &usage{u.InputTokens, u.OutputTokens, u.InputTokens + u.OutputTokens}
}

// A completion is the answer to a request that is no stream.
type completion struct {
	ID            string         `json:"id"`
	Object        string         `json:"object"`
	Created       int64          `json:"created"`
	Model         string         `json:"model"` // the run's id
	Choices       []choice       `json:"choices"`
	Usage         *usage         `json:"usage"`
	Citations     []string       `json:"citations,omitempty"`
	SearchResults []searchResult `json:"search_results,omitempty"`
	Citewell      about          `json:"citewell"`
}

type choice struct {
	Index        int          `json:"index"`
	Message      finalMessage `json:"message"`
	Logprobs     *struct{}    `json:"logprobs"`
	FinishReason string       `json:"finish_reason"`
}

type finalMessage struct {
	Role        string       `json:"role"`
	Content     string       `json:"content"`
	Refusal     *string      `json:"refusal"`
	Annotations []annotation `json:"annotations"`
}

// completion gives a content as one answer.
func (c *content) completion(f followed) completion {
	addresses, results := c.citations()
	return completion{ID: completionID(), Object: "chat.completion", Created: time.Now().Unix(), Model: f.id,
		Choices: []choice{{FinishReason: "stop", Message: finalMessage{
			Role: "assistant", Content: c.text, Annotations: c.shifted(0)}}},
		Usage: usageOf(c.spent), Citations: addresses, SearchResults: results, Citewell: c.about}
}

// completionID names one answer; the run has its own.
func completionID() string { return "chatcmpl-" + citewell.NewID() }

// A chunk is one piece of a stream.
type chunk struct {
	ID            string          `json:"id"`
	Object        string          `json:"object"`
	Created       int64           `json:"created"`
	Model         string          `json:"model"` // the run's id
	Choices       []chunkChoice   `json:"choices"`
	Usage         json.RawMessage `json:"usage,omitempty"` // null until the last, where it is asked for
	Citations     []string        `json:"citations,omitempty"`
	SearchResults []searchResult  `json:"search_results,omitempty"`
	Citewell      any             `json:"citewell,omitempty"` // an about, or a toolResult
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        delta     `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
}

type delta struct {
	Role        string       `json:"role,omitempty"`
	Content     *string      `json:"content,omitempty"`
	ToolCalls   []toolCall   `json:"tool_calls,omitempty"`
	Annotations []annotation `json:"annotations,omitempty"`
}

type toolCall struct {
	Index    int      `json:"index"` // each phase has its own: clients join what has the same
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A toolResult is what a call brought. It stands beside the choices: as a delta of the
// role tool, or as content, clients would put it into the assistant's words.
type toolResult struct {
	Result phase `json:"tool_result"`
}

type phase struct {
	CallID  string `json:"tool_call_id"`
	Name    string `json:"name"`
	Content string `json:"content"` // shortened
}
